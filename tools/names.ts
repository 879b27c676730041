/**
 * One name for one thing. The contract calls one token `tokenMint`, `baseMint` and `tokenAddress`, and the wallet that
 * acts by five names; what one call returns as `venueConfigKey` the next takes as `configKey`. Clients are shown one
 * name for each; the contract's and the others are accepted wherever they can mean only one thing.
 */
import { configTypeId, WRAPPED_SOL } from '../src/contract/index.ts';

/** The name that is shown, and the others the same thing goes by. */
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

/** What an argument of a tool is called in schemas. `taken` are all names the tool's own schema has. */
export function shownName(domain: string, name: string, taken: readonly string[]): string {
  const group = isRenamed(domain) ? SAME.find((names) => names.includes(name)) : undefined;
  const [shown = name] = group ?? [];
  return shown !== name && taken.includes(shown) ? name : shown;
}

/** The name a tool's own schema has for an argument that was given, or the name as it was given. */
function ownName(given: string, own: readonly string[]): string {
  if (own.includes(given)) return given;
  const others = SAME.find((names) => names.includes(given))?.filter((name) => own.includes(name)) ?? [];
  const [only] = others;
  return others.length === 1 && only !== undefined ? only : given;
}

/** Arguments as a tool's own schema names them, and by which name each was given. */
export interface Named {
  readonly values: Record<string, unknown>;
  /** From the schema's name to the one the caller used. */
  readonly given: ReadonlyMap<string, string>;
}

/** Renames arguments, `"SOL"` and labels to what they stand for, and first buys to the form the tool takes. */
export function withOwnNames(given: Readonly<Record<string, unknown>>, own: readonly string[]): Named {
  const values: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    const renamed = name === 'initialBuy' ? firstBuyOf(given, own) : ownName(name, own);
    // Both names at once: the second stays as it is, and the schema refuses it.
    const target = Object.hasOwn(given, renamed) && renamed !== name ? name : renamed;
    Object.defineProperty(values, target, {
      value: inOwnForm(target, value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
    names.set(target, name);
  }
  return { values, given: names };
}

/** Which of its fields a tool takes a first buy in: raw for a quote other than SOL, where it has both. */
function firstBuyOf(given: Readonly<Record<string, unknown>>, own: readonly string[]): string {
  const [first = 'initialBuy', second] = FIRST_BUYS.filter((name) => own.includes(name));
  if (second === undefined) return first;
  const { quoteMint } = given;
  return typeof quoteMint === 'string' && mintOf(quoteMint) !== WRAPPED_SOL ? second : first;
}

const mintOf = (value: string): string => (value.toUpperCase() === 'SOL' ? WRAPPED_SOL : value);

function inOwnForm(name: string, value: unknown): unknown {
  if (QUOTES.includes(name) && typeof value === 'string') return mintOf(value);
  if (name === 'serviceConfigType' && typeof value === 'string') return configTypeId(value);
  if (!FIRST_BUYS.includes(name)) return value;
  if (name === 'initialBuyQuoteRaw') return Number.isSafeInteger(value) ? String(value) : value;
  const isWhole = typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value);
  return isWhole && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
