/**
 * Instructions supported by the programs and never built by the service: swaps in the older encoding, and claims at the
 * venue.
 */

import { type PoolTokens, poolAddress } from '../../../sandbox/programs/dammV2.ts';
import { type CurvePool, curvePoolAddress, type SwapPlace } from '../../../sandbox/programs/dbc.ts';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import { SYSVAR_INSTRUCTIONS, TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';

const sides = ({ input, output, payer, referral, withLaunch = false }: SwapPlace) => ({
  ...{ inputTokenAccount: input, outputTokenAccount: output, payer },
  ...(referral === undefined ? {} : { referralTokenAccount: referral }),
  ...(withLaunch ? { instructionsSysvar: SYSVAR_INSTRUCTIONS } : {}),
});

const atCurve = ({ quoteProgram, ...place }: CurvePool) => ({
  ...place,
  ...{ tokenBaseProgram: TOKEN_PROGRAM, tokenQuoteProgram: quoteProgram },
});

export const curveSwap = (place: CurvePool, swap: SwapPlace, amountIn: bigint, minimumAmountOut: bigint) =>
  encodeInstruction('dbc.swap', {
    accounts: { ...atCurve(place), ...sides(swap) },
    args: { amountIn, minimumAmountOut },
  });

export const poolSwap = (
  { mintA, mintB, programA, programB }: PoolTokens,
  swap: SwapPlace,
  amountIn: bigint,
  minimumAmountOut: bigint,
) =>
  encodeInstruction('dammV2.swap', {
    accounts: {
      pool: poolAddress(mintA, mintB),
      ...{ tokenAMint: mintA, tokenBMint: mintB, tokenAProgram: programA, tokenBProgram: programB },
      ...sides(swap),
    },
    args: { amountIn, minimumAmountOut },
  });

const ALL = 0xffff_ffff_ffff_ffffn;

export const claimTradingFee = (place: CurvePool, base: Address, quote: Address, feeClaimer: Address) =>
  encodeInstruction('dbc.claimTradingFee', {
    accounts: { ...atCurve(place), tokenAAccount: base, tokenBAccount: quote, feeClaimer },
    args: { maxAmountA: ALL, maxAmountB: ALL },
  });

export function claimCreatorTradingFee(place: CurvePool, base: Address, quote: Address, creator: Address) {
  const { config: _, ...curve } = atCurve(place);
  return encodeInstruction('dbc.claimCreatorTradingFee', {
    accounts: {
      ...curve,
      ...{ pool: curvePoolAddress(place), tokenAAccount: base, tokenBAccount: quote, creator },
    },
    args: { maxBaseAmount: ALL, maxQuoteAmount: ALL },
  });
}
