/** Lines of single acts: what names a party, what becomes a role, what is no payment. */
import { expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { positionNftAccountAddress } from '../../src/programs/dammV2/addresses.ts';
import { statementOf } from '../../src/statement/aggregate.ts';
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

const said = (built: Built, fixed: readonly string[] = []) => {
  const { lines } = statementOf(new Home(new FakeChain(), { request: [], fixed }).run([built]));
  return lines.filter((line) => line.id !== 'code' && !(line.id === 'pays' && line.why === 'networkFee'));
};
const transfer = (asset: string, from: string, to: string, amount = 5n, authority = from): Act => ({
  ...{ act: 'transfer', asset, from: { account: at(`${asset} of ${from}`), owner: from }, amount, authority },
  to: { account: at(`${asset} of ${to}`), owner: to },
});

test('parties are owners of token accounts', () => {
  expect(said(stage([[TOKEN_PROGRAM, transfer(TOKEN, WALLET, PAYEE)]]))).toMatchObject([
    { id: 'pays', to: PAYEE, owner: PAYEE, asset: TOKEN, why: 'payment' },
  ]);
  expect(said(stage([[TOKEN_PROGRAM, transfer(TOKEN, PAYEE, WALLET)]]))).toMatchObject([
    { id: 'receives', from: PAYEE, into: WALLET, atLeast: 5n, enforcedBy: 'program' },
  ]);
  expect(said(stage([[TOKEN_PROGRAM, transfer(TOKEN, PAYEE, STRANGER)]]))).toMatchObject([
    { id: 'moves', from: PAYEE, to: STRANGER, amount: 5n },
  ]);
});

test('wrapping SOL is no payment, and wrapped SOL is SOL', () => {
  expect(said(stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, WALLET)]]))).toEqual([]);
  expect(said(stage([[TOKEN_PROGRAM, transfer(WSOL_MINT, WALLET, PAYEE)]]))).toMatchObject([
    { asset: 'SOL' },
  ]);
});

test('what the wallet gives back to the payer of the stage is a refund to a role', () => {
  const refund = stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, SERVICE)]], { sponsor: SERVICE });
  expect(said(refund)).toMatchObject([{ to: 'stagePayer', owner: 'stagePayer', why: 'refund' }]);
  expect(said(stage([[TOKEN_PROGRAM, transfer('SOL', WALLET, SERVICE)]]))).toMatchObject([{ to: SERVICE }]);
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
  const ids = (...acts: Act[]) => said(stage([[TOKEN_PROGRAM, ...acts]])).map(({ id }) => id);
  expect(ids(open, init, close(WALLET))).toEqual(['returned']);
  expect(ids(open, init, close(STRANGER)).toSorted()).toEqual(['pays', 'returned']);
  expect(said(stage([[TOKEN_PROGRAM, open, init]]))).toMatchObject([
    { why: 'deposit', owner: WALLET, returns: 'onClose' },
  ]);
});

test('an account that the request names keeps its address, and so does one in a text', () => {
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
    said(stage([[VENUE, create]]), fixed).find(({ id }) => id === 'terms');
  expect(terms([])).toMatchObject({ of: { made: 'pool', n: 0 } });
  expect(terms([pool])).toMatchObject({ of: pool });
  const memo = said(stage([[VENUE, create, { act: 'memo', text: pool, signers: [] }]]));
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
  const controls = said(stage([[VENUE, opened, given]])).filter(({ id }) => id === 'controls');
  expect(controls).toMatchObject([
    { of: { made: 'position', n: 0 }, party: PAYEE, step: 0 },
    { of: { made: 'position', n: 0 }, party: STRANGER, step: 1 },
  ]);
});

test('what no reader supports pays and brings what the simulation shows beyond the other lines', () => {
  const unread: Act = { act: 'unread', program: VENUE, reason: 'no reader', accounts: [WALLET, PAYEE] };
  const built = stage([[VENUE, unread]], {
    arrivals: new Map([[TOKEN, 7n]]),
    leaves: new Map([['SOL', 9_000n]]),
  });
  expect(said(built)).toMatchObject([
    { id: 'receives', asset: TOKEN, atLeast: 7n, from: VENUE, enforcedBy: 'simulation' },
    { id: 'pays', asset: 'SOL', atMost: 4_000n, to: VENUE, why: 'unsupported' },
    { id: 'unsupported', program: VENUE, reaches: [WALLET] },
  ]);
});
