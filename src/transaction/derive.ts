/**
 * Addresses derived from seeds: program addresses and associated token accounts. Apart from `programs.ts` and
 * `base58.ts` because the curve library is slow to load and the reader does not need it.
 */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { remember } from '../base/remember.ts';
import { addressBytes, addressFromBytes } from './base58.ts';
import { noncanonical } from './errors.ts';
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts';
import type { Address } from './types.ts';

const MARKER = Buffer.from('ProgramDerivedAddress');
const MAX_SEEDS = 16;
const MAX_SEED_BYTES = 32;

const associated = new Map<string, Address>();

/** Whether the bytes decompress to a point of Ed25519. Follows the runtime, which accepts y ≥ p (ZIP 215). */
function isCurvePoint(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** Whether a private key can exist for the address; program-derived addresses are off the curve. */
export function isOnCurve(address: Address): boolean {
  return isCurvePoint(addressBytes(address));
}

/**
 * The program address of the seeds and the highest bump that leaves the curve.
 * Throws NONCANONICAL_BYTES for more than 15 seeds or one longer than 32 bytes.
 */
export function programAddress(
  seeds: readonly Uint8Array[],
  program: Address,
): { address: Address; bump: number } {
  if (seeds.length >= MAX_SEEDS || seeds.some((seed) => seed.length > MAX_SEED_BYTES)) {
    throw noncanonical('at most 15 seeds of at most 32 bytes');
  }
  const programBytes = addressBytes(program);
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const bytes = hash.update(Uint8Array.of(bump)).update(programBytes).update(MARKER).digest();
    if (!isCurvePoint(bytes)) return { address: addressFromBytes(bytes), bump };
  }
  throw noncanonical('no bump leaves the curve');
}

/** The account that holds `mint` for `owner` by convention, under the given token program. Remembered. */
export function associatedTokenAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const key = `${owner} ${mint} ${tokenProgram}`;
  const known = associated.get(key);
  if (known !== undefined) return known;
  const seeds = [owner, tokenProgram, mint].map(addressBytes);
  return remember(associated, key, programAddress(seeds, ASSOCIATED_TOKEN_PROGRAM).address);
}
