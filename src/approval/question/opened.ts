/** What the bytes of the shown build, and terms on the chain, fix beyond the expectation, as a person's approval pins it (`Decision.opened`). */
import { asRecord } from '../../base/record.ts';
import { decimal } from '../../base/words.ts';
import type { Amount, Opened } from '../../policy/decide/operations/expectation.ts';
import { curveGives, leftoverBps } from '../../policy/decide/operations/launch/curveGives.ts';
import type { Address } from '../../transaction/types.ts';

/** The pinned items by what they are about. Texts are as written, not cleaned. */
export interface OpenedFacts {
  readonly name?: { readonly name: string; readonly symbol: string };
  /** May name and link of the token be changed afterwards? */
  readonly isMutable?: boolean;
  /** The pool's creator, a key that the venue gives rights to. */
  readonly creator?: Address;
  /** The fee of a trade at first, in percent. */
  readonly tradeFee?: string;
  /** Gets what the curve does not sell. */
  readonly leftover?: Address;
  /** How much of the supply that is, in basis points; absent where the terms fix no supply. */
  readonly leftBps?: bigint;
  /** What else the terms of a curve give away, a sentence each. */
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

/** The program counts fees in parts of 1,000,000,000. */
const FEE_DECIMALS = 7;

export function openedFacts(opened: readonly Opened[]): OpenedFacts {
  const of = (what: string): unknown[] =>
    opened.filter((each) => each.what === what).map(({ says }): unknown => JSON.parse(says));
  const [name] = of('name').map(list);
  const [pool] = of('pool').map(list);
  const [curve] = of('curve').map(list);
  const token = asRecord(pool?.[1]);
  const named = { name: text(name?.[0] ?? token.name), symbol: text(name?.[1] ?? token.symbol) };
  const [terms, creator, leftover, claimer] = [curve?.[0] ?? pool?.[0], pool?.[2], curve?.[1], curve?.[2]];
  const left = curve === undefined ? undefined : leftoverBps(asRecord(terms));
  const { cliffFeeNumerator, data } = asRecord(asRecord(asRecord(terms).poolFees).baseFee);
  const fee = cliffFeeNumerator ?? firstFee(data);
  const buy = opened.find(({ what }) => what === 'first buy');
  return {
    ...(named.name === '' && named.symbol === '' ? {} : { name: named }),
    ...(typeof name?.[2] === 'boolean' ? { isMutable: name[2] } : {}),
    ...address('creator', creator),
    ...address('leftover', leftover),
    ...(left === undefined ? {} : { leftBps: left }),
    gives: curve === undefined ? [] : curveGives(asRecord(terms)),
    ...address('feeClaimer', claimer),
    ...(/^\d+$/.test(`${fee}`) ? { tradeFee: `${decimal(BigInt(`${fee}`), FEE_DECIMALS)}%` } : {}),
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

/** Meteora DAMM v2 writes the fee as bytes, of which the first eight are what a trade costs at first. */
function firstFee(data: unknown): bigint | undefined {
  const bytes = Object.values(asRecord(data)).map(Number);
  return bytes.length < 8 ? undefined : Buffer.from(bytes).readBigUInt64LE();
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const address = <K extends string>(key: K, value: unknown): Partial<Record<K, Address>> => {
  const found: Partial<Record<K, Address>> = {};
  if (typeof value === 'string') found[key] = value;
  return found;
};
