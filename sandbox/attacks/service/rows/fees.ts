/** Attacks through fees: network fees, service fees, tips and tracking (T21–T24, T52). */
import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { ata, createAta, systemTransfer, transfer } from '../../../service/build/tokens.ts';
import { editMessages } from '../answers.ts';
import { dollars, TAKEN_LAMPORTS } from '../assets.ts';
import { append, rewrite } from '../drafts.ts';
import { byRoute } from '../swaps.ts';
import { type Attack, type Attacks, type AttackTools, type DraftHook, service } from '../types.ts';

/** Micro-lamports per compute unit that exceed the policy's maximum fee for a swap or a config. */
const DRAINING_PRICE = 2_500_000_000n;

/** Lamports. */
const REFUND = 18_000n;
/** Base units. */
const FIVE_HUNDRED_DOLLARS = 500_000_000n;

/** Scales every payment to the treasury by a percentage. */
const feeTimes = (percent: bigint): DraftHook => {
  const more = (amount: bigint) => (amount * percent) / 100n;
  return (draft, { wallet }, { keys, onchain }) => {
    const treasury = keys.treasury.address;
    const native = rewrite(draft, 'system.transfer', ({ accounts, args }) =>
      accounts.to.address === treasury ? [systemTransfer(wallet, treasury, more(args.lamports))] : undefined,
    );
    return rewrite(native, 'token.transferChecked', ({ program, accounts, args }) => {
      const { source, mint, destination } = accounts;
      if (onchain.tokenAccount(destination.address)?.owner !== treasury) return undefined;
      const asset = { mint: mint.address, tokenProgram: program, decimals: args.decimals };
      return [transfer(asset, source.address, destination.address, wallet, more(args.amount))];
    });
  };
};

/** Scales the stated fee of an answer by a percentage. */
function restated(answer: unknown, percent: bigint): unknown {
  if (typeof answer !== 'object' || answer === null || !('feeLamports' in answer)) return answer;
  const fee = String((BigInt(String(answer.feeLamports)) * percent) / 100n);
  return { ...answer, feeLamports: fee, revenueLamports: fee };
}

/** Redirects or enlarges the requested tip. */
const tipTo =
  (
    change: (tip: { to: string; lamports: bigint }, tools: AttackTools) => { to: string; lamports: bigint },
  ): DraftHook =>
  (draft, { wallet }, tools) =>
    rewrite(draft, 'system.transfer', ({ accounts, args }, nth) => {
      if (nth > 0) return undefined;
      const { to, lamports } = change({ to: accounts.to.address, lamports: args.lamports }, tools);
      return [systemTransfer(wallet, to, lamports)];
    });

/** A config whose network fee a service key pays, with the given refunds by receiver in lamports. */
const refundTo =
  (refunds: (payer: Address, tools: AttackTools) => readonly (readonly [Address, bigint])[]): DraftHook =>
  (draft, { wallet }, tools) => {
    const payer = tools.keys.feeShareAuthority.address;
    if (!draft.signers.some(({ address }) => address === payer)) return draft;
    const unpaid = rewrite(draft, 'system.transfer', ({ accounts }) =>
      accounts.to.address === payer ? [] : undefined,
    );
    const paid = refunds(payer, tools).map(([to, lamports]) => systemTransfer(wallet, to, lamports));
    return { ...unpaid, feePayer: payer, instructions: [...unpaid.instructions, ...paid] };
  };

const refund = (attack: Pick<Attack, 'does' | 'takes' | 'code' | 'draft'>): Attack =>
  service({ row: 'T176', endpoints: ['feeShareConfig'], ...attack });

export const feeAttacks: Attacks = {
  'priority-fee': service({
    row: 'T21',
    does: 'sets a priority fee a thousand times the usual',
    takes: 'the fee, which goes to the block producer',
    code: 'FEE_OVER',
    draft: (draft) => ({ ...draft, budget: { ...draft.budget, microLamportsPerUnit: DRAINING_PRICE } }),
  }),
  'priority-fee-without-limit': service({
    row: 'T21',
    does: 'sets a high price per compute unit without a unit limit, so that their product seems to be zero',
    takes: 'the fee for the default number of units',
    code: 'FEE_OVER',
    endpoints: ['tradeSwap'],
    draft: (draft) => ({ ...draft, budget: { ...draft.budget, microLamportsPerUnit: 2n * DRAINING_PRICE } }),
    answer: editMessages((message) => ({
      ...message,
      instructions: message.instructions.filter((_, index) => index !== 0),
    })),
  }),
  'priority-fee-v1': service({
    row: 'T22',
    does: 'sets a priority fee in the configuration of a v1 message, outside the instructions',
    takes: 'half a SOL in fees',
    code: 'FEE_OVER',
    draft: (draft, { wallet }) => ({
      ...draft,
      feePayer: wallet,
      budget: { ...draft.budget, priorityFeeLamports: TAKEN_LAMPORTS / 2n },
    }),
  }),
  'tip-inflated': service({
    row: 'T23',
    does: 'pays the requested tip wallet far more than the requested tip',
    takes: '1 SOL',
    code: 'REQUEST_MISMATCH',
    endpoints: ['feeShareConfig', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: tipTo(({ to, lamports }) => ({ to, lamports: lamports + TAKEN_LAMPORTS })),
  }),
  'tip-redirected': service({
    row: 'T23',
    does: 'pays the requested tip to the attacker',
    takes: 'the tip',
    code: 'REQUEST_MISMATCH',
    endpoints: ['feeShareConfig', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: tipTo(({ lamports }, { attacker }) => ({ to: attacker.address, lamports })),
  }),
  'tracking-inflated': service({
    row: 'T23',
    does: 'adds a tracking transfer, like the usual small ones, and a large one',
    takes: '1 SOL',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: append(({ wallet }, { keys }) => [systemTransfer(wallet, keys.tracking.address, TAKEN_LAMPORTS)]),
  }),
  'service-fee-inflated': service({
    row: 'T24',
    does: 'charges twenty times the stated service fee',
    takes: 'nineteen service fees',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: feeTimes(2_000n),
  }),
  'service-fee-restated': service({
    row: 'T24',
    does: 'charges and states nearly twice the usual service fee, within the slippage of the quote',
    takes: 'nine tenths of a service fee',
    code: 'LIMIT_EXCEEDED',
    endpoints: ['tradeSwap'],
    draft: feeTimes(190n),
    answer: (answer) => restated(answer, 190n),
  }),
  'service-fee-in-dollars': service({
    row: 'T24',
    does: 'charges the service fee in the wallet’s dollars instead of the stated token',
    takes: 'five hundred dollars',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['tradeSwap'],
    draft: (draft, { wallet }, tools) => {
      const treasury = tools.keys.treasury.address;
      return rewrite(draft, 'system.transfer', ({ accounts }) => {
        if (accounts.to.address !== treasury) return undefined;
        const held = dollars(tools, wallet);
        const to = ata(treasury, held);
        return [
          createAta(wallet, treasury, held),
          transfer(held, held.account, to, wallet, FIVE_HUNDRED_DOLLARS),
        ];
      });
    },
  }),
  'refund-inflated': refund({
    does: 'pays the network fee of a config and has the wallet refund it a whole SOL',
    takes: '1 SOL',
    code: 'FEE_OVER',
    draft: refundTo((payer) => [[payer, TAKEN_LAMPORTS]]),
  }),
  'refund-to-attacker': refund({
    does: 'pays the network fee of a config and has the wallet refund it to another key',
    takes: 'the refund',
    code: 'UNEXPECTED_INSTRUCTION',
    draft: refundTo((_, { attacker }) => [[attacker.address, REFUND]]),
  }),
  'refund-twice': refund({
    does: 'pays the network fee of a config and has the wallet refund it twice',
    takes: 'the second refund',
    code: 'UNEXPECTED_INSTRUCTION',
    draft: refundTo((payer) => [
      [payer, REFUND],
      [payer, REFUND - 1n],
    ]),
  }),
  'payer-unsigned': refund({
    does: 'names a fee payer of a config that has not signed, and has the wallet refund it',
    takes: 'the refund',
    code: 'FEE_PAYER_MISMATCH',
    draft: (draft, place, tools) => {
      const payer = tools.attacker.address;
      return { ...refundTo(() => [[payer, REFUND]])(draft, place, tools), feePayer: payer };
    },
  }),
  'platform-paid': service({
    row: 'T24',
    does: 'swaps with an older router instruction that pays the attacker a platform fee',
    takes: '0.5% of the proceeds',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: (draft, _, tools) => byRoute(draft, tools, 'platform fee'),
  }),
  'budget-twice': service({
    row: 'T52',
    does: 'sets the compute unit price twice, in case only the first is decoded',
    takes: 'nothing here: this runtime rejects the transaction; others might apply the last price',
    code: 'NONCANONICAL_BYTES',
    draft: append(() => [
      encodeInstruction('computeBudget.setComputeUnitPrice', {
        accounts: {},
        args: { microLamports: DRAINING_PRICE },
      }),
    ]),
  }),
};
