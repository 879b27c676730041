/**
 * The terms of a curve or pool against the launch configuration that was asked for, every published column of it. A term
 * that differs asks the owner; the fee of a curve, the point where it is complete and a fixed supply are refused at the
 * config that writes them (T63).
 */
import { amountOfAsset, percent, SOL_DECIMALS } from '../../../../base/format.ts';
import {
  CONFIG_TYPE_IDS,
  CONFIG_TYPES,
  type ConfigType,
  DEFAULT_CONFIG_TYPE,
} from '../../../../contract/configTypes.ts';
import { LAUNCH_DECIMALS } from '../../../../contract/constants.ts';
import { feeShareAuthorityAddress } from '../../../../programs/feeShare/addresses.ts';
import { feePercent, feeWords } from '../../../../programs/poolTerms/feeFormat.ts';
import {
  BASIS_POINT,
  type CurveConfig,
  type CurveTerms,
  type FeeSide,
  type PoolTerms,
  priceOf,
  type TradeFee,
} from '../../../../programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { assetOf, type DecisionContext, decimalsOf, saidAmount } from '../../decisionContext.ts';
import type { CheckId } from '../../words/names.ts';
import { type Condition, inWords } from '../clauses.ts';
import { isKnownParty } from './parties.ts';

/** One term: whether it is as expected, and both values. */
interface Term {
  readonly id: CheckId;
  readonly holds: boolean;
  readonly observed: string;
  readonly allowed: string;
}

/** The token a launch is about, and what its fees are paid in. */
export interface Pair {
  readonly mint: Address;
  readonly quote: Address;
}

/** Whole tokens of a launch whose type fixes no other supply. */
export const USUAL_SUPPLY = 1_000_000_000;
/** A curve keeps a quarter of what it sells in reserve, which is less than this of the whole. */
export const MAX_LEFTOVER_BPS = 2_500n;
/** A curve whose price rises to the sixteenfold sells less than a third for a tenth of what completes it. */
const MAX_EARLY_BPS = 5_000n;
/** The contract says about where a type graduates: beyond half and twice it is refused, beyond a tenth it asks. */
const [LEAST_PART, MAX_PARTS, TENTHS] = [2n, 2n, 10n];
const LAMPORTS = 1_000_000_000n;
/** Square root of how far the price of a pool can rise: in a narrow one all of the supply costs what the first of it costs. */
const LEAST_RISE = 1_000n;
const SIDES: Readonly<Record<FeeSide, string>> = {
  quote: 'the quote token',
  both: 'both tokens',
  compounding: 'both tokens, a part kept as liquidity',
  unknown: 'unknown',
};

export const DEFAULT_TYPE = CONFIG_TYPES[DEFAULT_CONFIG_TYPE];

/** The launch configuration of an id; `undefined` for an id that is not published. */
function configTypeOf(id: string | undefined = DEFAULT_CONFIG_TYPE): ConfigType | undefined {
  const known = CONFIG_TYPE_IDS.find((each) => each === id);
  return known && CONFIG_TYPES[known];
}

/** The same, the default one for an id that is not published: a config with such an id is refused. */
export const typeOrDefault = (id: string | undefined): ConfigType => configTypeOf(id) ?? DEFAULT_TYPE;

/**
 * The type this home asked for when it made the config that a launch takes, else the default one; asks where this home
 * did not ask for that config, or the first swap pays another fee than was asked for. `configKey`: `null` for a pool.
 */
export function askedType(
  { inputs }: DecisionContext,
  configKey: Address | null,
  isFirstSwapCheap: boolean | undefined,
  list: Checklist,
): ConfigType {
  const { asked } = inputs;
  if (asked === undefined || asked.configKey !== configKey) {
    const observed = configKey ?? undefined;
    list.ask('TERM_UNKNOWN', 'askedConfiguration', { observed });
    return DEFAULT_TYPE;
  }
  if (configKey !== null && asked.isFirstSwapCheap !== isFirstSwapCheap)
    list.ask('TERM_DIFFERS', 'firstSwapFee', {
      observed: `${isFirstSwapCheap}`,
      allowed: `${asked.isFirstSwapCheap}`,
    });
  return typeOrDefault(asked.type);
}

const term = (id: CheckId, holds: boolean, observed: string, allowed: string): Term => {
  return { id, holds, observed, allowed };
};
const bps = (points: number): bigint => BigInt(points) * BASIS_POINT;
const isFlatAt = ({ first, lowest, highest }: TradeFee, at: bigint): boolean =>
  first === at && lowest === at && highest === at;
const upTo = (id: CheckId, found: bigint, most: bigint): Term =>
  term(id, found <= most, percent(Number(found)), `at most ${percent(Number(most))}`);
const none = (id: CheckId, share: number): Term => term(id, share === 0, `${share}%`, '0%');

/** The terms that a config is refused for where they are not those of the type that was asked for. */
function decisiveTerms({ fee, curve }: PoolTerms & { curve: CurveTerms }, type: ConfigType, quote: Address) {
  const stated = bps(type.feeBpsBefore);
  const about = BigInt(type.graduationSol) * LAMPORTS;
  const fixed = BigInt(type.supply ?? 0) * 10n ** BigInt(curve.decimals);
  const inTokens = (units: bigint) => amountOfAsset(units, 'any', curve.decimals);
  return [
    term('curveFee', fee.first === stated, feePercent(fee.first), feePercent(stated)),
    // Where a curve is complete is published in SOL.
    ...(quote === WSOL_MINT
      ? [
          term(
            'curveThreshold',
            curve.threshold >= about / LEAST_PART && curve.threshold <= about * MAX_PARTS,
            amountOfAsset(curve.threshold, 'SOL'),
            amountOfAsset(about, 'SOL'),
          ),
        ]
      : []),
    ...(type.supply === undefined
      ? []
      : [
          term(
            'tokenSupply',
            curve.isSupplyFixed && curve.supply === fixed,
            inTokens(curve.supply),
            inTokens(fixed),
          ),
        ]),
  ];
}

/** A curve after whose launch a key could make more of the token is refused. */
export const noMoreTokens = ({ curve }: PoolTerms): Condition =>
  inWords('noMoreTokens', curve?.updater, curve?.mayMintMore === false, 'none');

/** Conditions on a config, each with the name a person reads. */
export function typeConditions(
  terms: PoolTerms,
  id: string | undefined,
  quote: Address,
): readonly Condition[] {
  const type = configTypeOf(id);
  const { curve } = terms;
  if (type === undefined || curve === undefined) {
    const observed = `a text of ${id?.length ?? 0} characters`;
    return [[false, () => ({ wrong: 'launchConfiguration', observed, allowed: DEFAULT_CONFIG_TYPE })]];
  }
  return decisiveTerms({ ...terms, curve }, type, quote).map(({ id, holds, observed, allowed }) => [
    holds,
    () => ({ wrong: id, observed, allowed }),
  ]);
}

/** Other published columns of a type: the fee over time, the pool after the curve, supply and lock. */
function typeTerms({ fee, curve }: PoolTerms & { curve: CurveTerms }, type: ConfigType, quote: Address) {
  const { migration } = curve;
  const [after, floor] = [bps(type.feeBpsAfter), bps(type.feeFloorBpsAfter ?? type.feeBpsAfter)];
  const about = BigInt(type.graduationSol) * LAMPORTS;
  const apart = curve.threshold > about ? curve.threshold - about : about - curve.threshold;
  const compoundingBps = quote === WSOL_MINT ? type.compoundingPercent * 100 : 0;
  const held = (curve.supply * BigInt(type.lockedPercent ?? 0)) / 100n;
  const inTokens = (units: bigint) => amountOfAsset(units, 'any', curve.decimals);
  return [
    term('feeOverTime', isFlatAt(fee, fee.first), feeWords(fee), feePercent(bps(type.feeBpsBefore))),
    ...(quote === WSOL_MINT
      ? [
          term(
            'curveThreshold',
            apart * TENTHS <= about,
            amountOfAsset(curve.threshold, 'SOL'),
            `about ${amountOfAsset(about, 'SOL')}`,
          ),
        ]
      : []),
    term(
      'migratedFee',
      isFee(migration.fee, after, floor),
      feeWords(migration.fee),
      floor === after ? feePercent(after) : `${feePercent(after)}, falling to ${feePercent(floor)}`,
    ),
    term(
      'compoundedFees',
      migration.compoundingBps === compoundingBps &&
        migration.side === (compoundingBps === 0 ? 'quote' : 'compounding'),
      `${percent(migration.compoundingBps)} of fees in ${SIDES[migration.side]}`,
      percent(compoundingBps),
    ),
    term('lockedSupply', curve.heldBack === held, inTokens(curve.heldBack), inTokens(held)),
  ];
}

/** A flat fee, or one that falls with the price to a floor; the exponential of the program is not exact. */
function isFee(fee: TradeFee, first: bigint, floor: bigint): boolean {
  if (floor === first) return isFlatAt(fee, first);
  const rounding = floor / 50n;
  return (
    fee.course === 'price' &&
    fee.first === first &&
    fee.highest === first &&
    fee.lowest >= floor - rounding &&
    fee.lowest <= floor + rounding
  );
}

/** Terms of a curve that no type publishes: as favour nobody but those who share the fees. */
function neutralTerms({ side, creationFee, curve }: PoolTerms & { curve: CurveTerms }, type: ConfigType) {
  const { migration, supply, leftoverBps = 0n } = curve;
  const usual = BigInt(type.supply ?? USUAL_SUPPLY) * 10n ** BigInt(curve.decimals);
  const inTokens = (units: bigint) => amountOfAsset(units, 'any', curve.decimals);
  const is = <T extends string>(
    id: CheckId,
    found: T,
    asked: T,
    words: Partial<Record<T, string>> = {},
  ): Term => term(id, found === asked, words[found] ?? found, words[asked] ?? asked);
  return [
    is('curveFeeAsset', side, 'quote', SIDES),
    is('tokenStandard', curve.standard, 'Token'),
    term(
      'tokenSupply',
      curve.isSupplyFixed && supply === usual,
      `${inTokens(supply)}${curve.isSupplyFixed ? '' : ', by the prices of the curve'}`,
      inTokens(usual),
    ),
    upTo('unsoldSupply', leftoverBps, MAX_LEFTOVER_BPS),
    upTo('soldEarly', curve.soldEarlyBps, MAX_EARLY_BPS),
    is('migrationPool', migration.target, 'DAMM v2'),
    none('paidOut', migration.paidOutPercent),
    none('claimerUnlocked', curve.claimerUnlocked),
    none('claimerVesting', curve.claimerVesting),
    none('creatorUnlocked', curve.creatorUnlocked),
    none('creatorVesting', curve.creatorVesting),
    none('creatorLocked', curve.creatorLocked),
    none('creatorFee', curve.creatorFeePercent),
    is('tokenUpdater', curve.updater, 'none'),
    term('poolCost', creationFee === 0n, amountOfAsset(creationFee, 'SOL'), '0 SOL'),
  ];
}

/**
 * Asks about every term of a curve that is not that of its type, or favours others; `isHeld`: the decisive ones were
 * conditions already.
 */
export function askAboutCurve(
  c: DecisionContext,
  { terms, leftoverReceiver }: CurveConfig,
  type: ConfigType,
  { mint, quote }: Pair,
  list: Checklist,
  isHeld: boolean,
): void {
  const { curve } = terms;
  if (curve === undefined) return;
  const of = { ...terms, curve };
  const all = [
    ...(isHeld ? [] : decisiveTerms(of, type, quote)),
    ...typeTerms(of, type, quote),
    ...neutralTerms(of, type),
    firstPrice(c, terms, curve.supply, quote),
  ];
  askAboutTerms(terms, all, list);
  if (leftoverReceiver !== feeShareAuthorityAddress(mint, quote) && !isKnownParty(c, leftoverReceiver))
    list.ask('PARTY_UNKNOWN', 'leftoverReceiver', {
      observed: `${leftoverReceiver}${curve.leftoverBps === undefined ? '' : `, about ${percent(Number(curve.leftoverBps))} of the supply`}`,
    });
}

/** Asks about the terms of a pool that are not those of its type. */
export function askAboutPool(
  c: DecisionContext,
  terms: PoolTerms,
  type: ConfigType,
  supply: bigint,
  quote: Address,
  list: Checklist,
): void {
  const { fee, side, compoundingBps, openingRoot, topRoot } = terms;
  const { feeBpsBefore, feeBpsAfter, compoundingPercent } = type;
  const stated = [...new Set([feeBpsBefore, feeBpsAfter])].map(bps);
  const usual = BigInt(type.supply ?? USUAL_SUPPLY) * 10n ** BigInt(LAUNCH_DECIMALS);
  const inTokens = (units: bigint) => amountOfAsset(units, 'any', LAUNCH_DECIMALS);
  const wholeAt = (root: bigint) => saidAmount(c, priceOf(root, supply), assetOf(quote));
  askAboutTerms(
    terms,
    [
      term(
        'poolFee',
        stated.some((each) => isFlatAt(fee, each)),
        feeWords(fee),
        stated.map(feePercent).join(' or '),
      ),
      term(
        'poolFeeAsset',
        side === 'quote'
          ? compoundingBps === 0
          : side === 'compounding' && compoundingBps === compoundingPercent * 100,
        side === 'compounding' ? `${SIDES[side]} (${percent(compoundingBps)})` : SIDES[side],
        SIDES.quote,
      ),
      term('tokenSupply', supply === usual, inTokens(supply), inTokens(usual)),
      ...(topRoot === undefined
        ? []
        : [
            term(
              'highestPrice',
              topRoot >= openingRoot * LEAST_RISE,
              wholeAt(topRoot),
              `at least ${wholeAt(openingRoot * LEAST_RISE)}`,
            ),
          ]),
      firstPrice(c, terms, supply, quote),
    ],
    list,
  );
}

function askAboutTerms(terms: PoolTerms, all: readonly Term[], list: Checklist): void {
  for (const { id, holds, observed, allowed } of all)
    if (!holds) list.ask('TERM_DIFFERS', id, { observed, allowed });
  for (const { term, value } of terms.unknown)
    list.ask('TERM_UNKNOWN', 'unknownTerm', { params: { part: term }, observed: `${value}` });
}

/** The price of the whole supply at the opening: below one whole quote token nearly all of it is for sale for nothing. */
function firstPrice(c: DecisionContext, terms: PoolTerms, supply: bigint, quote: Address): Term {
  const price = priceOf(terms.openingRoot, supply);
  const decimals = quote === WSOL_MINT ? SOL_DECIMALS : (decimalsOf(c, quote) ?? 0);
  const least = 10n ** BigInt(decimals);
  const says = (units: bigint) => saidAmount(c, units, assetOf(quote));
  return term('openingPrice', price >= least, says(price), `at least ${says(least)}`);
}
