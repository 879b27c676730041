/**
 * Agents without a model do a day's jobs through the built command: one reads nothing but the text of a result, one nothing
 * but its structure. What a form does not say, its agent cannot do; what the results cost in tokens is counted.
 */
import { rmSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Fields, type McpProcess, someAddress, startServer } from './harness.ts';

/** The most tokens of results the jobs may cost together, in either form. */
const BUDGET = 12_000;

/** A result as one client shows it to its model. */
interface Seen {
  /** The first value under a name. */
  value(name: string): string;
  /** Every value under a name, in order. */
  values(name: string): string[];
  /** All that was shown. */
  readonly shown: string;
  readonly isError: boolean;
}

/** Every value under a name, at any depth. */
function found(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && typeof inner !== 'object' ? [String(inner)] : found(inner, name),
  );
}

const FORMS = {
  structure: (data: Fields) => ({
    shown: JSON.stringify(data),
    values: (name: string) => found(data, name),
  }),
  text: (_: Fields, text: string) => ({
    shown: text,
    values: (name: string) =>
      name === 'planId'
        ? [...text.matchAll(/\bplan-[0-9a-f]{8,}/g)].map(([id]) => id)
        : [...text.matchAll(new RegExp(`(?:^|[ .])${name} ([^\\s·]+)`, 'gm'))].map(([, value = '']) => value),
  }),
} as const;

describe.each(['text', 'structure'] as const)('an agent that is shown only the %s of results', (form) => {
  const { home } = createHome();
  let server: McpProcess;
  let spent = 0;
  beforeAll(async () => {
    server = await startServer(['--sandbox', '--slot-ms', '100'], { COUNTERSIGN_HOME: home });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function use(name: string, args: Fields = {}): Promise<Seen> {
    const answer = await server.call(name, args);
    const { shown, values } = FORMS[form](answer.data, answer.text);
    spent += encode(shown).length;
    const value = (of: string) => {
      const [first] = values(of);
      if (first === undefined) throw new Error(`${name} does not say ${of}: ${shown}`);
      return first;
    };
    return { shown, values, value, isError: answer.isError };
  }

  /** Submits until the plan has ended, by what the result says. */
  async function land(built: Seen): Promise<Seen> {
    const planId = built.value('planId');
    for (;;) {
      const seen = await use('submit_plan', { planId, waitSeconds: 30 });
      if (/is complete|"status":"complete"/.test(seen.shown)) return seen;
      if (!/is (running|waiting_setup)|"status":"(running|waiting_setup)"/.test(seen.shown))
        throw new Error(seen.shown);
    }
  }

  const token = (symbol: string) =>
    use('create_token_info', {
      name: symbol,
      symbol,
      description: 'a test',
      imageUrl: 'https://example.com/a.png',
    });
  let wallet = '';
  let shared = '';

  it('splits fees among three, launches into a pool with a first buy, and changes the split', async () => {
    wallet = (await use('get_wallet')).value('address');
    const handle = (await use('resolve_fee_share_wallet', { provider: 'twitter', username: '@Ada' })).value(
      'wallet',
    );
    const made = await token('SHARED');
    shared = made.value('tokenMint');
    const split = { tokenMint: shared, claimersArray: [wallet, handle, someAddress()] };
    const config = await use('create_fee_share_config', {
      ...split,
      flow: 'damm_v2_direct',
      basisPointsArray: [5000, 3000, 2000],
      admin: wallet,
    });
    expect((await land(config)).shown).toContain('50%');
    const launched = await land(
      await use('create_fee_share_damm_launch', {
        tokenMint: shared,
        tokenMetadata: made.value('tokenMetadata'),
        quoteMint: 'SOL',
        feeShareConfig: config.value('feeShareConfig'),
        initialBuy: 500_000_000,
      }),
    );
    expect(launched.shown).toMatch(/SHARED/);
    const changed = await land(
      await use('update_fee_share_config', { ...split, basisPointsArray: [7000, 2000, 1000] }),
    );
    expect(changed.shown).toContain('70%');
  });

  it('splits fees among thirty-seven', async () => {
    const made = await token('MANY');
    const others = Array.from({ length: 36 }, someAddress);
    const done = await land(
      await use('create_fee_share_config', {
        tokenMint: made.value('tokenMint'),
        flow: 'damm_v2_direct',
        claimersArray: [wallet, ...others],
        basisPointsArray: [6400, ...others.map(() => 100)],
        admin: wallet,
      }),
    );
    expect(done.shown).toContain('64%');
  });

  it('launches on a curve', async () => {
    const made = await token('CURVE');
    const config = await use('create_fee_share_config', {
      tokenMint: made.value('tokenMint'),
      flow: 'dbc',
      claimersArray: [wallet],
      basisPointsArray: [10_000],
      admin: wallet,
    });
    await land(config);
    await land(
      await use('create_curve_launch', {
        tokenMint: made.value('tokenMint'),
        tokenMetadata: made.value('tokenMetadata'),
        venueConfigKey: config.value('venueConfigKey'),
      }),
    );
  });

  it('buys, and sells half of what arrived with a stated slippage', async () => {
    const swap = async (quote: Seen) =>
      land(await use('create_swap', { requestId: quote.value('requestId') }));
    const bought = await swap(
      await use('get_swap_quote', { inputMint: 'SOL', outputMint: shared, amount: '1000000000' }),
    );
    const [, arrived = ''] = /\+(\d+)(?: base units|"\})/.exec(bought.shown) ?? [];
    const sold = await swap(
      await use('get_swap_quote', {
        inputMint: shared,
        outputMint: 'SOL',
        amount: `${BigInt(arrived) / 2n}`,
        slippageMode: 'manual',
        slippageBps: 300,
      }),
    );
    expect(sold.shown).toMatch(/\+0\.\d+/);
  });

  it('claims what the new token earned, from what the list says', async () => {
    const list = await use('list_claimable_positions');
    const at = list.values('tokenMint').indexOf(shared);
    expect(at).toBeGreaterThanOrEqual(0);
    const kinds = list.values('kind');
    const authority = /\bauthority(?:":"| )([1-9A-HJ-NP-Za-km-z]{32,44})/.exec(
      list.shown.slice(list.shown.indexOf(shared)),
    );
    const kind = kinds[at] ?? 'position';
    const done = await land(
      await use('create_fee_claims', {
        tokenMint: shared,
        quoteMint: list.values('quoteMint')[at] ?? '',
        source: { kind, ...(kind === 'holding' && authority !== null ? { authority: authority[1] } : {}) },
      }),
    );
    expect(done.shown).toMatch(/\+0\.\d+/);
    await land(await use('create_deployer_claims'));
  });

  it('looks up who earns, trades of another chain, and starts an incorporation', async () => {
    expect((await use('get_launch_creators', { tokenMint: shared })).values('royaltyBps').sort()).toEqual([
      '1000',
      '2000',
      '7000',
    ]);
    const evm = (await use('list_evm_token_creations', { limit: 1 })).value('address');
    const totals = await use('list_evm_trades', { tokenAddress: evm, totals: true });
    expect(Number(totals.value('trades'))).toBeGreaterThan(100);
    const roster = await use('get_evm_creator_roster', { tokenAddress: evm });
    const user = roster.values('address').find((each) => each !== `0x${'0'.repeat(40)}`);
    const earned = await use('get_evm_creator_earnings', { tokenAddress: evm, user: user ?? '' });
    expect(Number(earned.value('claimed'))).toBeGreaterThan(0);
    expect((await use('start_incorporation', { tokenMint: shared })).value('incorporationStarted')).toBe(
      'true',
    );
    expect((await use('list_incorporations')).shown).toContain(shared);
  });

  it('recovers from wrong turns by what each refusal says next', async () => {
    const turns: [string, Fields, RegExp][] = [
      ['create_swap', { requestId: 'gone' }, /new quote/],
      ['get_launch_creators', { tokenMint: 'nope' }, /tokenMint/],
      [
        'create_fee_share_config',
        { tokenMint: shared, flow: 'dbc', claimersArray: [wallet], basisPointsArray: [9000] },
        /10000/,
      ],
      ['resolve_fee_share_wallet', { provider: 'twitter', username: 'unknown_one' }, /spelling/],
      ['get_plan', { planId: 'plan-0000' }, /list_plans/],
      [
        'get_swap_quote',
        { inputMint: shared, outputMint: 'SOL', amount: '9000000000000000' },
        /the wallet has/,
      ],
    ];
    for (const [name, args, says] of turns) {
      const seen = await use(name, args);
      expect(seen.shown, name).toMatch(says);
    }
    const [again = ''] = (await use('list_plans', { limit: 1 })).values('planId');
    expect((await use('submit_plan', { planId: again })).shown).toMatch(/complete/);
  });

  it('says what it did today, what it cost, what waits and what the wallet is worth', async () => {
    const today = await use('get_activity');
    expect(Number(today.value('landed'))).toBeGreaterThan(8);
    expect(today.shown).toMatch(/network ?fee"?:? ?"?0\.0/i);
    expect(Number(today.value('total'))).toBeGreaterThan(1);
  });

  it('paid for all of it within the budget of tokens', () => {
    expect(spent).toBeLessThanOrEqual(BUDGET);
  });
});
