/**
 * Derives program addresses and associated token accounts. Separate from `programs.ts` and `base58.ts`, because the curve
 * library is slow to load and the transaction decoder does not need it.
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

/** Whether bytes decompress to an Ed25519 point. Like the runtime, accepts y ≥ p (ZIP 215). */
function isCurvePoint(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address is on the curve, so that a private key can exist. Program-derived addresses are off the curve. */
export function isOnCurve(address: Address): boolean {
  return isCurvePoint(addressBytes(address));
}

/**
 * Returns the program-derived address of the seeds, with the highest bump that is off the curve.
 * Throws NONCANONICAL_BYTES for more than 15 seeds or a seed longer than 32 bytes.
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
  throw noncanonical('no bump gives an address off the curve');
}

/** Returns the associated token account of an owner and a mint, cached. */
export function associatedTokenAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const key = `${owner} ${mint} ${tokenProgram}`;
  const known = associated.get(key);
  if (known !== undefined) return known;
  const seeds = [owner, tokenProgram, mint].map(addressBytes);
  return remember(associated, key, programAddress(seeds, ASSOCIATED_TOKEN_PROGRAM).address);
}
