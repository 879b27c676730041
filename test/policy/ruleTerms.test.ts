/** Terms of a rule: hours, the price of a swap, the price of a first buy. */

import { describe, expect, it } from 'vitest';
import { amountOfAsset, decimal } from '../../src/base/format.ts';
import { rentOf } from '../../src/policy/decide/decisionContext.ts';
import { TOKEN_ACCOUNT_BYTES } from '../../src/policy/decide/operations/deposits.ts';
import { leastOfFirstBuy, withinHours } from '../../src/policy/decide/rules.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { remedyOf } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { inputs } from './deciding.ts';
import { keyNamed } from './people.ts';
import { answered, plus, quoted, withAccounts, withArgs } from './recorded/edits.ts';
import { decideUnder, stage } from './recorded/stages.ts';

describe('hours', () => {
  const at = (hours: { from: string; to: string; timeZone?: string } | undefined, time: string) =>
    withinHours(
      hours === undefined ? {} : { hours: { timeZone: 'UTC', ...hours } },
      Date.parse(`2026-11-21T${time}:00Z`),
    );

  it.each([
    ['09:00', '17:00', '08:59', false],
    ['09:00', '17:00', '09:00', true],
    ['09:00', '17:00', '16:59', true],
    ['09:00', '17:00', '17:00', false],
    ['22:00', '06:00', '21:59', false],
    ['22:00', '06:00', '22:00', true],
    ['22:00', '06:00', '23:59', true],
    ['22:00', '06:00', '00:00', true],
    ['22:00', '06:00', '05:59', true],
    ['22:00', '06:00', '06:00', false],
  ])('from %s to %s, at %s: %s', (from, to, time, within) => {
    expect(at({ from, to }, time)).toBe(within);
  });

  it('are in their own time zone, and absent hours are always', () => {
    expect(at({ from: '09:00', to: '10:00', timeZone: 'Asia/Tokyo' }, '00:30')).toBe(true);
    expect(at({ from: '09:00', to: '10:00', timeZone: 'UTC' }, '00:30')).toBe(false);
    expect(at(undefined, '00:30')).toBe(true);
  });
});

describe('a rule about swaps', () => {
  const swap = stage('swap of SOL');
  const output = String(swap.quote?.quote.outputMint);
  const quotedOut = BigInt(String(swap.quote?.quote.outAmount));
  const arrives = 15_702_636_475_559n;
  const tokens = (units: bigint) => amountOfAsset(units, output, 6);
  const trade = (more: object, inputs = swap) =>
    decideUnder(inputs, () => ({
      rules: [{ id: 'trade', operation: 'swap', effect: 'allow', why: 'test', ...more }],
    }));
  const failed = (more: object, inputs = swap) =>
    trade(more, inputs)
      .checks.filter(({ ok }) => !ok)
      .map(({ code, id, observed, allowed }) => [code, id, observed, allowed]);

  it('can require a share of the quoted amount, to the unit', () => {
    expect(failed({ minOutOfQuoteBps: 10_000 }, quoted(swap, { outAmount: `${arrives}` }))).toEqual([]);
    const better = quoted(swap, { outAmount: `${arrives + 1n}` });
    expect(failed({ minOutOfQuoteBps: 10_000 }, better)).toEqual([
      ['LIMIT_EXCEEDED', 'quoteShare', tokens(arrives), tokens(arrives + 1n)],
    ]);
    expect(failed({ minOutOfQuoteBps: 9_999 }, better)).toEqual([]);
    expect(failed({}, quoted(swap, { outAmount: `${quotedOut * 5n}` }))).toEqual([]);
  });

  it('allows slippage on the whole amount sold, and none on a fee taken from the proceeds', () => {
    const sale = stage('swap for SOL');
    const [arriving, fee] = [2_983n, 30n];
    const sol = (units: bigint) => amountOfAsset(units, 'SOL');
    const quotes = (outAmount: bigint) => quoted(sale, { outAmount: `${outAmount}` });
    const short = (least: bigint) => [['LIMIT_EXCEEDED', 'quoteShare', sol(arriving), sol(least)]];
    expect(failed({ minOutOfQuoteBps: 10_000 }, quotes(arriving))).toEqual([]);
    expect(failed({ minOutOfQuoteBps: 10_000 }, quotes(arriving + 1n))).toEqual(short(arriving + 1n));
    // At 50 % the quote may be twice the amount, plus the fee once.
    const twice = 2n * arriving + fee;
    expect(failed({ minOutOfQuoteBps: 5_000 }, quotes(twice))).toEqual([]);
    expect(failed({ minOutOfQuoteBps: 5_000 }, quotes(twice + 2n))).toEqual(short(arriving + 1n));
  });

  it('can bound the service fee, by default to one percent', () => {
    expect(failed({ maxServiceFeeBps: 100 })).toEqual([]);
    expect(failed({})).toEqual([]);
    expect(failed({ maxServiceFeeBps: 99 })).toEqual([
      ['LIMIT_EXCEEDED', 'ruleServiceFee', '0.005 SOL', '0.00495 SOL'],
    ]);
    const dear = answered(withArgs(swap, 'system.transfer', { lamports: 5_000_001n }, 1), {
      feeLamports: '5000001',
    });
    expect(failed({}, dear)).toContainEqual([
      'LIMIT_EXCEEDED',
      'ruleServiceFee',
      '0.005000001 SOL',
      '0.005 SOL',
    ]);
    // For a sale the fee is a share of the whole output.
    expect(failed({}, stage('swap for SOL'))).toEqual([]);
    expect(failed({ maxServiceFeeBps: 0 }, stage('swap for SOL'))[0]?.slice(2)).toEqual([
      '0.00000003 SOL',
      '0 SOL',
    ]);
  });

  it('counts the rent of a missing service fee account as fee', () => {
    const treasury = keyNamed('treasury of a profile').address;
    const [known, fee] = [[{ label: 'treasury', address: treasury }], 5_000_000n];
    const paying = withAccounts(swap, 'system.transfer', { to: treasury }, 1);
    const account = associatedTokenAddress(treasury, output, TOKEN_PROGRAM);
    const opens = encodeInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer: swap.plan.wallet,
        associatedToken: account,
        owner: treasury,
        mint: output,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram: TOKEN_PROGRAM,
      },
    });
    const opening = { ...plus(paying, opens), serviceAddresses: known };
    const rent = rentOf(opening, TOKEN_ACCOUNT_BYTES);
    const about = (more: object, inputs: DecisionInputs) =>
      failed(more, inputs).filter(([, check]) => check === 'ruleServiceFee');
    const whole = amountOfAsset(fee + rent, 'SOL');
    expect(about({ maxServiceFeeBps: 100 }, opening)).toEqual([
      ['LIMIT_EXCEEDED', 'ruleServiceFee', whole, amountOfAsset(fee, 'SOL')],
    ]);
    // Of 0.5 SOL.
    const needed = Number(((fee + rent) * 10_000n) / 500_000_000n) + 1;
    expect(about({ maxServiceFeeBps: needed - 1 }, opening)).toHaveLength(1);
    expect(about({ maxServiceFeeBps: needed }, opening)).toEqual([]);
    // Control case: no account is created, or it already exists.
    expect(about({ maxServiceFeeBps: 100 }, { ...paying, serviceAddresses: known })).toEqual([]);
    const there = { address: account, exists: true, owner: TOKEN_PROGRAM, data: '', lamports: `${rent}` };
    const accounts = [
      ...opening.accounts.filter(({ address }) => address !== account),
      { ...there, executable: false },
    ];
    expect(about({ maxServiceFeeBps: 100 }, { ...opening, accounts })).toEqual([]);
  });

  it('can require a rate, in its written direction', () => {
    const rate = (minOutput: bigint, more: object = {}) => ({
      minRates: [{ input: 'SOL', output, perInput: '500000000', minOutput: `${minOutput}`, ...more }],
    });
    expect(failed(rate(arrives))).toEqual([]);
    expect(failed(rate(arrives + 1n))).toEqual([
      [
        'LIMIT_EXCEEDED',
        'lowestRate',
        `${tokens(arrives)} for 0.5 SOL`,
        `${tokens(arrives + 1n)} for 0.5 SOL`,
      ],
    ]);
    expect(failed(rate(arrives / 2n + 1n, { perInput: '250000000' }))).toHaveLength(1);
    const other = keyNamed('another token').address;
    expect(failed(rate(arrives + 1n, { output: other }))).toEqual([]);
    expect(failed(rate(arrives + 1n, { input: other }))).toEqual([]);
    expect(failed({ minRates: [...rate(1n).minRates, ...rate(arrives + 1n).minRates] })).toHaveLength(1);
  });

  it('does not apply to other operations', () => {
    expect(trade({ minOutOfQuoteBps: 10_000 }, inputs).reasonCodes).toContain('NO_RULE');
  });
});

describe('a rule about the first buy of a launch (T26)', () => {
  const rule = (...maxFirstBuyValue: { quote: string; max: string }[]) =>
    ({ id: 'r', operation: 'launch', effect: 'allow', why: 'test', maxFirstBuyValue }) as const;
  const buy = { mint: 'm', quoteMint: WSOL_MINT, paid: 10n };

  it('requires a share of the supply, rounded up, for its price relative to the whole', () => {
    expect(leastOfFirstBuy(rule({ quote: 'SOL', max: '100' }), buy, 1_000n)).toBe(100n);
    expect(leastOfFirstBuy(rule({ quote: 'SOL', max: '100' }), buy, 1_001n)).toBe(101n);
    expect(leastOfFirstBuy(rule({ quote: 'SOL', max: '99' }), buy, 1_000n)).toBe(102n);
    expect(leastOfFirstBuy(rule(), buy, 1_000n)).toBe(0n);
    expect(leastOfFirstBuy({ id: 'r', operation: 'launch', effect: 'allow', why: 'x' }, buy, 1_000n)).toBe(
      0n,
    );
    const other = keyNamed('quote').address;
    expect(leastOfFirstBuy(rule({ quote: other, max: '1' }), buy, 1_000n)).toBe(0n);
    expect(leastOfFirstBuy(rule({ quote: other, max: '100' }), { ...buy, quoteMint: other }, 1_000n)).toBe(
      100n,
    );
    const two = [
      { quote: 'SOL', max: '50' },
      { quote: 'SOL', max: '100' },
    ];
    expect(leastOfFirstBuy(rule(...two), buy, 1_000n)).toBe(200n);
    expect(leastOfFirstBuy(rule(...two.toReversed()), buy, 1_000n)).toBe(200n);
  });

  it('bounds a recorded launch, to the unit', () => {
    const curve = stage('bare curve launch');
    const supply = 1_000_000_000_000_000n;
    const bought = 301_318_309_110n;
    const most = (10_000_000n * supply) / bought;
    const failed = (max: bigint) =>
      decideUnder(curve, () => ({ rules: [rule({ quote: 'SOL', max: `${max}` })] })).checks.filter(
        ({ ok }) => !ok,
      );
    expect(failed(most + 1n)).toEqual([]);
    expect(failed(most)).toMatchObject([
      {
        code: 'LIMIT_EXCEEDED',
        observed: expect.stringContaining(`${decimal(bought)} base units of `),
        allowed: expect.stringContaining(
          `${decimal((supply * 10_000_000n + most - 1n) / most)} base units of `,
        ),
      },
    ]);
    const ask = { id: 'ask', operation: 'launch', effect: 'require_approval', why: 'a dear launch' } as const;
    const low = rule({ quote: 'SOL', max: `${most}` });
    expect(decideUnder(curve, () => ({ rules: [low, ask] }))).toMatchObject({ ruleId: 'ask' });
    expect(remedyOf(decideUnder(curve, () => ({ rules: [low] })))).toMatch(/^Ask again for a better price/);
  });
});
