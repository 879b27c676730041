import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';
import { decodeWire, encodeWire } from '../../src/transaction/wire.ts';
import fc from '../fc.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 });

describe.each(['base64', 'base58'] as const)('%s transaction text', (encoding) => {
  test('decodes to the original bytes', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        expect(decodeWire(encodeWire(input, encoding), encoding)).toEqual(input);
      }),
    );
  });

  test('is refused with anything before, after or between', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom(' ', '\n', '=', '\u0000', '-', '_', 'é', '0O'),
        fc.nat(),
        (input, junk, at) => {
          const text = encodeWire(input, encoding);
          const place = at % (text.length + 1);
          const damaged = text.slice(0, place) + junk + text.slice(place);
          // '0O' is valid base64 for another text, which must round-trip.
          try {
            expect(encodeWire(decodeWire(damaged, encoding), encoding)).toBe(damaged);
            expect(junk).toBe('0O');
          } catch (error) {
            expect(error).toMatchObject({ code: 'NONCANONICAL_BYTES' });
          }
        },
      ),
    );
  });

  test('is refused if empty or longer than any transaction', () => {
    expect(() => decodeWire('', encoding)).toThrow('empty');
    expect(decodeWire(encodeWire(new Uint8Array(4096).fill(255), encoding), encoding)).toHaveLength(4096);
    expect(() => decodeWire(encodeWire(new Uint8Array(4300).fill(255), encoding), encoding)).toThrow(
      'too long',
    );
  });
});

describe('base64 transaction text', () => {
  test.each([
    ['AQ', 'no padding'],
    ['AQ=', 'half the padding'],
    ['AQ===', 'too much padding'],
    ['AR==', 'padding bits that are not zero'],
    ['-_-_', 'the URL alphabet'],
    ['AQ==AQ==', 'two texts in a row'],
    ['AQID\n', 'a line end'],
  ])('%j is refused: %s', (text) => {
    expect(() => decodeWire(text, 'base64')).toThrow('not canonical base64');
  });
});

test('the encoding is never guessed: one text is two different transactions', () => {
  const text = bs58.encode(Uint8Array.from({ length: 30 }, (_, i) => i + 1)).slice(0, 40);
  expect(text).toHaveLength(40);
  expect(decodeWire(text, 'base64')).not.toEqual(decodeWire(text, 'base58'));
});
