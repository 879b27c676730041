/** Reasons of unsupported instructions: the one account that differs from the layout. */
import { describe, expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { readInstruction, Table } from '../../src/programs/read.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import { testAddress } from '../transaction/keys.ts';
import { decodeInstruction } from './stock.ts';

const stranger = testAddress('stranger');
const built = ({ programAddress, ...rest }: ReturnType<typeof encodeInstruction>): ResolvedInstruction => ({
  index: 0,
  program: programAddress,
  ...rest,
});

const poolAccounts = {
  creator: testAddress('creator'),
  positionNftMint: testAddress('nft'),
  payer: testAddress('payer'),
  tokenAMint: testAddress('mint'),
  tokenBMint: WSOL_MINT,
  payerTokenA: testAddress('payer a'),
  payerTokenB: testAddress('payer b'),
  tokenAProgram: TOKEN_2022_PROGRAM,
  tokenBProgram: TOKEN_PROGRAM,
};
const pool = built(
  encodeInstruction('dammV2.initializeCustomizablePool', {
    accounts: poolAccounts,
    args: {
      poolFees: { baseFee: { data: new Uint8Array(27) }, compoundingFeeBps: 0, padding: 0, dynamicFee: null },
      sqrtMinPrice: 1n << 64n,
      sqrtMaxPrice: 1n << 66n,
      hasAlphaVault: false,
      liquidity: 1n,
      sqrtPrice: 1n << 64n,
      activationType: 0,
      collectFeeMode: 1,
      activationPoint: null,
    },
  }),
);

type Account = ResolvedInstruction['accounts'][number];
/** Returns the places where this change makes an instruction unsupported, each with the account in its reason. */
function unsupportedAt(instruction: ResolvedInstruction, change: (account: Account) => Account): string[] {
  return instruction.accounts.flatMap((account, at) => {
    const accounts = instruction.accounts.with(at, change(account));
    const reading = readInstruction({ ...instruction, accounts });
    if (!('reason' in reading)) return [];
    return [`${at} ${/"(\w+)"/.exec(reading.reason)?.[1]}`];
  });
}

describe('a pool creation is unsupported', () => {
  test('with another account than the derived or fixed one', () => {
    // The pool is derived from both mints, so the first reason names the pool.
    expect(unsupportedAt(pool, (account) => ({ ...account, address: stranger })).join(', ')).toBe(
      '1 positionNftAccount, 2 positionNftAccount, 4 poolAuthority, 5 pool, 6 position, 7 pool, 8 pool, 9 tokenAVault, 10 tokenBVault, 13 tokenAProgram, 14 tokenBProgram, 15 token2022Program, 16 systemProgram, 17 eventAuthority, 18 program',
    );
  });

  test('without a required signature', () => {
    expect(unsupportedAt(pool, (account) => ({ ...account, signer: false })).join(', ')).toBe(
      '1 positionNftMint, 3 payer',
    );
  });

  test('with a read-only account that must be writable', () => {
    expect(unsupportedAt(pool, (account) => ({ ...account, writable: false })).join(', ')).toBe(
      '1 positionNftMint, 2 positionNftAccount, 3 payer, 5 pool, 6 position, 9 tokenAVault, 10 tokenBVault, 11 payerTokenA, 12 payerTokenB',
    );
  });

  test('with too few accounts or too many', () => {
    for (const accounts of [
      pool.accounts.slice(0, -1),
      pool.accounts.slice(0, 1),
      [...pool.accounts, { address: stranger, signer: false, writable: false }],
    ])
      expect(readInstruction({ ...pool, accounts })).toMatchObject({ status: 'unsupported' });
  });
});

test('bytes of an unknown instruction name their program', () => {
  const reading = readInstruction({
    index: 0,
    program: TOKEN_PROGRAM,
    accounts: [],
    data: Uint8Array.of(250),
  });
  expect(reading).toMatchObject({
    status: 'unsupported',
    reason: 'unknown discriminator',
    reader: { name: expect.stringContaining('Token') },
  });
  const stranger = readInstruction({
    index: 0,
    program: testAddress('no program'),
    accounts: [],
    data: new Uint8Array(),
  });
  expect(stranger).toMatchObject({ status: 'unsupported', reason: 'unsupported program' });
  expect(stranger).not.toHaveProperty('reader');
});

test('an instruction that does not match its layout is unknown, with its kind and the reason', () => {
  const short = {
    index: 0,
    program: TOKEN_PROGRAM,
    accounts: [],
    data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
  };
  expect(decodeInstruction(short)).toMatchObject({
    kind: 'unknown',
    reason: 'token.transfer: the account "source" is missing',
  });
});

describe('a table of instructions by discriminator', () => {
  const entry = (...bytes: readonly number[]) => ({ programs: ['a'], discriminator: Uint8Array.from(bytes) });
  const none = new Uint8Array();

  test('matches the whole discriminator, and empty data only if declared', () => {
    const [short, long, empty] = [entry(1, 2), entry(1, 3, 4), { ...entry(5), emptyData: true }];
    const table = new Table([short, long, empty]);
    expect(table.find('a', Uint8Array.of(1, 2, 9))).toBe(short);
    expect(table.find('a', Uint8Array.of(1, 3, 4))).toBe(long);
    expect(table.find('a', Uint8Array.of(1, 3))).toBeUndefined();
    expect(table.find('a', Uint8Array.of(1))).toBeUndefined();
    expect(table.find('a', Uint8Array.of(7))).toBeUndefined();
    expect(table.find('a', Uint8Array.of(5, 1))).toBe(empty);
    expect(table.find('a', none)).toBe(empty);
    expect(new Table([short, long]).find('a', none)).toBeUndefined();
    expect(table.find('b', Uint8Array.of(1, 2))).toBeUndefined();
  });

  test('matches an entry without discriminator by any data, and by none', () => {
    const any = entry();
    const table = new Table([any]);
    expect(table.find('a', Uint8Array.of(200))).toBe(any);
    expect(table.find('a', none)).toBe(any);
    expect([table.knows('a'), table.knows('b')]).toEqual([true, false]);
  });
});
