/**
 * Syntax of Solana public keys, wallets that can sign, and EVM addresses. The curve test avoids a curve library, since request
 * schemas load on the start path; it handles public values only.
 */
import bs58 from 'bs58';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from './constants.ts';

/** The prime of the field under Ed25519, and the curve's constant `d`. */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Returns the 32 bytes of a base58 public key; `undefined` for any other text. */
function keyBytes(text: string): Uint8Array | undefined {
  // 32 bytes are 32 to 44 base58 characters; decoding is quadratic, so look before decoding.
  if (text.length < 32 || text.length > 44) return undefined;
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === 32 ? bytes : undefined;
}

/** Whether the text is the base58 form of exactly 32 bytes (B08, B09). */
export function isPublicKey(text: string): boolean {
  return keyBytes(text) !== undefined;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % P;
    factor = (factor * factor) % P;
  }
  return result;
}

/** Whether the y coordinate has an x on the curve: x² = (y² − 1) / (d·y² + 1) must be a square. */
function isCurvePoint(bytes: Uint8Array): boolean {
  let y = 0n;
  for (let i = 31; i >= 0; i--) y = (y << 8n) | BigInt((bytes[i] ?? 0) & (i === 31 ? 0x7f : 0xff));
  const ySquared = (y * y) % P;
  const numerator = (ySquared - 1n + P) % P;
  const denominator = (D * ySquared + 1n) % P;
  // u/v and u·v are squares together; Euler's criterion gives 0 or 1 for squares.
  return power(numerator * denominator, (P - 1n) / 2n) <= 1n;
}

/** Addresses on the curve without an owner. */
const NOT_WALLETS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  WRAPPED_SOL,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
]);

/** Whether a private key can exist for the address, so that it can pay and sign (B10). */
export function isWallet(text: string): boolean {
  const bytes = keyBytes(text);
  return bytes !== undefined && !NOT_WALLETS.has(text) && isCurvePoint(bytes);
}

/** Whether the text is an EVM address in any letter case (B49), without a check of its checksum. */
export function isEvmAddress(text: string): boolean {
  return /^0[xX][0-9a-fA-F]{40}$/.test(text);
}

/** Returns why a text is not a public key, and what to send instead. */
export function publicKeyProblem(text: unknown): string {
  if (typeof text !== 'string') return 'must be a base58 public key given as text';
  if (/^0[xX]/.test(text)) {
    return 'looks like an EVM address or hex; send a Solana public key in base58 (32 to 44 characters)';
  }
  if (/[0OIl]/.test(text)) {
    return 'must be a base58 public key: the characters 0, O, I and l do not occur in base58';
  }
  return 'must be a base58 public key of exactly 32 bytes (32 to 44 characters, no spaces)';
}

/** Returns why a text is not a wallet. */
export function walletProblem(text: unknown): string {
  if (typeof text === 'string' && isPublicKey(text)) {
    return 'must be a wallet that can sign: this address is a program or derived account without a private key';
  }
  return publicKeyProblem(text);
}

/** Returns why a text is not an EVM address. */
export function evmAddressProblem(text: unknown): string {
  if (typeof text === 'string' && isPublicKey(text)) {
    return 'looks like a Solana key; send an EVM address: 0x and 40 hexadecimal digits';
  }
  return 'must be an EVM address: 0x and 40 hexadecimal digits, in any letter casing';
}
