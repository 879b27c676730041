/**
 * Attacks of docs/safety.md in transactions a service co-signs. Each is an honest recorded stage with one change and
 * every co-signature renewed; hostile.test.ts runs them against a real chain.
 */
import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs, ReasonCode } from '../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  ED25519_PROGRAM,
  LOADER_V3_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { accomplice, append, attacker, expectDenied, type Tamper, transfer } from './recorded/attacking.ts';
import { decide, type MessageParts, rewritten, stage, WALLET } from './recorded/stages.ts';

const raw = (programAddress: string, data: readonly number[], accounts: EncodedInstruction['accounts']) => ({
  programAddress,
  accounts,
  data: Uint8Array.from(data),
});
const signer = (address: string) => ({ address, signer: true, writable: true });
const plain = (address: string) => ({ address, signer: false, writable: true });
const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255];

const config = stage('plain config');
const v1 = stage('config v1');
const decided = (tamper: Tamper, parts: MessageParts = {}, inputs: DecisionInputs = config): Decision =>
  decide(rewritten(inputs, tamper, parts));

describe('an instruction appended to a valid config plan is refused', () => {
  const wallet = () => WALLET;
  const ownAta = () => associatedTokenAddress(wallet(), WSOL_MINT, TOKEN_PROGRAM);
  const cases: readonly [string, ReasonCode, () => readonly EncodedInstruction[]][] = [
    ...(['accountOwner', 'closeAccount', 'mintTokens', 'freezeAccount'] as const).map(
      (authorityType): [string, ReasonCode, () => readonly EncodedInstruction[]] => [
        `T4 the authority ${authorityType} handed over`,
        'AUTHORITY_CHANGE',
        () => [
          encodeInstruction('token.setAuthority', {
            accounts: { owned: ownAta(), authority: wallet() },
            args: { authorityType, newAuthority: attacker.address },
          }),
        ],
      ],
    ),
    [
      'T6 a stake instruction',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(STAKE_PROGRAM, u32(1), [plain(attacker.address), signer(wallet())])],
    ],
    [
      'T7 a loader instruction',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(LOADER_V3_PROGRAM, u32(4), [plain(attacker.address), signer(wallet())])],
    ],
    [
      'T9 a lookup table of the wallet made outside a setup stage',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('lookupTable.create', {
          accounts: {
            table: attacker.address,
            authority: wallet(),
            payer: wallet(),
            systemProgram: SYSTEM_PROGRAM,
          },
          args: { recentSlot: 1n, bump: 255 },
        }),
      ],
    ],
    [
      'T10 a token instruction that is not known',
      'INSTRUCTION_UNKNOWN',
      () => [raw(TOKEN_PROGRAM, [255, 1, 1, 9], [plain(ownAta()), signer(wallet())])],
    ],
    [
      'T10 a newer System instruction',
      'INSTRUCTION_UNKNOWN',
      () => [raw(SYSTEM_PROGRAM, u32(0xffff), [signer(wallet())])],
    ],
    [
      'T11 a program that is not allowed, with the wallet as signer',
      'PROGRAM_NOT_ALLOWED',
      () => [raw(keyNamed('multisig').address, [1], [signer(wallet())])],
    ],
    ['T12 a transfer', 'UNEXPECTED_INSTRUCTION', () => [transfer(wallet(), attacker.address, 1_000_000n)]],
    [
      'T13 several transfers',
      'UNEXPECTED_INSTRUCTION',
      () => [
        transfer(wallet(), attacker.address, 1_000_000n),
        transfer(wallet(), accomplice.address, 1_000_000n),
      ],
    ],
    [
      'T15 rent of a token account of another wallet',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('associatedToken.createIdempotent', {
          accounts: {
            payer: wallet(),
            associatedToken: associatedTokenAddress(attacker.address, WSOL_MINT, TOKEN_PROGRAM),
            owner: attacker.address,
            mint: WSOL_MINT,
            systemProgram: SYSTEM_PROGRAM,
            tokenProgram: TOKEN_PROGRAM,
          },
        }),
      ],
    ],
    [
      'T17 tokens out of an account that the request does not mention',
      'UNEXPECTED_INSTRUCTION',
      () => [
        encodeInstruction('token.transferChecked', {
          accounts: {
            source: ownAta(),
            mint: WSOL_MINT,
            destination: associatedTokenAddress(attacker.address, WSOL_MINT, TOKEN_PROGRAM),
            authority: wallet(),
          },
          args: { amount: 1n, decimals: 9 },
        }),
      ],
    ],
    [
      'T18 SOL into the own wrapped account',
      'UNEXPECTED_INSTRUCTION',
      () => [
        transfer(wallet(), ownAta(), 1_000_000n),
        encodeInstruction('token.syncNative', { accounts: { account: ownAta() } }),
      ],
    ],
    [
      'T48 the wallet made to sign a memo',
      'UNEXPECTED_INSTRUCTION',
      () => [encodeInstruction('memo.memo', { accounts: {}, args: { text: 'I agree' }, rest: [wallet()] })],
    ],
    ['T49 a signature precompile', 'PROGRAM_NOT_ALLOWED', () => [raw(ED25519_PROGRAM, [0, 0], [])]],
  ];
  it.each(cases)('%s', (_name, code, instructions) => {
    expectDenied(decided(append(...instructions()), {}, v1), code);
  });

  it("T14 an attacker's account funded by the wallet", () => {
    const funding = encodeInstruction('system.createAccount', {
      accounts: { payer: WALLET, newAccount: attacker.address },
      args: { lamports: 5_000_000_000n, space: 0n, owner: SYSTEM_PROGRAM },
    });
    const decision = decided(append(funding));
    expectDenied(decision, 'UNEXPECTED_INSTRUCTION');
    expect(BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0')).toBeGreaterThan(
      5_000_000_000n,
    );
  });
});
