/**
 * Decisions on changes around the bytes of a recorded stage, as approved: accounts on the chain
 * (approved/accounts.txt), other stages of the plan (approved/run.txt), appended instructions (approved/added.txt).
 */
import { expect, it } from 'vitest';
import { addedInstructions, changedAccounts, changedRun } from './around.ts';
import { stage } from './stages.ts';
import { approvedTexts } from './sweep.ts';

/** One stage for each code path of the policy. */
const LOOKED_AT: readonly string[] = [
  'config v0',
  'config of many, second',
  'config with an unsupported program',
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
  'swap with an unsupported program',
  'position claim',
  'holding claim',
  'claim from a vault',
  'deployer claim',
  'vault claim',
  'curve config',
  'payment of SOL',
  'payment of USDC, new account',
  'payment of USDC',
];

it.each([
  ['accounts', changedAccounts, 'counted'],
  ['run', changedRun, 'named'],
  ['added', addedInstructions, 'named'],
] as const)(
  'each change to the %s of a recorded stage leads to the approved decision',
  async (file, changes, unchanged) => {
    const text = approvedTexts(LOOKED_AT, (name) => changes(stage(name)), unchanged);
    await expect(text).toMatchFileSnapshot(`approved/${file}.txt`);
  },
);
