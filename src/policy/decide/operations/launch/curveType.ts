/**
 * The terms of a curve against the launch configuration that was asked for: the fee, about where the curve is complete
 * and a fixed supply are published of each type and held to here. What else the terms may give away `curveGives.ts`
 * names: more of the token for any key is refused, the rest is asked about (T63).
 */

import { asRecord } from '../../../../base/record.ts';
import { amountOfAsset, decimal } from '../../../../base/words.ts';
import { CONFIG_TYPE_IDS, CONFIG_TYPES, DEFAULT_CONFIG_TYPE } from '../../../../contract/configTypes.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { amountIs, type Condition, inWords } from '../clauses.ts';
import { textOf } from '../request.ts';
import { numberOf } from './curveGives.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A fee of one basis point; the whole is 1,000,000,000. */
const BASIS_POINT = 100_000n;
const LAMPORTS = 1_000_000_000n;
/** The contract says about where a type graduates: half of it up to twice as much. */
const [LEAST_PART, MOST_PARTS] = [2n, 2n];

/**
 * Conditions on the numbers of a curve, each with the name a person reads. Where it is complete is published in SOL, so a
 * curve in another quote is not held to that; an approval holds only for the threshold it was given with.
 */
export function asTypeSays(terms: Fields, request: Fields, quote: Address): readonly Condition[] {
  const asked = textOf(request, 'serviceConfigType') ?? DEFAULT_CONFIG_TYPE;
  const id = CONFIG_TYPE_IDS.find((each) => each === asked);
  if (id === undefined) return [inWords('launch configuration', asked, false, DEFAULT_CONFIG_TYPE)];
  const { feeBpsBefore, graduationSol, supply } = CONFIG_TYPES[id];
  const fee = asRecord(asRecord(terms.poolFees).baseFee).cliffFeeNumerator;
  const threshold = numberOf(terms.migrationQuoteThreshold);
  const stated = BigInt(feeBpsBefore) * BASIS_POINT;
  const about = BigInt(graduationSol) * LAMPORTS;
  return [
    amountIs('fee of the curve', fee === stated, numberOf(fee), stated, (part) => `${decimal(part, 7)}%`),
    ...(quote === WSOL_MINT
      ? [
          amountIs(
            'where the curve is complete',
            threshold >= about / LEAST_PART && threshold <= about * MOST_PARTS,
            threshold,
            about,
            (units) => amountOfAsset(units, 'SOL'),
          ),
        ]
      : []),
    ...(supply === undefined ? [] : [fixedSupply(terms, BigInt(supply))]),
  ];
}

/** The supply of a type that fixes one, in base units of the token. */
function fixedSupply({ tokenSupply, tokenDecimal }: Fields, whole: bigint): Condition {
  const stated = asRecord(tokenSupply).preMigrationTokenSupply;
  const decimals = numberOf(tokenDecimal);
  const supply = whole * 10n ** decimals;
  return amountIs('supply of the token', stated === supply, numberOf(stated), supply, (units) =>
    amountOfAsset(units, 'any', Number(decimals)),
  );
}
