/** The hash that names a message. */
import { createHash } from 'node:crypto';

/** Lower-case hex SHA-256 of a message. */
export function messageSha256(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex');
}
