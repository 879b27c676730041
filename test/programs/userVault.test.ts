/** The vault program: instructions written by hand from its published interface, addresses derived by web3.js. */
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { actsOf, readInstruction } from '../../src/programs/read.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import type { AccountUse } from '../../src/transaction/types.ts';
import { testAddress } from '../transaction/keys.ts';

const PROGRAM = 'BANKjMoSxHmETcmAJXuh6kBvF2TN2UJ4UerJM8q1BqyC';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const SYSTEM = '11111111111111111111111111111111';

const derive = (program: string, ...seeds: readonly Uint8Array[]) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBase58();
const key = (address: string) => new PublicKey(address).toBytes();
const vaultOf = (user: string) => derive(PROGRAM, Buffer.from('user_vault'), key(user));
const ataOf = (owner: string, mint: string) => derive(ASSOCIATED, key(owner), key(TOKEN_2022), key(mint));
const use = (address: string, flags = ''): AccountUse => ({
  ...{ address, signer: flags.includes('s'), writable: flags.includes('w') },
});

const [user, payer, mint, stranger] = ['user', 'payer', 'mint', 'stranger'].map(testAddress) as [
  ...[string, string, string, string],
];
const vault = vaultOf(user);
const CASES = {
  claim: {
    first: [31, 114, 48, 238, 96, 195, 61, 187],
    accounts: [
      ...[use(user, 's'), use(payer, 'ws'), use(vault, 'w'), use(mint)],
      ...[use(ataOf(vault, mint), 'w'), use(ataOf(user, mint), 'w')],
      ...[use(TOKEN_2022), use(ASSOCIATED), use(SYSTEM)],
    ],
    acts: {
      act: 'claim',
      from: vault,
      payouts: [{ asset: mint, to: { account: ataOf(user, mint), owner: user } }],
      beneficiary: user,
      payer,
    },
  },
  create: {
    first: [94, 115, 173, 163, 159, 129, 198, 249],
    accounts: [use(user), use(payer, 'ws'), use(vault, 'w'), use(SYSTEM)],
    acts: { act: 'openAccount', account: vault, kind: 'data', owner: PROGRAM, payer, deposit: 'rent' },
  },
  close: {
    first: [65, 92, 132, 113, 45, 163, 253, 201],
    accounts: [use(user, 'ws'), use(vault, 'w')],
    acts: { act: 'closeAccount', account: { account: vault }, refundTo: user, authority: user },
  },
} as const;

describe.each(Object.entries(CASES))('%s', (_, { first, accounts, acts }) => {
  const read = (given: readonly AccountUse[], ...more: number[]) =>
    readInstruction({
      ...{ index: 0, program: PROGRAM, accounts: given },
      data: Uint8Array.from([...first, ...more]),
    });

  test('is read, and does what its accounts say', () => {
    expect(actsOf(read(accounts), NO_VIEW)).toMatchObject([acts]);
  });

  test('is a misfit with a byte or an account more or less, an account that is not derived, or a signature missing', () => {
    const isMisfit = (reading: ReturnType<typeof read>) =>
      expect(reading).toMatchObject({ status: 'unread', kind: expect.stringContaining('userVault.') });
    isMisfit(read(accounts, 0));
    isMisfit(read([...accounts, use(stranger)]));
    isMisfit(read(accounts.slice(0, -1)));
    for (const [at, { address, signer }] of accounts.entries()) {
      if (signer) isMisfit(read([...accounts].with(at, use(address, 'w'))));
      if (![payer].includes(address)) isMisfit(read([...accounts].with(at, use(stranger, 'ws'))));
    }
  });
});
