/** Changed splits in the real program's encoding, each with one fault. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inSol, managerUpdateFeeConfig } from '../../sandbox/programs/feeShare.ts';
import { claimer, configuredBy, curveConfig, LARGE, list, renamed, SHARES } from './oneThingWrong.ts';
import {
  ALLOWED,
  attacker,
  type Change,
  RealWorld,
  type Subject,
  short,
  u16,
  withAccount,
  withBytes,
} from './realOperations.ts';

let real: RealWorld;
let config: Subject;
let split: Subject;
/** A token with a finished config that the wallet manages. */
let other: string;
beforeAll(async () => {
  real = await RealWorld.start('splits attacked');
  const { world, wallet } = real;
  const first = await world.token();
  other = (await world.landedConfig()).mint;
  config = curveConfig(real, first.mint);
  split = {
    endpoint: 'updateFeeShareConfig',
    fields: { ...splitRequest(other, [6000, 4000]), ...LARGE, payer: wallet },
  };
}, 240_000);
afterAll(() => real.close());

const splitRequest = (baseMint: string, shares: readonly number[]) => ({
  baseMint,
  claimersArray: shares.map((_, i) => (i === 0 ? real.wallet : claimer(i))),
  basisPointsArray: shares,
});

test.each<[string, () => Change, RegExp, boolean]>([
  [
    'another claimer',
    () => list(withAccount(claimer(1), attacker.address)),
    /REQUEST_MISMATCH matchesRequest claimersInPlaces/,
    false,
  ],
  [
    'other shares',
    () => list(withBytes(SHARES, Buffer.concat([u16(4000), u16(6000)]))),
    /REQUEST_MISMATCH matchesRequest claimersInPlaces/,
    true,
  ],
  [
    'a missing end marker',
    () => list(withBytes(SHARES + 4, Uint8Array.of(0))),
    /REQUEST_MISMATCH claimersWritten/,
    false,
  ],
  [
    'another token',
    () => list((each) => renamed(each, other, configuredBy(config))),
    /REQUEST_MISMATCH matchesRequest configToken/,
    false,
  ],
  [
    // A stranger has all shares until a second change, which may never land, corrects them.
    'a change that gives everything away before the requested one',
    () => (draft) => ({
      ...draft,
      instructions: [
        managerUpdateFeeConfig(
          { payer: real.wallet, manager: real.wallet },
          inSol(other),
          [{ address: attacker.address, bps: 10_000 }],
          { from: 0, to: 1, last: true },
        ),
        ...draft.instructions,
      ],
    }),
    /REQUEST_MISMATCH matchesRequest claimersInPlaces/,
    false,
  ],
])('a changed split is refused with %s', async (_, change, why, harms) => {
  const found = await real.refuses(split, change(), why);
  if (harms) expect(found).not.toEqual([]);
});

test('a split in two stages is refused if the first gives everything away and the second restores it', async () => {
  const shares = [5500, ...Array<number>(45).fill(100)];
  const fields = { ...splitRequest(other, shares), payer: real.wallet };
  const honest = await real.world.plan('updateFeeShareConfig', fields);
  expect(honest.stages.length).toBeGreaterThan(1);
  expect(short(await real.world.decide(honest, 'update-1'))).toBe(ALLOWED);
  const steals: Change = (draft, stage) =>
    stage === 'update-1'
      ? {
          ...draft,
          instructions: [
            managerUpdateFeeConfig(
              { payer: real.wallet, manager: real.wallet },
              inSol(other),
              [{ address: attacker.address, bps: 10_000 }],
              { from: 0, to: 1, last: true },
            ),
          ],
        }
      : draft;
  const hostile = await real.world.plan('updateFeeShareConfig', fields, steals);
  expect(short(await real.world.decide(hostile, 'update-1'))).toMatch(
    /^deny;.*REQUEST_MISMATCH matchesRequest claimersInPlaces/,
  );
});
