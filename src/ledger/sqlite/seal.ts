/** Digests of rows, which detect a flipped byte inside a value (F46). */
import { canonicalJson, sha256Text } from '../../base/canonicalJson.ts';
import { corrupt } from '../errors.ts';

/** Returns the seal of a row's values. */
export const seal = (...values: readonly (string | number | null | undefined)[]): string =>
  sha256Text(canonicalJson(values.map((value) => value ?? null)));

/** Throws `LEDGER_CORRUPT` if a seal does not match the values. */
export function checkSeal(found: string, ...values: readonly (string | number | null | undefined)[]): void {
  if (found !== seal(...values)) throw corrupt('A row of the ledger is damaged.');
}
