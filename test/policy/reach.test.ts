/** Accounts an unsupported instruction may be passed, and our accounts it may leave changed (T71). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { freezeKey } from '../../src/policy/decide/reasons.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { remedyOf } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  LOADER_V3_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  VOTE_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { account, mint, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { plus, simulationOf } from './recorded/edits.ts';
import { ATTACKER, decide, policyWith, stage, VENUE, WALLET, withVenue } from './recorded/stages.ts';

const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const REACH = 'reach';
const place = keyNamed('place').address;
const swap = stage('swap with an unsupported program');
const unsupported = policyWith(withVenue);

/** Data with keys at offsets and the given bytes elsewhere. */
function data(
  length: number,
  keys: readonly (readonly [number, string])[],
  bytes: Record<number, number> = {},
) {
  const found = Buffer.alloc(length);
  for (const [at, value] of Object.entries(bytes)) found.writeUInt8(value, Number(at));
  for (const [at, key] of keys) found.set(addressBytes(key), at);
  return found.toString('base64');
}

const rights: Readonly<Record<string, (holder: string) => AccountFact>> = {
  'a stake account': (holder) =>
    account(place, {
      owner: STAKE_PROGRAM,
      lamports: '5000000000',
      data: data(
        200,
        [
          [12, holder],
          [44, holder],
        ],
        { 0: 2 },
      ),
    }),
  'a stake account it may only stake': (holder) =>
    account(place, {
      owner: STAKE_PROGRAM,
      lamports: '5000000000',
      data: data(
        200,
        [
          [12, holder],
          [44, ATTACKER],
        ],
        { 0: 1 },
      ),
    }),
  'a vote account': (holder) =>
    account(place, {
      owner: VOTE_PROGRAM,
      lamports: '9',
      data: data(
        3_762,
        [
          [4, ATTACKER],
          [36, holder],
        ],
        { 0: 2 },
      ),
    }),
  'a nonce account': (holder) =>
    account(place, {
      owner: SYSTEM_PROGRAM,
      lamports: '2900000000',
      data: data(80, [[8, holder]], { 0: 1, 4: 1 }),
    }),
  'a program it may replace': (holder) =>
    account(place, { owner: LOADER_V3_PROGRAM, data: data(60, [[13, holder]], { 0: 3, 12: 1 }) }),
  'a program it is writing': (holder) =>
    account(place, { owner: LOADER_V3_PROGRAM, data: data(60, [[5, holder]], { 0: 1, 4: 1 }) }),
  'a mint it may mint of': (holder) => mint(place, { mintAuthority: holder }),
  'a mint it may freeze': (holder) => mint(place, { freezeAuthority: holder }),
  'a description of a token': (holder) =>
    account(place, { owner: METADATA_PROGRAM, data: data(679, [[1, holder]], { 0: 4 }) }),
};

/** The honest unsupported swap with one more unsupported instruction that is passed an existing account. */
function handed(account: AccountFact, writable = true, inputs: DecisionInputs = swap): DecisionInputs {
  const accounts = [{ address: account.address, signer: false, writable }];
  const called = plus(inputs, { programAddress: VENUE, accounts, data: Uint8Array.of(1) });
  const simulation = simulationOf(called);
  const { before, after } = simulation;
  const watched = writable ? [account] : [];
  return {
    ...called,
    accounts: [...called.accounts.filter(({ address }) => address !== account.address), account],
    simulation: { ...simulation, before: [...before, ...watched], after: [...after, ...watched] },
  };
}

/** The same with a given state of the last account after the simulation. */
function leaving(inputs: DecisionInputs, is: AccountFact): DecisionInputs {
  const simulation = simulationOf(inputs);
  return { ...inputs, simulation: { ...simulation, after: [...simulation.after.slice(0, -1), is] } };
}

const theft = systemTransfer(WALLET, ATTACKER, 5_000_000_000n);

const failed = (inputs: DecisionInputs) => decide(inputs, unsupported).checks.filter(({ ok }) => !ok);

describe('an unsupported instruction', () => {
  it.each(Object.keys(rights))('does not receive %s that one of our keys has a right over', (label) => {
    const of = rights[label];
    if (of === undefined) throw new Error(label);
    expect(failed(handed(of(WALLET)))).toEqual([
      expect.objectContaining({
        id: REACH,
        code: 'AUTHORITY_CHANGE',
        observed: expect.stringContaining(place),
      }),
    ]);
    // Control cases: the same account of a stranger, and a read-only account of ours.
    expect(decide(handed(of(ATTACKER)), unsupported).effect).toBe('allow');
    expect(decide(handed(of(WALLET), false), unsupported).effect).toBe('allow');
  });

  it('receives our accounts of the traded assets, and no others', () => {
    const own = (token: string) =>
      tokenAccount(associatedTokenAddress(WALLET, token, TOKEN_PROGRAM), {
        mint: token,
        owner: WALLET,
        amount: 5n,
      });
    const dollars = own(keyNamed('dollars').address);
    expect(failed(handed(dollars))).toMatchObject([
      { id: REACH, observed: expect.stringContaining('token account') },
    ]);
    expect(decide(handed(own(WSOL_MINT)), unsupported).checks).toContainEqual({ id: REACH, ok: true });
    expect(decide(handed(missing(dollars.address)), unsupported).effect).toBe('allow');
  });

  it('receives none of our accounts if the operation moves no token; supported instructions are not reported', () => {
    const wrapped = tokenAccount(associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM), {
      mint: WSOL_MINT,
      owner: WALLET,
      amount: 5n,
    });
    const config = stage('config with an unsupported program');
    expect(failed(handed(wrapped, true, config)).filter(({ id }) => id === REACH)).toMatchObject([
      { observed: expect.stringContaining(`the token account: ${wrapped.address}`) },
    ]);
    const reached = (inputs: DecisionInputs) =>
      decide(inputs, unsupported).checks.filter(({ id }) => id === REACH);
    expect(reached(config)).toEqual([{ id: REACH, ok: true }]);
    expect(reached(handed(wrapped, true, config))).toHaveLength(1);
    expect(reached(stage('plain config'))).toEqual([]);
  });

  it('may move tokens that a stranger delegated in a trade, and no tokens of our other wallets', () => {
    const lent = (owner: string) =>
      tokenAccount(place, { mint: WSOL_MINT, owner, amount: 5n, delegate: WALLET, delegatedAmount: 5n });
    const reached = (account: AccountFact, inputs = swap) =>
      failed(handed(account, true, inputs)).flatMap(({ id, observed }) => (id === REACH ? [observed] : []));
    expect(reached(lent(ATTACKER))).toEqual([]);
    expect(reached(lent(ATTACKER), stage('holding claim'))).toEqual([
      expect.stringContaining(`the right to spend from the token account: ${place}`),
    ]);
    const friend = keyNamed('another wallet of ours').address;
    const both = { ...swap, ourWallets: [...swap.ourWallets, friend] };
    expect(reached(lent(friend), both)).toEqual([expect.stringContaining(`the token account: ${place}`)]);
  });

  it('does not receive another wallet of ours', () => {
    const second = { ...swap, ourWallets: [...swap.ourWallets, place] };
    const codes = failed(handed(account(place, { lamports: '7' }), true, second)).map(({ id }) => id);
    expect(codes).toContain(REACH);
  });

  it('gets no vote of a multisig we are a member of, even read-only', () => {
    const multisig = (member: string) =>
      account(place, {
        owner: TOKEN_PROGRAM,
        data: data(
          355,
          [
            [3, ATTACKER],
            [35, member],
          ],
          { 0: 1, 1: 2, 2: 1 },
        ),
      });
    expect(failed(handed(multisig(WALLET), false))).toMatchObject([{ id: REACH }]);
    expect(decide(handed(multisig(place), false), unsupported).effect).toBe('allow');
  });
});

describe("the wallet's other assets", () => {
  const nft = keyNamed('token of a position').address;
  const holds = (owner: string, amount: bigint, token = nft) =>
    tokenAccount(place, { mint: token, owner, amount });

  it('are not authorized by a token of ours, even if it is read-only', () => {
    expect(failed(handed(holds(WALLET, 1n), false))).toMatchObject([
      { id: REACH, code: 'AUTHORITY_CHANGE', observed: expect.stringContaining('token account') },
    ]);
    // Control cases: a stranger's token account, an empty one of ours, a traded token, and a claim.
    for (const honest of [holds(ATTACKER, 1n), holds(WALLET, 0n), holds(WALLET, 1n, WSOL_MINT)])
      expect(decide(handed(honest, false), unsupported).effect).toBe('allow');
    const claim = handed(holds(WALLET, 1n), false, stage('position claim'));
    expect(decide(claim, unsupported).checks).toContainEqual({ id: REACH, ok: true });
    const other = handed(holds(WALLET, 1n), false, stage('holding claim'));
    expect(failed(other)).toMatchObject([{ id: REACH }]);
  });

  it.each([true, false])('in an unlisted program are not passed on (writable: %s)', (writable) => {
    const deposit = (owner: string, of: string) => account(place, { owner, data: data(200, [[40, of]]) });
    const lender = keyNamed('program of a lender').address;
    expect(failed(handed(deposit(lender, WALLET), writable))).toMatchObject([
      {
        id: 'unlistedOwner',
        code: 'AUTHORITY_CHANGE',
        observed: expect.stringContaining('unlisted program'),
      },
    ]);
    // The refusal names the program to list; until then it counts once toward a freeze, for any message.
    const denied = handed(deposit(lender, WALLET), writable);
    expect(remedyOf(decide(denied, unsupported))).toContain(`the program ${lender}`);
    expect(freezeKey(decide(denied, unsupported))).toBe(`program ${lender}`);
    const stolen = decide(plus(denied, theft), unsupported);
    expect(freezeKey(stolen)).toBe(stolen.messageSha256);
    // Control cases: a deposit of a stranger, and the same account of a listed program.
    expect(decide(handed(deposit(lender, ATTACKER), writable), unsupported).effect).toBe('allow');
    expect(decide(handed(deposit(VENUE, WALLET), writable), unsupported).effect).toBe('allow');
  });
});

describe('a simulated result', () => {
  const other = keyNamed('other holder').address;

  it.each(Object.keys(rights))('is refused if %s is no longer ours', (label) => {
    const of = rights[label];
    if (of === undefined) throw new Error(label);
    for (const is of [of(other), missing(place)]) {
      expect(failed(leaving(handed(of(WALLET)), is))).toContainEqual(
        expect.objectContaining({
          id: 'nothingGranted',
          code: 'AUTHORITY_CHANGE',
          observed: expect.stringMatching(/^the right .* would leave the wallet/),
        }),
      );
    }
  });

  it.each(['a stake account', 'a nonce account', 'a vote account'])(
    'is refused if SOL leaves %s that only the wallet may withdraw from',
    (label) => {
      const was = rights[label]?.(WALLET);
      if (was === undefined) throw new Error(label);
      const found = failed(leaving(handed(was), { ...was, lamports: '1' }));
      expect(found).toContainEqual(
        expect.objectContaining({
          code: 'UNDECLARED_LOSS',
          observed: expect.stringContaining('only the wallet'),
        }),
      );
    },
  );

  it('is refused if an account of an unsupported program no longer names the wallet', () => {
    const pool = (creator: string) => account(place, { owner: VENUE, data: data(424, [[104, creator]]) });
    const kept = handed(pool(WALLET));
    expect(decide(kept, unsupported).effect).toBe('allow');
    expect(failed(leaving(kept, pool(other)))).toMatchObject([
      { code: 'AUTHORITY_CHANGE', observed: `${place} would no longer name the wallet` },
    ]);
  });

  it("is refused if the claimers' config is passed to it, in a trade or a claim", () => {
    const update = stage('manager update to fewer');
    const config = update.accounts.find(({ owner }) => owner === FEE_SHARE_PROGRAM);
    if (config === undefined) throw new Error('no config');
    expect(failed(handed(config)).map(({ id }) => id)).toContain('unlistedOwner');
  });
});
