import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { TransactionError } from '../../src/transaction/errors.ts';
import {
  encodeMessage,
  encodeTransaction,
  type MessageParts,
  readTransaction,
} from '../../src/transaction/read.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';
import { decodeWire, encodeWire } from '../../src/transaction/wire.ts';
import fc from '../fc.ts';
import { anySpec, arbitrarySpec, compile, SIGNERS } from './arbitrary.ts';
import { testAddress } from './keys.ts';
import { kitReading, ourReading, web3Reading } from './oracles.ts';

const payer = SIGNERS[0]?.address ?? '';
const program = testAddress('program');
const table = testAddress('table');

/** A small transaction; each test changes one part. */
function parts(overrides: Partial<MessageParts> = {}): MessageParts {
  return {
    format: 'v0',
    numRequiredSignatures: 1,
    numReadonlySigned: 0,
    numReadonlyUnsigned: 1,
    staticAccounts: [payer, testAddress('a'), program],
    blockhash: testAddress('blockhash'),
    instructions: [{ programIndex: 2, accountIndexes: [0, 1], data: Uint8Array.of(1, 2, 3) }],
    lookups: [],
    ...overrides,
  };
}

const unsigned = (message: MessageParts) =>
  encodeTransaction({ ...message, signatures: Array(message.numRequiredSignatures).fill(null) });

function refusal(bytes: Uint8Array): string {
  try {
    readTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const refusedAs = (overrides: Partial<MessageParts>) => refusal(unsigned(parts(overrides)));

describe('a canonical transaction', () => {
  // The sample transaction of the Solana SDK's own tests (`test_sdk_serialize`).
  const sample =
    'AUc7Cbu+gZalFSGeSFdukHhP7oSGaSdmdNEd5ZokaSysdoMWfIOzjrAbdaBZZuDMAfyNAogAJdrhgVya+jthsgoBAAEDnON0wdcmjhYIDuXv' +
    'd10F2qEjAyEAJGSe/CGhYbk+WWMBAQEEBQYHCAkJCQkJCQkJCQkJCQkJCQkIBwYFBAEBAQICAgQFBgcICQEBAQEBAQEBAQEBAQEBCQgHBgUE' +
    'AgICAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAgIAAQMBAgM=';

  test('of the Solana SDK decodes and encodes unchanged', () => {
    const tx = readTransaction(decodeWire(sample, 'base64'));
    expect(tx).toMatchObject({
      format: 'legacy',
      numRequiredSignatures: 1,
      numReadonlySigned: 0,
      numReadonlyUnsigned: 1,
      blockhash: '11111111111111111111111111111111',
      instructions: [{ programIndex: 2, accountIndexes: [0, 1], data: Uint8Array.of(1, 2, 3) }],
    });
    expect(encodeWire(encodeTransaction(tx), 'base64')).toBe(sample);
  });

  test('in v1 format has its message first, field by field', () => {
    const message = [
      [0x81, 2, 1, 1],
      [0b11111, 0, 0, 0],
      Array(32).fill(10),
      [1, 4],
      ...[11, 12, 13, 14].map((byte) => Array(32).fill(byte)),
      [136, 19, 0, 0, 0, 0, 0, 0],
      [64, 13, 3, 0],
      [0, 0, 1, 0],
      [0, 128, 0, 0],
      [3, 2, 3, 0],
      [0, 1, 1, 2, 3],
    ].flat();
    const tx = readTransaction(
      Uint8Array.from([...message, ...new Uint8Array(64), ...new Uint8Array(64).fill(9)]),
    );
    expect(tx).toMatchObject({
      format: 'v1',
      message: Uint8Array.from(message),
      signatures: [null, new Uint8Array(64).fill(9)],
      numRequiredSignatures: 2,
      numReadonlySigned: 1,
      numReadonlyUnsigned: 1,
      config: {
        priorityFeeLamports: 5000n,
        computeUnitLimit: 200_000,
        loadedAccountsDataSizeLimit: 65536,
        heapSize: 32768,
      },
      instructions: [{ programIndex: 3, accountIndexes: [0, 1], data: Uint8Array.of(1, 2, 3) }],
    });
    expect(tx.staticAccounts).toHaveLength(4);
  });

  test.each(['legacy', 'v0', 'v1'] as const)('in %s format decodes to what was encoded', (format) => {
    const tx = readTransaction(unsigned(parts({ format })));
    expect(tx).toMatchObject({ ...parts({ format }), signatures: [null] });
    expect(encodeMessage(tx)).toEqual(tx.message);
    expect(encodeTransaction(tx)).toEqual(tx.bytes);
  });

  test('is hashed over its message', () => {
    const tx = readTransaction(unsigned(parts()));
    expect(tx.messageSha256).toBe(createHash('sha256').update(tx.bytes.slice(65)).digest('hex'));
  });

  test('keeps the whole config of a v1 message', () => {
    const config = {
      priorityFeeLamports: 7n,
      computeUnitLimit: 1,
      loadedAccountsDataSizeLimit: 2,
      heapSize: 32768,
    };
    expect(readTransaction(unsigned(parts({ format: 'v1', config }))).config).toEqual(config);
    expect(readTransaction(unsigned(parts({ format: 'v1' }))).config).toEqual({});
  });

  test('does not change if the caller later overwrites the input', () => {
    const input = unsigned(parts());
    const tx = readTransaction(input);
    input.fill(0);
    expect(encodeTransaction(tx)).toEqual(tx.bytes);
    expect(tx.bytes.some((byte) => byte !== 0)).toBe(true);
  });
});

describe('refused (T42, T43, T50, T51, B63)', () => {
  const bytes = unsigned(parts());

  test('empty bytes, a truncated transaction, and one with a trailing byte', () => {
    expect(refusal(new Uint8Array())).toContain('empty');
    for (let length = 1; length < bytes.length; length++) {
      expect(refusal(bytes.slice(0, length)), `${length} bytes`).toContain('NONCANONICAL_BYTES');
    }
    expect(refusal(Uint8Array.from([...bytes, 0]))).toContain('1 bytes are left over');
  });

  test('a v1 transaction with one signature too many or too few', () => {
    const v1 = unsigned(parts({ format: 'v1' }));
    expect(refusal(Uint8Array.from([...v1, ...new Uint8Array(64)]))).toContain('64 bytes are left over');
    expect(refusal(v1.slice(0, -64))).toContain('end too early');
  });

  test('a length not in its shortest encoding', () => {
    const slots = Uint8Array.from([0x81, 0x00, ...bytes.slice(1)]);
    expect(refusal(slots)).not.toBe('accepted');
    const accounts = 1 + 64 + 4;
    expect(bytes[accounts]).toBe(3);
    const padded = Uint8Array.from([...bytes.slice(0, accounts), 0x83, 0x00, ...bytes.slice(accounts + 1)]);
    expect(refusal(padded)).toBe('NONCANONICAL_BYTES: a length is not in its shortest form');
  });

  test('a message that lists an account twice', () => {
    expect(refusedAs({ staticAccounts: [payer, payer, program] })).toContain('listed twice');
  });

  test('a header without a writable signer, or one that counts more accounts than there are', () => {
    expect(refusedAs({ numRequiredSignatures: 0 })).toContain('no writable signer');
    expect(refusedAs({ numReadonlySigned: 1 })).toContain('no writable signer');
    expect(refusedAs({ numReadonlyUnsigned: 3 })).toContain('more accounts than there are');
    expect(refusedAs({ numRequiredSignatures: 4, numReadonlyUnsigned: 0 })).toContain('more accounts');
  });

  test('signature slots that do not match the header', () => {
    const two = encodeTransaction({ ...parts(), signatures: [null, null] });
    expect(refusal(two)).toContain('slots do not match');
  });

  test('an instruction with an index out of range, the fee payer as program, or a program from a table', () => {
    const one = (programIndex: number, accountIndexes: number[]) => [
      { programIndex, accountIndexes, data: new Uint8Array() },
    ];
    const lookups = [{ table, writableIndexes: [0], readonlyIndexes: [] }];
    expect(refusedAs({ instructions: one(2, [3]) })).toContain('out of range');
    expect(refusedAs({ lookups, instructions: one(2, [3]) })).toBe('accepted');
    expect(refusedAs({ lookups, instructions: one(2, [4]) })).toContain('out of range');
    expect(refusedAs({ instructions: one(0, []) })).toContain('fee payer');
    expect(refusedAs({ lookups, instructions: one(3, []) })).toContain('not among the static accounts');
  });

  test('a lookup table that is unused, named twice, or indexed twice for one entry', () => {
    const lookup = { table, writableIndexes: [0], readonlyIndexes: [1] };
    expect(refusedAs({ lookups: [lookup] })).toBe('accepted');
    expect(refusedAs({ lookups: [{ ...lookup, writableIndexes: [], readonlyIndexes: [] }] })).toContain(
      'not used',
    );
    expect(refusedAs({ lookups: [lookup, { ...lookup, writableIndexes: [5] }] })).toContain('named twice');
    expect(refusedAs({ lookups: [{ ...lookup, readonlyIndexes: [0] }] })).toContain('used twice');
  });

  test('more accounts than can be locked, counting those of tables', () => {
    const lookups = (count: number) => [
      { table, writableIndexes: Array.from({ length: count }, (_, i) => i), readonlyIndexes: [] },
    ];
    expect(refusedAs({ lookups: lookups(61) })).toBe('accepted');
    expect(refusedAs({ lookups: lookups(62) })).toContain('65 accounts');
  });

  test('a message with more than 64 instructions', () => {
    const instructions = (count: number) =>
      Array.from({ length: count }, () => ({ programIndex: 2, accountIndexes: [], data: new Uint8Array() }));
    for (const format of ['legacy', 'v0', 'v1'] as const) {
      expect(refusedAs({ format, instructions: instructions(64) })).toBe('accepted');
      expect(refusedAs({ format, instructions: instructions(65) })).toContain('more than 64 instructions');
    }
  });

  test('a message with more signers than v1 allows', () => {
    const staticAccounts = [payer, ...Array.from({ length: 13 }, (_, i) => testAddress(`${i}`))];
    const common = { staticAccounts, numReadonlyUnsigned: 1, instructions: [] };
    expect(refusedAs({ ...common, format: 'v1', numRequiredSignatures: 12 })).toBe('accepted');
    expect(refusedAs({ ...common, format: 'v1', numRequiredSignatures: 13 })).toContain(
      'more than 12 signers',
    );
    expect(refusedAs({ ...common, format: 'legacy', numRequiredSignatures: 9 })).toBe('accepted');
  });

  test('a v1 config with unknown bits, half a priority fee or a heap the runtime would not allocate', () => {
    const v1 = unsigned(parts({ format: 'v1' }));
    const withMask = (mask: number) => Uint8Array.from([...v1.slice(0, 4), mask, ...v1.slice(5)]);
    expect(refusal(withMask(0b100000))).toContain('unknown bits');
    expect(refusal(withMask(0b01))).toContain('half a priority fee');
    expect(refusal(withMask(0b10))).toContain('half a priority fee');
    for (const heapSize of [0, 31 * 1024, 32 * 1024 + 1, 257 * 1024]) {
      expect(refusedAs({ format: 'v1', config: { heapSize } })).toContain('heap size');
    }
  });

  test.each([
    ['legacy', 1232],
    ['v0', 1232],
    ['v1', 4096],
  ] as const)('a %s transaction of more than %i bytes', (format, limit) => {
    const sized = (size: number) => {
      const filled = (length: number) =>
        unsigned(
          parts({
            format,
            instructions: [{ programIndex: 2, accountIndexes: [], data: new Uint8Array(length) }],
          }),
        );
      // One more data byte is one more wire byte while its length prefix keeps its size.
      const bytes = filled(size - filled(200).length + 200);
      expect(bytes.length).toBe(size);
      return refusal(bytes);
    };
    expect(sized(limit)).toBe('accepted');
    expect(sized(limit + 1)).toContain('over the limit');
  });

  test('another version, and a v1 message behind signatures or a v0 message before them', () => {
    const versioned = bytes.slice();
    versioned[65] = 0x82;
    expect(refusal(versioned)).toBe('FORMAT_MISMATCH: unknown message version 2');
    expect(refusal(Uint8Array.of(0xff, 1, 0, 0))).toContain('FORMAT_MISMATCH');
    const v1 = unsigned(parts({ format: 'v1' }));
    expect(refusal(Uint8Array.from([1, ...v1.slice(-64), ...v1.slice(0, -64)]))).toContain('misplaced');
    expect(refusal(Uint8Array.from([...bytes.slice(65), ...bytes.slice(1, 65)]))).toContain('misplaced');
  });
});

describe('compared with Solana Kit and web3.js', () => {
  const fits = (bytes: Uint8Array, format: string) => bytes.length <= (format === 'v1' ? 4096 : 1232);

  test('accepts whatever Kit compiles, with the same result', () => {
    const seen = { accepted: 0, large: 0 };
    fc.assert(
      fc.property(anySpec, (spec) => {
        const bytes = compile(spec);
        if (!fits(bytes, spec.format)) {
          seen.large++;
          return expect(refusal(bytes)).toContain('over the limit');
        }
        seen.accepted++;
        const tx: DecodedTransaction = readTransaction(bytes);
        expect(tx.format).toBe(spec.format);
        expect(ourReading(tx)).toEqual(kitReading(bytes));
        expect(encodeTransaction(tx)).toEqual(bytes);
      }),
      { numRuns: 150, seed: 1 },
    );
    expect(seen.accepted).toBeGreaterThan(100);
  });

  test('web3.js decodes legacy and v0 the same and encodes the same message', () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySpec('legacy'), arbitrarySpec('v0')), (spec) => {
        const bytes = compile(spec);
        if (fits(bytes, spec.format)) expect(ourReading(readTransaction(bytes))).toEqual(web3Reading(bytes));
      }),
      { numRuns: 100, seed: 2 },
    );
  });
});
