import { isOffCurveAddress, address as kitAddress } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { addressBytes, addressFromBytes, isAddress } from '../../src/transaction/base58.ts';
import { associatedTokenAddress, isOnCurve, programAddress } from '../../src/transaction/derive.ts';
import * as programs from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { testAddress, testKey } from './keys.ts';

const { ASSOCIATED_TOKEN_PROGRAM, PROGRAM_NAMES, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } = programs;
const key32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('well-known addresses are valid and unique', () => {
  const known = Object.entries(programs).filter(([, value]) => typeof value === 'string');
  expect(known.length).toBeGreaterThan(25);
  for (const [name, value] of known) expect(isAddress(String(value)), name).toBe(true);
  expect(new Set(known.map(([, value]) => value)).size).toBe(known.length);
  for (const program of Object.keys(PROGRAM_NAMES)) expect(isAddress(program)).toBe(true);
});

describe('base58 addresses', () => {
  test('are the text web3.js encodes for the same bytes', () => {
    fc.assert(
      fc.property(key32, (bytes) => {
        const text = addressFromBytes(bytes);
        expect(text).toBe(new PublicKey(bytes).toBase58());
        expect(addressBytes(text)).toEqual(bytes);
      }),
    );
  });

  test.each([
    ['', 'empty'],
    ['1111111111111111111111111111111', '31 bytes'],
    ['111111111111111111111111111111111', '33 bytes'],
    ['So1111111111111111111111111111111111111111O', 'a letter base58 lacks'],
    [' So11111111111111111111111111111111111111112', 'a space'],
    ['So11111111111111111111111111111111111111112\u200b', 'an invisible character'],
    ['JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH', '33 bytes in 44 characters'],
    ['1'.repeat(4000), 'far too long'],
  ])('%j is not an address: %s', (text) => {
    expect(isAddress(text)).toBe(false);
    expect(() => addressBytes(text)).toThrow('not a base58 address');
  });

  test('cannot be changed by writing into a returned value', () => {
    addressBytes(WSOL_MINT).fill(0);
    expect(addressFromBytes(addressBytes(WSOL_MINT))).toBe(WSOL_MINT);
  });

  test('stay correct after many more than the cache holds', () => {
    for (let i = 0; i < 9000; i++) {
      const bytes = new Uint8Array(32);
      new DataView(bytes.buffer).setUint32(0, i);
      if (i % 500 === 0) expect(addressBytes(addressFromBytes(bytes))).toEqual(bytes);
      else addressFromBytes(bytes);
    }
    expect(addressFromBytes(new Uint8Array(32))).toBe('11111111111111111111111111111111');
  });
});

describe('derived addresses', () => {
  test('are on or off the curve as Kit and web3.js say', () => {
    fc.assert(
      fc.property(key32, (bytes) => {
        const text = addressFromBytes(bytes);
        expect(isOnCurve(text)).toBe(PublicKey.isOnCurve(bytes));
        expect(isOnCurve(text)).toBe(!isOffCurveAddress(kitAddress(text)));
      }),
      { numRuns: 60, seed: 6 },
    );
    expect(isOnCurve(testKey('any').address)).toBe(true);
  });

  test('of seeds equal those web3.js derives', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 5 }), fc.nat(50), (seeds, n) => {
        const program = testAddress(`program ${n}`);
        const [address, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program));
        expect(programAddress(seeds, program)).toEqual({ address: address.toBase58(), bump });
      }),
      { numRuns: 30, seed: 7 },
    );
    expect(() => programAddress(Array(16).fill(new Uint8Array()), WSOL_MINT)).toThrow('15 seeds');
    expect(() => programAddress([new Uint8Array(33)], WSOL_MINT)).toThrow('32 bytes');
  });

  test('of token accounts depend on owner, mint and token program', () => {
    const owner = testKey('owner').address;
    const expected = (mint: string, tokenProgram: string) =>
      PublicKey.findProgramAddressSync(
        [owner, tokenProgram, mint].map((text) => new PublicKey(text).toBytes()),
        new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
      )[0].toBase58();
    for (const tokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      for (const mint of [WSOL_MINT, testAddress('mint')]) {
        expect(associatedTokenAddress(owner, mint, tokenProgram)).toBe(expected(mint, tokenProgram));
        expect(associatedTokenAddress(owner, mint, tokenProgram)).toBe(expected(mint, tokenProgram));
      }
    }
  });
});
