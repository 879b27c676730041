/** A swap through the router (Jupiter, version 6): `route_v2` with one step at one venue. */
import type { EncodedInstruction } from '../../programs/instructions.ts';
import type { Address } from '../../transaction/types.ts';
import { ROUTER_PROGRAM } from './addresses.ts';
import { Bytes, eventInstruction, type Named } from './writing.ts';

/** Numbers of the venues in a route plan. */
export const VENUES = { dammV2: 77, dbc: 78 } as const;

/** Swaps at a venue by way of the router; `venueSwap` is the venue's own instruction for the same accounts. */
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
  const data = new Bytes('bb64facc31c4af14')
    .u64(amountIn, quotedOut)
    .u16(slippageBps, 0, 0) // no platform fee, nothing kept of a better price
    .u32(1)
    .u8(VENUES[swap.venue])
    .u16(10_000)
    .u8(0, 1);
  const step: Named[] = swap.venueSwap.accounts.map(({ address, writable, signer }) => [
    address,
    signer ? (writable ? 'ws' : 's') : writable ? 'w' : 'r',
  ]);
  return eventInstruction(
    ROUTER_PROGRAM,
    data.done(),
    [
      [swap.user, 's'],
      [swap.source, 'w'],
      [swap.destination, 'w'],
      [swap.sourceMint, 'r'],
      [swap.destinationMint, 'r'],
      [swap.sourceProgram, 'r'],
      [swap.destinationProgram, 'r'],
      [undefined, 'w'],
    ],
    [[swap.venueSwap.programAddress, 'r'], ...step],
  );
}
