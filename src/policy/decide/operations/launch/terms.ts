/**
 * Compares the terms of a curve or pool with the requested launch configuration, in all its published columns. A different
 * term asks the owner; a different curve fee, threshold or fixed supply is refused in the stage that creates the config
 * (T63).
 */
import { amountOfAsset, percent, SOL_DECIMALS, secondsWords } from '../../../../base/format.ts';
import {
  CONFIG_TYPE_IDS,
  CONFIG_TYPES,
  type ConfigType,
  DEFAULT_CONFIG_TYPE,
} from '../../../../contract/configTypes.ts';
import { LAUNCH_DECIMALS } from '../../../../contract/constants.ts';
import { feeShareAuthorityAddress } from '../../../../programs/feeShare/addresses.ts';
import {
  BASIS_POINT,
  type CurveConfig,
  type CurveTerms,
  type FeeSide,
  feePercent,
  feeWords,
  type PoolTerms,
  priceOf,
  type TradeFee,
} from '../../../../programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { assetOf, type DecisionContext, decimalsOf, formatAmount } from '../../decisionContext.ts';
import type { CheckId } from '../../words/names.ts';
import { type Condition, inWords } from '../clauses.ts';
import { isKnownParty } from './parties.ts';

/** One term: whether it holds, with the observed and the allowed value. */
interface Term {
  readonly id: CheckId;
  readonly holds: boolean;
  readonly observed: string;
  readonly allowed: string;
}

/** The launched token and its quote token. */
export interface Pair {
  readonly mint: Address;
  readonly quote: Address;
}

/** Default supply of a launch, in whole tokens. */
export const USUAL_SUPPLY = 1_000_000_000;
/** Maximum unsold supply: a curve reserves a quarter of the sold tokens, which is less than this share of the whole. */
export const MAX_LEFTOVER_BPS = 2_500n;
/** Maximum supply sold early: a curve with a sixteenfold price rise sells less than a third for a tenth of its threshold. */
const MAX_EARLY_BPS = 5_000n;
/** The contract gives approximate graduation thresholds: below half or above twice is refused, a deviation above a tenth asks. */
const [LEAST_PART, MAX_PARTS, TENTHS] = [2n, 2n, 10n];
const LAMPORTS = 1_000_000_000n;
/** The contract leaves open how long a supply is locked and how a fee falls: a shorter time or a smaller rise asks. */
const [LEAST_SECONDS, LEAST_FALL_BPS] = [30n * 86_400n, 20_000n];
/** Minimum ratio of a pool's highest to its opening square root price: a narrow range sells the whole supply at one price. */
const LEAST_RISE = 1_000n;
const SIDES: Readonly<Record<FeeSide, string>> = {
  quote: 'the quote token',
  both: 'both tokens',
  compounding: 'both tokens, a part kept as liquidity',
  unknown: 'unknown',
};

export const DEFAULT_TYPE = CONFIG_TYPES[DEFAULT_CONFIG_TYPE];

/** Returns the launch configuration of an id, or `undefined` for an unpublished id. */
function configTypeOf(id: string | undefined = DEFAULT_CONFIG_TYPE): ConfigType | undefined {
  const known = CONFIG_TYPE_IDS.find((each) => each === id);
  return known && CONFIG_TYPES[known];
}

/** Returns the launch configuration of an id, or the default for an unpublished id; a config with such an id is refused. */
export const typeOrDefault = (id: string | undefined): ConfigType => configTypeOf(id) ?? DEFAULT_TYPE;

/**
 * Returns the type that this home requested for the launch's config, else the default. Asks if this home did not request
 * that config, or if the fee of the first swap differs. `configKey` is `null` for a pool.
 */
export function requestedType(
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

/** Returns the terms for which a config is refused if they differ from the requested type. */
function decisiveTerms({ fee, curve }: PoolTerms & { curve: CurveTerms }, type: ConfigType, quote: Address) {
  const stated = bps(type.feeBpsBefore);
  const about = BigInt(type.graduationSol) * LAMPORTS;
  const fixed = BigInt(type.supply ?? 0) * 10n ** BigInt(curve.decimals);
  const inTokens = (units: bigint) => amountOfAsset(units, 'any', curve.decimals);
  return [
    term('curveFee', fee.first === stated, feePercent(fee.first), feePercent(stated)),
    // Thresholds are published in SOL.
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

/** Requires that no key can mint more of the token after the launch. */
export const noMoreTokens = ({ curve }: PoolTerms): Condition =>
  inWords('noMoreTokens', curve?.updater, curve?.mayMintMore === false, 'none');

/** Returns the conditions on a config of the requested type. */
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

/** Returns the other published terms of a type: fee schedule, migrated pool and locked supply. */
function typeTerms({ fee, curve }: PoolTerms & { curve: CurveTerms }, type: ConfigType, quote: Address) {
  const { migration, halfReleasedAfter: locked } = curve;
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
    term(
      'lockedSupply',
      curve.heldBack === held && (locked === undefined || locked >= LEAST_SECONDS),
      `${inTokens(curve.heldBack)}${locked === undefined ? '' : `, half of it for ${secondsWords(Number(locked))}`}`,
      `${inTokens(held)}${held === 0n ? '' : ` for at least ${secondsWords(Number(LEAST_SECONDS))}`}`,
    ),
  ];
}

/** Whether a fee is flat, or falls with the price to a floor, within the program's rounding of 2%, and not at once. */
function isFee(fee: TradeFee, first: bigint, floor: bigint): boolean {
  if (floor === first) return isFlatAt(fee, first);
  const rounding = floor / 50n;
  return (
    fee.course === 'price' &&
    fee.endsAfter >= LEAST_SECONDS &&
    (fee.lowestAtBps ?? 0n) >= LEAST_FALL_BPS &&
    fee.first === first &&
    fee.highest === first &&
    fee.lowest >= floor - rounding &&
    fee.lowest <= floor + rounding
  );
}

/** Returns the unpublished terms of a curve, expected at values that favour only the claimers. */
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
 * Asks about every term of a curve that differs from its type or favours others. `isHeld` skips the decisive terms, which
 * were checked as conditions.
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

/** Asks about every term of a pool that differs from its type. */
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
  const wholeAt = (root: bigint) => formatAmount(c, priceOf(root, supply), assetOf(quote));
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

/** Returns the term of the opening price: the whole supply must cost at least one whole quote token. */
function firstPrice(c: DecisionContext, terms: PoolTerms, supply: bigint, quote: Address): Term {
  const price = priceOf(terms.openingRoot, supply);
  const decimals = quote === WSOL_MINT ? SOL_DECIMALS : (decimalsOf(c, quote) ?? 0);
  const least = 10n ** BigInt(decimals);
  const format = (units: bigint) => formatAmount(c, units, assetOf(quote));
  return term('openingPrice', price >= least, format(price), `at least ${format(least)}`);
}
