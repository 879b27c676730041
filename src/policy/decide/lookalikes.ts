/**
 * Which addresses a person could confuse with a known one. Programs show the first and last few characters of an address,
 * some more at one end than at the other; an attacker who searches for a matching key chooses the split. People overlook case,
 * read 5 for S, and overlook one or two changed characters (T58). Pure.
 */
import { remember } from '../../base/remember.ts';
import type { Address } from '../../transaction/types.ts';

/** Characters shared at both ends together, however they are split. Random addresses share that once in 10^11. */
const SHARED = 8;
/** The same when at least `EACH` of them are at either end. */
const SHARED_AT_BOTH = 7;
const EACH = 3;
/** A piece that two nearly equal texts share, where it is looked for, and by how much it may have moved. */
const PIECE = 6;
const PIECES_AT: readonly number[] = [2, 9, 16, 23, 30];
const MOVES: readonly number[] = [0, -1, 1, -2, 2];
/** Characters in the same place that make two texts nearly equal. */
const SAME_PLACES = 16;
/** Programs, sysvars and the mint of wrapped SOL all look alike; they are never paid. */
const OF_THE_CHAIN = /1{7}.?$/;

/** Addresses whose answer is kept: a plan names the same ones in every stage. */
const KEPT = 4096;

/** Characters that read alike, as one. */
const ALIKE: Readonly<Record<string, string>> = { '1': 'i', l: 'i', '2': 'z', '5': 's', '8': 'b' };

/** An address as a person remembers it: without case, and with one character for those that read alike. */
const asRead = (address: Address): string =>
  address.toLowerCase().replace(/[l1258]/g, (each) => ALIKE[each] ?? each);

/** Known addresses by what they read like. */
export interface KnownAddresses {
  /** The known address that this one reads like without being it, if any. */
  readonly takenFor: (address: Address) => Address | undefined;
}

/** Arranges addresses for looking up; a thousand of them cost a few milliseconds, once. */
export function knownAddresses(addresses: Iterable<Address>): KnownAddresses {
  const exact = new Set<Address>(addresses);
  const byPiece = new Map<string, Set<Address>>();
  for (const address of exact) {
    if (OF_THE_CHAIN.test(address)) continue;
    for (const piece of piecesOf(asRead(address), [0])) {
      const sharing = byPiece.get(piece) ?? new Set();
      byPiece.set(piece, sharing.add(address));
    }
  }
  const look = (address: Address): Address | null => {
    const read = asRead(address);
    for (const piece of piecesOf(read, MOVES)) {
      for (const known of byPiece.get(piece) ?? []) if (readsLike(read, asRead(known))) return known;
    }
    return null;
  };
  const looked = new Map<Address, Address | null>();
  return {
    takenFor: (address) => {
      const before = looked.get(address);
      if (before !== undefined) return before ?? undefined;
      return remember(looked, address, exact.has(address) ? null : look(address), KEPT) ?? undefined;
    },
  };
}

/**
 * Pieces of a text, marked with their place: two texts that read alike share at least one. Of eight characters at both
 * ends four stand at one of them; of seven, with three at each, as well.
 */
function piecesOf(text: string, moves: readonly number[]): string[] {
  const pieces = [`<${text.slice(0, SHARED / 2)}`, `>${text.slice(-SHARED / 2)}`];
  for (const at of PIECES_AT)
    for (const by of moves) pieces.push(`${at}${text.slice(at + by, at + by + PIECE)}`);
  return pieces;
}

function readsLike(a: string, b: string): boolean {
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
