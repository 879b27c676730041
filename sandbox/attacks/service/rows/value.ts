/** Attacks that move value by visible instructions (T12–T19). */

import type { EncodedInstruction } from '../../../../src/programs/instructions.ts';
import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import { addressBytes } from '../../../../src/transaction/base58.ts';
import { programAddress } from '../../../../src/transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import type { SandboxChain } from '../../../chain/chain.ts';
import { codeOf, deploy, deployUpgradeable } from '../../../programs/deploy.ts';
import { compiledProgram } from '../../../programs/standIns.ts';
import { instruction } from '../../../programs/writing.ts';
import { compileDraft } from '../../../service/build/compile.ts';
import { createTable, planTable, tableStages } from '../../../service/build/lookupTable.ts';
import { ata, createAta, systemTransfer, transfer } from '../../../service/build/tokens.ts';
import { attackerKey, dollars, openAccounts, sweep, TAKEN_LAMPORTS } from '../assets.ts';
import { append, list, onStagesWith, read, rewrite } from '../drafts.ts';
import { deploys, relayed } from '../relay.ts';
import { type Attacks, type AttackTools, service } from '../types.ts';

/** Has an unknown program, a copy of the associated token program, open an account of the attacker at the wallet's cost. */
function fundedByCpi(wallet: Address, program: Address, { attacker, keys }: AttackTools): EncodedInstruction {
  const mint = keys.quoteMint('USDC').address;
  const { address } = programAddress(
    [addressBytes(attacker.address), addressBytes(TOKEN_PROGRAM), addressBytes(mint)],
    program,
  );
  return instruction(program, Uint8Array.of(1), [
    [wallet, 'ws'],
    [address, 'w'],
    [attacker.address, 'r'],
    [mint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
  ]);
}

/** A forwarding program of the attacker. */
export const forwardingAddress = (tools: AttackTools): Address =>
  attackerKey(tools, 'program that passes on').address;

/** An upgradeable program, and its deployed slot when the owner accepted it. */
export const acceptedProgram = (tools: AttackTools): Address =>
  attackerKey(tools, 'accepted program').address;
export const ACCEPTED_SLOT = 1;

/** A program that is replaced between simulation and landing. */
const swappedProgram = (tools: AttackTools): Address => attackerKey(tools, 'upgradeable program').address;

const replace = (chain: SandboxChain, tools: AttackTools, code: Uint8Array, slot: number): void =>
  deployUpgradeable(chain, acceptedProgram(tools), code, { slot, authority: tools.attacker.address });

export const valueAttacks: Attacks = {
  'append-transfer': service({
    row: 'T12',
    does: 'appends a transfer to an otherwise correct plan',
    takes: '1 SOL',
    code: 'UNEXPECTED_INSTRUCTION',
    draft: append(({ wallet }, { attacker }) => [systemTransfer(wallet, attacker.address, TAKEN_LAMPORTS)]),
  }),
  'second-recipient': service({
    row: 'T13',
    does: 'pays the requested tip, and a second “tip” to the attacker',
    takes: '1 SOL',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['feeShareConfig', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: onStagesWith('system.transfer', (draft, { wallet }, { attacker }) => {
      const [first, ...others] = draft.instructions;
      const second = systemTransfer(wallet, attacker.address, TAKEN_LAMPORTS);
      return { ...draft, instructions: first === undefined ? [] : [first, second, ...others] };
    }),
  }),
  'overfund-account': service({
    row: 'T14',
    does: 'has the wallet fund a new mint account far above its rent',
    takes: '1 SOL, which no key can recover',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunchV2', 'dammLaunch'],
    draft: (draft, { wallet }) =>
      rewrite(draft, 'system.createAccount', ({ accounts, args }) => [
        encodeInstruction('system.createAccount', {
          accounts: { payer: wallet, newAccount: accounts.newAccount.address },
          args: { ...args, lamports: args.lamports + TAKEN_LAMPORTS },
        }),
      ]),
  }),
  'rent-drain': service({
    row: 'T15',
    does: 'has the wallet pay the rent of token accounts that the attacker closes later',
    takes: 'the rent of each account, again in every transaction',
    code: 'UNEXPECTED_INSTRUCTION',
    draft: append(({ wallet }, tools) =>
      ['USDC', 'NEWQ'].map((symbol) =>
        createAta(wallet, attackerKey(tools, 'rent').address, {
          mint: tools.keys.quoteMint(symbol).address,
          tokenProgram: TOKEN_PROGRAM,
        }),
      ),
    ),
  }),
  'account-not-needed': service({
    row: 'T15',
    does: 'has the wallet pay for an extra account of a traded token, as if it received a fee',
    takes: 'the rent of the account, again in every trade',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['tradeSwap', 'dammLaunchV2'],
    draft: append(({ wallet }, tools) => [
      createAta(wallet, attackerKey(tools, 'rent').address, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
    ]),
  }),
  'hidden-cpi': service({
    row: 'T16',
    does: 'calls an unknown program that moves the wallet’s SOL in an inner call',
    takes: 'the amount the program moves',
    code: 'PROGRAM_NOT_ALLOWED',
    begin: deploys(
      (tools) => attackerKey(tools, 'program').address,
      ({ onchain }) => codeOf(onchain.chain, ASSOCIATED_TOKEN_PROGRAM),
    ),
    draft: append(({ wallet }, tools) => [fundedByCpi(wallet, attackerKey(tools, 'program').address, tools)]),
  }),
  'hidden-in-program': service({
    row: 'T16',
    does: 'sends a transfer through a forwarding program, so that it is not visible in the transaction',
    takes: '1 SOL',
    code: 'PROGRAM_NOT_ALLOWED',
    begin: deploys(forwardingAddress),
    draft: append(({ wallet }, tools) => [
      relayed(forwardingAddress(tools))(systemTransfer(wallet, tools.attacker.address, TAKEN_LAMPORTS)),
    ]),
  }),
  'program-swapped': service({
    row: 'T34',
    does: 'calls a program that does nothing in the simulation and is replaced before the transaction lands',
    takes: 'the amount the new code moves',
    code: 'PROGRAM_NOT_ALLOWED',
    begin: deploys(swappedProgram, () => compiledProgram('harmless')),
    draft: append(({ wallet }, tools) => [fundedByCpi(wallet, swappedProgram(tools), tools)]),
    meanwhile: (copy, _, tools) =>
      deploy(copy, swappedProgram(tools), codeOf(copy, ASSOCIATED_TOKEN_PROGRAM)),
  }),
  'accepted-program-replaced': service({
    row: 'T34',
    does: 'replaces an accepted unsupported program with code that does nothing in the simulation',
    takes: '1 SOL, once the code is replaced again',
    code: 'PROGRAM_NOT_ALLOWED',
    begin: (tools) => {
      replace(tools.onchain.chain, tools, compiledProgram('harmless'), ACCEPTED_SLOT);
      return undefined;
    },
    draft: (draft, place, tools) => {
      const { chain } = tools.onchain;
      replace(chain, tools, compiledProgram('harmless'), chain.slot);
      const steal = systemTransfer(place.wallet, tools.attacker.address, TAKEN_LAMPORTS);
      return append(() => [relayed(acceptedProgram(tools))(steal)])(draft, place, tools);
    },
    meanwhile: (copy, _, tools) => replace(copy, tools, compiledProgram('relay'), copy.slot),
  }),
  'account-closed-meanwhile': service({
    row: 'T35',
    does: 'names an account that exists in the simulation and is closed before the transaction lands, so that the wallet pays for it',
    takes: 'the rent of the account, without a loss in the simulation',
    code: 'UNEXPECTED_INSTRUCTION',
    begin: openAccounts,
    draft: append(({ wallet }, { attacker, keys }) => [
      createAta(wallet, attacker.address, {
        mint: keys.quoteMint('USDC').address,
        tokenProgram: TOKEN_PROGRAM,
      }),
    ]),
    meanwhile: (copy, _, { attacker, keys }) =>
      copy.setAccount(
        ata(attacker.address, { mint: keys.quoteMint('USDC').address, tokenProgram: TOKEN_PROGRAM }),
        null,
      ),
  }),
  'other-account': service({
    row: 'T17',
    does: 'empties a token account of the wallet that is not part of the trade',
    takes: 'the wallet’s dollars',
    code: 'UNEXPECTED_INSTRUCTION',
    draft: append(({ wallet }, tools) => sweep(tools, dollars(tools, wallet), wallet, wallet)),
  }),
  'wrap-and-move': service({
    row: 'T18',
    does: 'wraps more SOL than the trade needs and moves the rest to the attacker',
    takes: '1 SOL, as wrapped SOL',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: onStagesWith('token.syncNative', (draft, { wallet }, { attacker }) => {
      const wsol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
      const own = ata(wallet, wsol);
      const wrapped = rewrite(draft, 'system.transfer', ({ accounts, args }) =>
        accounts.to.address === own
          ? [systemTransfer(wallet, own, args.lamports + TAKEN_LAMPORTS)]
          : undefined,
      );
      return {
        ...wrapped,
        instructions: wrapped.instructions.flatMap((instruction) =>
          read(instruction).kind === 'token.syncNative'
            ? [
                instruction,
                createAta(wallet, attacker.address, wsol),
                transfer(wsol, own, ata(attacker.address, wsol), wallet, TAKEN_LAMPORTS),
              ]
            : [instruction],
        ),
      };
    }),
  }),
  'table-of-the-wallet': service({
    row: 'T9',
    does: 'has the wallet create an unrequested lookup table',
    takes: 'its rent, and the wallet’s signature as table authority',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['tradeSwap', 'feeShareConfig'],
    draft: append(({ wallet }, { onchain }) => [
      createTable(wallet, BigInt(onchain.chain.slotAt('confirmed'))),
    ]),
  }),
  'tables-for-nothing': service({
    row: 'T175',
    does: 'puts thirty unused lookup tables before a claim',
    takes: 'the rent of each table and the fee of each transaction',
    code: 'REQUEST_MISMATCH',
    endpoints: ['claimTxs'],
    answer: (answer, { feeClaimer }, tools) => ({
      ...Object(answer),
      transactions: [
        ...Array.from({ length: 30 }, (_, nth) => uselessTable(String(feeClaimer), nth, tools)),
        ...list(Object(answer).transactions),
      ],
    }),
  }),
};

/** A stage that creates the wallet's nth table. */
function uselessTable(wallet: Address, nth: number, { onchain, attacker }: AttackTools) {
  const plan = planTable(wallet, onchain.chain.slotAt('confirmed') - nth, [attacker.address]);
  const [stage] = tableStages(plan, wallet, undefined);
  if (stage === undefined) throw new Error('a table takes a stage');
  const { bytes, format, messageSha256, requiredSigners, lifetime } = compileDraft(
    stage.draft,
    onchain.lifetime(),
  );
  return {
    id: `table-${nth}`,
    kind: stage.kind,
    dependsOn: [],
    format,
    encoding: 'base64',
    transaction: Buffer.from(bytes).toString('base64'),
    messageSha256,
    requiredSigners,
    lifetime: { ...lifetime, lastValidBlockHeight: `${lifetime.lastValidBlockHeight}` },
  };
}
