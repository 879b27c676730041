/** Minimum closing balances of the wallet's accounts, by acts, lines and opening balances. */
import { describe, expect, it } from 'vitest';
import { boundsOf, enforcedAssets, type Promised } from '../../src/guards/bounds.ts';
import { failedAt, guardsFor, provenBy, unitsOf } from '../../src/guards/guards.ts';
import type { Act } from '../../src/programs/acts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import type { Line } from '../../src/statement/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { account, extendedMint, mint, missing, tokenAccount, transferFee } from './accountFacts.ts';
import { keyNamed } from './people.ts';

const key = (name: string) => keyNamed(name).address;
const [ME, OTHER, TOKEN] = [key('me'), key('other'), key('token')];
const WRAPPED = associatedTokenAddress(ME, WSOL_MINT, TOKEN_PROGRAM);
const HELD = associatedTokenAddress(ME, TOKEN, TOKEN_PROGRAM);
const ELSEWHERE = key('elsewhere');
const RENT = 2_039_280n;

const wallet = (lamports = 1_000n) => account(ME, { lamports: `${lamports}` });
const held = (address: string, of: string, amount: bigint, more = {}) =>
  tokenAccount(address, { mint: of, owner: ME, amount, ...more });

/** A promise about these accounts, all of them writable. */
function promised(facts: readonly AccountFact[], more: Partial<Promised> = {}): Promised {
  return {
    ...{ wallet: ME, acts: [], lines: [], rent: () => RENT, isAgreed: true },
    loaded: [...facts.map(({ address }) => address), SYSTEM_PROGRAM].map((address) => {
      return { address, signer: false, writable: true };
    }),
    views: [new Map(facts.map((fact) => [fact.address, fact]))],
    ...more,
  };
}
const leastOf = (address: string, facts: readonly AccountFact[], more: Partial<Promised> = {}) =>
  boundsOf(promised(facts, more)).least.get(address);

const pays = (asset: string, atMost: bigint): Line => ({
  ...{ id: 'pays', source: 'transaction', asset, atMost, to: OTHER, owner: OTHER },
  ...{ why: 'tip', returns: 'never' },
});
const receives = (asset: string, atLeast: bigint): Line => ({
  ...{ id: 'receives', source: 'transaction', asset, atLeast, from: 'market', into: ME },
  enforcedBy: 'program',
});
const swap = (source: string, destination: string): Act => ({
  ...{ act: 'swap', venue: 'x', maxIn: 30n, minOut: 40n, exact: 'in', authority: ME },
  ...{ source: { account: source }, destination: { account: destination } },
});
const transfer = (from: string, to: string, fee?: bigint): Act => ({
  ...{ act: 'transfer', asset: TOKEN, amount: 10n, authority: ME },
  ...{ from: { account: from }, to: { account: to }, ...(fee === undefined ? {} : { fee }) },
});
const close = (of: string, refundTo = ME, authority = ME): Act => ({
  ...{ act: 'closeAccount', account: { account: of }, refundTo, authority },
});
const open = (of: string, more: object = {}): Act => ({
  ...{ act: 'openAccount', kind: 'token', account: of, owner: ME, mint: WSOL_MINT },
  ...more,
});
const unsupported: Act = { act: 'unsupported', program: OTHER, reason: '', accounts: [] };
const named: Act = { ...unsupported, act: 'named' } as unknown as Act;

describe('wrapped SOL that stays open ends with the balance its acts leave', () => {
  const facts = [wallet(), held(WRAPPED, WSOL_MINT, 100n)];
  it.each<[string, readonly Act[], bigint | undefined]>([
    ['nothing', [], 100n],
    ['a swap out of it', [swap(WRAPPED, OTHER)], 70n],
    ['a swap into it', [swap(OTHER, WRAPPED)], 140n],
    ['a swap between others', [swap(OTHER, ELSEWHERE)], 100n],
    ['a transfer out of it', [transfer(WRAPPED, OTHER)], 90n],
    ['a transfer into it', [transfer(OTHER, WRAPPED)], 110n],
    ['a transfer into it with a fee', [transfer(OTHER, WRAPPED, 3n)], 107n],
    ['both, and something else', [swap(OTHER, WRAPPED), transfer(WRAPPED, OTHER), open(OTHER)], 130n],
    ['an unsupported instruction', [unsupported], undefined],
    ['an instruction known by name only', [named], undefined],
  ])('%s', (_, acts, least) => {
    const bounds = boundsOf(promised(facts, { acts }));
    expect(bounds.least.get(WRAPPED)).toBe(least);
    // Unknown wrapped SOL makes SOL unknown; SOL that the wallet wraps leaves it as well.
    expect(bounds.sol).toBe(least === undefined ? undefined : 1_000n + 100n - least);
  });
});

describe('a token', () => {
  const lines = [pays(TOKEN, 30n), receives(TOKEN, 40n), pays('SOL', 1n), receives(OTHER, 5n)];
  it('in one account is bounded by the lines, in several by the acts on each', () => {
    const [one, two] = [held(HELD, TOKEN, 100n), held(ELSEWHERE, TOKEN, 50n)];
    const acts = [transfer(HELD, ELSEWHERE)];
    expect(leastOf(HELD, [one], { lines, acts })).toBe(110n);
    expect(leastOf(HELD, [one, two], { lines, acts })).toBe(90n);
    expect(leastOf(ELSEWHERE, [one, two], { lines, acts })).toBe(60n);
    expect(leastOf(HELD, [one, two], { lines, acts: [unsupported] })).toBeUndefined();
    expect(leastOf(HELD, [one, held(WRAPPED, WSOL_MINT, 1n)], { lines, acts: [unsupported] })).toBe(110n);
  });

  it('is bounded by the higher of two balances', () => {
    const views = [5n, 9n].map((amount) => new Map([[HELD, held(HELD, TOKEN, amount)]]));
    const loaded = [{ address: HELD, signer: false, writable: true }];
    expect(leastOf(HELD, [], { views, loaded })).toBe(9n);
    expect(leastOf(HELD, [], { views: views.toReversed(), loaded })).toBe(9n);
    expect(leastOf(HELD, [], { views: [new Map(), ...views], loaded })).toBe(9n);
  });

  it('of a stranger, read-only or missing is not ours', () => {
    const theirs = tokenAccount(HELD, { mint: TOKEN, owner: OTHER, amount: 5n });
    expect(boundsOf(promised([theirs])).buckets).toEqual([]);
    expect(boundsOf(promised([missing(HELD)])).buckets).toEqual([]);
    const loaded = [{ address: HELD, signer: false, writable: false }];
    expect(boundsOf(promised([held(HELD, TOKEN, 1n)], { loaded })).buckets).toEqual([]);
  });
});

describe('a closed account', () => {
  const facts = [wallet(), held(WRAPPED, WSOL_MINT, 100n, { lamports: '500' })];
  it.each<[string, readonly Act[], number, bigint | undefined]>([
    ['to the wallet brings its lamports', [close(WRAPPED)], 0, 1_500n],
    ['to a stranger stays bound', [close(WRAPPED, OTHER)], 1, 1_000n],
    ['by another key stays bound', [close(WRAPPED, ME, OTHER)], 1, 1_000n],
    ['after it was opened is closed', [open(WRAPPED), close(WRAPPED)], 0, 1_500n],
    ['and opened again brings nothing', [close(WRAPPED), open(WRAPPED)], 1, 1_000n],
    ['while another is opened brings its lamports', [close(WRAPPED), open(ELSEWHERE)], 0, 1_500n],
  ])('%s', (_, acts, buckets, sol) => {
    const bounds = boundsOf(promised(facts, { acts }));
    expect([bounds.buckets.length, bounds.sol]).toEqual([buckets, sol]);
  });

  it('by an unsupported instruction, in the simulation, proves nothing; otherwise its guard would fail', () => {
    const gone = new Map([[WRAPPED, missing(WRAPPED)]]);
    const freeWith = (after: Promised['after'], acts: readonly Act[]) =>
      boundsOf(promised(facts, { acts, ...(after === undefined ? {} : { after }) })).buckets[0]?.isFree;
    expect(freeWith(gone, [unsupported])).toBe(false);
    expect(freeWith(new Map(), [unsupported])).toBe(false);
    expect(freeWith(new Map([[WRAPPED, facts[1] ?? wallet()]]), [unsupported])).toBe(true);
    expect(freeWith(gone, [])).toBe(true);
    expect(freeWith(undefined, [unsupported])).toBe(true);
  });
});

describe('an opened account', () => {
  const made = (act: Act, facts: readonly AccountFact[] = [missing(WRAPPED), missing(HELD)]) =>
    boundsOf(promised(facts, { acts: [act] })).buckets.map(({ account: of, program }) => [of, program]);
  it('is bounded from zero if it is a token account of the wallet', () => {
    expect(made(open(WRAPPED))).toEqual([[WRAPPED, TOKEN_PROGRAM]]);
    expect(made(open(WRAPPED, { owner: OTHER }))).toEqual([]);
    expect(made(open(WRAPPED, { kind: 'data' }))).toEqual([]);
    expect(made(close(WRAPPED, OTHER))).toEqual([]);
    const [token, other] = [mint(TOKEN, {}), extendedMint(TOKEN)];
    expect(made(open(HELD, { mint: TOKEN }), [missing(HELD), token])).toEqual([[HELD, TOKEN_PROGRAM]]);
    expect(made(open(HELD, { mint: TOKEN }), [missing(HELD), other])).toEqual([[HELD, TOKEN_2022_PROGRAM]]);
    expect(made(open(HELD, { mint: TOKEN }))).toEqual([]);
  });
});

describe('the wallet transfers tokens from an account to itself', () => {
  const of = (token: AccountFact, more: Partial<AccountFact> = {}) => {
    const address = associatedTokenAddress(ME, TOKEN, token.owner);
    const [bucket] = boundsOf(
      promised([token, { ...held(address, TOKEN, 5n), owner: token.owner, ...more }]),
    ).buckets;
    return [bucket?.canTransfer, bucket?.decimals, bucket?.isAssociated];
  };
  it.each<[string, AccountFact, boolean]>([
    ['of the Token program', mint(TOKEN, {}), true],
    ['of Token-2022', extendedMint(TOKEN), true],
    ['with a transfer fee', extendedMint(TOKEN, [1, transferFee(undefined, 1, 1)]), true],
    ['that cannot be transferred', extendedMint(TOKEN, [9, new Uint8Array(0)]), false],
    ['with a hook', extendedMint(TOKEN, [14, new Uint8Array(64)]), false],
    ['that can be paused', extendedMint(TOKEN, [26, new Uint8Array(33)]), false],
    ['with an unknown extension', extendedMint(TOKEN, [999, new Uint8Array(1)]), false],
    [
      'with a fee and a hook',
      extendedMint(TOKEN, [1, transferFee(undefined, 1, 1)], [14, new Uint8Array(64)]),
      false,
    ],
  ])('%s', (_, token, can) => {
    expect(of(token)).toEqual([can, 6, true]);
  });

  it('not of Token-2022 while its mint is unknown or requires a memo for transfers', () => {
    const fact = { ...held(HELD, TOKEN, 5n), owner: TOKEN_2022_PROGRAM };
    expect(boundsOf(promised([fact])).buckets[0]).toMatchObject({ canTransfer: false });
    expect(boundsOf(promised([fact])).buckets[0]).not.toHaveProperty('decimals');
    const base = Buffer.from(fact.data, 'base64');
    const memo = Buffer.concat([base, Buffer.of(2, 8, 0, 1, 0, 1)]).toString('base64');
    expect(of(extendedMint(TOKEN), { data: memo })[0]).toBe(false);
  });

  it('only if every source shows the same mint and no other key', () => {
    const free = (second: AccountFact) =>
      boundsOf(
        promised([held(HELD, TOKEN, 5n)], {
          views: [held(HELD, TOKEN, 5n), second].map((fact) => new Map([[HELD, fact]])),
        }),
      ).buckets[0]?.isFree;
    expect(free(held(HELD, TOKEN, 7n))).toBe(true);
    expect(free(held(HELD, OTHER, 5n))).toBe(false);
    expect(free(held(HELD, TOKEN, 5n, { delegate: OTHER }))).toBe(false);
    expect(free(held(HELD, TOKEN, 5n, { closeAuthority: OTHER }))).toBe(false);
    expect(free(held(HELD, TOKEN, 5n, { frozen: true }))).toBe(false);
  });
});

describe('an asset is enforced', () => {
  const lines = [pays(TOKEN, 3n), pays('SOL', 1n)];
  const enforced = (
    facts: readonly AccountFact[],
    proven: Readonly<Record<string, bigint>>,
    more: Partial<Promised> = {},
  ) => {
    const given = promised(facts, { lines, ...more });
    return enforcedAssets(boundsOf(given), given, new Map(Object.entries(proven)));
  };
  const facts = [wallet(), held(HELD, TOKEN, 5n)];
  it('if every account of it is proven to hold its bound', () => {
    expect(enforced(facts, { [HELD]: 2n, [ME]: 999n })).toEqual([TOKEN, 'SOL']);
    expect(enforced(facts, { [HELD]: 1n, [ME]: 998n })).toEqual([]);
    expect(enforced(facts, { [ME]: 999n })).toEqual(['SOL']);
    expect(enforced([wallet()], { [ME]: 999n })).toEqual(['SOL']);
    expect(enforced([...facts, held(ELSEWHERE, TOKEN, 1n)], { [HELD]: 9n, [ELSEWHERE]: 9n })).toEqual([]);
  });

  it('if a bound below zero is proven at all', () => {
    expect(enforced([wallet(0n), held(HELD, TOKEN, 1n)], { [HELD]: 0n, [ME]: 0n })).toEqual([TOKEN, 'SOL']);
    expect(enforced([wallet(0n), held(HELD, TOKEN, 1n)], {})).toEqual(['SOL']);
  });

  it('except SOL with an unproven account above its rent or of wrapped SOL', () => {
    const over = held(HELD, TOKEN, 5n, { lamports: `${RENT + 1n}` });
    expect(enforced([wallet(), over], { [ME]: 1n << 60n })).toEqual([]);
    expect(enforced([wallet(), over], { [ME]: 1n << 60n, [HELD]: 5n })).toEqual([TOKEN, 'SOL']);
    const wrapped = [wallet(), held(WRAPPED, WSOL_MINT, 5n)];
    expect(enforced(wrapped, { [ME]: 1n << 60n })).toEqual([]);
    expect(enforced(wrapped, { [ME]: 1n << 60n, [WRAPPED]: 5n })).toEqual(['SOL']);
    expect(enforced(wrapped, { [ME]: 1n << 60n, [WRAPPED]: 5n }, { acts: [unsupported] })).toEqual([]);
  });
});

it('guards are recognized by their exact effect on an account', () => {
  const given = promised([wallet(), held(HELD, TOKEN, 5n)], { lines: [pays(TOKEN, 3n), pays('SOL', 1n)] });
  const bounds = boundsOf(given);
  const last = guardsFor(bounds, ME).map(({ programAddress, accounts, data }) => {
    return { program: programAddress, accounts, data };
  });
  expect(provenBy(last, bounds.buckets, ME)).toEqual(
    new Map([
      [HELD, 2n],
      [ME, 999n],
    ]),
  );
  expect(provenBy([], bounds.buckets, ME)).toEqual(new Map());
  for (const i of last.keys()) {
    const [address, bound] = i === last.length - 1 ? ([ME, 999n] as const) : ([HELD, 2n] as const);
    expect(provenBy(last.toSpliced(i, 1), bounds.buckets, ME)?.get(address) ?? 0n).toBeLessThan(bound);
    const other = last.map((each, at) => (at === i ? { ...each, program: OTHER } : each));
    expect(provenBy(other, bounds.buckets, ME)).toBeUndefined();
    const longer = last.map((each, at) =>
      at === i ? { ...each, data: Uint8Array.of(...each.data, 0) } : each,
    );
    expect(provenBy(longer, bounds.buckets, ME)).toBeUndefined();
    const swapped = last.map((each, at) =>
      at === i ? { ...each, accounts: each.accounts.toReversed() } : each,
    );
    if (new Set(last[i]?.accounts.map(({ address }) => address)).size > 1)
      expect(provenBy(swapped, bounds.buckets, ME)).toBeUndefined();
  }
});

describe('guard instructions', () => {
  const bucket = (program: string, opening: bigint, excess = 0n) => ({
    ...{ account: HELD, mint: TOKEN, program, decimals: 6, opening, excess },
    ...{ isFree: true, isAssociated: true, canTransfer: true, isNative: false },
  });
  const guards = (program: string, amount: bigint, excess = 0n, sol = 0n) =>
    guardsFor({ buckets: [bucket(program, amount, excess)], least: new Map([[HELD, amount]]), sol }, ME);

  it('of Token-2022 check the mint, and revoke twice without a following transfer', () => {
    expect(guards(TOKEN_2022_PROGRAM, 2n).map(({ data }) => data[0])).toEqual([5, 6, 12]);
    expect(guards(TOKEN_2022_PROGRAM, 1n).map(({ data }) => data[0])).toEqual([5, 6, 12]);
    expect(guards(TOKEN_2022_PROGRAM, 0n).map(({ data }) => data[0])).toEqual([5, 5, 6]);
    expect(guards(TOKEN_PROGRAM, 2n).map(({ data }) => data[0])).toEqual([5, 6, 3]);
    expect(guards(TOKEN_PROGRAM, 0n).map(({ data }) => data[0])).toEqual([5, 6]);
    expect([...(guards(TOKEN_2022_PROGRAM, 2n).at(-1)?.data ?? [])].at(-1)).toBe(6);
  });

  it('withdraw with the wallet as authority and destination', () => {
    expect(guards(TOKEN_PROGRAM, 0n, 1n).at(-1)?.accounts).toEqual([
      { address: HELD, signer: false, writable: true },
      { address: ME, signer: false, writable: true },
      { address: ME, signer: true, writable: false },
    ]);
  });

  it('transfer SOL from the wallet to itself only if it is bounded', () => {
    const last = (sol: bigint) => guards(TOKEN_PROGRAM, 0n, 0n, sol).at(-1)?.programAddress;
    expect([last(1n), last(0n), last(-1n)]).toEqual([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_PROGRAM]);
  });

  it('request compute units per program, and a failure names its instruction', () => {
    const [classic, extended] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => guards(program, 1n)[0]);
    expect([classic, extended].map((each) => each && unitsOf(each))).toEqual([200, 1_200]);
    expect(failedAt('{"InstructionError":[12,{"Custom":1}]}')).toBe(12);
    expect(failedAt('"BlockhashNotFound"')).toBe(-1);
  });
});
