/** Launches into pools of their own in the encodings of the real programs, each with one fault. */

import * as anchor from '@coral-xyz/anchor';
import { encodeFeeRateLimiterParams, encodeFeeTimeSchedulerParams } from '@meteora-ag/cp-amm-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { altered, type ReadOf, rewrite } from '../../sandbox/attacks/service/drafts.ts';
import { DAMM_V2_PROGRAM, METADATA_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { ata, createAta, mintTo } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import { AMOUNT, dropped, LEAST, launchedBy, replacedAt, retext } from './oneThingWrong.ts';
import {
  ALLOWED,
  attacker,
  both,
  type Change,
  edited,
  RealWorld,
  type Subject,
  short,
  u64,
  withAccount,
  withBytes,
} from './realOperations.ts';
import { decide, rewritten, stage } from './recorded/stages.ts';

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('pool launches attacked');
}, 240_000);
afterAll(() => real.close());

describe('pool launch attacks', () => {
  const subjects = new Map<string, Subject>();
  beforeAll(async () => {
    subjects.set('token', await real.poolLaunch('launch-1', '100000000'));
    subjects.set('pool', await real.poolLaunch('launch-2', '100000000'));
    subjects.set('own pool', await real.poolLaunch('launch-2', '100000000', {}, 'wallet'));
    subjects.set('hand-over', await real.poolLaunch('launch-3', '100000000'));
  }, 240_000);
  const subject = (name: string): Subject => {
    const found = subjects.get(name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  const service = () => real.world.sandbox.service.keys.launchAuthority.address;

  const POOL: Readonly<Record<string, [stage: string, () => Change, RegExp]>> = {
    'another link': [
      'token',
      () =>
        edited(METADATA_PROGRAM, 0, retext(String(subject('token').fields.ipfs), 'https://example.org/x')),
      /REQUEST_MISMATCH matchesRequest metadataLink/,
    ],
    'a mutableName': [
      'token',
      () => edited(METADATA_PROGRAM, 0, (each) => withBytes(each.data.length - 2, Uint8Array.of(1))(each)),
      /REQUEST_MISMATCH matchesRequest mutableName/,
    ],
    'no name': ['token', () => edited(METADATA_PROGRAM, 0, dropped), /REQUEST_MISMATCH partThere tokenName/],
    'a freezer': [
      'token',
      () => edited(TOKEN_PROGRAM, 0, (each) => ({ ...each, data: frozenBy(each.data) })),
      /REQUEST_MISMATCH matchesRequest tokenFreezer/,
    ],
    'minting kept': [
      'token',
      () => edited(TOKEN_PROGRAM, -1, dropped),
      /REQUEST_MISMATCH partThere endOfMinting/,
    ],
    'minting handed to a stranger': [
      'token',
      () =>
        edited(TOKEN_PROGRAM, -1, (each) => ({
          ...each,
          data: Uint8Array.from([6, 0, 1, ...Buffer.alloc(32, 7)]),
        })),
      /REQUEST_MISMATCH matchesRequest laterMinter/,
    ],
    'the supply for a stranger': [
      'token',
      () => {
        const [from, to] = [service(), attacker.address].map((owner) =>
          ata(owner, launchedBy(subject('token'))),
        );
        return both(
          edited(ASSOCIATED_TOKEN_PROGRAM, 0, () =>
            createAta(real.wallet, attacker.address, launchedBy(subject('token'))),
          ),
          edited(TOKEN_PROGRAM, 1, withAccount(from ?? '', to ?? '')),
        );
      },
      /REQUEST_MISMATCH supplyMinted/,
    ],
    'twice the supply': [
      'token',
      () => (draft) => ({
        ...draft,
        instructions: draft.instructions.flatMap((each) =>
          each.programAddress === TOKEN_PROGRAM && each.data[0] === 7 ? [each, each] : [each],
        ),
      }),
      /UNEXPECTED_INSTRUCTION/,
    ],
    'more supply than goes into the pool': [
      'token',
      () =>
        edited(TOKEN_PROGRAM, 1, (each) =>
          mintTo(
            TOKEN_PROGRAM,
            launchedBy(subject('token')).mint,
            each.accounts[1]?.address ?? '',
            service(),
            2n ** 62n,
          ),
        ),
      /REQUEST_MISMATCH supplyPooled/,
    ],
    'liquidity that is not locked': [
      'pool',
      () => edited(DAMM_V2_PROGRAM, 3, dropped),
      /REQUEST_MISMATCH liquidityLocked/,
    ],
    'liquidity that is locked in part': [
      'pool',
      () => edited(DAMM_V2_PROGRAM, 3, withBytes(8, Buffer.alloc(16, 1))),
      /REQUEST_MISMATCH liquidityLocked/,
    ],
    'a first buy for a stranger': [
      'pool',
      () =>
        edited(
          DAMM_V2_PROGRAM,
          -1,
          withAccount(
            ata(real.wallet, launchedBy(subject('pool'))),
            ata(attacker.address, launchedBy(subject('pool'))),
          ),
        ),
      /REQUEST_MISMATCH matchesRequest destination/,
    ],
    'a first buy without a minimum': [
      'pool',
      () => edited(DAMM_V2_PROGRAM, -1, withBytes(LEAST, u64(0n))),
      /LIMIT_EXCEEDED firstBuyShare/,
    ],
    'a first buy for more': [
      'pool',
      () => edited(DAMM_V2_PROGRAM, -1, withBytes(AMOUNT, u64(150_000_000n))),
      /REQUEST_MISMATCH matchesRequest initialBuy/,
    ],
    'a referral': [
      'pool',
      () =>
        edited(DAMM_V2_PROGRAM, -1, (each) => ({
          ...each,
          accounts: replacedAt(each.accounts, 11, attacker.address, true),
        })),
      /REQUEST_MISMATCH matchesRequest referralAccount/,
    ],
    'a position that stays with the service': [
      'own pool',
      () => edited(TOKEN_2022_PROGRAM, -1, dropped),
      /REQUEST_MISMATCH feeShareHalf/,
    ],
    'a position for a stranger': [
      'hand-over',
      () =>
        edited(TOKEN_2022_PROGRAM, -1, (each) => ({
          ...each,
          accounts: replacedAt(each.accounts, 2, attacker.address),
        })),
      /UNEXPECTED_INSTRUCTION|REQUEST_MISMATCH/,
    ],
  };

  test.each(Object.entries(POOL))('a launch is refused with %s', async (_, [name, change, why]) => {
    await real.refuses(subject(name), change(), why);
  });

  test('a plan that creates the token and never opens a pool is refused', async () => {
    const plan = await real.plan(subject('token'));
    const alone = { ...plan, stages: plan.stages.filter(({ id }) => id === 'launch-1') };
    expect(short(await real.world.decide(plan, 'launch-1'))).toBe(ALLOWED);
    expect(short(await real.world.decide(alone, 'launch-1'))).toMatch(
      /^deny;.*REQUEST_MISMATCH partThere launch/,
    );
  });

  test("almost all liquidity in the service's position is refused", async () => {
    // The service's position takes all but a thousandth; both positions exist and all liquidity is locked.
    const skewed: Change = (draft) => {
      const venue = draft.instructions.filter(({ programAddress }) => programAddress === DAMM_V2_PROGRAM);
      const [open, , add, lock, lockOther] = venue;
      if (open === undefined || add === undefined || lock === undefined || lockOther === undefined)
        throw new Error('other instructions than before');
      const half = u128At(lockOther.data, 8);
      const [little, most] = [half / 1_000n, u128At(lock.data, 8) + half - half / 1_000n];
      const from = Buffer.from(open.data).indexOf(Buffer.from(lock.data.slice(8, 24)));
      const changes = new Map([
        [open, withBytes(from, u128(most))(open)],
        [add, withBytes(8, u128(little))(add)],
        [lock, withBytes(8, u128(most))(lock)],
        [lockOther, withBytes(8, u128(little))(lockOther)],
      ]);
      return { ...draft, instructions: draft.instructions.flatMap((each) => changes.get(each) ?? [each]) };
    };
    await real.refuses(subject('pool'), skewed, /REQUEST_MISMATCH feeShareHalf/);
  });

  /** Decides on a changed stage that opens the pool. */
  const opened = async (change: Change): Promise<string> =>
    (await real.reasonsOf(subject('pool'), [change])).join();

  test('a stranger who opens the pool and holds half of its locked liquidity asks by name and share (T185)', async () => {
    const stranger: Change = (draft) => {
      const made = rewrite(draft, OPEN, (found) => [
        altered(found, { accounts: { creator: attacker.address } }),
      ]);
      const locked = rewrite(made, 'dammV2.permanentLockPosition', (found, nth) =>
        nth === 0 ? [altered(found, { accounts: { signer: attacker.address } })] : undefined,
      );
      return { ...locked, signers: [...locked.signers, attacker] };
    };
    expect(await opened(stranger)).toMatch(
      new RegExp(`PARTY_UNKNOWN[^:]*: ${attacker.address} with (50|49\\.9\\d*)%`),
    );
    expect(await opened((draft) => draft)).not.toMatch(/PARTY_UNKNOWN|TERM_/);
  });

  test.each<[string, (args: OpenArgs) => object, RegExp]>([
    ['a fee of 0.01%', (args) => feeAt(args, 0, 100_000n), /poolFee: 0\.01% \| 2%/],
    ['fees in both tokens', () => ({ collectFeeMode: 0 }), /poolFeeAsset: both tokens \| the quote/],
    [
      'a price that can only rise fourfold',
      ({ sqrtPrice }) => ({ sqrtMaxPrice: sqrtPrice * 2n }),
      /highestPrice/,
    ],
    [
      'a fee that falls',
      ({ poolFees }) => ({
        poolFees: {
          ...poolFees,
          baseFee: { data: encodeFeeTimeSchedulerParams(bn(20_000_000), 1, bn(1), bn(19_000_000), 0) },
        },
      }),
      /poolFee: 2% \(0\.1% to 2% later\)/,
    ],
    [
      'a fee that rises with the size of a trade',
      ({ poolFees }) => ({
        poolFees: {
          ...poolFees,
          baseFee: { data: encodeFeeRateLimiterParams(bn(20_000_000), 100, 600, 5_000, bn(1_000)) },
        },
      }),
      /poolFee: 2% \(2% to 50% later\)/,
    ],
    [
      'a fee that follows volatility',
      ({ poolFees }) => ({ poolFees: { ...poolFees, dynamicFee: MOVING } }),
      /poolFee: 2% \(2% to 99% later\)/,
    ],
    [
      'an opening price of a millionth',
      ({ sqrtPrice, sqrtMinPrice }) => ({
        sqrtPrice: sqrtPrice / 1_000n,
        sqrtMinPrice: sqrtMinPrice / 1_000n,
      }),
      /TERM_DIFFERS openingPrice: [0-9.]+ SOL \| at least 1 SOL/,
    ],
    ['a fee of another mode', (args) => feeAt(args, 19, 9n << 56n), /TERM_UNKNOWN/],
  ])('%s of the pool asks, with both values (T185)', async (_, change, says) => {
    const altering: Change = (draft) =>
      rewrite(draft, OPEN, (found) => [altered(found, { args: change(found.args) })]);
    expect(await opened(altering)).toMatch(says);
  });
});

test('a token of half the supply asks before it is created, with both amounts (T185)', () => {
  const token = stage('direct launch, token');
  const halved = rewritten(token, (list) =>
    list.map((one) =>
      one.programAddress === TOKEN_PROGRAM && one.data[0] === MINT_TO
        ? { ...one, data: Uint8Array.from([MINT_TO, ...u64(500_000_000_000_000n)]) }
        : one,
    ),
  );
  const differing = (inputs: DecisionInputs) =>
    decide(inputs)
      .checks.filter(({ code }) => code === 'TERM_DIFFERS')
      .map(({ observed, allowed }) => [observed, allowed]);
  expect(differing(token)).toEqual([]);
  expect(differing(halved)).toEqual([['500,000,000 tokens', '1,000,000,000 tokens']]);
});

const MINT_TO = 7;
const OPEN = 'dammV2.initializeCustomizablePool';
type OpenArgs = ReadOf<typeof OPEN>['args'];
const bn = (value: number) => new anchor.BN(value);
const MOVING = {
  ...{ binStep: 100, binStepU128: 1n, filterPeriod: 10, decayPeriod: 120, reductionFactor: 5_000 },
  ...{ maxVolatilityAccumulator: 14_460_000, variableFeeControl: 95_600 },
};
const feeAt = ({ poolFees }: OpenArgs, offset: number, value: bigint) => {
  const data = Buffer.from(poolFees.baseFee.data);
  data.writeBigUInt64LE(value, offset);
  return { poolFees: { ...poolFees, baseFee: { data } } };
};

const u128 = (value: bigint): Uint8Array =>
  Buffer.concat([u64(value & 0xffff_ffff_ffff_ffffn), u64(value >> 64n)]);
const u128At = (data: Uint8Array, offset: number): bigint => {
  const bytes = Buffer.from(data);
  return bytes.readBigUInt64LE(offset) | (bytes.readBigUInt64LE(offset + 8) << 64n);
};

/** The data of `initializeMint2` with a freeze authority. */
const frozenBy = (data: Uint8Array): Uint8Array =>
  Uint8Array.from([...data.slice(0, 34), 1, ...Buffer.alloc(32, 9)]);
