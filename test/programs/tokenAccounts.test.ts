import { address as kitAddress, none, some } from '@solana/kit';
import { AddressLookupTableAccount } from '@solana/web3.js';
import { getMintEncoder, getTokenEncoder } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { readLookupTable } from '../../src/programs/solana/lookupTable.ts';
import { mintOf, readMint, readTokenAccount, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { highestTransferFee } from '../../src/programs/token2022/extensions.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { arbitraryAddress } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const kitOption = <T>(value: T | null) => (value === null ? none<T>() : some(value));

const account = Uint8Array.from(
  getTokenEncoder().encode({
    mint: kitAddress(testAddress('mint')),
    owner: kitAddress(testAddress('owner')),
    amount: 5n,
    delegate: none(),
    state: 1,
    isNative: none(),
    delegatedAmount: 0n,
    closeAuthority: none(),
  }),
);
const mint = Uint8Array.from(
  getMintEncoder().encode({
    mintAuthority: none(),
    supply: 1n,
    decimals: 2,
    isInitialized: true,
    freezeAuthority: none(),
  }),
);
/** A Token-2022 account: base, padding, type, extensions. */
const extended = (base: Uint8Array, type: number, ...extensions: number[][]) =>
  Uint8Array.from([...base, ...new Uint8Array(165 - base.length), type, ...extensions.flat()]);
const extension = (type: number, value: ArrayLike<number>, length = value.length) => [
  type & 0xff,
  type >> 8,
  length & 0xff,
  length >> 8,
  ...Array.from(value),
];

describe('state written by the published client', () => {
  test('of a token account is decoded', () => {
    const states = ['initialized', 'frozen'] as const;
    fc.assert(
      fc.property(
        fc.record({
          mint: arbitraryAddress,
          owner: arbitraryAddress,
          amount: u64,
          delegate: fc.option(arbitraryAddress),
          state: fc.constantFrom(...states),
          isNative: fc.option(u64),
          delegatedAmount: u64,
          closeAuthority: fc.option(arbitraryAddress),
        }),
        (state) => {
          const data = getTokenEncoder().encode({
            ...state,
            mint: kitAddress(state.mint),
            owner: kitAddress(state.owner),
            state: states.indexOf(state.state) + 1,
            delegate: kitOption(state.delegate === null ? null : kitAddress(state.delegate)),
            isNative: kitOption(state.isNative),
            closeAuthority: kitOption(
              state.closeAuthority === null ? null : kitAddress(state.closeAuthority),
            ),
          });
          expect(readTokenAccount(Uint8Array.from(data))).toEqual({
            ...state,
            delegate: state.delegate ?? undefined,
            isNative: state.isNative ?? undefined,
            closeAuthority: state.closeAuthority ?? undefined,
            extensions: [],
          });
        },
      ),
    );
  });

  test('of a mint is decoded completely', () => {
    fc.assert(
      fc.property(
        fc.option(arbitraryAddress),
        u64,
        fc.nat(255),
        fc.option(arbitraryAddress),
        (mintAuthority, supply, decimals, freezeAuthority) => {
          const data = getMintEncoder().encode({
            mintAuthority: kitOption(mintAuthority === null ? null : kitAddress(mintAuthority)),
            supply,
            decimals,
            isInitialized: true,
            freezeAuthority: kitOption(freezeAuthority === null ? null : kitAddress(freezeAuthority)),
          });
          expect(readMint(Uint8Array.from(data))).toEqual({
            mintAuthority: mintAuthority ?? undefined,
            supply,
            decimals,
            freezeAuthority: freezeAuthority ?? undefined,
            extensions: [],
          });
        },
      ),
    );
  });
});

describe('invalid account data is refused', () => {
  test.each<[string, () => unknown]>([
    ['a mint as a token account', () => readTokenAccount(mint)],
    ['a token account as a mint', () => readMint(account)],
    ['an extended mint as a token account', () => readTokenAccount(extended(mint, 1))],
    ['an extended token account as a mint', () => readMint(extended(account, 2))],
    ['a mint marked as a token account', () => readMint(extended(mint, 2))],
    ['a token account marked as a mint', () => readTokenAccount(extended(account, 1))],
    ['a byte too few', () => readTokenAccount(account.slice(0, -1))],
    ['a mint of a byte too many', () => readMint(Uint8Array.from([...mint, 0]))],
    ['nonzero padding', () => readMint(extended(Uint8Array.from([...mint, 1]), 1))],
    [
      'a multisig’s length',
      () => readTokenAccount(extended(account, 2, extension(7, []), Array(355 - 170).fill(0))),
    ],
    ['an uninitialised token account', () => readTokenAccount(new Uint8Array(165))],
    ['an uninitialised mint', () => readMint(new Uint8Array(82))],
    ['an option that is neither empty nor full', () => readMint(Uint8Array.from([2, ...mint.slice(1)]))],
    ['a duplicate extension', () => readMint(extended(mint, 1, extension(9, []), extension(9, [])))],
    [
      'an extension longer than the data',
      () => readMint(extended(mint, 1, extension(12, new Uint8Array(32), 33))),
    ],
    ['an extension of another size', () => readMint(extended(mint, 1, extension(12, new Uint8Array(33))))],
    ['an extension without a length', () => readMint(extended(mint, 1, [9, 0]))],
    ['metadata that ends too early', () => readMint(extended(mint, 1, extension(19, new Uint8Array(70))))],
    ['empty data', () => readMint(new Uint8Array())],
  ])('%s', (_, read) => {
    expect(read).toThrow(expect.objectContaining({ code: 'NONCANONICAL_BYTES' }));
  });

  test.each<[string, () => unknown]>([
    ['83 bytes are not a mint', () => readMint(Uint8Array.from([...mint, 0]))],
    ['165 bytes are not a mint', () => readMint(Uint8Array.from([...mint, ...new Uint8Array(83)]))],
    ['the account is of another type', () => readMint(extended(mint, 2))],
    [
      '355 bytes are not a token account',
      () => readTokenAccount(extended(account, 2, Array(355 - 166).fill(0))),
    ],
    ['355 bytes are not a mint', () => readMint(extended(mint, 1, Array(355 - 166).fill(0)))],
    [
      'the token account is not initialised',
      () => readTokenAccount(Uint8Array.from(account, (byte, at) => (at === 108 ? 3 : byte))),
    ],
    [
      'the token account is not initialised',
      () => readTokenAccount(Uint8Array.from(account, (byte, at) => (at === 108 ? 0 : byte))),
    ],
  ])('with the message: %s', (words, read) => {
    expect(read).toThrow(words);
  });
});

describe('extensions', () => {
  test('that are unknown are named by number, so that a policy can deny them', () => {
    const names = readMint(
      extended(mint, 1, extension(4, new Uint8Array(65)), extension(999, [1])),
    ).extensions;
    expect(names).toEqual(['confidentialTransfer', 'unknown999']);
  });

  test('end at type 0 or at a single remaining byte', () => {
    const one = extension(12, addressBytes(testAddress('delegate')));
    const expected = { extensions: ['permanentDelegate'], permanentDelegate: testAddress('delegate') };
    expect(readMint(extended(mint, 1, one, [0, 0, 7, 7, 7]))).toMatchObject(expected);
    expect(readMint(extended(mint, 1, one, [9]))).toMatchObject(expected);
    expect(readMint(extended(mint, 1)).extensions).toEqual([]);
  });

  test('never make the decoder fail in another way', () => {
    const base = extended(mint, 1, extension(1, new Uint8Array(108)), extension(19, new Uint8Array(80)));
    fc.assert(
      fc.property(fc.nat(base.length - 1), fc.nat(255), fc.nat(base.length), (at, byte, length) => {
        const data = base.slice();
        data[at] = byte;
        for (const read of [readMint, readTokenAccount, readLookupTable]) {
          try {
            read(data.slice(0, length));
          } catch (error) {
            expect(error).toBeInstanceOf(TransactionError);
          }
        }
      }),
      { numRuns: 500, seed: 10 },
    );
  });
});

describe('lookup tables', () => {
  const table = (count: number, authority: boolean) =>
    Uint8Array.from([
      ...[1, 0, 0, 0, ...Array(8).fill(255), 7, 0, 0, 0, 0, 0, 0, 0, 3, authority ? 1 : 0],
      ...addressBytes(testAddress('authority')),
      ...[0, 0],
      ...Array.from({ length: count }, (_, i) => [...addressBytes(testAddress(`${i}`))]).flat(),
    ]);

  test('are decoded as by web3.js, frozen ones without authority', () => {
    for (const [count, authority] of [
      [0, true],
      [3, true],
      [256, false],
    ] as const) {
      const theirs = AddressLookupTableAccount.deserialize(table(count, authority));
      expect(readLookupTable(table(count, authority))).toEqual({
        deactivationSlot: theirs.deactivationSlot,
        lastExtendedSlot: BigInt(theirs.lastExtendedSlot),
        lastExtendedStartIndex: theirs.lastExtendedSlotStartIndex,
        authority: theirs.authority?.toBase58(),
        addresses: theirs.addresses.map((key) => key.toBase58()),
      });
    }
  });

  test('are refused if cut, too long or of another type', () => {
    const refused = expect.objectContaining({ code: 'NONCANONICAL_BYTES' });
    expect(() => readLookupTable(table(2, true).slice(0, -1))).toThrow(refused);
    expect(() => readLookupTable(table(257, true))).toThrow(refused);
    expect(() => readLookupTable(new Uint8Array(56))).toThrow(refused);
    expect(() => readLookupTable(table(0, true).slice(0, 40))).toThrow(refused);
    const bent = table(1, true);
    bent[21] = 2;
    expect(() => readLookupTable(bent)).toThrow(refused);
  });
});

describe('the maximum transfer fee', () => {
  const schedule = (basisPoints: number, maximumFee: bigint) => ({ epoch: 0n, basisPoints, maximumFee });
  const none = schedule(0, 0n);

  test("is a share of the amount, rounded up, up to its schedule's maximum", () => {
    const one = (amount: bigint, basisPoints: number, most: bigint) =>
      highestTransferFee({ older: none, newer: schedule(basisPoints, most) }, amount);
    expect(one(10_000n, 100, 1_000n)).toBe(100n);
    expect(one(10_001n, 100, 1_000n)).toBe(101n);
    expect(one(1n, 1, 1_000n)).toBe(1n);
    expect(one(10_000n, 100, 99n)).toBe(99n);
    expect(one(10_000n, 100, 100n)).toBe(100n);
    expect(one(10_000n, 0, 100n)).toBe(0n);
    expect(one(0n, 10_000, 100n)).toBe(0n);
  });

  test('is that of the more expensive of two schedules, in either order', () => {
    const [cheap, dear] = [schedule(10, 1_000n), schedule(30, 1_000n)];
    expect(highestTransferFee({ older: cheap, newer: dear }, 10_000n)).toBe(30n);
    expect(highestTransferFee({ older: dear, newer: cheap }, 10_000n)).toBe(30n);
    expect(highestTransferFee({ older: dear, newer: dear }, 10_000n)).toBe(30n);
  });
});

describe('an account in an RPC response', () => {
  const shown = (data: Uint8Array, owner = TOKEN_PROGRAM, exists = true) => ({
    exists,
    owner,
    data: Buffer.from(data).toString('base64'),
  });

  test('is a mint or a token account under either token program, never both', () => {
    for (const owner of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      expect(mintOf(shown(mint, owner))).toEqual(readMint(mint));
      expect(tokenAccountOf(shown(account, owner))).toEqual(readTokenAccount(account));
      expect(mintOf(shown(account, owner))).toBeUndefined();
      expect(tokenAccountOf(shown(mint, owner))).toBeUndefined();
    }
  });

  test('is neither if missing, of another program, or not requested', () => {
    for (const read of [mintOf, tokenAccountOf]) {
      for (const data of [mint, account]) {
        expect(read(shown(data, TOKEN_PROGRAM, false))).toBeUndefined();
        expect(read(shown(data, SYSTEM_PROGRAM))).toBeUndefined();
      }
      expect(read(undefined)).toBeUndefined();
    }
  });
});
