/** What the bytes of the shown build, and terms on the chain, fix beyond the expectation, as a person's approval pins it (`Decision.opened`). */
import { asRecord } from '../../base/record.ts';
import { capital } from '../../base/words.ts';
import type { Amount, Opened } from '../../policy/decide/operations/expectation.ts';
import type { AskCode, Check } from '../../policy/decide/types.ts';
import { askWords } from '../../policy/decide/words/names.ts';
import { feePercent } from '../../programs/poolTerms/words.ts';
import type { Address } from '../../transaction/types.ts';

/** The pinned items by what they are about. Texts are as written, not cleaned. */
export interface OpenedFacts {
  readonly name?: { readonly name: string; readonly symbol: string };
  /** May name and link of the token be changed afterwards? */
  readonly isMutable?: boolean;
  /** The pool's creator, a key that the venue gives rights to. */
  readonly creator?: Address;
  /** The fee of a trade, in percent. */
  readonly tradeFee?: string;
  /** Gets what the curve does not sell. */
  readonly leftover?: Address;
  /** How much of the supply that is, in basis points; absent where the terms fix no supply. */
  readonly leftBps?: bigint;
  /** Terms and parties that are asked about, a phrase each. */
  readonly gives: readonly string[];
  /** Who earns from the pools of a curve's terms. */
  readonly feeClaimer?: Address;
  /** Who holds positions. */
  readonly holders: readonly Address[];
  readonly firstBuy?: { readonly output: string; readonly least: bigint };
  /** Paid beside those who were asked for. */
  readonly payments: readonly {
    readonly address: Address;
    readonly paid?: Amount;
    readonly isRefund: boolean;
  }[];
}

export function openedFacts(opened: readonly Opened[]): OpenedFacts {
  const of = (what: string): unknown[] =>
    opened.filter((each) => each.what === what).map(({ says }): unknown => JSON.parse(says));
  const [name] = of('name').map(list);
  const [pool] = of('pool').map(list);
  const [curve] = of('curve').map(list);
  const token = asRecord(pool?.[1]);
  const named = { name: text(name?.[0] ?? token.name), symbol: text(name?.[1] ?? token.symbol) };
  const [terms, creator, leftover, claimer] = [curve?.[0] ?? pool?.[0], pool?.[2], curve?.[1], curve?.[2]];
  const left = asRecord(asRecord(terms).curve).leftoverBps;
  const fee = asRecord(asRecord(terms).fee);
  const buy = opened.find(({ what }) => what === 'first buy');
  return {
    ...(named.name === '' && named.symbol === '' ? {} : { name: named }),
    ...(typeof name?.[2] === 'boolean' ? { isMutable: name[2] } : {}),
    ...address('creator', creator),
    ...address('leftover', leftover),
    ...(isUnits(left) ? { leftBps: BigInt(left) } : {}),
    gives: of('ask').flatMap(askedAbout),
    ...address('feeClaimer', claimer),
    ...(isUnits(fee.first) ? { tradeFee: feeText(fee) } : {}),
    holders: of('position').flatMap((each) => (typeof each === 'string' ? [each] : [])),
    ...(buy === undefined
      ? {}
      : { firstBuy: { output: text(JSON.parse(buy.says)), least: BigInt(buy.least ?? '0') } }),
    payments: opened.flatMap(({ what, says, paid }) => {
      const isRefund = what === 'refund';
      const address: unknown = what === 'payment' || isRefund ? JSON.parse(says) : undefined;
      return typeof address === 'string' ? [{ address, isRefund, ...(paid && { paid }) }] : [];
    }),
  };
}

const isUnits = (value: unknown): value is string => typeof value === 'string' && /^\d+$/.test(value);

/** The fee of a trade as pinned, with its bounds where it does not stay. */
function feeText({ first, lowest, highest }: Readonly<Record<string, unknown>>): string {
  const [of, from, to] = [first, lowest, highest].map((each) =>
    isUnits(each) ? feePercent(BigInt(each)) : '?',
  );
  return from === to ? `${of}` : `${of} (${from} to ${to} later)`;
}

const LAUNCH_ASKS: readonly unknown[] = ['TERM_DIFFERS', 'TERM_UNKNOWN', 'PARTY_UNKNOWN'] satisfies AskCode[];

/** An ask about a launch as a sentence. */
function askedAbout(pin: unknown): string[] {
  // As `pinOf` writes it.
  const ask = pin as Check;
  return LAUNCH_ASKS.includes(ask.code) ? [`${capital(askWords(ask))}.`] : [];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const address = <K extends string>(key: K, value: unknown): Partial<Record<K, Address>> => {
  const found: Partial<Record<K, Address>> = {};
  if (typeof value === 'string') found[key] = value;
  return found;
};
