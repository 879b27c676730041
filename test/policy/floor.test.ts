/**
 * The floor alone (T1–T5, T8, T9, T32): the rights each instruction would grant, and none of ours if it concerns
 * another wallet's account.
 */

import { describe, expect, it } from 'vitest';
import { closeAccount } from '../../sandbox/service/build/tokens.ts';
import type { Decision, ReasonCode } from '../../src/policy/decide/types.ts';
import {
  type EncodedInstruction,
  type EncodeInput,
  encodeInstruction,
  type InstructionKind,
} from '../../src/programs/instructions.ts';
import {
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { expectDenied } from './recorded/attacking.ts';
import { plus } from './recorded/edits.ts';
import { ATTACKER, decide, instructionsOf, policyWith, stage, WALLET } from './recorded/stages.ts';

const config = stage('config v1');
const thing = keyNamed('some account').address;
const accomplice = keyNamed('accomplice').address;
/** The index after all other instructions. */
const APPENDED = instructionsOf(config).length;
const CHECK = 'nothingGranted';

/** Applies the floor to a config with these instructions appended. */
const floor = (...instructions: readonly EncodedInstruction[]): Pick<Decision, 'checks'> => {
  const { checks } = decide(plus(config, ...instructions));
  return { checks: checks.filter(({ id, simulated }) => id === CHECK && !simulated) };
};

type Case = readonly [ReasonCode, string, (owner: string) => EncodedInstruction];
const make =
  <K extends InstructionKind>(kind: K, input: (owner: string) => EncodeInput<K>) =>
  (owner: string) =>
    encodeInstruction(kind, input(owner));

const CASES: readonly Case[] = [
  [
    'AUTHORITY_CHANGE',
    'assigns the wallet to another program',
    make('system.assign', (account) => ({ accounts: { account }, args: { owner: TOKEN_PROGRAM } })),
  ],
  [
    'AUTHORITY_CHANGE',
    'allocates data in the wallet account',
    make('system.allocate', (account) => ({ accounts: { account }, args: { space: 1n } })),
  ],
  [
    'AUTHORITY_CHANGE',
    'assigns an account of the wallet to another program',
    make('system.assignWithSeed', (base) => ({
      accounts: { account: thing, base },
      args: { base, seed: 's', owner: TOKEN_PROGRAM },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'assigns an account of the wallet to another program',
    make('system.allocateWithSeed', (base) => ({
      accounts: { account: thing, base },
      args: { base, seed: 's', space: 1n, owner: TOKEN_PROGRAM },
    })),
  ],
  [
    'UNDECLARED_LOSS',
    'moves SOL out of an account derived from the wallet',
    make('system.transferWithSeed', (base) => ({
      accounts: { from: thing, base, to: ATTACKER },
      args: { lamports: 1n, seed: 's', fromOwner: SYSTEM_PROGRAM },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'transfers the authority over a nonce account of the wallet',
    make('system.authorizeNonceAccount', (authority) => ({
      accounts: { nonce: thing, authority },
      args: { newAuthority: ATTACKER },
    })),
  ],
  [
    'UNDECLARED_LOSS',
    'empties a nonce account of the wallet',
    make('system.withdrawNonceAccount', (authority) => ({
      accounts: {
        nonce: thing,
        to: ATTACKER,
        recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
        rent: SYSVAR_RENT,
        authority,
      },
      args: { lamports: 1n },
    })),
  ],
  [
    'DELEGATE_GRANTED',
    'lets another key spend tokens of the wallet',
    make('token.approve', (owner) => ({
      accounts: { source: thing, delegate: ATTACKER, owner },
      args: { amount: 1n },
    })),
  ],
  [
    'DELEGATE_GRANTED',
    'lets another key spend tokens of the wallet',
    make('token.approveChecked', (owner) => ({
      accounts: { source: thing, mint: WSOL_MINT, delegate: ATTACKER, owner },
      args: { amount: 1n, decimals: 9 },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'transfers an authority of the wallet',
    make('token.setAuthority', (authority) => ({
      accounts: { owned: thing, authority },
      args: { authorityType: 'accountOwner', newAuthority: ATTACKER },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'uses an authority over a token',
    make('metadataPointer.update', (authority) => ({
      program: TOKEN_2022_PROGRAM,
      accounts: { mint: thing, authority },
      args: { metadataAddress: ATTACKER },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'uses an authority over a token',
    make('transferHook.update', (authority) => ({
      accounts: { mint: thing, authority },
      args: { hookProgram: ATTACKER },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'uses an authority over a token',
    make('pausable.pause', (authority) => ({ accounts: { mint: thing, authority } })),
  ],
  [
    'AUTHORITY_CHANGE',
    'uses an authority over a token',
    make('transferFee.setTransferFee', (authority) => ({
      accounts: { mint: thing, authority },
      args: { basisPoints: 1, maximumFee: 1n },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'transfers the authority over metadata',
    make('tokenMetadata.updateAuthority', (updateAuthority) => ({
      accounts: { metadata: thing, updateAuthority },
      args: { newAuthority: ATTACKER },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'disables the CPI guard of a token account of the wallet',
    make('cpiGuard.disable', (owner) => ({ accounts: { account: thing, owner } })),
  ],
  [
    'UNDECLARED_LOSS',
    'closes a token account of the wallet in favour of another key',
    make('token.closeAccount', (owner) => ({ accounts: { account: thing, destination: ATTACKER, owner } })),
  ],
  [
    'UNDECLARED_LOSS',
    'burns tokens of the wallet',
    make('token.burn', (authority) => ({
      accounts: { account: thing, mint: WSOL_MINT, authority },
      args: { amount: 1n },
    })),
  ],
  [
    'UNDECLARED_LOSS',
    'burns tokens of the wallet',
    make('token.burnChecked', (authority) => ({
      accounts: { account: thing, mint: WSOL_MINT, authority },
      args: { amount: 1n, decimals: 9 },
    })),
  ],
  [
    'AUTHORITY_CHANGE',
    'permanently freezes a lookup table of the wallet',
    make('lookupTable.freeze', (authority) => ({ accounts: { table: thing, authority } })),
  ],
  [
    'AUTHORITY_CHANGE',
    'empties a nested token account of the wallet',
    make('associatedToken.recoverNested', (owner) => ({
      accounts: {
        nestedAssociatedToken: thing,
        nestedMint: WSOL_MINT,
        destinationAssociatedToken: ATTACKER,
        ownerAssociatedToken: keyNamed('owner token').address,
        ownerMint: keyNamed('owner mint').address,
        owner,
        tokenProgram: TOKEN_PROGRAM,
      },
    })),
  ],
];

describe('hard denials', () => {
  it.each(CASES)('%s: %s', (code, label, instruction) => {
    expect(floor(instruction(WALLET))).toEqual({
      checks: [{ id: CHECK, ok: false, code, observed: `#${APPENDED} ${label}` }],
    });
    expect(floor(instruction(accomplice))).toEqual({ checks: [{ id: CHECK, ok: true }] });
    expectDenied(decide(plus(config, instruction(WALLET))), code);
    expect(decide(plus(config, instruction(accomplice))).effect).toBe('deny');
  });

  it.each([
    [
      'creates a durable nonce account',
      encodeInstruction('system.initializeNonceAccount', {
        accounts: { nonce: thing, recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES, rent: SYSVAR_RENT },
        args: { authority: ATTACKER },
      }),
    ],
    ['uses a durable nonce', encodeInstruction('system.upgradeNonceAccount', { accounts: { nonce: thing } })],
    [
      'uses a durable nonce',
      encodeInstruction('system.advanceNonceAccount', {
        accounts: { nonce: thing, recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES, authority: accomplice },
      }),
    ],
  ])('DURABLE_NONCE: %s, with any owner', (label, instruction) => {
    expect(floor(instruction).checks).toEqual([
      {
        id: CHECK,
        ok: false,
        code: 'DURABLE_NONCE',
        observed: expect.stringMatching(new RegExp(` ${label}$`)),
      },
    ]);
  });

  it('apply to a wallet that signs as a multisig member, and not to one that is only listed', () => {
    const shared = (signer: boolean) =>
      encodeInstruction('token.approve', {
        accounts: {
          source: thing,
          delegate: ATTACKER,
          owner: { address: keyNamed('multisig').address, signer: false, writable: false },
        },
        args: { amount: 1n },
        rest: [
          { address: accomplice, signer: true, writable: false },
          { address: signer ? WALLET : thing, signer, writable: false },
        ],
      });
    expect(floor(shared(true)).checks[0]).toMatchObject({ ok: false, code: 'DELEGATE_GRANTED' });
    expect(floor(shared(false)).checks[0]).toMatchObject({ ok: true });
  });

  it("protect every wallet of the policy and of this home, not only the plan's", () => {
    const assign = encodeInstruction('system.assign', {
      accounts: { account: accomplice },
      args: { owner: TOKEN_PROGRAM },
    });
    const other = policyWith((file) => ({
      wallets: [...file.wallets, { label: 'other', address: accomplice }],
    }));
    expect(decide(plus(config, assign), other).reasonCodes).toContain('AUTHORITY_CHANGE');
    const home = { ...config, ourWallets: [WALLET, accomplice] };
    expect(decide(plus(home, assign)).reasonCodes).toContain('AUTHORITY_CHANGE');
  });

  it('allow closing a token account to its owner', () => {
    const close = closeAccount(TOKEN_PROGRAM, thing, WALLET, WALLET);
    expect(floor(close).checks).toEqual([{ id: CHECK, ok: true }]);
  });
});
