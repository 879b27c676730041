/** Drafts of swaps, at the venue or through the router, with the service's fee. */
import { SERVICE_FEE_BPS } from '../../../src/contract/constants.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { route } from '../../programs/router.ts';
import type { ServiceContext } from '../context.ts';
import type { Market } from '../records/markets.ts';
import { budgetOf, type Draft } from './compile.ts';
import { broughtBy } from './simulated.ts';
import { ata, createAta, systemTransfer, type TokenAsset, transfer, unwrap, wrap } from './tokens.ts';

const SWAP_UNITS = 400_000;
const share = (amount: bigint, bps: number) => (amount * BigInt(bps)) / 10_000n;

/** A swap and its route. */
export interface Swap {
  readonly market: Market;
  readonly taker: Address;
  readonly inputMint: Address;
  /** The taker's total input. */
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly through: 'venue' | 'router';
}

/** Simulated outcome of a swap, in base units. */
export interface SwapOutcome {
  /** Output of the venue, in the output mint, before the service's fee on a sale. */
  readonly venueOut: bigint;
  /** The service's fee, in the quote mint. */
  readonly serviceFee: bigint;
  /** Output that the taker receives, after the service's fee. */
  readonly outAmount: bigint;
  readonly minOutAmount: bigint;
}

const isBuy = ({ market, inputMint }: Swap): boolean => inputMint === market.quote.mint;

/** Simulates a swap. Throws 400 if it fails. */
export function outcomeOf(service: ServiceContext, swap: Swap): SwapOutcome {
  const { market, taker, amount, slippageBps } = swap;
  const buy = isBuy(swap);
  const output = buy ? market.base : market.quote;
  const without = { venueOut: 0n, serviceFee: buy ? share(amount, SERVICE_FEE_BPS) : 0n };
  // Measured before wrapped SOL is unwrapped and the fee of a sale is paid.
  const measured = draftOf(swap, swapPart(swap, without));
  const venueOut = broughtBy(service, measured, ata(taker, output));
  const serviceFee = buy ? without.serviceFee : share(venueOut, SERVICE_FEE_BPS);
  const paid = buy ? 0n : serviceFee;
  const least = share(venueOut, 10_000 - slippageBps);
  return { venueOut, serviceFee, outAmount: venueOut - paid, minOutAmount: least - paid };
}

/** Builds the taker's transaction of a quote. */
export function swapDraft(service: ServiceContext, swap: Swap, quoted: SwapOutcome): Draft {
  const quote = service.asset(swap.market.quote.mint);
  return draftOf(swap, [
    ...swapPart(swap, quoted),
    ...(quote.mint === WSOL_MINT ? [unwrap(swap.taker)] : []),
    ...serviceFee(service, swap.taker, quote, quoted.serviceFee),
  ]);
}

/** Builds the accounts and the swap, with the quoted output less slippage as its minimum. */
function swapPart(
  swap: Swap,
  { venueOut, serviceFee: fee }: Pick<SwapOutcome, 'venueOut' | 'serviceFee'>,
): EncodedInstruction[] {
  const { market, taker, amount, slippageBps, through } = swap;
  const buy = isBuy(swap);
  const { base, quote } = market;
  const [input, output] = buy ? [quote, base] : [base, quote];
  const spent = buy ? amount - fee : amount;
  const sides = { input: ata(taker, input), output: ata(taker, output), payer: taker };
  const least = share(venueOut, 10_000 - slippageBps);
  return [
    ...(input.mint === WSOL_MINT ? wrap(taker, spent) : []),
    createAta(taker, taker, output),
    through === 'venue'
      ? market.swap(sides, spent, least)
      : route(
          {
            user: taker,
            source: sides.input,
            destination: sides.output,
            sourceMint: input.mint,
            destinationMint: output.mint,
            sourceProgram: input.tokenProgram,
            destinationProgram: output.tokenProgram,
            venue: market.venue,
            venueSwap: market.swap(sides, 0n, 0n),
          },
          spent,
          venueOut,
          slippageBps,
        ),
  ];
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

const draftOf = ({ taker }: Swap, instructions: readonly EncodedInstruction[]): Draft => ({
  format: 'v0',
  feePayer: taker,
  instructions,
  budget: budgetOf(SWAP_UNITS),
  signers: [],
});
