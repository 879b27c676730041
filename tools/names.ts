/**
 * Argument names. The contract names the token `tokenMint`, `baseMint` or `tokenAddress`, has five names for the acting wallet,
 * and returns `venueConfigKey` for an argument `configKey`. Schemas show one name for each; the other names are accepted where
 * they are unambiguous.
 */
import { configTypeId, WRAPPED_SOL } from '../src/contract/index.ts';

/** Shown names with their aliases. */
const SAME: readonly (readonly string[])[] = [
  ['tokenMint', 'baseMint', 'tokenAddress'],
  ['tokenMetadata', 'ipfs'],
  ['venueConfigKey', 'configKey'],
  ['wallet', 'payer', 'feeClaimer', 'userPublicKey', 'taker'],
];

/** First buys: whole numbers of base units, in every spelling. */
const FIRST_BUYS: readonly string[] = ['initialBuyLamports', 'initialBuyQuoteAmount', 'initialBuyQuoteRaw'];
const QUOTES: readonly string[] = ['quoteMint', 'inputMint', 'outputMint'];

/** EVM tools keep their argument names: their tokens are on another chain. */
const isRenamed = (domain: string): boolean => domain !== 'evm';

/** Returns the shown name of an argument. `taken`: all names of the tool's schema. */
export function shownName(domain: string, name: string, taken: readonly string[]): string {
  const group = isRenamed(domain) ? SAME.find((names) => names.includes(name)) : undefined;
  const [shown = name] = group ?? [];
  return shown !== name && taken.includes(shown) ? name : shown;
}

/** Returns the schema's name of a given argument, or the given name. */
function ownName(given: string, own: readonly string[]): string {
  if (own.includes(given)) return given;
  const others = SAME.find((names) => names.includes(given))?.filter((name) => own.includes(name)) ?? [];
  const [only] = others;
  return others.length === 1 && only !== undefined ? only : given;
}

/** Arguments by the schema's names, and the given name of each. */
export interface Named {
  readonly values: Record<string, unknown>;
  /** Maps the schema's name to the given name. */
  readonly given: ReadonlyMap<string, string>;
}

/** Renames arguments, resolves `"SOL"` and labels, and converts first buys to the tool's form. */
export function withOwnNames(given: Readonly<Record<string, unknown>>, own: readonly string[]): Named {
  const values: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    const renamed = name === 'initialBuy' ? firstBuyOf(given, own) : ownName(name, own);
    // Both names at once: the second stays as it is, and the schema refuses it.
    const target = Object.hasOwn(given, renamed) && renamed !== name ? name : renamed;
    Object.defineProperty(values, target, {
      value: canonicalValue(target, value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
    names.set(target, name);
  }
  return { values, given: names };
}

/** Returns the field of a first buy: the raw one for a quote other than SOL, if the tool has both. */
function firstBuyOf(given: Readonly<Record<string, unknown>>, own: readonly string[]): string {
  const [first = 'initialBuy', second] = FIRST_BUYS.filter((name) => own.includes(name));
  if (second === undefined) return first;
  const { quoteMint } = given;
  return typeof quoteMint === 'string' && mintOf(quoteMint) !== WRAPPED_SOL ? second : first;
}

const mintOf = (value: string): string => (value.toUpperCase() === 'SOL' ? WRAPPED_SOL : value);

function canonicalValue(name: string, value: unknown): unknown {
  if (QUOTES.includes(name) && typeof value === 'string') return mintOf(value);
  if (name === 'serviceConfigType' && typeof value === 'string') return configTypeId(value);
  if (!FIRST_BUYS.includes(name)) return value;
  if (name === 'initialBuyQuoteRaw') return Number.isSafeInteger(value) ? String(value) : value;
  const isWhole = typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value);
  return isWhole && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
