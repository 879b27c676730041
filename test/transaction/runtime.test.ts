/** Token, Memo and lookup tables on the real programs: built instructions run, the resulting state is decoded. */
import { address as kitAddress } from '@solana/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { NEVER_DEACTIVATED, readLookupTable } from '../../src/programs/solana/lookupTable.ts';
import { readMint, readTokenAccount } from '../../src/programs/token/accounts.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress, programAddress } from '../../src/transaction/derive.ts';
import * as programs from '../../src/transaction/programs.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  MEMO_V3_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import { create, holder, mint, newChain, payer, wallet } from './chain.ts';
import { testAddress } from './keys.ts';

let chain: ReturnType<typeof newChain>;
beforeEach(() => {
  chain = newChain();
});

describe('token accounts of Token', () => {
  test('show delegate, close authority and owner; approving moves no amount (T3, T4)', () => {
    const account = associatedTokenAddress(payer, mint, TOKEN_PROGRAM);
    chain.lands(
      create(mint, 82, TOKEN_PROGRAM),
      encodeInstruction('token.initializeMint2', {
        accounts: { mint },
        args: { decimals: 0, mintAuthority: payer, freezeAuthority: payer },
      }),
      // The oldest encoding of an associated account's creation: no data, rent sysvar at the end.
      {
        ...encodeInstruction('associatedToken.create', {
          accounts: {
            payer,
            associatedToken: account,
            owner: payer,
            mint,
            systemProgram: SYSTEM_PROGRAM,
            tokenProgram: TOKEN_PROGRAM,
            rent: 'SysvarRent111111111111111111111111111111111',
          },
        }),
        data: new Uint8Array(),
      },
      encodeInstruction('token.mintTo', {
        accounts: { mint, account, mintAuthority: payer },
        args: { amount: 9n },
      }),
    );
    const before = {
      mint,
      owner: payer,
      amount: 9n,
      delegatedAmount: 0n,
      state: 'initialized',
      extensions: [],
    };
    expect(readTokenAccount(chain.data(account))).toEqual(before);
    chain.lands(
      encodeInstruction('token.approve', {
        accounts: { source: account, delegate: wallet, owner: payer },
        args: { amount: 2n ** 64n - 1n },
      }),
      encodeInstruction('token.setAuthority', {
        accounts: { owned: account, authority: payer },
        args: { authorityType: 'closeAccount', newAuthority: holder },
      }),
      encodeInstruction('token.freezeAccount', { accounts: { account, mint, freezeAuthority: payer } }),
    );
    expect(readTokenAccount(chain.data(account))).toEqual({
      ...before,
      delegate: wallet,
      delegatedAmount: 2n ** 64n - 1n,
      closeAuthority: holder,
      state: 'frozen',
    });
    expect(readMint(chain.data(mint))).toEqual({
      supply: 9n,
      decimals: 0,
      mintAuthority: payer,
      freezeAuthority: payer,
      extensions: [],
    });
  });

  test('wrapped SOL keeps its rent apart from its amount', () => {
    chain.svm.withNativeMints();
    const native = 'So11111111111111111111111111111111111111112';
    chain.lands(
      create(holder, 165, TOKEN_PROGRAM),
      encodeInstruction('token.initializeAccount3', {
        accounts: { account: holder, mint: native },
        args: { owner: payer },
      }),
    );
    const { amount, isNative } = readTokenAccount(chain.data(holder));
    expect(amount + (isNative ?? 0n)).toBe(100_000_000n);
    chain.lands(
      encodeInstruction('system.transfer', { accounts: { from: payer, to: holder }, args: { lamports: 5n } }),
      encodeInstruction('token.syncNative', { accounts: { account: holder } }),
    );
    expect(readTokenAccount(chain.data(holder)).amount).toBe(amount + 5n);
  });
});

test.each(
  Object.entries(programs).flatMap(([name, value]) => {
    // Not accounts of this chain: owners only, never deployed here, or visible only inside a transaction.
    const absent = /SYSVAR_INSTRUCTIONS|CONFIG|FEATURE|LOADER_V4|NATIVE_LOADER|MEMO_V4|PROGRAM_NAMES/;
    return typeof value === 'string' && !absent.test(name) ? [[name, value] as const] : [];
  }),
)('%s is at its declared address', (name, address) => {
  const account = chain.svm.withNativeMints().getAccount(kitAddress(address));
  expect(account.exists).toBe(true);
  if (account.exists) expect(account.executable).toBe(/_PROGRAM$/.test(name));
});

test('a memo is executed with its signers', () => {
  chain.lands(
    encodeInstruction('memo.memo', {
      program: MEMO_V3_PROGRAM,
      accounts: {},
      args: { text: 'grüezi' },
      rest: [payer],
    }),
  );
  expect(
    chain.run(
      encodeInstruction('memo.memo', {
        accounts: {},
        args: { text: 'x' },
        rest: [{ address: wallet, signer: false }],
      }),
    ),
  ).toContain('MissingRequiredSignature');
});

test('a lookup table over its lifetime', () => {
  chain.svm.warpToSlot(100n);
  const recentSlot = 99n;
  chain.svm.setSlotHashes([{ slot: recentSlot, hash: testAddress('slot 99') }]);
  const slotBytes = new Uint8Array(8);
  new DataView(slotBytes.buffer).setBigUint64(0, recentSlot, true);
  const { address: table, bump } = programAddress([addressBytes(payer), slotBytes], LOOKUP_TABLE_PROGRAM);
  const accounts = { table, authority: payer };
  const paying = { ...accounts, payer, systemProgram: SYSTEM_PROGRAM };
  chain.lands(
    encodeInstruction('lookupTable.create', { accounts: paying, args: { recentSlot, bump } }),
    encodeInstruction('lookupTable.extend', { accounts: paying, args: { addresses: [wallet, mint] } }),
  );
  expect(readLookupTable(chain.data(table))).toEqual({
    deactivationSlot: NEVER_DEACTIVATED,
    lastExtendedSlot: 100n,
    lastExtendedStartIndex: 0,
    authority: payer,
    addresses: [wallet, mint],
  });
  chain.svm.warpToSlot(101n);
  chain.lands(
    encodeInstruction('lookupTable.extend', { accounts: paying, args: { addresses: [holder] } }),
    encodeInstruction('lookupTable.deactivate', { accounts }),
  );
  expect(readLookupTable(chain.data(table))).toMatchObject({
    deactivationSlot: 101n,
    lastExtendedSlot: 101n,
    lastExtendedStartIndex: 2,
    addresses: [wallet, mint, holder],
  });
  chain.svm.warpToSlot(101n + 513n);
  chain.lands(encodeInstruction('lookupTable.close', { accounts: { ...accounts, recipient: payer } }));
  expect(() => chain.data(table)).toThrow('does not exist');
});
