/**
 * What stands around the bytes of the recorded stages, changed one thing at a time, and what is decided then, as it was read
 * and approved: accounts as the chain shows them (approved/accounts/), the other stages of the plan (approved/run/),
 * instructions added behind the honest ones (approved/added/).
 */
import { describe, expect, it } from 'vitest';
import { addedInstructions, changedAccounts, changedRun } from './around.ts';
import { stage } from './stages.ts';
import { approvedText } from './sweep.ts';

/** One stage for each way the policy looks at one. */
const LOOKED_AT: readonly string[] = [
  'config v0',
  'config of many, second',
  'config with an unread program',
  'manager update to fewer',
  'custody table',
  'custody table closed',
  'custody launch',
  'direct launch, token',
  'direct launch',
  'direct launch, end',
  'curve launch v1',
  'bare curve launch',
  'swap of SOL',
  'swap of USDC',
  'swap in a pool',
  'swap with an unread program',
  'position claim',
  'holding claim',
  'claim from a vault',
  'deployer claim',
  'vault claim',
  'retired config of two',
  'payment of SOL',
  'payment of USDC, new account',
  'payment of USDC',
];

describe.each([
  ['one of its accounts changed', 'accounts', changedAccounts, 'counted'],
  ['the run around it changed', 'run', changedRun, 'named'],
  ['instructions added to it', 'added', addedInstructions, 'named'],
] as const)('a recorded stage with %s', (_, folder, changes, unchanged) => {
  it.each(LOOKED_AT)('%s', async (name) => {
    await expect(approvedText(name, changes(stage(name)), unchanged)).toMatchFileSnapshot(
      `approved/${folder}/${name}.txt`,
    );
  });
});
