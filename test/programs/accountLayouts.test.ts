/** What an account layout promises whichever program it belongs to: what is not as declared is refused, and why. */
import { describe, expect, test } from 'vitest';
import { type AccountLayout, defineAccount, isOfType, readAs } from '../../src/programs/account.ts';
import { address, bool, u16 } from '../../src/transaction/codecs.ts';
import { testAddress } from '../transaction/keys.ts';

const PROGRAM = testAddress('a program');
const FIRST = [7, 8, 9];
const spec = { program: PROGRAM, discriminator: FIRST, fields: { share: u16, open: bool } };
const exact = defineAccount('some.account', { ...spec, length: 6 });
const any = defineAccount('some.list', { ...spec, length: (length) => length >= 6 });
const roomy = defineAccount('some.room', { ...spec, length: (length) => length < 10, padded: true });

const account = (...data: number[]) => ({ owner: PROGRAM, data: Uint8Array.from([...FIRST, ...data]) });

describe('an account', () => {
  test('is read into its fields where owner, first bytes, length and every field are as declared', () => {
    for (const layout of [exact, any, roomy]) {
      expect(readAs(layout, account(0x10, 0x27, 1))).toEqual({ share: 10_000, open: true });
    }
    expect(readAs(roomy, account(0x10, 0x27, 0, 1, 2, 3))).toEqual({ share: 10_000, open: false });
  });

  test.each<[string, AccountLayout, { owner: string; data: Uint8Array }]>([
    [
      `the account is not owned by ${PROGRAM}`,
      exact,
      { ...account(0x10, 0x27, 1), owner: testAddress('another program') },
    ],
    ['the account is no some.account', exact, { owner: PROGRAM, data: Uint8Array.of(7, 8, 8, 1, 1, 1) }],
    ['the account is no some.account', exact, { owner: PROGRAM, data: Uint8Array.of(7, 8) }],
    ['7 bytes are not the length of some.account', exact, account(0x10, 0x27, 1, 0)],
    ['5 bytes are not the length of some.account', exact, account(0x10, 0x27)],
    ['5 bytes are not the length of some.list', any, account(0x10, 0x27)],
    ['10 bytes are not the length of some.room', roomy, account(0x10, 0x27, 1, 0, 0, 0, 0)],
    ['some.list: 1 bytes are left over', any, account(0x10, 0x27, 1, 0)],
    ['some.room: the bytes end too early', roomy, account(0x10)],
    ['some.account: a variant is not known', exact, account(0x10, 0x27, 2)],
  ])('is refused with the words: %s', (words, layout, given) => {
    expect(readAs(layout, given)).toBe(words);
  });

  test('is of a type by its owner and its first bytes together', () => {
    const whole = account(0, 0, 0);
    expect(isOfType(exact, whole)).toBe(true);
    expect(isOfType(exact, { ...whole, owner: testAddress('another program') })).toBe(false);
    expect(isOfType(exact, { ...whole, data: Uint8Array.of(7, 8, 0) })).toBe(false);
  });

  test('does not hide a fault of this program as if it were one of the bytes', () => {
    const faulty = defineAccount('some.fault', {
      ...spec,
      length: 35,
      fields: {
        owner: {
          ...address,
          read: () => {
            throw new RangeError('a fault of the reader');
          },
        },
      },
    });
    expect(() => readAs(faulty, account(...new Uint8Array(32)))).toThrow(RangeError);
  });
});
