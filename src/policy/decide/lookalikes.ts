/**
 * Finds addresses that a person could confuse with a known one. Wallets abbreviate addresses to their first and last
 * characters, and an attacker can generate a key that matches these. People also overlook case, similar characters such as
 * 5 and S, and one or two changed characters (T58). Pure.
 */
import { remember } from '../../base/remember.ts';
import type { Address } from '../../transaction/types.ts';

/** Matching characters at both ends in total. Random addresses match with a probability of about 10^-11. */
const SHARED = 8;
/** Matching characters in total if at least `EACH` of them are at each end. */
const SHARED_AT_BOTH = 7;
const EACH = 3;
/** Length, positions and shifts of the substrings by which nearly equal texts are found. */
const PIECE = 6;
const PIECES_AT: readonly number[] = [2, 9, 16, 23, 30];
const MOVES: readonly number[] = [0, -1, 1, -2, 2];
/** Number of equal characters at the same position that makes two texts nearly equal. */
const SAME_PLACES = 16;
/** Native programs, sysvars and the wrapped SOL mint resemble each other and are never payees. */
const OF_THE_CHAIN = /1{7}.?$/;

/** Maximum number of cached results. */
const KEPT = 4096;

/** Maps similar characters to one of them. */
const ALIKE: Readonly<Record<string, string>> = { '1': 'i', l: 'i', '2': 'z', '5': 's', '8': 'b' };

/** Normalizes an address: lower case, similar characters replaced by one of them. */
const normalized = (address: Address): string =>
  address.toLowerCase().replace(/[l1258]/g, (each) => ALIKE[each] ?? each);

/** An index of known addresses. */
export interface KnownAddresses {
  /** Returns the known address that resembles this one, or `undefined` if there is none or the address itself is known. */
  readonly takenFor: (address: Address) => Address | undefined;
}

/** Builds the index; a thousand addresses take a few milliseconds. */
export function knownAddresses(addresses: Iterable<Address>): KnownAddresses {
  const exact = new Set<Address>(addresses);
  const byPiece = new Map<string, Set<Address>>();
  for (const address of exact) {
    if (OF_THE_CHAIN.test(address)) continue;
    for (const piece of piecesOf(normalized(address), [0])) {
      const sharing = byPiece.get(piece) ?? new Set();
      byPiece.set(piece, sharing.add(address));
    }
  }
  const look = (address: Address): Address | null => {
    const read = normalized(address);
    for (const piece of piecesOf(read, MOVES)) {
      for (const known of byPiece.get(piece) ?? []) if (isSimilar(read, normalized(known))) return known;
    }
    return null;
  };
  const looked = new Map<Address, Address | null>();
  return {
    takenFor: (address) => {
      const cached = looked.get(address);
      if (cached !== undefined) return cached ?? undefined;
      return remember(looked, address, exact.has(address) ? null : look(address), KEPT) ?? undefined;
    },
  };
}

/**
 * Returns substrings of a text with their positions. Similar texts share at least one: with eight matching characters at
 * both ends, or seven with three at each, at least four are at one end.
 */
function piecesOf(text: string, moves: readonly number[]): string[] {
  const pieces = [`<${text.slice(0, SHARED / 2)}`, `>${text.slice(-SHARED / 2)}`];
  for (const at of PIECES_AT)
    for (const by of moves) pieces.push(`${at}${text.slice(at + by, at + by + PIECE)}`);
  return pieces;
}

function isSimilar(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let first = 0;
  while (first < most && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < most && a.at(-1 - last) === b.at(-1 - last)) last += 1;
  if (first + last >= SHARED || (first >= EACH && last >= EACH && first + last >= SHARED_AT_BOTH))
    return true;
  return MOVES.some((by) => {
    let same = 0;
    for (let i = 0; i < most; i++) if (a[i + by] === b[i]) same += 1;
    return same >= SAME_PLACES;
  });
}
