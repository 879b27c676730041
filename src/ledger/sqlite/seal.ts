/** Digests over rows, so that a flipped byte inside a value is noticed when the row is read (F46). */
import { canonicalJson, sha256Text } from '../../base/canonicalJson.ts';
import { corrupt } from '../errors.ts';

/** The seal of a row's values. */
export const seal = (...values: readonly (string | number | null | undefined)[]): string =>
  sha256Text(canonicalJson(values.map((value) => value ?? null)));

/** Refuses a row whose seal is not the one of its values. */
export function checkSeal(found: string, ...values: readonly (string | number | null | undefined)[]): void {
  if (found !== seal(...values)) throw corrupt('A row of the ledger is damaged.');
}
