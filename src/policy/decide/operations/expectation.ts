/**
 * What a request leads to: what may leave and must arrive, who takes part, which rights stand afterwards, what stays
 * open. It is made from the request, from what this home stored itself and from our own view of the chain; a field of
 * the service's answer is never part of it. All of it is JSON: a person approves it, and its digest names it.
 */
import type { Operation } from '../../../plan/types.ts';
import type { Act, Asset, Earner, Right } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';

/** An amount of one asset, base units as a decimal text. */
export interface Amount {
  readonly asset: Asset;
  readonly amount: string;
}

export interface Expectation {
  readonly version: 1;
  readonly operation: Operation;
  readonly wallet: Address;
  /** Most that may leave in the whole run, fees and deposits apart. */
  readonly mostOut: readonly Amount[];
  /** Least that must arrive in accounts of the wallet. */
  readonly leastIn: readonly Amount[];
  /** Most lamports deposited in accounts that are made, in the whole run. */
  readonly mostDeposits: string;
  /** Most lamports of network fees in the whole run: the policy's most for each of the stages it may have. */
  readonly mostFees: string;
  readonly tip?: { readonly wallet: Address; readonly lamports: string };
  readonly baseMint?: Address;
  readonly quoteMint?: Address;
  /** Everyone who earns, with their shares. */
  readonly earners?: readonly Earner[];
  /** May change who earns afterwards; `null`: no key may. */
  readonly manager?: Address | null;
  readonly partner?: Address;
  /** Earns from positions that are held in custody. */
  readonly feeClaimer?: Address;
  /** The token that is made: its mint, and the link to what describes it. */
  readonly token?: { readonly mint: Address; readonly uri: string | undefined };
  /** Rights that stand afterwards and did not stand before. */
  readonly rights: readonly { readonly right: Right; readonly of: Address; readonly to: Address | null }[];
  /** What is not fixed before the first signature, as sentences for a person. */
  readonly open: readonly string[];
}

/** What acts fix that no request names: the terms of a pool or curve, and what a token is called. */
export const openedBy = (acts: readonly Act[]): readonly unknown[] =>
  acts.flatMap((act): readonly (readonly unknown[])[] => {
    if (act.act === 'createPool') return [['pool', act.terms, act.token]];
    if (act.act === 'createPoolConfig') return [['curve', act.terms, act.leftoverReceiver]];
    return act.act === 'setMetadata' ? [['name', act.name, act.symbol, act.mutable]] : [];
  });

/** Most that may leave in the whole run with fees and deposits, and least that must arrive, by asset. */
export function boundsOf({ mostOut, leastIn, mostDeposits, mostFees }: Expectation): {
  readonly asset: Asset;
  readonly mostOut: string;
  readonly leastIn: string;
}[] {
  const most = new Map(mostOut.map(({ asset, amount }) => [asset, BigInt(amount)]));
  most.set('SOL', (most.get('SOL') ?? 0n) + BigInt(mostDeposits) + BigInt(mostFees));
  const least = new Map(leastIn.map(({ asset, amount }) => [asset, BigInt(amount)]));
  return [...new Set([...most.keys(), ...least.keys()])]
    .sort()
    .map((asset) => ({ asset, mostOut: `${most.get(asset) ?? 0n}`, leastIn: `${least.get(asset) ?? 0n}` }));
}
