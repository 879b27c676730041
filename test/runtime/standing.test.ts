/** What those who watch the policy in force are told about. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ACCEPTED_POLICY } from '../../src/approval/answering.ts';
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { policyTemplate } from '../../src/policy/file/templates.ts';
import { type PolicySource, policyFromFile } from '../../src/runtime/policyFile.ts';
import { standingOf } from '../../src/runtime/standing.ts';

const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

function world() {
  const home = mkdtempSync(join(tmpdir(), 'countersign-standing-'));
  const ledger = openLedger({ home, clock: systemClock });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(home, { recursive: true, force: true });
  });
  const file = join(home, 'policy.json');
  const write = (template: 'observer' | 'trader'): void =>
    writeFileSync(file, JSON.stringify(policyTemplate(template, { wallet: WALLET, network: 'devnet' })), {
      mode: 0o600,
    });
  write('observer');
  /** Judging a changed file asks the secret store for the owner key: watching must not. */
  const policy: PolicySource = policyFromFile(file, () =>
    Promise.reject(new Error('asked for the owner key')),
  );
  const stageBytes = () => Promise.reject(new Error('no stage is asked for'));
  const standing = () => standingOf({ kind: 'policy' }, { policy, ledger, plans: { stageBytes } });
  return { ledger, file, write, policy, standing };
}

describe('what the policy in force holds', () => {
  test('is the same while nothing happens', async () => {
    const { standing } = world();
    expect(await standing()).toBe(await standing());
  });

  test('differs when the file is edited, before a person accepts it', async () => {
    const { standing, write, policy } = world();
    await policy.current();
    const before = await standing();
    write('trader');
    expect(await standing()).not.toBe(before);
  });

  test('differs when a person accepts a file', async () => {
    const { standing, ledger } = world();
    const before = await standing();
    await ledger.setNote(ACCEPTED_POLICY, '{"hash":"h","statement":"s"}');
    expect(await standing()).not.toBe(before);
  });

  test('differs when the file goes away, or when others may write it', async () => {
    const { standing, file } = world();
    const before = await standing();
    chmodSync(file, 0o666);
    const open = await standing();
    rmSync(file);
    expect(new Set([before, open, await standing()]).size).toBe(3);
  });

  test('differs by a freeze, and is as before when it is lifted', async () => {
    const { standing, ledger } = world();
    const before = await standing();
    await ledger.freeze('a person said so');
    expect(await standing()).not.toBe(before);
    await ledger.unfreeze();
    expect(await standing()).toBe(before);
  });
});

test('what a stage holds is its bytes', async () => {
  const { policy, ledger } = world();
  const plans = { stageBytes: async (planId: string, stageId: string) => `${planId} ${stageId}` };
  const name = { kind: 'stage', planId: 'plan-1', stageId: 'config-1' } as const;
  expect(await standingOf(name, { policy, ledger, plans })).toBe('plan-1 config-1');
});
