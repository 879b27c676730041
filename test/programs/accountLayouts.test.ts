/** Account layouts of every program: data that differs from its declaration is refused, with the reason. */
import { describe, expect, test } from 'vitest';
import { type AccountLayout, defineAccount, isOfType, readAs } from '../../src/programs/account.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { feeShareAuthority } from '../../src/programs/feeShare/feeAccounts.ts';
import { metadata } from '../../src/programs/tokenMetadata/accounts.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import { Writer } from '../../src/transaction/bytes.ts';
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
  test('is decoded if owner, discriminator, length and every field are as declared', () => {
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
    ['the account is not a some.account', exact, { owner: PROGRAM, data: Uint8Array.of(7, 8, 8, 1, 1, 1) }],
    ['the account is not a some.account', exact, { owner: PROGRAM, data: Uint8Array.of(7, 8) }],
    ['7 bytes are not the length of some.account', exact, account(0x10, 0x27, 1, 0)],
    ['5 bytes are not the length of some.account', exact, account(0x10, 0x27)],
    ['5 bytes are not the length of some.list', any, account(0x10, 0x27)],
    ['10 bytes are not the length of some.room', roomy, account(0x10, 0x27, 1, 0, 0, 0, 0)],
    ['some.list: 1 bytes are left over', any, account(0x10, 0x27, 1, 0)],
    ['some.room: the bytes end too early', roomy, account(0x10)],
    ['some.account: unknown variant', exact, account(0x10, 0x27, 2)],
  ])('is refused with the message: %s', (words, layout, given) => {
    expect(readAs(layout, given)).toBe(words);
  });

  test('has a type by its owner and discriminator', () => {
    const whole = account(0, 0, 0);
    expect(isOfType(exact, whole)).toBe(true);
    expect(isOfType(exact, { ...whole, owner: testAddress('another program') })).toBe(false);
    expect(isOfType(exact, { ...whole, data: Uint8Array.of(7, 8, 0) })).toBe(false);
  });

  test('has an exact length and a published layout unless declared otherwise', () => {
    const plain = defineAccount('some.account', { ...spec, length: 6 });
    expect(plain).toMatchObject({ kind: 'some.account', padded: false, inferred: [] });
    expect([5, 6, 7].map((length) => plain.fits(length))).toEqual([false, true, false]);
    const more = { length: (length: number) => length > 6, padded: true, inferred: ['a conclusion'] };
    const other = defineAccount('some.room', { ...spec, ...more });
    expect(other).toMatchObject({ padded: true, inferred: ['a conclusion'] });
    expect([6, 7].map((length) => other.fits(length))).toEqual([false, true]);
  });

  test('does not report a bug of this program as invalid bytes', () => {
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

describe('fee share accounts whose lists end with the data', () => {
  const bytesOf = (layout: AccountLayout, length: number) => {
    const data = new Uint8Array(length);
    data.set(layout.discriminator);
    return { owner: FEE_SHARE_PROGRAM, data };
  };

  test.each<[AccountLayout, number, number]>([
    [feeShareConfig, 184, 34],
    [feeShareAuthority, 104, 8],
  ])('are refused by their length if an entry is cut: %#', (layout, header, entry) => {
    for (const length of [header, header + entry, header + 3 * entry]) {
      expect(readAs(layout, bytesOf(layout, length))).toBeTypeOf('object');
    }
    for (const length of [header - entry, header - 1, header + 1, header + entry - 1, header + entry + 2]) {
      expect(readAs(layout, bytesOf(layout, length))).toBe(
        `${length} bytes are not the length of ${layout.kind}`,
      );
    }
  });

  test('are written as read: all wallets, then all shares', () => {
    const empty = readAs(feeShareConfig, bytesOf(feeShareConfig, 184));
    if (typeof empty === 'string') throw new Error(empty);
    const fields = {
      ...empty,
      baseMint: testAddress('mint'),
      claimers: [
        { wallet: testAddress('one'), bps: 7_000 },
        { wallet: testAddress('two'), bps: 3_000 },
      ],
    };
    const writer = new Writer();
    feeShareConfig.codec.write(writer, fields);
    const data = Uint8Array.from([...feeShareConfig.discriminator, ...writer.finish()]);
    expect(data).toHaveLength(184 + 68);
    expect([...data.subarray(-4)]).toEqual([0x58, 0x1b, 0xb8, 0x0b]);
    expect(readAs(feeShareConfig, { owner: FEE_SHARE_PROGRAM, data })).toEqual(fields);
  });

  test('state the claimable amount of each claimer, in order', () => {
    const given = bytesOf(feeShareAuthority, 120);
    given.data[104] = 5;
    given.data[112] = 6;
    expect(readAs(feeShareAuthority, given)).toMatchObject({ fees: [5n, 6n] });
  });
});

test('a name on chain loses trailing zeroes only', () => {
  const data = new Uint8Array(679);
  data.set([4]);
  data.set([5, 0, 0, 0, 65, 0, 66, 0, 0], 65);
  expect(readAs(metadata, { owner: METADATA_PROGRAM, data })).toMatchObject({ name: 'A\0B' });
});
