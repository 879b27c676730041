/**
 * The hash that names a message, in the two forms people see: hex (the service) and base58 (hardware
 * wallets).
 */
import { createHash } from 'node:crypto';
import bs58 from 'bs58';

/** Lower-case hex SHA-256 of a message. */
export function messageSha256(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex');
}

/** The same hash in base58, as a hardware wallet shows it when it cannot read a transaction. */
export function messageHashBase58(sha256Hex: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256Hex)) throw new TypeError('not a lower-case hex SHA-256');
  return bs58.encode(Buffer.from(sha256Hex, 'hex'));
}
