/** Lines of single acts: parties, roles, and acts that are no payment. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { positionNftAccountAddress } from '../../src/programs/dammV2/addresses.ts';
import { statementOf } from '../../src/statement/aggregate.ts';
import { linesOf } from '../../src/statement/lines.ts';
import type { Line } from '../../src/statement/types.ts';
import type { ChainView, StageActs } from '../../src/statement/view.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import {
  at,
  BASE,
  type Built,
  FakeChain,
  fresh,
  Home,
  OTHER,
  PAYEE,
  SERVICE,
  STRANGER,
  stage,
  TOKEN,
  TOKEN_PROGRAM,
  VENUE,
  WALLET,
} from './chain.ts';
import { a, b, c, FULL } from './fullActs.ts';

const linesOfBuilt = (built: Built, fixed: readonly string[] = []) => {
  const { lines } = statementOf(new Home(new FakeChain(), { request: [], fixed }).run([built]));
  return lines.filter((line) => line.id !== 'code' && !(line.id === 'pays' && line.why === 'networkFee'));
};
const transfer = (asset: string, from: string, to: string, amount = 5n, authority = from): Act => ({
  ...{ act: 'transfer', asset, from: { account: at(`${asset} of ${from}`), owner: from }, amount, authority },
  to: { account: at(`${asset} of ${to}`), owner: to },
});

test('parties are owners of token accounts', () => {
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer(TOKEN, WALLET, PAYEE)]]))).toMatchObject([
    { id: 'pays', to: PAYEE, owner: PAYEE, asset: TOKEN, why: 'payment' },
  ]);
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer(TOKEN, PAYEE, WALLET)]]))).toMatchObject([
    { id: 'receives', from: PAYEE, into: WALLET, atLeast: 5n, enforcedBy: 'program' },
  ]);
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer(TOKEN, PAYEE, STRANGER)]]))).toMatchObject([
    { id: 'moves', from: PAYEE, to: STRANGER, amount: 5n },
  ]);
});

test('wrapping SOL is not a payment, and wrapped SOL is SOL', () => {
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, WALLET)]]))).toEqual([]);
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer(WSOL_MINT, WALLET, PAYEE)]]))).toMatchObject([
    { asset: 'SOL' },
  ]);
});

test("the wallet's repayment to the stage's payer is a refund to a role", () => {
  const refund = stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, SERVICE)]], { sponsor: SERVICE });
  expect(linesOfBuilt(refund)).toMatchObject([{ to: 'stagePayer', owner: 'stagePayer', why: 'refund' }]);
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, SERVICE)]]))).toMatchObject([
    { to: SERVICE },
  ]);
});

test('the deposit of an account that the same transaction closes to the wallet does not leave', () => {
  const account = fresh();
  const open: Act = {
    act: 'openAccount',
    account,
    kind: 'data',
    owner: TOKEN_PROGRAM,
    payer: WALLET,
    deposit: 9n,
  };
  const init: Act = { act: 'openAccount', account, kind: 'token', owner: WALLET, mint: WSOL_MINT };
  const close = (refundTo: string): Act => ({
    ...{ act: 'closeAccount', account: { account, owner: WALLET }, refundTo, authority: WALLET },
  });
  const ids = (...acts: Act[]) => linesOfBuilt(stage([[TOKEN_PROGRAM, ...acts]])).map(({ id }) => id);
  expect(ids(open, init, close(WALLET))).toEqual(['returned']);
  expect(ids(open, init, close(STRANGER)).toSorted()).toEqual(['pays', 'returned']);
  expect(linesOfBuilt(stage([[TOKEN_PROGRAM, open, init]]))).toMatchObject([
    { why: 'deposit', owner: WALLET, returns: 'onClose' },
  ]);
});

test('an account that the request names keeps its address, as does one in a text', () => {
  const pool = fresh();
  const create: Act = {
    ...{
      act: 'createPool',
      venue: 'v',
      pool,
      base: BASE,
      quote: OTHER,
      creator: PAYEE,
      payer: STRANGER,
      makes: [],
    },
  };
  const terms = (fixed: readonly string[]) =>
    linesOfBuilt(stage([[VENUE, create]]), fixed).find(({ id }) => id === 'terms');
  expect(terms([])).toMatchObject({ of: { made: 'pool', n: 0 } });
  expect(terms([pool])).toMatchObject({ of: pool });
  const memo = linesOfBuilt(stage([[VENUE, create, { act: 'memo', text: pool, signers: [] }]]));
  expect(memo).toContainEqual({ id: 'memo', source: 'transaction', text: pool });
});

test('the token account of a position’s NFT stands for the position', () => {
  const [pool, position, nftMint] = [fresh(), fresh(), fresh()];
  const opened: Act = {
    act: 'openPosition',
    venue: 'v',
    pool,
    position,
    nftMint,
    owner: PAYEE,
    payer: STRANGER,
  };
  const given: Act = {
    act: 'setRight',
    right: 'owner',
    of: positionNftAccountAddress(nftMint),
    to: STRANGER,
  };
  const controls = linesOfBuilt(stage([[VENUE, opened, given]])).filter(({ id }) => id === 'controls');
  expect(controls).toMatchObject([
    { of: { made: 'position', n: 0 }, party: PAYEE, step: 0 },
    { of: { made: 'position', n: 0 }, party: STRANGER, step: 1 },
  ]);
});

test('unsupported instructions pay and receive what the simulation shows beyond the other lines', () => {
  const unsupported: Act = {
    act: 'unsupported',
    program: VENUE,
    reason: 'no reader',
    accounts: [WALLET, PAYEE],
  };
  const built = stage([[VENUE, unsupported]], {
    arrivals: new Map([[TOKEN, 7n]]),
    leaves: new Map([['SOL', 9_000n]]),
  });
  expect(linesOfBuilt(built)).toMatchObject([
    { id: 'receives', asset: TOKEN, atLeast: 7n, from: VENUE, enforcedBy: 'simulation' },
    { id: 'pays', asset: 'SOL', atMost: 4_000n, to: VENUE, why: 'unsupported' },
    { id: 'unsupported', program: VENUE, reaches: [WALLET] },
  ]);
});

/** The lines of a stage as in a decision, and the accounts it creates. */
const linesAt = (acts: readonly Act[], more: Partial<StageActs> = {}, chain: Partial<ChainView> = {}) =>
  linesOf(
    {
      ...{ wallet: WALLET, feePayer: WALLET, fee: 5n, calls: [{ program: VENUE, acts }] },
      ...{ payees: new Map(), otherwise: 'payment', fixed: new Set<string>(), ...more },
    },
    Object.assign(new FakeChain(), chain),
  );
const networkFee = {
  ...{ id: 'pays', source: 'transaction', asset: 'SOL', atMost: 5n, to: 'validators', owner: 'validators' },
  ...{ why: 'networkFee', returns: 'never' },
};
const codeOf = (program: string) => ({
  ...{ id: 'code', source: 'chain', program, deployedSlot: '1', upgradeableBy: null },
});

test("a stage pays its network fee if the wallet is the payer, and names each program's code once", () => {
  const calls = [VENUE, TOKEN_PROGRAM, VENUE].map((program) => ({ program, acts: [] }));
  expect(linesAt([], { calls }).lines).toEqual([networkFee, codeOf(VENUE), codeOf(TOKEN_PROGRAM)]);
  expect(linesAt([], { calls, feePayer: SERVICE }).lines).toEqual([codeOf(VENUE), codeOf(TOKEN_PROGRAM)]);
  expect(linesAt([], { calls }, { code: () => undefined }).lines).toEqual([networkFee]);
});

test('rights over each paid or received token are named once', () => {
  const issuerPowers: ChainView['issuerPowers'] = (mint) =>
    mint === 'SOL' || mint === OTHER ? [] : [{ power: 'mint', holder: mint }];
  const acts = [BASE, TOKEN, TOKEN, OTHER, 'SOL'].map((mint) => transfer(mint, PAYEE, WALLET));
  const paid = transfer(at('paid'), WALLET, PAYEE);
  const between = transfer(at('between'), PAYEE, STRANGER);
  const issuers = linesAt([...acts, paid, between], {}, { issuerPowers }).lines.filter(
    ({ id }) => id === 'issuer',
  );
  expect(issuers).toEqual(
    [BASE, TOKEN, at('paid')].map((mint) => ({
      ...{ id: 'issuer', source: 'chain', mint, power: 'mint', holder: mint },
    })),
  );
});

test.each<readonly [string, Act]>([
  ['pool', FULL.createPool],
  ['config', FULL.createPoolConfig],
  ['config', FULL.createPartner],
  ['table', FULL.tableCreate],
  ['mint', FULL.createMint],
  ['account', FULL.openAccount],
])('a stage creates a %s', (kind, act) => {
  expect(linesAt([act]).made).toEqual({ [a]: { kind, of: a } });
  expect(linesAt([act], { fixed: new Set([a]) }).made).toEqual({});
  expect(linesAt([act], {}, { exists: (account) => account === a }).made).toEqual({});
  expect(linesAt([act], { wallet: a }).made).toEqual({});
});

test('a position is created with its token and its account', () => {
  const as = { kind: 'position', of: b };
  expect(linesAt([FULL.openPosition]).made).toEqual({ [b]: as, [c]: as, [positionNftAccountAddress(c)]: as });
  expect(linesAt([FULL.tableExtend, FULL.memo]).made).toEqual({});
});

describe('simulated proceeds', () => {
  const amounts = (acts: readonly Act[], more: Partial<StageActs>) =>
    linesAt(acts, { feePayer: SERVICE, ...more }).lines.flatMap((line) =>
      line.id === 'receives' ? [[line.asset, line.from, line.enforcedBy, line.atLeast]] : [],
    );
  const { claim } = FULL;
  const more = { ...claim, from: at('more') };
  const gets = (amount: bigint): Act => transfer(TOKEN, PAYEE, WALLET, amount);

  test('go to the first claim of their asset, beyond what programs enforce', () => {
    const arrivals = new Map([[TOKEN, 50n]]);
    expect(amounts([gets(3n), claim, more, gets(4n)], { arrivals })).toEqual([
      [TOKEN, PAYEE, 'program', 3n],
      [TOKEN, a, 'simulation', 43n],
      [TOKEN, at('more'), 'simulation', 0n],
      [TOKEN, PAYEE, 'program', 4n],
    ]);
    expect(amounts([gets(51n), claim], { arrivals })[1]).toEqual([TOKEN, a, 'simulation', 0n]);
    expect(amounts([claim], {})).toEqual([[TOKEN, a, 'simulation', 0n]]);
  });

  test('and outflows of unsupported instructions are those no other line states', () => {
    const sums = new Map([
      [TOKEN, 50n],
      [OTHER, 6n],
      ['SOL', 2n],
    ]);
    const acts = [
      FULL.unsupported,
      gets(3n),
      { ...transfer(OTHER, WALLET, PAYEE, 1n) },
      transfer('SOL', WALLET, PAYEE, 9n),
    ];
    const { lines } = linesAt(acts, { arrivals: sums, leaves: sums, feePayer: SERVICE });
    const of = {
      source: 'transaction',
      id: 'pays',
      to: VENUE,
      owner: VENUE,
      why: 'unsupported',
      returns: 'never',
    };
    const into = {
      source: 'transaction',
      id: 'receives',
      from: VENUE,
      into: WALLET,
      enforcedBy: 'simulation',
    };
    const amount = (line: Line) => line.id === 'pays' || line.id === 'receives';
    expect(lines.filter(amount).slice(3)).toEqual([
      { ...of, asset: TOKEN, atMost: 50n },
      { ...of, asset: OTHER, atMost: 5n },
      { ...of, asset: 'SOL', atMost: 0n },
      { ...into, asset: OTHER, atLeast: 6n },
      { ...into, asset: 'SOL', atLeast: 2n },
    ]);
    expect(linesAt([FULL.unsupported], { feePayer: SERVICE }).lines.map(({ id }) => id)).toEqual([
      'unsupported',
      'code',
    ]);
    expect(
      linesAt([], { arrivals: sums, leaves: sums, feePayer: SERVICE }).lines.map(({ id }) => id),
    ).toEqual(['code']);
  });
});
