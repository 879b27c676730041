/**
 * Layouts no published client covers, tried on the real programs: instructions built here run in LiteSVM, and the
 * state those programs leave behind is read back here.
 */
import { getTransactionDecoder, address as kitAddress } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { beforeEach, describe, expect, test } from 'vitest';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress, programAddress } from '../../src/transaction/derive.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/transaction/instructions.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  MEMO_V3_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import {
  NEVER_DEACTIVATED,
  readLookupTable,
  readMint,
  readTokenAccount,
} from '../../src/transaction/tokenAccounts.ts';
import { compile, SIGNERS } from './arbitrary.ts';
import { testAddress } from './keys.ts';

const program = TOKEN_2022_PROGRAM;
const signer = (n: number) => SIGNERS[n]?.address ?? '';
const [payer, mint, holder] = [signer(0), signer(1), signer(2)];
const wallet = testAddress('wallet');
const slots = ['signed', 'signed', 'signed', 'signed'] as const;

let chain: LiteSVM;

/** Runs the instructions in one legacy transaction; the failure, or nothing. */
function run(...instructions: EncodedInstruction[]): string | undefined {
  chain.expireBlockhash();
  const blockhash = chain.latestBlockhash();
  const bytes = compile({ format: 'legacy', feePayer: payer, blockhash, instructions, tables: [], slots });
  const outcome = chain.sendTransaction(getTransactionDecoder().decode(bytes));
  return outcome instanceof FailedTransactionMetadata
    ? `${outcome.err()} ${outcome.meta().logs().join(' ')}`
    : undefined;
}

const lands = (...instructions: EncodedInstruction[]) => expect(run(...instructions)).toBeUndefined();

function data(address: string): Uint8Array {
  const account = chain.getAccount(kitAddress(address));
  if (!account.exists) throw new Error(`${address} does not exist`);
  return Uint8Array.from(account.data);
}

const create = (newAccount: string, space: number, owner = program) =>
  encodeInstruction('system.createAccount', {
    accounts: { payer, newAccount },
    args: { lamports: 100_000_000n, space: BigInt(space), owner },
  });
const initializeMint = (freezeAuthority: string | null = null) =>
  encodeInstruction('token.initializeMint2', {
    program,
    accounts: { mint },
    args: { decimals: 6, mintAuthority: payer, freezeAuthority },
  });
/** Bytes of a Token-2022 mint whose extensions hold these many bytes each. */
const mintSpace = (...extensions: number[]) => 166 + extensions.reduce((sum, bytes) => sum + 4 + bytes, 0);

beforeEach(() => {
  chain = new LiteSVM();
  chain.airdrop(kitAddress(payer), 10_000_000_000n as Parameters<LiteSVM['airdrop']>[1]);
});

describe('mints of Token-2022', () => {
  test('with every extension the reader parses', () => {
    const accounts = { mint };
    lands(
      create(mint, mintSpace(108, 32, 1, 0, 52, 32, 64, 64, 33)),
      encodeInstruction('transferFee.initializeConfig', {
        accounts,
        args: {
          configAuthority: payer,
          withdrawWithheldAuthority: null,
          basisPoints: 100,
          maximumFee: 5000n,
        },
      }),
      encodeInstruction('mintCloseAuthority.initialize', { accounts, args: { closeAuthority: wallet } }),
      encodeInstruction('defaultAccountState.initialize', { accounts, args: { state: 'frozen' } }),
      encodeInstruction('nonTransferable.initialize', { accounts }),
      encodeInstruction('interestBearing.initialize', { accounts, args: { rateAuthority: payer, rate: -5 } }),
      encodeInstruction('permanentDelegate.initialize', { accounts, args: { delegate: wallet } }),
      encodeInstruction('transferHook.initialize', {
        accounts,
        args: { authority: null, hookProgram: wallet },
      }),
      encodeInstruction('metadataPointer.initialize', {
        accounts,
        args: { authority: payer, metadataAddress: mint },
      }),
      encodeInstruction('pausable.initialize', { accounts, args: { authority: payer } }),
      initializeMint(payer),
    );
    const schedule = { epoch: 0n, maximumFee: 5000n, basisPoints: 100 };
    expect(readMint(data(mint))).toEqual({
      supply: 0n,
      decimals: 6,
      mintAuthority: payer,
      freezeAuthority: payer,
      extensions: [
        'transferFeeConfig',
        'mintCloseAuthority',
        'defaultAccountState',
        'nonTransferable',
        'interestBearing',
        'permanentDelegate',
        'transferHook',
        'metadataPointer',
        'pausable',
      ],
      transferFee: { configAuthority: payer, withheldAmount: 0n, older: schedule, newer: schedule },
      mintCloseAuthority: wallet,
      defaultAccountState: 'frozen',
      permanentDelegate: wallet,
      transferHook: { program: wallet },
      metadataPointer: { authority: payer, address: mint },
    });

    const authority = { mint, authority: payer };
    lands(
      encodeInstruction('transferFee.setTransferFee', {
        accounts: authority,
        args: { basisPoints: 7, maximumFee: 9n },
      }),
      encodeInstruction('defaultAccountState.update', {
        accounts: authority,
        args: { state: 'initialized' },
      }),
      encodeInstruction('interestBearing.updateRate', { accounts: authority, args: { rate: 300 } }),
      encodeInstruction('metadataPointer.update', { accounts: authority, args: { metadataAddress: wallet } }),
      encodeInstruction('pausable.pause', { accounts: authority }),
      encodeInstruction('pausable.resume', { accounts: authority }),
    );
    expect(readMint(data(mint))).toMatchObject({
      transferFee: { older: schedule, newer: { epoch: 2n, maximumFee: 9n, basisPoints: 7 } },
      defaultAccountState: 'initialized',
      metadataPointer: { address: wallet },
    });
  });

  test('with metadata: written, changed, extended, cut and handed on', () => {
    const metadata = { metadata: mint, updateAuthority: payer };
    const update = (field: { field: 'name' } | { key: string }, value: string, rest: string[] = []) =>
      encodeInstruction('tokenMetadata.updateField', { accounts: metadata, args: { field, value }, rest });
    lands(
      create(mint, mintSpace(64)),
      encodeInstruction('metadataPointer.initialize', {
        accounts: { mint },
        args: { authority: null, metadataAddress: mint },
      }),
      initializeMint(),
      encodeInstruction('tokenMetadata.initialize', {
        accounts: { ...metadata, mint, mintAuthority: payer },
        args: { name: 'Näme', symbol: 'SYM', uri: 'https://example.org' },
      }),
      update({ field: 'name' }, 'New name'),
      update({ key: 'claimer.0' }, wallet, [wallet]),
      update({ key: 'bps.0' }, '10000'),
      update({ key: 'gone' }, 'soon'),
      encodeInstruction('tokenMetadata.removeKey', {
        accounts: metadata,
        args: { idempotent: false, key: 'gone' },
      }),
      encodeInstruction('tokenMetadata.emit', {
        accounts: { metadata: mint },
        args: { start: null, end: 8n },
      }),
    );
    const expected = {
      mint,
      name: 'New name',
      symbol: 'SYM',
      uri: 'https://example.org',
      additional: [
        ['claimer.0', wallet],
        ['bps.0', '10000'],
      ],
    };
    expect(readMint(data(mint))).toMatchObject({
      extensions: ['metadataPointer', 'tokenMetadata'],
      metadata: { ...expected, updateAuthority: payer },
    });
    lands(
      encodeInstruction('tokenMetadata.updateAuthority', {
        accounts: metadata,
        args: { newAuthority: null },
      }),
    );
    expect(readMint(data(mint)).metadata).toEqual({ ...expected, updateAuthority: undefined });
  });

  test('that withhold fees, and accounts that hold them', () => {
    const [from, to] = [payer, wallet].map((owner) => associatedTokenAddress(owner, mint, program));
    if (from === undefined || to === undefined) throw new Error('unreachable');
    const associated = (owner: string, associatedToken: string) =>
      encodeInstruction('associatedToken.createIdempotent', {
        accounts: {
          payer,
          associatedToken,
          owner,
          mint,
          systemProgram: SYSTEM_PROGRAM,
          tokenProgram: program,
        },
      });
    lands(
      create(mint, mintSpace(108)),
      encodeInstruction('transferFee.initializeConfig', {
        accounts: { mint },
        args: { configAuthority: null, withdrawWithheldAuthority: payer, basisPoints: 1000, maximumFee: 50n },
      }),
      initializeMint(),
      associated(payer, from),
      associated(wallet, to),
      encodeInstruction('token.mintToChecked', {
        program,
        accounts: { mint, account: from, mintAuthority: payer },
        args: { amount: 1000n, decimals: 6 },
      }),
      encodeInstruction('transferFee.transferCheckedWithFee', {
        accounts: { source: from, mint, destination: to, authority: payer },
        args: { amount: 200n, decimals: 6, fee: 20n },
      }),
      encodeInstruction('token.reallocate', {
        accounts: { account: from, payer, systemProgram: SYSTEM_PROGRAM, owner: payer },
        args: { extensions: [8, 11] },
      }),
      encodeInstruction('memoTransfer.enable', { accounts: { account: from, owner: payer } }),
      encodeInstruction('cpiGuard.enable', { accounts: { account: from, owner: payer } }),
    );
    expect(readTokenAccount(data(from))).toMatchObject({
      mint,
      owner: payer,
      amount: 800n,
      state: 'initialized',
      extensions: ['immutableOwner', 'transferFeeAmount', 'memoTransfer', 'cpiGuard'],
    });
    expect(readTokenAccount(data(to))).toMatchObject({ amount: 180n, owner: wallet });

    lands(encodeInstruction('transferFee.harvest', { accounts: { mint }, rest: [to] }));
    expect(readMint(data(mint)).transferFee?.withheldAmount).toBe(20n);
    const withdraw = { mint, destination: to, authority: payer };
    lands(
      encodeInstruction('transferFee.withdrawWithheldFromMint', { accounts: withdraw }),
      encodeInstruction('transferFee.withdrawWithheldFromAccounts', {
        accounts: withdraw,
        args: { sources: 1 },
        rest: [to],
      }),
      encodeInstruction('memoTransfer.disable', { accounts: { account: from, owner: payer } }),
      encodeInstruction('cpiGuard.disable', { accounts: { account: from, owner: payer } }),
    );
    expect(readMint(data(mint))).toMatchObject({ supply: 1000n, transferFee: { withheldAmount: 0n } });
    expect(readTokenAccount(data(to)).amount).toBe(200n);
  });
});

describe('token accounts of Token', () => {
  test('show delegate, close authority and owner; approving moves no amount (T3, T4)', () => {
    const account = associatedTokenAddress(payer, mint, TOKEN_PROGRAM);
    lands(
      create(mint, 82, TOKEN_PROGRAM),
      encodeInstruction('token.initializeMint2', {
        accounts: { mint },
        args: { decimals: 0, mintAuthority: payer, freezeAuthority: payer },
      }),
      // The oldest way to ask for an associated account: no data, rent sysvar at the end.
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
    expect(readTokenAccount(data(account))).toEqual(before);
    lands(
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
    expect(readTokenAccount(data(account))).toEqual({
      ...before,
      delegate: wallet,
      delegatedAmount: 2n ** 64n - 1n,
      closeAuthority: holder,
      state: 'frozen',
    });
    expect(readMint(data(mint))).toEqual({
      supply: 9n,
      decimals: 0,
      mintAuthority: payer,
      freezeAuthority: payer,
      extensions: [],
    });
  });

  test('wrapped SOL keeps its rent apart from its amount', () => {
    chain = chain.withNativeMints();
    const native = 'So11111111111111111111111111111111111111112';
    lands(
      create(holder, 165, TOKEN_PROGRAM),
      encodeInstruction('token.initializeAccount3', {
        accounts: { account: holder, mint: native },
        args: { owner: payer },
      }),
    );
    const { amount, isNative } = readTokenAccount(data(holder));
    expect(amount + (isNative ?? 0n)).toBe(100_000_000n);
    lands(
      encodeInstruction('system.transfer', { accounts: { from: payer, to: holder }, args: { lamports: 5n } }),
      encodeInstruction('token.syncNative', { accounts: { account: holder } }),
    );
    expect(readTokenAccount(data(holder)).amount).toBe(amount + 5n);
  });
});

test('a memo is run with its signers', () => {
  lands(
    encodeInstruction('memo.memo', {
      program: MEMO_V3_PROGRAM,
      accounts: {},
      args: { text: 'grüezi' },
      rest: [payer],
    }),
  );
  expect(
    run(
      encodeInstruction('memo.memo', {
        accounts: {},
        args: { text: 'x' },
        rest: [{ address: wallet, signer: false }],
      }),
    ),
  ).toContain('MissingRequiredSignature');
});

test('a lookup table through its life', () => {
  chain.warpToSlot(100n);
  const recentSlot = 99n;
  chain.setSlotHashes([{ slot: recentSlot, hash: testAddress('slot 99') }]);
  const slotBytes = new Uint8Array(8);
  new DataView(slotBytes.buffer).setBigUint64(0, recentSlot, true);
  const { address: table, bump } = programAddress([addressBytes(payer), slotBytes], LOOKUP_TABLE_PROGRAM);
  const accounts = { table, authority: payer };
  const paying = { ...accounts, payer, systemProgram: SYSTEM_PROGRAM };
  lands(
    encodeInstruction('lookupTable.create', { accounts: paying, args: { recentSlot, bump } }),
    encodeInstruction('lookupTable.extend', { accounts: paying, args: { addresses: [wallet, mint] } }),
  );
  expect(readLookupTable(data(table))).toEqual({
    deactivationSlot: NEVER_DEACTIVATED,
    lastExtendedSlot: 100n,
    lastExtendedStartIndex: 0,
    authority: payer,
    addresses: [wallet, mint],
  });
  chain.warpToSlot(101n);
  lands(
    encodeInstruction('lookupTable.extend', { accounts: paying, args: { addresses: [holder] } }),
    encodeInstruction('lookupTable.deactivate', { accounts }),
  );
  expect(readLookupTable(data(table))).toMatchObject({
    deactivationSlot: 101n,
    lastExtendedSlot: 101n,
    lastExtendedStartIndex: 2,
    addresses: [wallet, mint, holder],
  });
  chain.warpToSlot(101n + 513n);
  lands(encodeInstruction('lookupTable.close', { accounts: { ...accounts, recipient: payer } }));
  expect(() => data(table)).toThrow('does not exist');
});
