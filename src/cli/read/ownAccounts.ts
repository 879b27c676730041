/**
 * Token accounts that are a wallet's by their address: each wallet has one derived address for each mint and token
 * program. What a chain shows goes first; the address alone decides where nothing else is known. Pure.
 */
import type { TokenHolding, View } from '../../programs/view.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { TOKEN_PROGRAMS, WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** The derived token accounts of these owners for these mints. Addresses that are no mint do no harm. */
export function derivedAccounts(
  owners: readonly Address[],
  mints: readonly Address[],
): ReadonlyMap<Address, TokenHolding> {
  const found = new Map<Address, TokenHolding>();
  for (const owner of owners) {
    for (const mint of new Set([...mints, WSOL_MINT])) {
      for (const program of TOKEN_PROGRAMS) {
        found.set(associatedTokenAddress(owner, mint, program), { mint, owner });
      }
    }
  }
  return found;
}

/** A view that also knows the owners' derived accounts. */
export function withDerivedAccounts(view: View, owners: readonly Address[], mints: readonly Address[]): View {
  let derived: ReadonlyMap<Address, TokenHolding> | undefined;
  return {
    tokenAccount(account) {
      const held = view.tokenAccount(account);
      if (held !== undefined) return held;
      derived ??= derivedAccounts(owners, mints);
      return derived.get(account);
    },
  };
}
