/** Aggregation of stage lines into a statement: deduplicated, summed and omitted lines. */
import { describe, expect, test } from 'vitest';
import {
  approvalFrom,
  approvalOf,
  approvalText,
  drawsOf,
  meaningOf,
  statementDigest,
  statementOf,
} from '../../src/statement/aggregate.ts';
import type { Fact, Line, LineOf, MadeKind, Pin, Role, Run, RunStage } from '../../src/statement/types.ts';
import { at, PAYEE, QUIET, SCOPE, STRANGER, TOKEN, WALLET } from './chain.ts';

const transactionSource = { source: 'transaction' } as const;
const line = (fact: Fact): Line => ({ ...transactionSource, ...fact });
const pays = (atMost: bigint, more: Partial<LineOf<'pays'>> = {}): LineOf<'pays'> => ({
  ...{
    ...transactionSource,
    id: 'pays',
    asset: 'SOL',
    atMost,
    to: PAYEE,
    owner: PAYEE,
    why: 'payment',
    returns: 'never',
    ...more,
  },
});
const brings = (atLeast: bigint, more: Partial<LineOf<'receives'>> = {}): LineOf<'receives'> => ({
  ...{
    ...transactionSource,
    id: 'receives',
    asset: 'SOL',
    atLeast,
    from: PAYEE,
    into: WALLET,
    enforcedBy: 'program',
    ...more,
  },
});
const stage = (lines: readonly Line[], more: Partial<RunStage> = {}): RunStage => ({
  ...{ lines, made: {}, state: 'this', ...more },
});
const run = (stages: readonly RunStage[], more: Partial<Run> = {}): Run => ({
  ...{ scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [], ...more },
});
const linesOf = (stages: readonly RunStage[], more: Partial<Run> = {}) =>
  statementOf(run(stages, more)).lines;
const makes = (kind: MadeKind, ...accounts: string[]) => ({
  made: Object.fromEntries(accounts.map((of) => [of, { kind, of }])),
});

const [POOL, POSITION, OTHER] = [at('pool'), at('position'), at('other position')];
const position = (of: string, liquidity: bigint, pool = POOL): Line =>
  line({ id: 'position', pool, of, liquidity, deposits: [] });
const owner = (of: string, party: string | null): Line => line({ id: 'controls', right: 'owner', of, party });

const [STATES, EACH]: readonly (readonly Fact[])[] = [
  [
    { id: 'code', program: QUIET, deployedSlot: '1', upgradeableBy: null },
    { id: 'uses', account: TOKEN, kind: 'config', authority: null },
    { id: 'issuer', mint: TOKEN, power: 'mint', holder: null },
    { id: 'terms', of: POOL, venue: 'v', quote: 'SOL', terms: null },
    { id: 'makes', mint: TOKEN, decimals: 6 },
    { id: 'final', what: 'shares', of: TOKEN },
    { id: 'asks', code: 'A' },
    { id: 'later', what: 'config' },
  ],
  [
    { id: 'returned', asset: 'SOL', of: TOKEN, into: WALLET },
    { id: 'moves', asset: TOKEN, amount: 1n, from: PAYEE, to: STRANGER },
    { id: 'claims', of: TOKEN, kind: 'a share', payouts: [] },
    { id: 'earns', party: PAYEE, shareBps: 1, from: TOKEN, of: 'fees' },
    { id: 'controls', right: 'delegate', of: TOKEN, party: PAYEE },
    { id: 'supply', mint: TOKEN, minted: 1n, burned: 0n, holder: PAYEE },
    { id: 'freezes', holder: PAYEE, mint: TOKEN, frozen: true },
    { id: 'opens', account: TOKEN, owner: PAYEE, kind: 'token' },
    { id: 'names', mint: TOKEN, name: 'N', symbol: 'S', uri: 'u', mutable: true },
    { id: 'position', pool: POOL, of: POSITION, liquidity: 1n, deposits: [{ asset: TOKEN, atMost: null }] },
    { id: 'assures', what: 'locked', of: POSITION, held: false },
    { id: 'rule', of: TOKEN, rule: 'r', values: '{}' },
    { id: 'unsupported', program: QUIET, instruction: null, reaches: [] },
    { id: 'memo', text: 'hello' },
  ],
];

test.each((STATES ?? []).map((fact) => [fact.id, fact] as const))('a state counts once: %s', (id, fact) => {
  const found = linesOf([stage([line(fact), line(fact)]), stage([line(fact)], { state: 'announced' })]);
  expect(found.filter((each) => each.id === id)).toEqual([line(fact)]);
});
test.each((EACH ?? []).map((fact) => [fact.id, fact] as const))('each one counts: %s', (id, fact) => {
  expect(linesOf([stage([line(fact), line(fact)])]).filter((each) => each.id === id)).toHaveLength(2);
});

test.each(['name', 'symbol', 'uri'] as const)(
  'an address in the %s of a token is not an account',
  (field) => {
    const names = { id: 'names', mint: POOL, name: 'N', symbol: 'S', uri: 'u', mutable: null } as const;
    expect(linesOf([stage([line({ ...names, [field]: POOL })], makes('mint', POOL))])).toEqual([
      { ...transactionSource, ...names, mint: { made: 'mint', n: 0 }, [field]: POOL },
    ]);
  },
);

test("issuer rights are lines of others' tokens, not of tokens created by the run", () => {
  const issuer = (mint: string): Line => line({ id: 'issuer', mint, power: 'mint', holder: null });
  const made = line({ id: 'makes', mint: TOKEN, decimals: 6 });
  expect(linesOf([stage([issuer(TOKEN), issuer(PAYEE), made])])).toEqual(
    expect.arrayContaining([issuer(PAYEE), made]),
  );
  expect(linesOf([stage([issuer(TOKEN), issuer(PAYEE), made])])).toHaveLength(2);
});

test('an account has a role from the stage that creates it', () => {
  const names: Line = line({ id: 'freezes', holder: PAYEE, mint: TOKEN, frozen: true });
  const state = 'announced';
  const stages = [
    stage([names], { state }),
    stage([names], { state, ...makes('mint', TOKEN) }),
    stage([names], { state }),
  ];
  const mints = linesOf(stages).map((each) => each.id === 'freezes' && each.mint);
  expect(mints).toEqual(expect.arrayContaining([TOKEN, { made: 'mint', n: 0 }, { made: 'mint', n: 0 }]));
  expect(mints.filter((mint) => mint === TOKEN)).toHaveLength(1);
});

test('a removed issuer right renames no account', () => {
  const accounts = ['a', 'b', 'c', 'd', 'e', 'f'].map(at);
  const opened = accounts.map((account) =>
    line({ id: 'opens', account, owner: at(`${account} owner`), kind: 'token' }),
  );
  for (const holder of accounts) {
    const power = line({ id: 'issuer', mint: TOKEN, power: 'mint', holder });
    const more = makes('account', ...accounts);
    const left = linesOf([stage([...opened, power], more)]).filter(({ id }) => id !== 'issuer');
    expect(left).toEqual(linesOf([stage(opened, more)]));
  }
});

describe('lines about one right', () => {
  const controls = (right: string, of: string, party: string | null): Line =>
    line({ id: 'controls', right, of, party });
  test('are numbered in their order, over all stages', () => {
    const stages = [
      stage([controls('owner', TOKEN, STRANGER), controls('owner', TOKEN, WALLET)]),
      stage([controls('owner', TOKEN, null)], { state: 'announced' }),
    ];
    const steps = linesOf(stages).flatMap((each) =>
      each.id === 'controls' ? [[each.step, each.party]] : [],
    );
    expect(steps.toSorted()).toEqual([
      [0, STRANGER],
      [1, WALLET],
      [2, null],
    ]);
  });
  test('of another account or another right are not', () => {
    const found = linesOf([
      stage([
        controls('owner', TOKEN, WALLET),
        controls('owner', POOL, WALLET),
        controls('delegate', TOKEN, WALLET),
      ]),
    ]);
    for (const each of found) expect(each).not.toHaveProperty('step');
  });
});

describe('lines of the request', () => {
  const share = (party: string): Line => ({
    ...{ id: 'earns', source: 'request', party, shareBps: 5_000, from: TOKEN, of: 'fees' },
  });
  const final = line({ id: 'final', what: 'shares', of: TOKEN });
  const request = [share(PAYEE), share(WALLET), pays(7n, { source: 'request' })];
  const later = { source: 'request', id: 'later', what: 'config' };
  const shown = (lines: readonly Line[], more: Partial<Run>) =>
    linesOf([stage(lines)], { request, ...more }).filter(({ id }) => id !== 'pays');

  test('represent unbuilt stages until a stage produces them', () => {
    expect(shown([], { later: 'config' })).toEqual(
      expect.arrayContaining([later, share(PAYEE), share(WALLET)]),
    );
    expect(shown([], { later: 'config' })).toHaveLength(3);
    const produced = { ...share(PAYEE), ...transactionSource };
    expect(shown([produced], { later: 'config' })).toHaveLength(3);
    expect(shown([produced], { later: 'config' })).toContainEqual(produced);
    expect(shown([produced], {})).toEqual([produced]);
    expect(shown([{ ...share(WALLET), ...transactionSource }], { later: 'config' })).toHaveLength(3);
  });

  test('requested twice are produced twice', () => {
    const twice = { request: [share(PAYEE), share(PAYEE)], later: 'config' };
    expect(shown([share(PAYEE)], twice)).toHaveLength(3);
    expect(shown([share(PAYEE), share(PAYEE)], twice)).toHaveLength(3);
  });

  test('are not awaited once the shares are final', () => {
    expect(shown([final], { later: 'config' })).toEqual(expect.arrayContaining([later, final]));
    expect(shown([final], { later: 'config' })).toHaveLength(2);
  });
});

describe('the share of a position’s owner', () => {
  const shares = (...lines: Line[]) =>
    linesOf([stage(lines)]).flatMap((each) =>
      each.id === 'earns' ? [[each.party, each.from, each.shareBps]] : [],
    );

  test('is its deposit relative to all deposits of the run into that pool', () => {
    const elsewhere = [position(at('third'), 0n, at('pool 2')), position(at('third'), 50n, at('pool 2'))];
    const mine = [
      position(POSITION, 0n),
      owner(POSITION, PAYEE),
      position(POSITION, 1n),
      position(POSITION, 2n),
    ];
    const theirs = [position(OTHER, 0n), owner(OTHER, STRANGER), position(OTHER, 5n)];
    expect(shares(...mine, ...theirs, ...elsewhere)).toEqual(
      [
        [PAYEE, POSITION, 3_750],
        [STRANGER, OTHER, 6_250],
      ].toSorted(),
    );
  });

  test('follows from the transactions', () => {
    const lines = [position(POSITION, 0n), owner(POSITION, PAYEE), position(POSITION, 1n)];
    expect(linesOf([stage(lines)])).toContainEqual({
      ...{
        ...transactionSource,
        id: 'earns',
        party: PAYEE,
        shareBps: 10_000,
        from: POSITION,
        of: 'position',
      },
    });
  });

  test('is zero for a position that stays empty beside a full one', () => {
    const full = [position(OTHER, 0n), owner(OTHER, STRANGER), position(OTHER, 5n)];
    expect(shares(position(POSITION, 0n), owner(POSITION, PAYEE), ...full)).toContainEqual([
      PAYEE,
      POSITION,
      0,
    ]);
    expect(shares(position(POSITION, 0n), owner(POSITION, PAYEE))).toEqual([]);
  });

  test('is no line if its owner is missing or unknown', () => {
    const filled = [position(POSITION, 0n), position(POSITION, 5n)];
    expect(shares(...filled)).toEqual([]);
    expect(shares(...filled, owner(POSITION, null))).toEqual([]);
    expect(linesOf([stage([...filled, owner(POSITION, null)])])).toHaveLength(3);
    expect(
      shares(...filled, line({ id: 'controls', right: 'delegate', of: POSITION, party: PAYEE })),
    ).toEqual([]);
    expect(shares(position(POSITION, 5n), owner(POSITION, PAYEE))).toEqual([]);
  });

  test.each<Role>(['market', 'validators', 'blockBuilder', 'stagePayer'])(
    'is no line for the role %s',
    (to) => {
      const filled = [position(POSITION, 0n), owner(POSITION, PAYEE), position(POSITION, 5n)];
      expect(shares(...filled, line({ id: 'moves', asset: POSITION, amount: 1n, from: PAYEE, to }))).toEqual(
        [],
      );
    },
  );
});

describe('payments', () => {
  const paid = (stages: readonly RunStage[], more: Partial<Run> = {}) =>
    linesOf(stages, more).flatMap((each) => (each.id === 'pays' ? [each] : []));

  test('are signed amounts plus amounts still to be signed', () => {
    const key = [...drawsOf(run([stage([pays(1n)])])).keys()][0] ?? '';
    const stages = [stage([pays(50n)], { state: 'landed' }), stage([pays(3n), pays(2n)])];
    expect(
      paid([...stages, stage([pays(4n)], { state: 'announced' })], { draws: new Map([[key, 60n]]) }),
    ).toEqual([pays(69n)]);
    expect(drawsOf(run([...stages, stage([pays(4n)], { state: 'announced' })]))).toEqual(
      new Map([[key, 5n]]),
    );
  });

  test('of zero are no lines, nor are signed and returned ones', () => {
    expect(paid([stage([pays(0n)])])).toEqual([]);
    expect(paid([stage([pays(5n)], { state: 'landed' })])).toEqual([]);
  });

  test('arrive net of fees by the sum of their proceeds', () => {
    expect(paid([stage([pays(10n, { leastArrives: 9n }), pays(20n, { leastArrives: 17n })])])).toEqual([
      pays(30n, { leastArrives: 26n }),
    ]);
    expect(paid([stage([pays(10n, { leastArrives: 9n }), pays(20n)])])).toEqual([
      pays(30n, { leastArrives: 29n }),
    ]);
    expect(paid([stage([pays(20n), pays(10n, { leastArrives: 9n })])])).toEqual([
      pays(30n, { leastArrives: 29n }),
    ]);
    expect(paid([stage([pays(20n), pays(10n)])])).toEqual([pays(30n)]);
  });

  test("are at least the request's bounds", () => {
    const bound = pays(8n, { source: 'request' });
    expect(paid([stage([])], { request: [bound] })).toEqual([bound]);
    expect(paid([stage([pays(7n, { leastArrives: 6n })])], { request: [bound] })).toEqual([
      { ...bound, leastArrives: 6n },
    ]);
    expect(paid([stage([pays(8n)])], { request: [bound] })).toEqual([pays(8n)]);
    expect(paid([stage([pays(9n)])], { request: [bound] })).toEqual([pays(9n)]);
  });

  test('into accounts of one role are one line', () => {
    const [a, b] = [at('a'), at('b')];
    const deposits = [a, b].map((to) => pays(4n, { to, owner: to, why: 'deposit' }));
    const role = { made: 'account', n: 0 } as const;
    expect(paid([stage(deposits, makes('account', a, b))])).toEqual([
      pays(8n, { to: role, owner: role, why: 'deposit' }),
    ]);
  });
});

test('receipts are summed by their enforcement', () => {
  const simulated = { enforcedBy: 'simulation' } as const;
  const later = stage([brings(3n), brings(9n, simulated)], { state: 'announced' });
  const all = [stage([brings(1n)], { state: 'landed' }), stage([brings(2n), brings(7n, simulated)]), later];
  expect(linesOf(all)).toHaveLength(2);
  expect(linesOf(all)).toEqual(expect.arrayContaining([brings(6n), brings(16n, simulated)]));
});

test('receipts from accounts of one role are one line', () => {
  const [a, b] = [at('a'), at('b')];
  expect(linesOf([stage([brings(1n, { from: a }), brings(2n, { from: b })], makes('config', a, b))])).toEqual(
    [brings(3n, { from: { made: 'config', n: 0 } })],
  );
});

const bounded: Fact = {
  id: 'issuer',
  mint: TOKEN,
  power: 'transferFee',
  holder: null,
  maxBps: 1,
  maxFee: 5n,
};

test('an approval pins the unsigned stages and means the same whenever it was requested', () => {
  const pin = (digest: string): Pin => ({ digest, programs: [] });
  const states = ['landed', 'inFlight', 'this', 'announced'] as const;
  const given = run([
    ...states.map((state) => stage([pays(1n)], { state, pin: pin(state) })),
    stage([brings(1n)]),
  ]);
  const approval = approvalOf(given, 2_000, ['d']);
  expect(approval).toEqual({
    ...{ scope: { ...SCOPE, expiresAt: 2_000 }, statement: statementOf(given) },
    ...{ pins: [pin('this'), pin('announced')], decisionDigests: ['d'] },
  });
  expect(approvalFrom(approvalText(approval))).toEqual(approval);
  const every = [...(STATES ?? []), ...(EACH ?? []), bounded].map(line);
  const whole = approvalOf(run([stage([...every, pays(9n, { leastArrives: 8n })])]), 2_000, []);
  expect(approvalFrom(approvalText(whole))).toEqual(whole);
  const meaning = meaningOf(approval);
  expect(meaningOf(approvalOf(given, 3_000, ['e']))).toBe(meaning);
  expect(meaningOf({ ...approval, pins: [] })).not.toBe(meaning);
  expect(meaningOf({ ...approval, scope: { ...approval.scope, endpoint: '/other' } })).not.toBe(meaning);
  const other = { ...approval.statement, lines: [] };
  expect(meaningOf({ ...approval, statement: other })).not.toBe(meaning);
  expect(statementDigest(other)).not.toBe(statementDigest(approval.statement));
});
