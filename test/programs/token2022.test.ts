/**
 * Token-2022's own instructions have no suitable published client, so the real program is the reference: instructions
 * built here run in LiteSVM, and the resulting state is decoded.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { readMint, readTokenAccount } from '../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '../../src/transaction/programs.ts';
import { create, mint, newChain, payer, ran, wallet } from '../transaction/chain.ts';
import { INSTRUCTION_KINDS } from './stock.ts';

const program = TOKEN_2022_PROGRAM;
const initializeMint = (freezeAuthority: string | null = null) =>
  encodeInstruction('token.initializeMint2', {
    program,
    accounts: { mint },
    args: { decimals: 6, mintAuthority: payer, freezeAuthority },
  });
/** Size of a Token-2022 mint with extensions of these sizes. */
const mintSpace = (...extensions: number[]) => 166 + extensions.reduce((sum, bytes) => sum + 4 + bytes, 0);

let chain: ReturnType<typeof newChain>;
beforeEach(() => {
  chain = newChain();
});

describe('mints of Token-2022', () => {
  test('with every extension the reader parses', () => {
    const accounts = { mint };
    chain.lands(
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
        args: { authority: payer, hookProgram: null },
      }),
      encodeInstruction('metadataPointer.initialize', {
        accounts,
        args: { authority: payer, metadataAddress: mint },
      }),
      encodeInstruction('pausable.initialize', { accounts, args: { authority: payer } }),
      initializeMint(payer),
    );
    const schedule = { epoch: 0n, maximumFee: 5000n, basisPoints: 100 };
    expect(readMint(chain.data(mint))).toEqual({
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
      pauseAuthority: payer,
      transferHook: { authority: payer },
      metadataPointer: { authority: payer, address: mint },
    });

    const authority = { mint, authority: payer };
    chain.lands(
      encodeInstruction('transferFee.setTransferFee', {
        accounts: authority,
        args: { basisPoints: 7, maximumFee: 9n },
      }),
      encodeInstruction('defaultAccountState.update', {
        accounts: authority,
        args: { state: 'initialized' },
      }),
      encodeInstruction('interestBearing.updateRate', { accounts: authority, args: { rate: 300 } }),
      encodeInstruction('transferHook.update', { accounts: authority, args: { hookProgram: wallet } }),
      encodeInstruction('metadataPointer.update', { accounts: authority, args: { metadataAddress: wallet } }),
      encodeInstruction('pausable.pause', { accounts: authority }),
      encodeInstruction('pausable.resume', { accounts: authority }),
    );
    expect(readMint(chain.data(mint))).toMatchObject({
      transferFee: { older: schedule, newer: { epoch: 2n, maximumFee: 9n, basisPoints: 7 } },
      defaultAccountState: 'initialized',
      transferHook: { authority: payer, program: wallet },
      metadataPointer: { address: wallet },
    });
  });

  test('with metadata: written, changed, extended, cut and handed on', () => {
    const metadata = { metadata: mint, updateAuthority: payer };
    const update = (field: { field: 'name' } | { key: string }, value: string, rest: string[] = []) =>
      encodeInstruction('tokenMetadata.updateField', { accounts: metadata, args: { field, value }, rest });
    chain.lands(
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
    expect(readMint(chain.data(mint))).toMatchObject({
      extensions: ['metadataPointer', 'tokenMetadata'],
      metadata: { ...expected, updateAuthority: payer },
    });
    chain.lands(
      encodeInstruction('tokenMetadata.updateAuthority', {
        accounts: metadata,
        args: { newAuthority: null },
      }),
    );
    expect(readMint(chain.data(mint)).metadata).toEqual({ ...expected, updateAuthority: undefined });
  });

  test('that withhold fees, and accounts with withheld fees', () => {
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
    chain.lands(
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
    expect(readTokenAccount(chain.data(from))).toMatchObject({
      mint,
      owner: payer,
      amount: 800n,
      state: 'initialized',
      extensions: ['immutableOwner', 'transferFeeAmount', 'memoTransfer', 'cpiGuard'],
    });
    expect(readTokenAccount(chain.data(to))).toMatchObject({ amount: 180n, owner: wallet });

    chain.lands(encodeInstruction('transferFee.harvest', { accounts: { mint }, rest: [to] }));
    expect(readMint(chain.data(mint)).transferFee?.withheldAmount).toBe(20n);
    const withdraw = { mint, destination: to, authority: payer };
    chain.lands(
      encodeInstruction('transferFee.withdrawWithheldFromMint', { accounts: withdraw }),
      encodeInstruction('transferFee.withdrawWithheldFromAccounts', {
        accounts: withdraw,
        args: { sources: 1 },
        rest: [to],
      }),
      encodeInstruction('memoTransfer.disable', { accounts: { account: from, owner: payer } }),
      encodeInstruction('cpiGuard.disable', { accounts: { account: from, owner: payer } }),
    );
    expect(readMint(chain.data(mint))).toMatchObject({ supply: 1000n, transferFee: { withheldAmount: 0n } });
    expect(readTokenAccount(chain.data(to)).amount).toBe(200n);
  });
});

test('the native mint of Token-2022 can be created', () => {
  const nativeMint = '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP';
  chain.lands(
    encodeInstruction('token.createNativeMint', {
      accounts: { payer, nativeMint, systemProgram: SYSTEM_PROGRAM },
    }),
  );
  expect(readMint(chain.data(nativeMint))).toMatchObject({ decimals: 9, supply: 0n, extensions: [] });
});

test('every supported Token-2022 instruction ran above', () => {
  // The others are shared with Token or belong to other programs.
  const elsewhere =
    /^(system|computeBudget|associatedToken|lookupTable|memo)\.|^token\.(?!reallocate|createNativeMint)/;
  expect(INSTRUCTION_KINDS.filter((kind) => !elsewhere.test(kind) && !ran.has(kind))).toEqual([]);
});
