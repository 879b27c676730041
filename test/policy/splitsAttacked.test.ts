/** Changed splits in the encoding of the real program, with one thing wrong in each. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FEE_SHARE_PROGRAM } from '../../src/sandbox/programs/addresses.ts';
import {
  feeShareAuthority,
  feeShareConfig,
  inSol,
  managerUpdateFeeConfig,
  quoteOf,
} from '../../src/sandbox/programs/feeShare.ts';
import type { systemTransfer } from '../../src/sandbox/service/build/tokens.ts';
import { keyNamed } from './people.ts';
import {
  ALLOWED,
  attacker,
  type Change,
  edited,
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
  const LARGE = { transactionFormat: 'v1' };
  const first = await world.token();
  other = (await world.landedConfig()).mint;
  const tip = { tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 };
  config = {
    endpoint: 'feeShareConfig',
    fields: world.configRequest(first.mint, [5000, 3000, 2000], { flow: 'dbc', ...LARGE, ...tip }),
  };
  split = {
    endpoint: 'updateFeeShareConfig',
    fields: { ...asked(other, [6000, 4000]), ...LARGE, payer: wallet },
  };
}, 240_000);
afterAll(() => real.close());

const asked = (baseMint: string, shares: readonly number[]) => ({
  baseMint,
  claimersArray: shares.map((_, i) => (i === 0 ? real.wallet : keyNamed(`claimer ${i}`).address)),
  basisPointsArray: shares,
});

/** The first instruction of the fee share program writes the list; shares begin after its discriminator and length. */
const list = (edit: Parameters<typeof edited>[2]): Change => edited(FEE_SHARE_PROGRAM, 0, edit);
const SHARES = 12;
const claimer = (n: number) => keyNamed(`claimer ${n}`).address;
const baseOf = ({ fields }: Subject) => String(fields.baseMint);

test.each<[string, () => Change, RegExp, boolean]>([
  [
    'another earner',
    () => list(withAccount(claimer(1), attacker.address)),
    /REQUEST_MISMATCH bytes match the request: earners in their places/,
    false,
  ],
  [
    'other shares',
    () => list(withBytes(SHARES, Buffer.concat([u16(4000), u16(6000)]))),
    /REQUEST_MISMATCH bytes match the request: earners in their places/,
    true,
  ],
  [
    'an end that is not said',
    () => list(withBytes(SHARES + 4, Uint8Array.of(0))),
    /REQUEST_MISMATCH the plan writes exactly/,
    false,
  ],
  [
    'another token',
    () => list((each) => renamed(each, other, baseOf(config))),
    /REQUEST_MISMATCH bytes match the request: token of the config/,
    false,
  ],
  [
    // All shares are a stranger's until a second change puts them right, which may never land.
    'a change that gives everything away before the one that was asked for',
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
    /REQUEST_MISMATCH bytes match the request: earners in their places/,
    false,
  ],
])('a changed split is refused with %s', async (_, change, why, harms) => {
  const found = await real.refuses(split, change(), why);
  if (harms) expect(found).not.toEqual([]);
});

test('a split in two stages is refused where the first gives everything away and the second puts it right', async () => {
  const shares = [5500, ...Array<number>(45).fill(100)];
  const fields = { ...asked(other, shares), payer: real.wallet };
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
    /^deny;.*REQUEST_MISMATCH bytes match the request: earners in their places/,
  );
});

type Instruction = ReturnType<typeof systemTransfer>;

/** The same instruction about another token. */
function renamed(each: Instruction, from: string, to: string): Instruction {
  const names = new Map([
    [from, to],
    [feeShareConfig(inSol(from)), feeShareConfig(inSol(to))],
    [feeShareAuthority(inSol(from)), feeShareAuthority(inSol(to))],
    [quoteOf(feeShareAuthority(inSol(from)), inSol(from)), quoteOf(feeShareAuthority(inSol(to)), inSol(to))],
  ]);
  return {
    ...each,
    accounts: each.accounts.map((account) => ({
      ...account,
      address: names.get(account.address) ?? account.address,
    })),
  };
}
