import { describe, expect, it } from 'vitest';
import { formatByteArray, parseByteArray } from '../../src/secrets/keys/byteArray.ts';
import fc from '../fc.ts';

const ascii = (text: string) => new TextEncoder().encode(text);

describe('the byte array form of a key file', () => {
  it('decodes what JSON writes and encodes what JSON parses', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(undefined, 2), (bytes, indent) => {
        expect(parseByteArray(ascii(JSON.stringify([...bytes], null, indent)), 200)).toEqual(bytes);
        expect(JSON.parse(new TextDecoder().decode(formatByteArray(bytes)))).toEqual([...bytes]);
      }),
    );
  });

  it('accepts nothing that JSON refuses, and no number outside a byte', () => {
    const wrong = [
      '',
      '[',
      '[1',
      '[1,]',
      '[,1]',
      '[1 2]',
      '[256]',
      '[1000]',
      '[-1]',
      '[1.0]',
      '[01]',
      '[1]x',
      'x[1]',
    ];
    for (const text of [...wrong, '["1"]', '[[1]]', '{"0":1}', '[1e2]', '[1]\u00a0', '1,2']) {
      expect(parseByteArray(ascii(text), 10), text).toBeUndefined();
    }
  });

  it('stops at the maximum length', () => {
    expect(parseByteArray(ascii('[1,2,3]'), 2)).toBeUndefined();
    expect(parseByteArray(ascii('[1,2]'), 2)).toEqual(Uint8Array.of(1, 2));
  });

  it('agrees with JSON on any text of the same characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('[', ']', ',', ' ', '0', '1', '25', '9', '\n'), maxLength: 12 }),
        (text) => {
          let expected: unknown;
          try {
            expected = JSON.parse(text);
          } catch {
            expected = undefined;
          }
          const isBytes =
            Array.isArray(expected) && expected.every((v) => Number.isInteger(v) && v >= 0 && v <= 255);
          const parsed = parseByteArray(ascii(text), 100);
          expect(parsed === undefined ? undefined : [...parsed]).toEqual(isBytes ? expected : undefined);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
