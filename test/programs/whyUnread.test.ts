/** Why an instruction is not read: the one thing about its accounts that is not as its layout says, in words. */
import { describe, expect, test } from 'vitest';
import { decodeInstruction } from '../../src/programs/instructions.ts';
import { buildInstruction, readInstruction } from '../../src/programs/read.ts';
import { Table } from '../../src/programs/table.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import { testAddress } from '../transaction/keys.ts';

const stranger = testAddress('stranger');
const built = ({ programAddress, ...rest }: ReturnType<typeof buildInstruction>): ResolvedInstruction => ({
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
  buildInstruction('dammV2.initializeCustomizablePool', {
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
/** Every place of an instruction with one thing changed there, and what is said of each. */
function reasons(instruction: ResolvedInstruction, change: (account: Account) => Account): string[] {
  return instruction.accounts.map((account, at) => {
    const accounts = instruction.accounts.with(at, change(account));
    const reading = readInstruction({ ...instruction, accounts });
    return `${at}: ${'reason' in reading ? reading.reason : reading.status}`;
  });
}
const about = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('a pool that is made', () => {
  test('names the account that is another one, that does not sign, or that is not writable', async () => {
    await expect(
      about(
        'another account',
        ...reasons(pool, (account) => ({ ...account, address: stranger })),
        'no signature',
        ...reasons(pool, (account) => ({ ...account, signer: false })),
        'not writable',
        ...reasons(pool, (account) => ({ ...account, writable: false })),
        'one account less',
        ...reasons({ ...pool, accounts: pool.accounts.slice(0, -1) }, (account) => account).slice(0, 1),
        'no accounts',
        ...reasons({ ...pool, accounts: pool.accounts.slice(0, 1) }, (account) => account),
        'an account more',
        ...reasons(
          { ...pool, accounts: [...pool.accounts, { address: stranger, signer: false, writable: false }] },
          (account) => account,
        ).slice(0, 1),
      ),
    ).toMatchFileSnapshot('approved/whyUnread.txt');
  });
});

test('bytes of no known instruction say whose program they were sent to', () => {
  const reading = readInstruction({
    index: 0,
    program: TOKEN_PROGRAM,
    accounts: [],
    data: Uint8Array.of(250),
  });
  expect(reading).toMatchObject({
    status: 'unread',
    reason: 'the first bytes are those of no known instruction',
    reader: { name: expect.stringContaining('Token') },
  });
  const stranger = readInstruction({
    index: 0,
    program: testAddress('no program'),
    accounts: [],
    data: new Uint8Array(),
  });
  expect(stranger).toMatchObject({ status: 'unread', reason: 'the program has no reader' });
  expect(stranger).not.toHaveProperty('reader');
});

test('an instruction that does not fit its layout is unknown, with its kind and the reason', () => {
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

describe('a table of instructions by their first bytes', () => {
  const entry = (...bytes: readonly number[]) => ({ programs: ['a'], discriminator: Uint8Array.from(bytes) });
  const none = new Uint8Array();

  test('finds one by all of its first bytes, and takes no data for it only where it says so', () => {
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

  test('finds one without first bytes by any data, and by none', () => {
    const any = entry();
    const table = new Table([any]);
    expect(table.find('a', Uint8Array.of(200))).toBe(any);
    expect(table.find('a', none)).toBe(any);
    expect([table.knows('a'), table.knows('b')]).toEqual([true, false]);
  });
});
