/**
 * What a request leads to: what may leave and must arrive, who takes part, which rights stand afterwards, what stays
 * open. It is made from the request, from what this home stored itself and from our own view of the chain; a field of
 * the service's answer is never part of it. All of it is JSON: a person approves it, and its digest names it.
 */

import { canonicalJson } from '../../../base/canonicalJson.ts';
import type { TokenNames } from '../../../plan/tokenNames.ts';
import type { PlanOperation } from '../../../plan/types.ts';
import type { Act, Asset, Earner, Right } from '../../../programs/acts.ts';
import type { CurveConfig } from '../../../programs/poolTerms/terms.ts';
import type { ProgramFact } from '../../../rpc/types.ts';
import type { Address } from '../../../transaction/types.ts';
import { amountsOf } from '../amounts.ts';

/** An amount of one asset, base units as a decimal text. */
export interface Amount {
  readonly asset: Asset;
  readonly amount: string;
}

export interface Expectation {
  readonly version: 1;
  readonly operation: PlanOperation;
  readonly wallet: Address;
  /** Most that may leave in the whole run, fees and deposits apart. */
  readonly mostOut: readonly Amount[];
  /** Least that must arrive in accounts of the wallet. */
  readonly leastIn: readonly Amount[];
  /** Most lamports deposited in accounts that are made, in the whole run. */
  readonly mostDeposits: string;
  /** Lamports taken above rent that are known: for the name of a token, for a pool. They do not come back. */
  readonly surcharges?: string;
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
  /** Gets a payment, of all that `mostOut` names. */
  readonly recipient?: Address;
  /** Words that stand beside a payment on the chain. */
  readonly memo?: string;
  /** The token that is made: its mint, the link to what describes it, and its names where this home registered it. */
  readonly token?: { readonly mint: Address; readonly uri: string | undefined } & Partial<TokenNames>;
  /** What is claimed, where it is several claims together. */
  readonly claims?: readonly Pick<Expectation, 'operation' | 'baseMint' | 'quoteMint'>[];
  /** Rights that stand afterwards and did not stand before. */
  readonly rights: readonly { readonly right: Right; readonly of: Address; readonly to: Address | null }[];
  /** What is not fixed before the first signature, as sentences for a person. */
  readonly open: readonly string[];
}

/** Something that bytes or code fix and no request names. JSON. */
export interface Opened {
  readonly what: string;
  /** Exactly this, as JSON text. */
  readonly says: string;
  /** At least so much arrives, base units. */
  readonly least?: string;
  /**
   * What a payment is of in the shown build. Another build may differ in it: a fee follows its quote, inside the bounds
   * and the rule.
   */
  readonly paid?: Amount;
}

const jsonText = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));

const CODE = 'code of ';
const REFUND = 'refund';

const curveItem = ({ terms, leftoverReceiver, feeClaimer }: CurveConfig): Opened => ({
  what: 'curve',
  says: jsonText([terms, leftoverReceiver, feeClaimer]),
});

/**
 * What a stage fixes beyond the expectation: the terms of a pool or curve, who holds its positions, what a token is called, what a first buy brings,
 * who is paid beside those who were asked for, and since when the programs it calls are what they are.
 */
export function openedBy(
  { operation }: Pick<Expectation, 'operation'>,
  acts: readonly Act[],
  paid: readonly { readonly address: Address; readonly role: string; readonly paid?: Amount }[],
  programs: readonly ProgramFact[],
  curve?: CurveConfig,
): readonly Opened[] {
  const fixed = acts.flatMap((act): readonly Opened[] => {
    if (act.act === 'createPool')
      return [{ what: 'pool', says: jsonText([act.terms, act.token, act.creator]) }];
    if (act.act === 'createPoolConfig') return [curveItem(act)];
    if (act.act === 'openPosition') return [{ what: 'position', says: jsonText(act.owner) }];
    if (act.act === 'swap' && operation === 'launch')
      return [{ what: 'first buy', says: jsonText(act.output), least: `${act.leastOut}` }];
    return act.act === 'setMetadata'
      ? [{ what: 'name', says: jsonText([act.name, act.symbol, act.mutable]) }]
      : [];
  });
  return [
    ...fixed,
    ...(curve === undefined ? [] : [curveItem(curve)]),
    ...paid.map(({ address, role, paid: of }) => ({
      what: role === REFUND ? REFUND : 'payment',
      says: jsonText(address),
      ...(of === undefined ? {} : { paid: of }),
    })),
    ...programs.map(({ address, deployedSlot }) => ({
      what: `${CODE}${address}`,
      says: jsonText(deployedSlot),
    })),
  ];
}

/**
 * Whether what a stage fixes is what was shown: the same, and at least as much. Code that no shown stage calls is open, and
 * a refund of the network fee is bounded by the policy and by the fees that were approved.
 */
export function wasShown(shown: readonly Opened[], { what, says, least = '0' }: Opened): boolean {
  if (what === REFUND) return true;
  const about = shown.filter((each) => each.what === what);
  if (about.length === 0 && what.startsWith(CODE)) return true;
  return about.some((each) => each.says === says && BigInt(least) >= BigInt(each.least ?? '0'));
}

/** All of an expectation but its amounts: what two of them must share to be about the same. */
export function termsOf(expectation: Expectation): Partial<Expectation> {
  const { mostOut, leastIn, mostDeposits, surcharges, mostFees, ...terms } = expectation;
  return terms;
}

/** Whether an expectation stays inside an approved one: the same terms, no more may leave, no less must arrive. */
export function isInside(approved: Expectation, now: Expectation): boolean {
  const least = amountsOf(now.leastIn);
  const most = amountsOf(approved.mostOut);
  return (
    canonicalJson(termsOf(approved)) === canonicalJson(termsOf(now)) &&
    now.mostOut.every(({ asset, amount }) => BigInt(amount) <= (most.get(asset) ?? 0n)) &&
    approved.leastIn.every(({ asset, amount }) => (least.get(asset) ?? 0n) >= BigInt(amount)) &&
    BigInt(now.surcharges ?? '0') <= BigInt(approved.surcharges ?? '0') &&
    BigInt(now.mostDeposits) <= BigInt(approved.mostDeposits) &&
    BigInt(now.mostFees) <= BigInt(approved.mostFees)
  );
}

/** Most that may leave in the whole run with fees and deposits, and least that must arrive, by asset. */
export function boundsOf({ mostOut, leastIn, mostDeposits, surcharges = '0', mostFees }: Expectation): {
  readonly asset: Asset;
  readonly mostOut: string;
  readonly leastIn: string;
}[] {
  const most = amountsOf(mostOut);
  const beside = BigInt(mostDeposits) + BigInt(surcharges) + BigInt(mostFees);
  most.set('SOL', (most.get('SOL') ?? 0n) + beside);
  const least = amountsOf(leastIn);
  return [...new Set([...most.keys(), ...least.keys()])]
    .sort()
    .map((asset) => ({ asset, mostOut: `${most.get(asset) ?? 0n}`, leastIn: `${least.get(asset) ?? 0n}` }));
}
