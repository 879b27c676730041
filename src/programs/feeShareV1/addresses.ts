/** Addresses of the retired fee share of two wallets. */
import type { Address } from '../../transaction/types.ts';
import { byBytes, derivedAddress } from '../derived.ts';

export const FEE_SHARE_V1_PROGRAM = 'FEEhPbKVKnco9EXnaY3i4R5rQVUx91wgVfu8qokixywi';

/** Earns at the venue for two wallets of one token, in whichever order they are named. It does not say who gets how much. */
export function sharedAuthorityAddress(one: Address, other: Address, baseMint: Address): Address {
  const [larger, smaller] = byBytes(one, other);
  return derivedAddress(FEE_SHARE_V1_PROGRAM, [{ text: 'fee_authority' }, smaller, larger, baseMint]);
}
