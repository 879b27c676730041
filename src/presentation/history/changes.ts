/** Formats history amounts: SOL in SOL, tokens by mint, signed if they are changes. Pure. */
import { decimal, SOL_DECIMALS } from '../../base/format.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import { assetName, type TokenUnit } from '../statement/amounts.ts';
import type { Total } from './activity.ts';

/** A formatted amount. */
export interface ShownChange {
  /** `SOL` (native and wrapped together) or a mint. */
  readonly asset: string;
  /** The quoted symbol with its short address; absent if unknown. */
  readonly name?: string;
  /** Whole units, exact, signed. */
  readonly amount: string;
  /** Base units, signed. */
  readonly units: string;
}

const signed = (units: bigint, text: string): string => (units > 0n ? `+${text}` : text);

/** Formats changes: SOL first with wrapped SOL added, zero sums omitted. */
export function shownChanges(
  changes: Total['changes'],
  names: ReadonlyMap<string, TokenUnit> = new Map(),
): ShownChange[] {
  const sol = (changes.get('SOL')?.units ?? 0n) + (changes.get(WSOL_MINT)?.units ?? 0n);
  const tokens = [...changes].filter(([asset]) => asset !== 'SOL' && asset !== WSOL_MINT);
  return [['SOL', { units: sol, decimals: SOL_DECIMALS }] as const, ...tokens].flatMap(
    ([asset, { units, decimals }]) =>
      units === 0n
        ? []
        : [
            {
              asset,
              ...(names.get(asset)?.symbol === undefined ? {} : { name: assetName(asset, names.get(asset)) }),
              amount: signed(units, decimal(units, decimals)),
              units: signed(units, `${units}`),
            },
          ],
  );
}

/** Formats as `-0.5 SOL`, `+12 “ONCE” 7xKX…abcd`, `+12 of MINT`. */
export const changeWords = ({ asset, name, amount }: ShownChange): string => {
  if (asset === 'SOL') return `${amount} SOL`;
  return name === undefined ? `${amount} of ${asset}` : `${amount} ${name}`;
};

/** Formats lamports in SOL: `0.000005 SOL`. */
export const sol = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;
