/** Commands on policy files: read, test, compare. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyCommand } from '../../src/cli/policy/policy.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { keyNamed } from '../policy/world.ts';
import { type RecordedHome, recordedHome } from './recorded.ts';
import { run } from './terminal.ts';

let recorded: RecordedHome;
beforeAll(async () => {
  recorded = await recordedHome();
});
afterAll(() => recorded.close());

const policy = (words: readonly string[], options = {}, home = recorded.folder) =>
  run(policyCommand, { home, words, options });
const empty = () => mkdtempSync(join(tmpdir(), 'empty-'));
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('countersign policy explain', () => {
  it('prints the policy page with the hash of the file', async () => {
    const { code, out } = await policy(['explain', recorded.policyFile], {}, empty());
    expect(code).toBe(0);
    const parsed = parsePolicy(readFileSync(recorded.policyFile, 'utf8'));
    if ('errors' in parsed) throw new Error('invalid');
    expect(out).toMatch(/^Signing policy "recorded"\n=+\n/);
    expect(out).toContain(parsed.hash);
    expect(out).toContain('What no file can allow');
    const json = await policy(['explain'], { policy: recorded.policyFile, json: true }, empty());
    expect(JSON.parse(json.out)).toMatchObject({ title: 'Signing policy "recorded"' });
  });

  it('refuses an invalid file with line and column of each error', async () => {
    const path = join(empty(), 'policy.json');
    const file = policyTemplate('trader', { wallet: keyNamed('wallet').address, network: 'devnet' });
    const text = JSON.stringify({ ...file, rules: [{ ...file.rules[0], efect: 'allow' }] }, null, 2);
    writeFileSync(path, text, { mode: 0o600 });
    const { code, out, err } = await policy(['explain', path]);
    expect([code, out]).toEqual([1, '']);
    const line = text.split('\n').findIndex((each) => each.includes('efect')) + 1;
    expect(err).toContain(`${path}:${line}:`);
    expect((await policy(['explain'])).error).toMatchObject({ code: 'NOT_SET_UP' });
  });
});

describe('countersign policy test', () => {
  const cases = (name: string, list: readonly unknown[]) => recorded.write(name, { version: 1, cases: list });

  it('evaluates a policy against recorded decisions', async () => {
    const [swapped] = await recorded.home.ledger.rows('decisions', {
      planId: recorded.plans.swapped,
      limit: 1,
    });
    const [refused] = await recorded.home.ledger.rows('decisions', {
      planId: recorded.plans.refused,
      limit: 1,
    });
    const path = cases('cases.json', [
      { name: 'a small swap', decision: swapped?.id, expect: { effect: 'allow', rule: 'trade' } },
      {
        name: 'a strange program',
        decision: refused?.id,
        expect: { effect: 'deny', codes: refused?.decision.reasonCodes },
      },
      {
        name: 'a swap when the day is spent',
        decision: swapped?.id,
        view: { used: { 'sol-day': '100000000000' } },
        expect: { effect: 'deny', codes: ['LIMIT_EXCEEDED'] },
      },
    ]);
    const { code, out } = await policy(['test', recorded.policyFile, path]);
    expect([code, out]).toEqual([
      0,
      'ok    a small swap\nok    a strange program\nok    a swap when the day is spent\nrecorded: 3 of 3 cases hold.',
    ]);

    const other = await policy(['test', recorded.otherPolicyFile, path]);
    expect(other.code).toBe(1);
    expect(other.out).toContain('FAIL  a small swap');
    expect(other.out).toContain('- effect: expected allow, got deny');
    expect(flat(other.out)).toContain('limit sol-step');
    const json = await policy(['test', recorded.otherPolicyFile, path], { json: true });
    expect(JSON.parse(json.out).results.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, true, true]);
  });

  it('fails a case whose decision is not recorded in this home', async () => {
    const path = cases('gone.json', [
      { name: 'gone', decision: 'decision-9999', expect: { effect: 'allow' } },
    ]);
    for (const home of [recorded.folder, empty()]) {
      const { code, out } = await policy(['test', recorded.policyFile, path], {}, home);
      expect(code).toBe(1);
      expect(out).toContain('The inputs of decision-9999 are not in this home.');
    }
  });

  it('refuses an invalid case file by line', async () => {
    const path = recorded.write('bad.json', {
      version: 1,
      cases: [{ name: 'x', expect: { effect: 'allow' } }],
    });
    const { code, out, err } = await policy(['test', recorded.policyFile, path]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^${path}:\\d+:\\d+: .*decision-12`));
    expect((await policy(['test', recorded.policyFile])).error).toMatchObject({ code: 'NOT_SET_UP' });
    expect((await policy(['test', recorded.policyFile, '/nowhere.json'])).error).toMatchObject({
      message: '/nowhere.json cannot be read.',
    });
  });
});

describe('countersign policy diff', () => {
  it('lists changes and the recorded decisions that would change', async () => {
    const { code, out } = await policy(['diff', recorded.policyFile, recorded.otherPolicyFile]);
    expect(code).toBe(0);
    const text = flat(out);
    expect(text).toContain('- New limit sol-step: At most 0.05 SOL (50,000,000 lamports) may leave');
    expect(text).toContain(
      '+ Rule launch (Launch a token): signed only with your approval → signed without asking.',
    );
    expect(text).toContain(`${recorded.plans.swapped} swap`);
    expect(text).toMatch(/old allow: Rule trade allows this swap .* new deny \[LIMIT_EXCEEDED\]/);
    expect(text).toContain('old require_approval [APPROVAL_REQUIRED]');
    expect(out).not.toContain(recorded.plans.landed);
  });

  it('reports no difference between a file and itself', async () => {
    const { out } = await policy(['diff', recorded.policyFile, recorded.policyFile]);
    const { rows } = await recorded.home.ledger.verifyDecisions();
    expect(out).toBe(
      `The two files are equivalent.\n\n0 of ${rows} recorded decisions would come out differently.`,
    );
  });

  it('compares files without recorded decisions', async () => {
    const { code, out } = await policy(['diff', recorded.policyFile, recorded.otherPolicyFile], {}, empty());
    expect(code).toBe(0);
    expect(out).toContain('No decisions are recorded here that could be decided again.');
  });

  it('prints JSON and looks back no further than asked', async () => {
    const words = ['diff', recorded.policyFile, recorded.otherPolicyFile];
    const { out } = await policy(words, { json: true, limit: '1' });
    expect(JSON.parse(out)).toMatchObject({ decided: 1, changed: [], unseen: 0 });
    expect((await policy(['diff', recorded.policyFile])).error).toMatchObject({ code: 'NOT_SET_UP' });
  });
});
