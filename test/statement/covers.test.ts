/** Single rules of `covers`: draws of two servers, late landings, second questions, strictness, created accounts. */

import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { approvalOf, statementOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Approval, Line, RunStage } from '../../src/statement/types.ts';
import fc from '../fc.ts';
import {
  at,
  BASE,
  type Built,
  FakeChain,
  feeBound,
  fresh,
  Home,
  ownAccount,
  PAYEE,
  paysLine,
  QUIET,
  ROUTER,
  SCOPE,
  STRANGER,
  SYSTEM_PROGRAM,
  stage,
  TOKEN,
  VENUE,
  WALLET,
} from './chain.ts';

const sol = { account: WALLET, owner: WALLET };
const pay = (amount: bigint, to = PAYEE): Act => ({
  ...{ act: 'transfer', asset: 'SOL', from: sol, to: { account: to, owner: to }, amount, authority: WALLET },
});
const paying = (...amounts: bigint[]): Built =>
  stage([[SYSTEM_PROGRAM, ...amounts.map((each) => pay(each))]]);
const buying = (most: bigint, least: bigint): Built =>
  stage([
    [
      ROUTER,
      {
        ...{
          act: 'swap',
          venue: 'router',
          input: 'SOL',
          output: TOKEN,
          maxIn: most,
          minOut: least,
          exact: 'in',
        },
        ...{ source: sol, destination: { account: ownAccount(TOKEN), owner: WALLET }, authority: WALLET },
      },
    ],
  ]);
const home = (request: readonly Line[] = [feeBound], fixed: readonly string[] = [PAYEE, BASE]) =>
  new Home(new FakeChain(), { request, fixed });

describe('amounts the wallet pays', () => {
  test('two concurrent servers sign no more than approved, in either order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ server: fc.nat(1), stage: fc.nat(2) }), { maxLength: 12 }),
        (turns) => {
          const ledger = home();
          const stages = [paying(500n), paying(300n), paying(200n)];
          ledger.approve(stages);
          const signed = new Set<number>();
          // Each server has its own view of the stages still to sign.
          const views = [new Set<number>(), new Set<number>()];
          for (const { server, stage: wanted } of turns) {
            const mine = views[server] ?? new Set();
            if (mine.has(wanted)) continue;
            mine.add(wanted);
            const rest = stages.filter((_, i) => i !== wanted && !mine.has(i) && !signed.has(i));
            const built = stages[wanted];
            if (built !== undefined && ledger.reserve([built, ...rest]) !== undefined) signed.add(wanted);
          }
          const drawn = ledger.rows.flatMap(({ draws }) =>
            [...draws].filter(([key]) => key.includes('payment')),
          );
          const total = drawn.reduce((sum, [, amount]) => sum + amount, 0n);
          expect(total).toBeLessThanOrEqual(1_000n);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("a stage's use under one approval counts under the next", () => {
    const ledger = home();
    ledger.sign([paying(1_000n), paying(100n)]);
    ledger.approve([paying(100n)]);
    expect(ledger.reserve([paying(1_100n)])).toBeUndefined();
    expect(ledger.reserve([paying(100n)])).toBeDefined();
  });

  test('a second question counts the outflows under the first and covers the rest', () => {
    const ledger = home();
    ledger.sign([paying(1_000n), paying(100n)]);
    expect(ledger.reserve([paying(150n)])).toBeUndefined();
    ledger.approve([paying(150n)]);
    expect(ledger.reserve([paying(150n)])).toBeDefined();
  });

  test('a transaction that lands late is counted again, so that its replacement no longer fits', () => {
    const ledger = home();
    const first = ledger.sign([buying(1_000n, 900n), paying(50n)]);
    first.state = 'released';
    const second = ledger.reserve([buying(1_000n, 900n), paying(50n)]);
    expect(second).toBeDefined();
    ledger.land(first, buying(1_000n, 900n));
    expect(ledger.reserve([paying(50n)])).toBeUndefined();
    expect(ledger.refusal).toContain('trade');
  });

  test("a failed one keeps its network fee, within the request's bound", () => {
    const ledger = home();
    ledger.sign([paying(50n)]).state = 'failed';
    expect(ledger.reserve([paying(50n)])).toBeDefined();
    const tight = home([]);
    tight.sign([paying(50n)]).state = 'failed';
    expect(tight.reserve([paying(50n)])).toBeUndefined();
  });

  test("a bound of the request is not added to the acts' payments", () => {
    const ledger = home([feeBound, paysLine('SOL', 300n, PAYEE, 'tip')]);
    const run = {
      ...ledger.run([paying(50n)]),
      request: [feeBound, paysLine('SOL', 9_000n, 'validators', 'networkFee')],
    };
    const fee = statementOf(run).lines.find((line) => line.id === 'pays' && line.why === 'networkFee');
    expect(fee).toMatchObject({ atMost: 40_000n });
    expect(statementOf(ledger.run([paying(50n)])).lines).toContainEqual(
      expect.objectContaining({ why: 'tip', atMost: 300n }),
    );
  });

  test('a token with a transfer fee arrives with at least the approved amount', () => {
    const transfer: Act = {
      ...{
        act: 'transfer',
        asset: TOKEN,
        from: { account: ownAccount(TOKEN), owner: WALLET },
        amount: 1_000n,
      },
      ...{ to: { account: at('their account'), owner: PAYEE }, authority: WALLET },
    };
    const ledger = home();
    ledger.chain.feeBps.set(TOKEN, 100);
    ledger.approve([stage([[QUIET, transfer]])]);
    expect(ledger.reserve([stage([[QUIET, { ...transfer, fee: 11n }]])])).toBeUndefined();
    expect(ledger.refusal).toMatch(/^pays/);
    expect(ledger.reserve([stage([[QUIET, transfer]])])).toBeDefined();
  });

  test('the deposit of an own account that already exists is not required', () => {
    const open: Act = {
      ...{ act: 'openAccount', kind: 'token', account: ownAccount(TOKEN), owner: WALLET, mint: TOKEN },
      ...{ payer: WALLET, deposit: 'rent', ifMissing: true },
    };
    const ledger = home();
    ledger.approve([stage([[QUIET, open]])]);
    ledger.chain.there.add(ownAccount(TOKEN));
    expect(ledger.reserve([stage([[QUIET, open]])])).toBeDefined();
  });
});

describe('amounts the wallet receives', () => {
  const claim = (from: string, more = {}): Act => ({
    ...{ act: 'claim', what: 'a share', from: at(from), beneficiary: WALLET },
    ...{ payouts: [{ asset: 'SOL', to: sol }], ...more },
  });
  const claiming = (from: string, amount: bigint): Built =>
    stage([['shares', claim(from)]], { arrivals: new Map([['SOL', amount]]) });

  test('a claim with less than the approved payout is not offset by another', () => {
    const ledger = home();
    const row = ledger.sign([claiming('A', 1_000n), claiming('B', 1_000n)]);
    ledger.land(row, { ...claiming('A', 1_000n), brings: 400n });
    expect(ledger.reserve([claiming('B', 5_000n)])).toBeUndefined();
  });

  test('landed payouts above the simulation are sufficient', () => {
    const ledger = home();
    const row = ledger.sign([claiming('A', 1_000n), claiming('B', 1_000n)]);
    ledger.land(row, { ...claiming('A', 1_000n), brings: 1_500n });
    expect(ledger.reserve([claiming('B', 1_000n)])).toBeDefined();
  });

  test('a trade is matched by receipts of signed stages, in proportion', () => {
    const ledger = home();
    ledger.approve([buying(600n, 540n), buying(400n, 360n)]);
    expect(ledger.reserve([buying(600n, 500n), buying(400n, 400n)])).toBeUndefined();
    expect(ledger.reserve([buying(600n, 540n), buying(400n, 360n)])).toBeDefined();
    expect(ledger.reserve([buying(400n, 359n)])).toBeUndefined();
    expect(ledger.reserve([buying(400n, 360n)])).toBeDefined();
  });
});

describe('other lines', () => {
  const lock = (position: string): Act => ({
    ...{ act: 'lockLiquidity', venue: 'v', pool: at('pool'), position, liquidity: 9n, authority: WALLET },
  });
  const grants = (right: string, to: string | null): Act => ({ act: 'setRight', right, of: BASE, to });

  test('an assurance may become held, and not the reverse', () => {
    const ledger = home();
    ledger.approve([stage([[VENUE, lock(BASE)]])]);
    ledger.chain.held.add(BASE);
    expect(ledger.reserve([stage([[VENUE, lock(BASE)]])])).toBeDefined();
    const other = home();
    other.chain.held.add(BASE);
    other.approve([stage([[VENUE, lock(BASE)]])]);
    other.chain.held.delete(BASE);
    expect(other.reserve([stage([[VENUE, lock(BASE)]])])).toBeUndefined();
  });

  test('an assurance that became held renames no account', () => {
    const [pool, owners] = [fresh(), [WALLET, PAYEE, STRANGER, at('a'), at('b'), at('c')]];
    const acts = owners.flatMap((owner): Act[] => {
      const position = fresh();
      const opened = { act: 'openPosition', venue: 'v', pool, position, nftMint: position } as const;
      return [{ ...opened, owner, payer: STRANGER }, lock(position)];
    });
    const locked = acts.flatMap((act) => (act.act === 'lockLiquidity' ? [act.position] : []));
    for (const position of locked) {
      const ledger = home();
      ledger.approve([stage([[VENUE, ...acts]])]);
      ledger.chain.held.add(position);
      expect(ledger.reserve([stage([[VENUE, ...acts]])])).toBeDefined();
    }
  });

  test('stages may be joined: lines about a state count once', () => {
    const ledger = home();
    const used: Act = { act: 'useNonce', nonce: at('nonce'), authority: WALLET };
    ledger.approve([stage([[QUIET, used]]), stage([[QUIET, used]])]);
    expect(ledger.reserve([stage([[QUIET, used]])])).toBeDefined();
  });

  test('issuer rights of a token created by the run are its own lines', () => {
    const ledger = home();
    const make: Act = {
      act: 'createMint',
      mint: TOKEN,
      decimals: 6,
      mintAuthority: WALLET,
      freezeAuthority: null,
    };
    const row = ledger.sign([stage([[QUIET, make]]), buying(10n, 9n)]);
    ledger.land(row, stage([]));
    ledger.chain.feeBps.set(TOKEN, 0);
    expect(ledger.reserve([buying(10n, 9n)])).toBeDefined();
  });

  test('the order of two lines about one right matters, since the last one applies', () => {
    const ledger = home();
    ledger.approve([stage([[QUIET, grants('owner', STRANGER), grants('owner', WALLET)]])]);
    expect(
      ledger.reserve([stage([[QUIET, grants('owner', WALLET), grants('owner', STRANGER)]])]),
    ).toBeUndefined();
  });

  test('a duplicate line is not covered by one', () => {
    const memo: Act = { act: 'memo', text: 'hello', signers: [] };
    const ledger = home();
    ledger.approve([stage([[QUIET, memo]])]);
    expect(ledger.reserve([stage([[QUIET, memo, memo]])])).toBeUndefined();
    expect(ledger.reserve([stage([[QUIET]])])).toBeUndefined();
  });

  test('lines of the request represent unbuilt stages until the shares are final', () => {
    const share = (party: string): Line => ({
      ...{ id: 'earns', source: 'request', party, shareBps: 5_000, from: BASE, of: 'fees', asset: 'SOL' },
    });
    const final: Line = { id: 'final', source: 'request', what: 'shares', of: BASE };
    const ledger = home([feeBound, share(PAYEE), share(WALLET), final]);
    ledger.later = 'config';
    const writes = (...wallets: string[]): Act => ({
      ...{ act: 'createConfig', config: at('config'), base: BASE, quote: 'SOL', final: true },
      ...{ claimers: wallets.map((wallet) => ({ wallet, bps: 5_000 })), payer: STRANGER, admin: STRANGER },
    });
    ledger.approve([stage([[QUIET]])]);
    expect(ledger.reserve([stage([[QUIET, writes(PAYEE)]])])).toBeUndefined();
    ledger.later = undefined;
    expect(ledger.reserve([stage([[QUIET]])])).toBeUndefined();
    expect(ledger.reserve([stage([[QUIET, writes(PAYEE, WALLET)]])])).toBeDefined();
  });

  test('lines of the request produced by stages are not duplicated', () => {
    const share = (party: string): Line => ({
      ...{ id: 'earns', source: 'request', party, shareBps: 5_000, from: BASE, of: 'fees', asset: 'SOL' },
    });
    const ledger = home([feeBound, share(PAYEE), share(WALLET)]);
    ledger.later = 'config';
    ledger.approve([stage([[QUIET]])]);
    const first: Act = {
      ...{ act: 'createConfig', config: at('config'), base: BASE, quote: 'SOL', final: false },
      ...{ claimers: [{ wallet: PAYEE, bps: 5_000 }], payer: STRANGER, admin: STRANGER },
    };
    expect(ledger.reserve([stage([[QUIET, first]])])).toBeDefined();
  });

  test('newly announced stages are not covered', () => {
    const ledger = home();
    ledger.approve([paying(1n)]);
    ledger.later = 'config';
    expect(ledger.reserve([paying(1n)])).toBeUndefined();
  });
});

describe('an approval', () => {
  const pin = { digest: 'm1', programs: [{ address: QUIET, deployedSlot: '1' }] };
  const unsupported: Act = { act: 'unsupported', program: QUIET, reason: 'no reader', accounts: [] };
  const built: readonly Built[] = [
    stage([[QUIET, unsupported, pay(7n)]], { pin, arrivals: new Map([[TOKEN, 5n]]) }),
    buying(100n, 90n),
  ];
  const ledger = home();
  const now = ledger.run(built);
  const approval = approvalOf(now, 2_000, ['d1']);

  /** Yields the approval with each of its leaves changed in turn. */
  function* changed(value: unknown, path: readonly string[] = []): Generator<readonly [string, unknown]> {
    if (Array.isArray(value)) {
      for (const [i, each] of value.entries())
        for (const [name, other] of changed(each, [...path, `${i}`])) yield [name, value.with(i, other)];
      for (const i of value.keys()) yield [[...path, `${i}`, 'dropped'].join('.'), value.toSpliced(i, 1)];
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value))
        for (const [name, other] of changed(each, [...path, key])) yield [name, { ...value, [key]: other }];
    } else yield [path.join('.'), other(value, path.at(-1))];
  }
  const other = (value: unknown, key = ''): unknown => {
    if (typeof value === 'bigint')
      return key === 'atLeast' || key === 'leastArrives' ? value + 1n : value - 1n;
    if (key === 'expiresAt') return 500;
    return typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : 'another';
  };

  test('covers the run it was given for', () => {
    expect(covers(approval, now)).toEqual({ covered: true });
    expect(covers({ ...approval, decisionDigests: [] }, now)).toEqual({ covered: true });
  });

  test('does not cover it if any field except the decision digests differs', () => {
    const { decisionDigests, ...pinned } = approval;
    const silent = [...changed(pinned)].flatMap(([path, value]) => {
      const isCovered = covers(
        { ...(value as Omit<Approval, 'decisionDigests'>), decisionDigests },
        now,
      ).covered;
      const line = path.startsWith('statement.lines')
        ? approval.statement.lines[Number(path.split('.')[2])]
        : undefined;
      return isCovered ? [`${line?.id} ${path.split('.').at(-1)}`] : [];
    });
    // Not compared: sources, added code, slack of the fee bound, and weaker required receipts.
    const free = [
      'source',
      'code program',
      'code dropped',
      'networkFee',
      'receives dropped',
      'receives enforcedBy',
    ];
    expect(silent.filter((path) => !free.some((each) => path.includes(each)))).toEqual(['pays atMost']);
    expect(silent.filter((path) => path === 'receives enforcedBy')).toHaveLength(1);
  });

  test('covers an unsupported stage once', () => {
    expect(covers(approval, { ...now, spentPins: ['m1'] })).toEqual({
      covered: false,
      line: 'pin',
      key: 'm1',
    });
  });

  test('covers a started run after it expired, and no other', () => {
    const late = { ...now, time: 3_000 };
    expect(covers(approval, late)).toMatchObject({ covered: false, line: 'scope', key: 'expiresAt' });
    const [first, second] = now.stages;
    const begun = [
      { ...first, state: 'inFlight' },
      { ...second, state: 'this' },
    ] as readonly RunStage[];
    const draws = new Map([['["SOL","x"]', 0n]]);
    expect(covers(approval, { ...late, stages: begun, draws })).not.toMatchObject({ key: 'expiresAt' });
  });

  test.each(Object.keys(SCOPE))('covers no run of another %s', (field) => {
    const scope = { ...SCOPE, [field]: 'another' };
    expect(covers(approval, { ...now, scope })).toEqual({ covered: false, line: 'scope', key: field });
  });

  test('covers no run of another principal', () => {
    expect(covers(approval, { ...now, scope: { ...SCOPE, principal: 'p' } })).toMatchObject({
      key: 'principal',
    });
  });
});
