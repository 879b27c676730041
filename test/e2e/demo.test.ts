import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { object, objects, run } from './harness.ts';

describe('countersign demo', () => {
  it('performs every step of the main job, with each figure read back from the chain', async () => {
    const { code, out, err } = await run(['demo', '--json']);
    const steps = out
      .trim()
      .split('\n')
      .map((line) => object(JSON.parse(line)));
    expect(steps.filter((step) => step.ok !== true)).toEqual([]);
    expect(code).toBe(0);
    expect(err).toBe('');
    const step = (name: string) => steps.find((each) => each.step === name) ?? {};

    expect(step('agent-key')).toMatchObject({ status: 'active' });
    expect(objects(step('config-3').stages)).toHaveLength(1);
    expect(step('config-3')).toMatchObject({
      claimersOnChain: 3,
      splitMatches: true,
      needsCreationNow: false,
    });
    const hundred = objects(step('config-100').stages);
    expect(hundred.filter((stage) => String(stage.id).startsWith('lookup-')).length).toBeGreaterThan(1);
    expect(hundred.filter((stage) => String(stage.id).startsWith('config-')).length).toBeGreaterThan(1);
    expect(step('config-100')).toMatchObject({
      claimersOnChain: 100,
      splitMatches: true,
      needsCreationNow: false,
    });
    expect(step('config-100-v1')).toMatchObject({ format: 'v1', claimersOnChain: 100, splitMatches: true });
    expect(BigInt(String(step('swap').treasuryReceivedLamports))).toBeGreaterThan(0n);
    expect(BigInt(String(step('swap').received))).toBeGreaterThanOrEqual(
      BigInt(String(step('swap').minOutAmount)),
    );
    expect(step('sponsored-claim').feePayer).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    const refused = step('two-wallets');
    expect(refused).toMatchObject({
      status: 'denied',
      signed: false,
      codes: expect.arrayContaining(['REQUEST_MISMATCH', 'UNDECLARED_LOSS']),
    });
    expect(refused.lamportsAfter).toBe(refused.lamportsBefore);
    expect(refused.explain).toMatch(/1 SOL/);
    expect(Number(refused.blindLamportsBefore) - Number(refused.blindLamportsAfter)).toBeGreaterThan(1.05e9);
  });

  it('prints a readable transcript with the steps shown in the README', async () => {
    const { code, out } = await run(['demo']);
    expect(out).not.toMatch(/undefined|NaN|\[object/);
    expect(code).toBe(0);
    expect(out).toMatch(/steps held/);
    const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
    const steps =
      /```text\n\$ countersign demo\n([\s\S]*?)```/.exec(readme)?.[1]?.split(/\n\n(?=[ \d])/) ?? [];
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) expect(shape(out).join('\n')).toContain(shape(step).join('\n'));
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });
});

/** Returns step titles and fact labels, which are the same in every run. */
const shape = (transcript: string): string[] =>
  transcript
    .split('\n')
    .filter((line) => /^( ?\d+\. | {4}[a-z])/.test(line))
    .map((line) => (line.startsWith('    ') ? line.slice(4, 16).replace(/\(.*/, '').trim() : line.trim()));
