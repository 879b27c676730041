/** Amounts of a history as people read them: SOL in SOL, tokens by their mint, with a sign where something changed. Pure. */
import { decimal, SOL_DECIMALS } from '../../base/format.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import { assetName, type TokenUnit } from '../statement/amounts.ts';
import type { Total } from './activity.ts';

/** One amount as it is shown. */
export interface ShownChange {
  /** `SOL` (native and wrapped together) or a mint. */
  readonly asset: string;
  /** The token's symbol, quoted, with its short address; absent where no name of it is known. */
  readonly name?: string;
  /** Whole units, exact, signed. */
  readonly amount: string;
  /** Base units, signed. */
  readonly units: string;
}

const signed = (units: bigint, text: string): string => (units > 0n ? `+${text}` : text);

/** Changes as they are shown: SOL first, wrapped SOL counted with it, what cancels out left away. */
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

/** `-0.5 SOL`, `+12 “ONCE” 7xKX…abcd`, `+12 of MINT`. */
export const changeWords = ({ asset, name, amount }: ShownChange): string => {
  if (asset === 'SOL') return `${amount} SOL`;
  return name === undefined ? `${amount} of ${asset}` : `${amount} ${name}`;
};

/** Lamports in SOL alone: `0.000005 SOL`. */
export const sol = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;
