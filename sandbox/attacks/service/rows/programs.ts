/** Attacks through programs that act on the wallet's other assets: stakes, programs, nonces, tables (T6–T11). */

import { type EncodedInstruction, encodeInstruction } from '../../../../src/programs/instructions.ts';
import { addressBytes } from '../../../../src/transaction/base58.ts';
import {
  LOADER_V3_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_CLOCK,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  SYSVAR_STAKE_HISTORY,
  TOKEN_PROGRAM,
} from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { instruction, type Named } from '../../../programs/writing.ts';
import { ata, closeAccount, createAccount } from '../../../service/build/tokens.ts';
import { attackerKey, dollars, holding, nonceData, openAccounts, TAKEN_LAMPORTS } from '../assets.ts';
import { append, onStagesWith, read, rewrite } from '../drafts.ts';
import { type Attacks, type AttackTools, type DraftHook, type DraftPlace, service } from '../types.ts';

/** A funded nonce account with the wallet as authority. */
function walletNonce(tools: AttackTools, wallet: Address): Address {
  const { address } = attackerKey(tools, 'nonce of the wallet');
  tools.onchain.chain.setAccount(address, {
    lamports: TAKEN_LAMPORTS,
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: nonceData(wallet, tools.onchain.chain.latestBlockhash('finalized').blockhash),
  });
  return address;
}

/** Withdraws half of its balance to the attacker. */
const withdrawnBy = (authority: Address, tools: AttackTools): EncodedInstruction =>
  encodeInstruction('system.withdrawNonceAccount', {
    accounts: {
      nonce: attackerKey(tools, 'nonce of the wallet').address,
      to: tools.attacker.address,
      recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
      rent: SYSVAR_RENT,
      authority,
    },
    args: { lamports: TAKEN_LAMPORTS / 2n },
  });

/** Withdraws SOL from a nonce account of the wallet. */
export function emptyNonce({ wallet }: DraftPlace, tools: AttackTools): EncodedInstruction[] {
  walletNonce(tools, wallet);
  return [withdrawnBy(wallet, tools)];
}

const stake: DraftHook = append(
  ({ wallet }, tools) => {
    const { address } = attackerKey(tools, 'stake');
    const data = Buffer.alloc(4 + 32 + 32 + 8 + 8 + 32);
    for (const at of [4, 36]) data.set(addressBytes(tools.attacker.address), at);
    return [
      createAccount(wallet, address, TAKEN_LAMPORTS, 200, STAKE_PROGRAM),
      instruction(STAKE_PROGRAM, data, [
        [address, 'w'],
        [SYSVAR_RENT, 'r'],
      ]),
    ];
  },
  (tools) => [attackerKey(tools, 'stake')],
);

/** Withdraws the stake to the attacker. */
function unstake(tools: AttackTools): EncodedInstruction[] {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(4, 0);
  data.writeBigUInt64LE(TAKEN_LAMPORTS, 4);
  return [
    instruction(STAKE_PROGRAM, data, [
      [attackerKey(tools, 'stake').address, 'w'],
      [tools.attacker.address, 'w'],
      [SYSVAR_CLOCK, 'r'],
      [SYSVAR_STAKE_HISTORY, 'r'],
      [tools.attacker.address, 's'],
    ]),
  ];
}

/** Transfers the upgrade authority of a program deployed by the wallet. */
export function transferUpgradeAuthority({ wallet }: DraftPlace, tools: AttackTools): EncodedInstruction[] {
  const { address } = attackerKey(tools, 'program of the wallet');
  const data = Buffer.alloc(45);
  data.writeUInt32LE(3, 0);
  data.writeUInt8(1, 12);
  data.set(addressBytes(wallet), 13);
  const { chain } = tools.onchain;
  chain.setAccount(address, {
    lamports: chain.rent(45),
    owner: LOADER_V3_PROGRAM,
    executable: false,
    data: new Uint8Array(data),
  });
  return [
    instruction(LOADER_V3_PROGRAM, Uint8Array.of(4, 0, 0, 0), [
      [address, 'w'],
      [wallet, 's'],
      [tools.attacker.address, 'r'],
    ]),
  ];
}

/** An instruction of a token program that the decoder deliberately does not support (T10). */
const raw = (program: Address, data: readonly number[], accounts: readonly Named[]): EncodedInstruction =>
  instruction(program, Uint8Array.from(data), accounts);

const WITHDRAW_EXCESS_LAMPORTS = 38;
const UNWRAP_LAMPORTS = 45;
const BATCH = 255;
const TRANSFER = 3;
/** A multisig program whose members vote by signing, and the first bytes of its `proposal_approve`. */
const SQUADS_PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf';
const PROPOSAL_APPROVE = [144, 37, 164, 136, 188, 216, 42, 248];

export const programAttacks: Attacks = {
  'stake-away': service({
    row: 'T6',
    does: 'stakes SOL of the wallet with the attacker as its authority',
    takes: 'the staked SOL',
    code: 'PROGRAM_NOT_ALLOWED',
    draft: stake,
    afterwards: (_, tools) => unstake(tools),
  }),
  'give-program-away': service({
    row: 'T7',
    does: 'transfers the upgrade authority of a program deployed by the wallet',
    takes: 'the program and everything it controls',
    code: 'PROGRAM_NOT_ALLOWED',
    draft: append(transferUpgradeAuthority),
  }),
  'give-nonce-away': service({
    row: 'T8',
    does: 'makes the attacker the authority of a nonce account of the wallet',
    takes: 'the nonce account and its balance',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => [
      encodeInstruction('system.authorizeNonceAccount', {
        accounts: { nonce: walletNonce(tools, wallet), authority: wallet },
        args: { newAuthority: tools.attacker.address },
      }),
    ]),
    afterwards: (_, tools) => [withdrawnBy(tools.attacker.address, tools)],
  }),
  'empty-nonce': service({
    row: 'T8',
    does: 'withdraws from a nonce account of the wallet',
    takes: 'the balance of the nonce account',
    code: 'UNDECLARED_LOSS',
    draft: append(emptyNonce),
  }),
  'freeze-table': service({
    row: 'T9',
    does: 'freezes the lookup table that the wallet creates, so that its rent cannot be recovered',
    takes: 'the rent of the table',
    code: 'AUTHORITY_CHANGE',
    endpoints: ['dammLaunch'],
    draft: onStagesWith('lookupTable.extend', (draft, { wallet }) => ({
      ...draft,
      instructions: draft.instructions.flatMap((instruction) => {
        const known = read(instruction);
        if (known.kind !== 'lookupTable.extend') return [instruction];
        const accounts = { table: known.accounts.table.address, authority: wallet };
        return [instruction, encodeInstruction('lookupTable.freeze', { accounts })];
      }),
    })),
  }),
  'withdraw-excess-lamports': service({
    row: 'T10',
    does: 'uses a newer token instruction that withdraws excess lamports from a token account',
    takes: 'the excess SOL of a token account of the wallet',
    code: 'INSTRUCTION_UNKNOWN',
    draft: append(({ wallet }, tools) => {
      const held = holding(tools, wallet, 'token2022');
      tools.fund(held.account, TAKEN_LAMPORTS);
      return [
        raw(
          held.tokenProgram,
          [WITHDRAW_EXCESS_LAMPORTS],
          [
            [held.account, 'w'],
            [tools.attacker.address, 'w'],
            [wallet, 's'],
          ],
        ),
      ];
    }),
  }),
  'unwrap-lamports': service({
    row: 'T10',
    does: 'uses a newer token instruction that unwraps the wallet’s wrapped SOL to the attacker',
    takes: 'the SOL proceeds of the trade',
    code: 'INSTRUCTION_UNKNOWN',
    endpoints: ['tradeSwap'],
    draft: onStagesWith('token.closeAccount', (draft, { wallet }, { attacker }) =>
      rewrite(draft, 'token.closeAccount', ({ accounts }, nth) =>
        nth > 0
          ? undefined
          : [
              raw(
                TOKEN_PROGRAM,
                [UNWRAP_LAMPORTS, 0],
                [
                  [accounts.account.address, 'w'],
                  [attacker.address, 'w'],
                  [wallet, 's'],
                ],
              ),
              closeAccount(TOKEN_PROGRAM, accounts.account.address, wallet, wallet),
            ],
      ),
    ),
  }),
  'batched-transfer': service({
    row: 'T10',
    does: 'hides a token transfer inside a batch instruction of the token program',
    takes: 'the wallet’s dollars',
    code: 'INSTRUCTION_UNKNOWN',
    begin: openAccounts,
    draft: append(({ wallet }, tools) => {
      const held = dollars(tools, wallet);
      const inner = Buffer.alloc(9);
      inner.writeUInt8(TRANSFER, 0);
      inner.writeBigUInt64LE(held.amount, 1);
      return [
        raw(
          TOKEN_PROGRAM,
          [BATCH, 3, inner.length, ...inner],
          [
            [held.account, 'w'],
            [ata(tools.attacker.address, held), 'w'],
            [wallet, 's'],
          ],
        ),
      ];
    }),
  }),
  'multisig-vote': service({
    row: 'T11',
    does: 'has the wallet approve a proposal of a multisig of which it is a member',
    takes: 'the wallet’s vote over the multisig’s assets',
    code: 'PROGRAM_NOT_ALLOWED',
    draft: append(({ wallet }, tools) => [
      raw(SQUADS_PROGRAM, PROPOSAL_APPROVE, [
        [attackerKey(tools, 'multisig').address, 'r'],
        [wallet, 's'],
        [attackerKey(tools, 'proposal').address, 'w'],
      ]),
    ]),
  }),
};
