/** How addresses and texts are written on one page. Pure. */

import { DAMM_V2_POOL_AUTHORITY } from '../../programs/dammV2/addresses.ts';
import { DBC_POOL_AUTHORITY } from '../../programs/dbc/addresses.ts';
import { PLATFORM_VAULT, PROGRAM_CONFIG } from '../../programs/feeShare/addresses.ts';
import { programName } from '../../programs/index.ts';
import type { Known, Naming } from '../../programs/words/naming.ts';
import { cleanText } from '../../service/untrusted.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Addresses that are the same for every launch. */
const FIXED: ReadonlyMap<Address, string> = new Map([
  [PROGRAM_CONFIG, 'the platform'],
  [PLATFORM_VAULT, "the platform's vault"],
  [DBC_POOL_AUTHORITY, "Meteora DBC's key for all its pools"],
  [DAMM_V2_POOL_AUTHORITY, "Meteora DAMM v2's key for all its pools"],
  [WSOL_MINT, 'wrapped SOL'],
]);

/** What an address is called that means the same in every transaction: a program, or one of its fixed accounts. */
export const fixedName = (address: Address): string | undefined => FIXED.get(address) ?? programName(address);

/** Most characters of a text from outside that are shown. */
const MOST_TEXT = 280;
/** The beginning of an address, at the end of a text that was cut. */
const BROKEN_ADDRESS = /[1-9A-HJ-NP-Za-km-z]{1,44}$/;

/** A text from outside in quotation marks. A long one is cut, never in the middle of an address, and that is said. */
export function quoted(given: string): string {
  const { text, cut } = cleanText(given, MOST_TEXT);
  if (!cut) return `"${text}"`;
  return `"${text.replace(BROKEN_ADDRESS, '').trimEnd()} …" (cut: it has ${[...given].length} characters)`;
}

/**
 * Names on a page: wallets by name, fixed addresses and fee shares by what they are, every other address as a number in
 * the order of appearance. The page ends with all of them and their full addresses.
 */
export class Numbered implements Naming {
  readonly seen: Address[] = [];
  /** Addresses that were written as what they are, with those words. */
  readonly described = new Map<Address, string>();
  /** Wallets and others of the reader that were written by name. */
  readonly called: [address: Address, name: string][] = [];
  readonly decimals: (mint: Address) => number | undefined;
  readonly known: Known;
  readonly quoted = quoted;
  private readonly names: ReadonlyMap<Address, string>;

  constructor(
    names: ReadonlyMap<Address, string>,
    decimals: (mint: Address) => number | undefined,
    known: Known,
  ) {
    this.names = names;
    this.decimals = decimals;
    this.known = known;
  }

  readonly isNamed = (address: Address): boolean =>
    !this.names.has(address) &&
    (fixedName(address) !== undefined || this.known.feeShareOf(address) !== undefined);

  readonly address = (address: Address): string => {
    const name = this.names.get(address);
    if (name !== undefined) {
      if (!this.called.some(([known]) => known === address)) this.called.push([address, name]);
      return name;
    }
    const program = programName(address);
    if (program !== undefined) return program;
    const words = FIXED.get(address) ?? this.feeShare(address);
    if (words !== undefined) {
      this.described.set(address, words);
      return words;
    }
    if (!this.seen.includes(address)) this.seen.push(address);
    return `[${this.seen.indexOf(address) + 1}]`;
  };

  private feeShare(address: Address): string | undefined {
    const base = this.known.feeShareOf(address);
    return base === undefined ? undefined : `the fee share of ${this.address(base)}`;
  }
}
