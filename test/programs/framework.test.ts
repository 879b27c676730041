/** Shared parts of all readers: nothing throws, stock programs are decoded, layouts combine small codecs. */

import * as anchor from '@coral-xyz/anchor';
import {
  CollectFeeMode,
  getAmountAFromLiquidityDelta,
  getAmountBFromLiquidityDelta,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  Rounding,
} from '@meteora-ag/cp-amm-sdk';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { depositsOf } from '../../src/programs/dammV2/index.ts';
import { byBytes, derivedAddress } from '../../src/programs/derived.ts';
import { PROGRAMS } from '../../src/programs/index.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { Layout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, readInstruction } from '../../src/programs/read.ts';
import { chainView, NO_VIEW } from '../../src/programs/view.ts';
import { Reader, Writer } from '../../src/transaction/bytes.ts';
import * as codecs from '../../src/transaction/codecs.ts';
import {
  SYSVAR_CLOCK,
  SYSVAR_INSTRUCTIONS,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { testAddress } from '../transaction/keys.ts';
import { someAddress } from './publicInterfaces.ts';
import { readAccount } from './readAccount.ts';

const ADDRESSES = PROGRAMS.flatMap((program: ProgramReader) => program.addresses);
const FIRSTS = PROGRAMS.flatMap((program: ProgramReader) => [
  ...program.layouts.map(({ discriminator }: Layout) => discriminator),
  ...program.named.map(({ discriminator }) => discriminator),
]);

test('decoding and describing never throw, whatever the bytes and accounts', () => {
  const use = fc.record({ address: someAddress, signer: fc.boolean(), writable: fc.boolean() });
  fc.assert(
    fc.property(
      fc.constantFrom(...ADDRESSES),
      fc.constantFrom(...FIRSTS),
      fc.uint8Array({ maxLength: 400 }),
      fc.array(use, { maxLength: 30 }),
      (program, first, tail, accounts) => {
        const data = Uint8Array.from([...first, ...tail]);
        const reading = readInstruction({ index: 0, program, accounts, data });
        expect(actsOf(reading, NO_VIEW).length).toBeGreaterThan(0);
        readAccount({ owner: program, data });
      },
    ),
    { numRuns: 5000 },
  );
});

test('discriminators of a program are unique', () => {
  for (const program of ADDRESSES) {
    const firsts = PROGRAMS.filter((each: ProgramReader) => each.addresses.includes(program)).flatMap(
      (each: ProgramReader) =>
        [...each.layouts, ...each.named].map(({ discriminator }) => Buffer.from(discriminator)),
    );
    for (const [at, first] of firsts.entries()) {
      const same = firsts.filter(
        (other, index) => index !== at && other.subarray(0, first.length).equals(first),
      );
      expect(same, `${program} ${first.toString('hex')}`).toEqual([]);
    }
  }
});

describe('a trade whose fee depends on the rest of the transaction', () => {
  const swap = (more: readonly string[]) => {
    const { programAddress, accounts, data } = encodeInstruction('dbc.swap', {
      accounts: {
        config: testAddress('config'),
        inputTokenAccount: testAddress('in'),
        outputTokenAccount: testAddress('out'),
        baseMint: testAddress('mint'),
        quoteMint: WSOL_MINT,
        payer: testAddress('payer'),
        tokenBaseProgram: TOKEN_PROGRAM,
        tokenQuoteProgram: TOKEN_PROGRAM,
      },
      args: { amountIn: 1n, minimumAmountOut: 1n },
    });
    const rest = more.map((address) => ({ address, signer: false, writable: false }));
    return readInstruction({ index: 0, program: programAddress, accounts: [...accounts, ...rest], data });
  };

  test('may name the account it reads, and no other', () => {
    expect(swap([]).status).toBe('read');
    expect(swap([SYSVAR_INSTRUCTIONS])).toMatchObject({
      status: 'read',
      instruction: { accounts: { instructionsSysvar: { address: SYSVAR_INSTRUCTIONS } } },
    });
    expect(swap([SYSVAR_CLOCK]).status).toBe('unsupported');
    expect(swap([SYSVAR_INSTRUCTIONS, SYSVAR_CLOCK]).status).toBe('unsupported');
  });
});

test('deposits of both tokens into a new pool equal those of the public package', () => {
  const min = BigInt(MIN_SQRT_PRICE.toString());
  const max = BigInt(MAX_SQRT_PRICE.toString());
  const price = fc.bigInt({ min, max });
  const big = (value: bigint) => new anchor.BN(value.toString());
  fc.assert(
    fc.property(price, price, price, fc.bigInt({ min: 1n, max: 1n << 90n }), (a, b, c, liquidity) => {
      const sorted = [a, b, c].toSorted((x, y) => (x < y ? -1 : 1));
      const [sqrtMinPrice = min, sqrtPrice = min, sqrtMaxPrice = max] = sorted;
      const numbers = { sqrtMinPrice, sqrtPrice, sqrtMaxPrice, liquidity };
      const { mostA, mostB } = depositsOf({ ...numbers, collectFeeMode: 1 });
      const mode = CollectFeeMode.OnlyB;
      const theirs = [
        getAmountAFromLiquidityDelta(big(sqrtPrice), big(sqrtMaxPrice), big(liquidity), Rounding.Up, mode),
        getAmountBFromLiquidityDelta(big(sqrtMinPrice), big(sqrtPrice), big(liquidity), Rounding.Up, mode),
      ];
      expect([mostA, mostB]).toEqual(theirs.map((amount) => BigInt(amount.toString())));
      expect(depositsOf({ ...numbers, collectFeeMode: 2 })).toEqual({});
    }),
    { numRuns: 200 },
  );
  const backwards = { sqrtMinPrice: 2n, sqrtPrice: 1n, sqrtMaxPrice: 3n, liquidity: 1n, collectFeeMode: 0 };
  expect(depositsOf(backwards)).toEqual({});
  expect(depositsOf({ ...backwards, sqrtMinPrice: 0n, sqrtPrice: 0n })).toEqual({});
});

describe('derived addresses', () => {
  test('equal those of web3.js, the first time and cached', () => {
    fc.assert(
      fc.property(someAddress, someAddress, fc.nat(255), fc.string({ maxLength: 20 }), (a, b, n, words) => {
        const program = new PublicKey(testAddress('program'));
        const seeds = [
          new PublicKey(a).toBuffer(),
          Buffer.from(words),
          Buffer.of(n),
          new PublicKey(b).toBuffer(),
        ];
        fc.pre(Buffer.byteLength(words) <= 32);
        const theirs = PublicKey.findProgramAddressSync(seeds, program)[0].toBase58();
        for (let time = 0; time < 2; time++) {
          expect(derivedAddress(program.toBase58(), [a, { text: words }, n, b])).toBe(theirs);
        }
      }),
    );
  });

  test('do not confuse seeds with equal concatenation', () => {
    const program = testAddress('program');
    const [a, b] = [testAddress('a'), testAddress('b')];
    const all = [
      derivedAddress(program, [a, b]),
      derivedAddress(program, [b, a]),
      derivedAddress(program, [1, 12]),
      derivedAddress(program, [11, 2]),
      derivedAddress(program, [{ text: '1' }, 12]),
      derivedAddress(program, [{ text: '1,12' }]),
      derivedAddress(program, [{ text: `1,${a.slice(0, 20)}` }]),
      derivedAddress(program, [{ text: '"1:1' }]),
      derivedAddress(program, [{ text: '1' }]),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('two mints are ordered by their bytes, not their text', () => {
    fc.assert(
      fc.property(someAddress, someAddress, (a, b) => {
        const [first, second] = byBytes(a, b);
        expect(Buffer.compare(new PublicKey(first).toBuffer(), new PublicKey(second).toBuffer())).not.toBe(
          -1,
        );
        expect(byBytes(b, a)).toEqual([first, second]);
      }),
    );
  });
});

describe('codecs', () => {
  const both = <T>(codec: codecs.Codec<T>, value: T): T => {
    const writer = new Writer();
    codec.write(writer, value);
    const reader = new Reader(writer.finish());
    const read = codec.read(reader);
    reader.end();
    return read;
  };
  const read = <T>(codec: codecs.Codec<T>, ...bytes: number[]): T =>
    codec.read(new Reader(Uint8Array.from(bytes)));

  test('a number of 128 bits is little-endian, and one too large is refused', () => {
    expect(read(codecs.u128, 1, ...new Array(14).fill(0), 2)).toBe((2n << 120n) | 1n);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
        expect(both(codecs.u128, value)).toBe(value);
      }),
    );
    expect(() => both(codecs.u128, 1n << 128n)).toThrow(RangeError);
    expect(() => both(codecs.u128, -1n)).toThrow(RangeError);
  });

  test('a list that claims more items than there are bytes is refused before allocation', () => {
    expect(() => read(codecs.list32(codecs.u8), 255, 255, 255, 255, 1)).toThrow('the bytes end too early');
    expect(read(codecs.list32(codecs.u16), 2, 0, 0, 0, 1, 0, 2, 0)).toEqual([1, 2]);
  });

  test('a union carries its own values, and an unknown variant is refused', () => {
    const shape = codecs.variants({ None: codecs.struct({}), Some: codecs.struct({ value: codecs.u16 }) });
    expect(both(shape, { variant: 'Some', value: { value: 7 } })).toEqual({
      variant: 'Some',
      value: { value: 7 },
    });
    expect(read(shape, 0)).toEqual({ variant: 'None', value: {} });
    expect(() => read(shape, 2)).toThrow('unknown variant');
  });

  test('bytes and lists of a fixed length have no other length', () => {
    expect(() => both(codecs.bytes(2), Uint8Array.of(1))).toThrow(RangeError);
    expect(() => both(codecs.fixedList(codecs.u8, 2), [1])).toThrow(RangeError);
    expect(both(codecs.fixedList(codecs.u8, 2), [1, 2])).toEqual([1, 2]);
  });
});

test('a chain view contains token accounts of the token programs only', () => {
  const data = new Uint8Array(165);
  const [mint, owner] = [testAddress('mint'), testAddress('owner')];
  data.set(new PublicKey(mint).toBytes(), 0);
  data.set(new PublicKey(owner).toBytes(), 32);
  data[108] = 1;
  const view = chainView((address) => {
    if (address === testAddress('account')) return { owner: TOKEN_PROGRAM, data };
    if (address === testAddress('looks like one')) return { owner: testAddress('stranger'), data };
    return address === testAddress('odd') ? { owner: TOKEN_PROGRAM, data: data.slice(1) } : undefined;
  });
  expect(view.tokenAccount(testAddress('account'))).toEqual({ mint, owner });
  for (const other of ['looks like one', 'odd', 'nothing']) {
    expect(view.tokenAccount(testAddress(other))).toBeUndefined();
  }
});
