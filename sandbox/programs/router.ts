/** A swap through the router (Jupiter, version 6): `route_v2` with one step at one venue. */
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import type { Address } from '../../src/transaction/types.ts';
import { Bytes } from './writing.ts';

/** Venue numbers of a route plan. */
export const VENUES = { dammV2: 77, dbc: 78 } as const;

/** Swaps at a venue through the router; `venueSwap` is the venue's own instruction with the same accounts. */
export function route(
  swap: {
    readonly user: Address;
    readonly source: Address;
    readonly destination: Address;
    readonly sourceMint: Address;
    readonly destinationMint: Address;
    readonly sourceProgram: Address;
    readonly destinationProgram: Address;
    readonly venue: keyof typeof VENUES;
    readonly venueSwap: EncodedInstruction;
  },
  amountIn: bigint,
  quotedOut: bigint,
  slippageBps: number,
): EncodedInstruction {
  const routePlan = new Bytes().u32(1).u8(VENUES[swap.venue]).u16(10_000).u8(0, 1).done();
  return encodeInstruction('jupiter.routeV2', {
    accounts: {
      userTransferAuthority: swap.user,
      userSourceTokenAccount: swap.source,
      userDestinationTokenAccount: swap.destination,
      sourceMint: swap.sourceMint,
      destinationMint: swap.destinationMint,
      sourceTokenProgram: swap.sourceProgram,
      destinationTokenProgram: swap.destinationProgram,
    },
    args: {
      ...{ inAmount: amountIn, quotedOutAmount: quotedOut, slippageBps, routePlan },
      ...{ platformFeeBps: 0, positiveSlippageBps: 0 },
    },
    rest: [swap.venueSwap.programAddress, ...swap.venueSwap.accounts],
  });
}
