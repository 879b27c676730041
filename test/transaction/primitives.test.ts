/** Bytes, numbers, texts and addresses: accepted and rejected encodings, and round trips. */

import { describe, expect, it } from 'vitest';
import { remember } from '../../src/base/remember.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import {
  addressBytes,
  addressFromBytes,
  isAddress,
  sharedAddressBytes,
} from '../../src/transaction/base58.ts';
import { Reader, Writer } from '../../src/transaction/bytes.ts';
import * as codecs from '../../src/transaction/codecs.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { testAddress } from './keys.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const reader = (...values: number[]) => new Reader(bytes(...values));
const written = (write: (writer: Writer) => void) => {
  const writer = new Writer();
  write(writer);
  return [...writer.finish()];
};
const refused = (read: () => unknown, message: string | RegExp) => {
  let error: unknown;
  try {
    read();
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(TransactionError);
  expect(error).toMatchObject({ code: 'NONCANONICAL_BYTES', message: expect.stringMatching(message) });
};

describe('a reader', () => {
  it('reads numbers little-endian, forward, from a part of a buffer', () => {
    const part = new Uint8Array(Uint8Array.of(9, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 128).buffer, 1);
    const r = new Reader(part);
    expect([r.u8(), r.u16(), r.u32(), r.remaining]).toEqual([1, 2, 3, 8]);
    expect(r.u64()).toBe(0x8000_0000_0000_0004n);
    expect(r.remaining).toBe(0);
    expect(() => r.end()).not.toThrow();
    expect(new Reader(bytes(1, 2, 3), 2).u8()).toBe(3);
  });

  it('refuses to read past the end, and trailing bytes', () => {
    refused(() => reader().u8(), 'the bytes end too early');
    refused(() => reader(1).u16(), 'the bytes end too early');
    refused(() => reader(1, 2, 3).u32(), 'the bytes end too early');
    refused(() => reader(1, 2, 3, 4, 5, 6, 7).u64(), 'the bytes end too early');
    refused(() => reader(1).take(2), 'the bytes end too early');
    refused(() => reader(1, 2).end(), '2 bytes are left over');
    expect([...reader(1, 2).take(2)]).toEqual([1, 2]);
  });

  it.each([
    [[0], 0],
    [[127], 127],
    [[0x80, 1], 128],
    [[0xff, 0x7f], 16_383],
    [[0x80, 0x80, 1], 16_384],
    [[0xff, 0xff, 3], 65_535],
  ])('decodes the length %j as %i and encodes it the same', (encoded, length) => {
    expect(reader(...encoded).shortLength()).toBe(length);
    expect(written((w) => w.shortLength(length))).toEqual(encoded);
  });

  it.each([
    [[0x80, 0], 'a length is not in its shortest form'],
    [[0x81, 0x80, 0], 'a length is not in its shortest form'],
    [[0x80, 0x80, 0x80, 1], 'a length has more than three bytes'],
    [[0x80, 0x80, 4], 'a length is over 65535'],
    [[0x80], 'the bytes end too early'],
  ])('refuses the length %j: %s', (encoded, message) => {
    refused(() => reader(...encoded).shortLength(), message);
  });
});

describe('a writer', () => {
  it('grows past its first buffer, by little and by much', () => {
    const w = new Writer();
    for (let i = 0; i < 1281; i++) w.u8(i & 255);
    w.push(new Uint8Array(5000).fill(7));
    w.u64(1n);
    const all = w.finish();
    expect(all.length).toBe(1281 + 5000 + 8);
    expect([all[0], all[1279], all[1280], all[1281], all[6280], all[6281], all[6288]]).toEqual([
      0, 255, 0, 7, 7, 1, 0,
    ]);
  });

  it.each<[string, (w: Writer) => void]>([
    ['256 is not 0…255', (w) => w.u8(256)],
    ['-1 is not 0…255', (w) => w.u8(-1)],
    ['0.5 is not 0…255', (w) => w.u8(0.5)],
    ['65536 is not 0…65535', (w) => w.u16(65_536)],
    ['4294967296 is not 0…4294967295', (w) => w.u32(4_294_967_296)],
    ['18446744073709551616 is not a u64', (w) => w.u64(2n ** 64n)],
    ['-1 is not a u64', (w) => w.u64(-1n)],
    ['65536 is not 0…65535', (w) => w.shortLength(65_536)],
  ])('refuses: %s', (message, write) => {
    expect(() => written(write)).toThrow(new RangeError(message));
  });

  it('accepts the largest of each', () => {
    expect(written((w) => w.u8(255))).toEqual([255]);
    expect(written((w) => w.u16(65_535))).toEqual([255, 255]);
    expect(written((w) => w.u32(4_294_967_295))).toEqual([255, 255, 255, 255]);
    expect(written((w) => w.u64(2n ** 64n - 1n))).toEqual(Array(8).fill(255));
    expect(written((w) => w.u16(258))).toEqual([2, 1]);
  });
});

describe('codecs', () => {
  const both = <T>(codec: codecs.Codec<T>, value: T, encoded: readonly number[]) => {
    expect(written((w) => codec.write(w, value))).toEqual(encoded);
    expect(codec.read(reader(...encoded))).toEqual(value);
  };
  const key = testAddress('key');
  const keyBytes = [...addressBytes(key)];

  it('decode what they encode', () => {
    both(codecs.u8, 5, [5]);
    both(codecs.u16, 258, [2, 1]);
    both(codecs.u32, 1, [1, 0, 0, 0]);
    both(codecs.u64, 1n, [1, 0, 0, 0, 0, 0, 0, 0]);
    both(codecs.i16, -1, [255, 255]);
    both(codecs.i16, -32_768, [0, 128]);
    both(codecs.i16, 32_767, [255, 127]);
    both(codecs.bool, true, [1]);
    both(codecs.bool, false, [0]);
    both(codecs.address, key, keyBytes);
    both(codecs.oneOf(['a', 'b']), 'b', [1]);
    both(codecs.option(codecs.u8), 7, [1, 7]);
    both(codecs.option(codecs.u8), null, [0]);
    both(codecs.lastOptionalAddress, key, [1, ...keyBytes]);
    both(codecs.lastOptionalAddress, null, [0]);
    both(codecs.nonZeroAddress, key, keyBytes);
    both(codecs.nonZeroAddress, null, Array(32).fill(0));
    both(codecs.lastText, 'hé', [104, 195, 169]);
    both(codecs.text32, 'hé', [3, 0, 0, 0, 104, 195, 169]);
    both(codecs.text64, 'hé', [3, 0, 0, 0, 0, 0, 0, 0, 104, 195, 169]);
    both(codecs.list64(codecs.u8), [5, 6], [2, 0, 0, 0, 0, 0, 0, 0, 5, 6]);
    both(codecs.lastItems(codecs.u8), [5, 6], [5, 6]);
    both(codecs.lastItems(codecs.u8), [], []);
  });

  it('refuse non-canonical encodings', () => {
    refused(() => codecs.bool.read(reader(2)), 'unknown variant');
    refused(() => codecs.oneOf(['a']).read(reader(1)), 'unknown variant');
    refused(() => codecs.lastText.read(reader(0xff)), 'text is not UTF-8');
    refused(() => codecs.text32.read(reader(2, 0, 0, 0, 65)), 'the bytes end too early');
    refused(() => codecs.text64.read(reader(2, 0, 0, 0, 0, 0, 0, 0, 65)), 'the bytes end too early');
    refused(() => codecs.list64(codecs.u8).read(reader(...Array(8).fill(255))), 'the bytes end too early');
    for (const value of [-32_769, 32_768, 0.5])
      expect(() => written((w) => codecs.i16.write(w, value))).toThrow(
        new RangeError(`${value} is not an i16`),
      );
    // A byte order mark is an ordinary character.
    expect(codecs.lastText.read(reader(0xef, 0xbb, 0xbf))).toBe('\ufeff');
    expect(codecs.lastText.read(reader(0x7f))).toBe('\x7f');
  });

  it("accept an older client's padding in an empty option, if it is zero", () => {
    const padded = reader(0, ...Array(32).fill(0));
    expect(codecs.lastOptionalAddress.read(padded)).toBe(null);
    expect(padded.remaining).toBe(0);
    refused(
      () => codecs.lastOptionalAddress.read(reader(0, ...keyBytes)),
      'padding of an empty option is not zero',
    );
    const other = reader(0, 1, 2);
    expect(codecs.lastOptionalAddress.read(other)).toBe(null);
    expect(other.remaining).toBe(2);
  });
});

describe('addresses', () => {
  const key = testAddress('key');

  it('are 32 bytes, in base58', () => {
    expect(addressFromBytes(addressBytes(key))).toBe(key);
    expect(addressFromBytes(new Uint8Array(32))).toBe('1'.repeat(32));
    refused(() => addressFromBytes(new Uint8Array(31)), 'an address has 32 bytes, not 31');
    for (const text of [
      '',
      'x',
      key.slice(0, 30),
      `${key}1`,
      key.replace(/.$/, '0'),
      '1'.repeat(31),
      '1'.repeat(45),
    ]) {
      expect(isAddress(text), text).toBe(false);
      refused(() => addressBytes(text), 'not a base58 address of 32 bytes');
    }
    expect(isAddress(key)).toBe(true);
  });

  it('are returned as copies if mutable', () => {
    addressBytes(key).fill(0);
    expect(addressFromBytes(addressBytes(key))).toBe(key);
    expect(sharedAddressBytes(key)).toBe(sharedAddressBytes(key));
    const part = new Uint8Array([0, ...addressBytes(key)]).subarray(1);
    expect(addressFromBytes(part)).toBe(key);
  });

  it('are cached up to a bound, oldest evicted first', () => {
    const map = new Map<string, number>();
    expect(remember(map, 'a', 1, 2)).toBe(1);
    remember(map, 'b', 2, 2);
    remember(map, 'c', 3, 2);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    const none = new Map<string, number>();
    remember(none, 'a', 1, 0);
    expect(none.size).toBe(1);
  });
});

describe('building an instruction', () => {
  const [a, b, c] = [testAddress('a'), testAddress('b'), testAddress('c')];
  const build = (input: unknown, kind = 'token.transferChecked') =>
    encodeInstruction(kind as never, input as never);
  const good = {
    accounts: { source: a, mint: b, destination: c, authority: a },
    args: { amount: 1n, decimals: 6 },
  };

  it('flags accounts by their roles, unless told otherwise', () => {
    const made = build({
      ...good,
      program: TOKEN_2022_PROGRAM,
      accounts: { ...good.accounts, authority: { address: a, signer: false } },
      rest: [b, { address: c, writable: true }],
    });
    expect(made.programAddress).toBe(TOKEN_2022_PROGRAM);
    expect(made.accounts).toEqual([
      { address: a, signer: false, writable: true },
      { address: b, signer: false, writable: false },
      { address: c, signer: false, writable: true },
      { address: a, signer: false, writable: false },
      { address: b, signer: true, writable: false },
      { address: c, signer: true, writable: true },
    ]);
    expect(build(good).programAddress).toBe(TOKEN_PROGRAM);
  });

  it.each<[string, unknown, string?]>([
    ['no instruction is called x', good, 'x'],
    ['token.transferChecked: wrong program', { ...good, program: a }],
    ['token.transferChecked: argument "amount" is missing', { ...good, args: { decimals: 6 } }],
    ['token.transferChecked: unknown name "extra"', { ...good, args: { ...good.args, extra: 1 } }],
    ['token.transferChecked: unknown name "extra"', { ...good, accounts: { ...good.accounts, extra: a } }],
    [
      'token.transferChecked: account "mint" is missing',
      { ...good, accounts: { source: a, destination: c, authority: a } },
    ],
    [
      'lookupTable.extend: an account before "systemProgram" is missing',
      { accounts: { table: a, authority: b, systemProgram: c }, args: { addresses: [] } },
      'lookupTable.extend',
    ],
  ])('refuses: %s', (message, input, kind) => {
    expect(() => build(input, kind)).toThrow(new TypeError(message));
  });
});
