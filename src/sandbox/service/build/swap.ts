/**
 * A swap in one transaction of the taker: pay the pool, take the output out of an escrow that the service funded and
 * delegated for exactly this, pay the service's fee (C-TRADE-07). No server signature is in it.
 */
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { encodeInstruction } from '../../../programs/instructions.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Quote, SwapAmounts } from '../state.ts';
import { budgetFor, budgetOf, type Draft } from './compile.ts';
import {
  ata,
  closeAccount,
  createAta,
  createTokenAccount,
  systemTransfer,
  type TokenAsset,
  transfer,
  unwrap,
  wrap,
} from './tokens.ts';

/** Lamports of the tracking transfer; the sandbox's own number. */
export const TRACKING_LAMPORTS = 1_000n;
/** Units a swap may use, the creation of three accounts included. */
export const SWAP_UNITS = 400_000;

/** The taker's transaction. The escrow must be funded first. */
export function swapDraft(service: ServiceContext, quote: Quote, amounts: SwapAmounts): Draft {
  const { keys } = service;
  const { taker, venue } = quote;
  const [input, output] = [service.asset(quote.inputMint), service.asset(quote.outputMint)];
  const quoteAsset = service.asset(venue.quoteMint);
  const buy = amounts.side === 'buy';
  const escrow = keys.escrow(quote.requestId).address;
  const native = venue.quoteMint === WSOL_MINT;
  const inputVault = buy ? venue.quoteVault : venue.baseVault;
  const feeSource = buy ? ata(taker, quoteAsset) : escrow;
  const instructions: EncodedInstruction[] = [
    createAta(taker, taker, output),
    ...(input.mint === WSOL_MINT ? wrap(taker, amounts.poolIn + amounts.poolFee) : []),
    transfer(input, ata(taker, input), inputVault, taker, amounts.poolIn),
    ...(amounts.poolFee > 0n
      ? [transfer(quoteAsset, feeSource, venue.feeVault, taker, amounts.poolFee)]
      : []),
    transfer(output, escrow, ata(taker, output), taker, amounts.payout),
    ...serviceFee(service, taker, quoteAsset, amounts.serviceFee),
    systemTransfer(taker, keys.tracking.address, TRACKING_LAMPORTS),
    ...(native ? [unwrap(taker)] : []),
  ];
  return {
    format: 'v0',
    feePayer: taker,
    instructions,
    budget: budgetOf(SWAP_UNITS),
    tables: service.globalTable.usable(),
    signers: [],
  };
}

function serviceFee(
  service: ServiceContext,
  taker: Address,
  asset: TokenAsset,
  amount: bigint,
): EncodedInstruction[] {
  const treasury = service.keys.treasury.address;
  if (amount === 0n) return [];
  if (asset.mint === WSOL_MINT) return [systemTransfer(taker, treasury, amount)];
  return [
    createAta(taker, treasury, asset),
    transfer(asset, ata(taker, asset), ata(treasury, asset), taker, amount),
  ];
}

/** Creates the escrow, fills it from the pool and lets the taker move exactly what the swap moves out of it. */
export function fundEscrow(service: ServiceContext, quote: Quote, amounts: SwapAmounts): void {
  const { keys, onchain } = service;
  const { venue, taker } = quote;
  const output = service.asset(quote.outputMint);
  const authority = keys.poolAuthority(venue.baseMint);
  const escrow = keys.escrow(quote.requestId);
  const vault = amounts.side === 'buy' ? venue.baseVault : venue.quoteVault;
  const delegated = amounts.side === 'buy' ? amounts.payout : amounts.payout + amounts.poolFee;
  const instructions = [
    ...createTokenAccount(keys.sponsor.address, escrow.address, output, authority.address, (bytes) =>
      onchain.rent(bytes),
    ),
    transfer(output, vault, escrow.address, authority.address, amounts.poolOut),
    encodeInstruction('token.approveChecked', {
      program: output.tokenProgram,
      accounts: { source: escrow.address, mint: output.mint, delegate: taker, owner: authority.address },
      args: { amount: delegated, decimals: output.decimals },
    }),
  ];
  onchain.land({
    format: 'v0',
    feePayer: keys.sponsor.address,
    instructions,
    budget: budgetFor(instructions.length),
    signers: [keys.sponsor, escrow, authority],
  });
}

/** Takes an escrow back: what is left returns to the pool, the account is closed. */
export function reclaimEscrow(service: ServiceContext, quote: Quote): void {
  const { keys, onchain } = service;
  const escrow = keys.escrow(quote.requestId).address;
  const state = onchain.tokenAccount(escrow);
  if (state === undefined) return;
  const { venue } = quote;
  const output = service.asset(quote.outputMint);
  const authority = keys.poolAuthority(venue.baseMint);
  const vault = quote.outputMint === venue.baseMint ? venue.baseVault : venue.quoteVault;
  const instructions = [
    encodeInstruction('token.revoke', {
      program: output.tokenProgram,
      accounts: { source: escrow, owner: authority.address },
    }),
    ...(state.amount > 0n ? [transfer(output, escrow, vault, authority.address, state.amount)] : []),
    // A taxed account keeps withheld fees and cannot be closed before they are harvested.
    ...(output.fee === undefined
      ? [closeAccount(output.tokenProgram, escrow, keys.sponsor.address, authority.address)]
      : []),
  ];
  onchain.land({
    format: 'v0',
    feePayer: keys.sponsor.address,
    instructions,
    budget: budgetFor(instructions.length),
    signers: [keys.sponsor, authority],
  });
}
