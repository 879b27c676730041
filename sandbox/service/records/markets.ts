/** Markets for swaps: curves and pools of DAMM v2. Token A of a pool is the token, B the quote. */
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { eventAuthority, ROUTER_PROGRAM } from '../../programs/addresses.ts';
import { type PoolTokens, poolAddress, poolSwap2 } from '../../programs/dammV2.ts';
import { type CurvePool, curvePoolAddress, curveSwap2, type SwapPlace } from '../../programs/dbc.ts';
import type { VENUES } from '../../programs/router.ts';
import { ata, type TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Venue } from '../state.ts';
import { poolAccount } from './pools.ts';
import { curveAccounts, curveOf } from './venues.ts';

export interface Market {
  readonly venue: keyof typeof VENUES;
  readonly pool: Address;
  readonly base: Pick<TokenAsset, 'mint' | 'tokenProgram'>;
  readonly quote: Pick<TokenAsset, 'mint' | 'tokenProgram'>;
  /** Builds a swap of an exact input for at least `minOut`. */
  swap(sides: SwapPlace, amountIn: bigint, minOut: bigint): EncodedInstruction;
  /** Returns the square root of the price times 2⁶⁴ and the fee in parts of 10⁹; `undefined` before it is on chain. */
  price(service: ServiceContext): { readonly sqrtPrice: bigint; readonly fee: bigint } | undefined;
}

export const curveMarket = (curve: CurvePool): Market => ({
  venue: 'dbc',
  pool: curvePoolAddress(curve),
  base: { mint: curve.baseMint, tokenProgram: TOKEN_PROGRAM },
  quote: { mint: curve.quoteMint, tokenProgram: curve.quoteProgram },
  swap: (sides, amountIn, minOut) => curveSwap2(curve, sides, amountIn, minOut),
  price: (service) => {
    const found = curveAccounts(service, curve);
    return found && { sqrtPrice: found.pool.sqrtPrice, fee: found.terms.poolFees.baseFee.cliffFeeNumerator };
  },
});

export const poolMarket = (tokens: PoolTokens): Market => ({
  venue: 'dammV2',
  pool: poolAddress(tokens.mintA, tokens.mintB),
  base: { mint: tokens.mintA, tokenProgram: tokens.programA },
  quote: { mint: tokens.mintB, tokenProgram: tokens.programB },
  swap: (sides, amountIn, minOut) => poolSwap2(tokens, sides, amountIn, minOut),
  price: (service) => {
    const found = poolAccount(service, tokens);
    return found && { sqrtPrice: found.sqrtPrice, fee: found.fee };
  },
});

/** The market of a venue. */
export function marketOf(service: ServiceContext, venue: Venue): Market {
  const issued = venue.kind === 'dbc' ? service.state.configs.get(venue.baseMint) : undefined;
  const curve = issued && curveOf(issued);
  if (curve !== undefined) return curveMarket(curve);
  const { baseMint, baseTokenProgram, quoteMint, quoteTokenProgram } = venue;
  return poolMarket({
    mintA: baseMint,
    programA: baseTokenProgram,
    mintB: quoteMint,
    programB: quoteTokenProgram,
  });
}

/** Returns the accounts of a venue's swaps, for the service's lookup table. */
export function tableEntries(service: ServiceContext, venue: Venue): Address[] {
  const { treasury, tracking } = service.keys;
  const quote = { mint: venue.quoteMint, tokenProgram: venue.quoteTokenProgram };
  const sides = { input: treasury.address, output: treasury.address, payer: treasury.address };
  const swap = marketOf(service, venue).swap(sides, 0n, 0n);
  return [
    treasury.address,
    tracking.address,
    eventAuthority(ROUTER_PROGRAM),
    ata(treasury.address, quote),
    ...swap.accounts.map(({ address }) => address),
  ];
}
