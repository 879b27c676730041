/** Changes the transfer fee in a mint's data at once; the program delays a change by two epochs. */

const ACCOUNT_TYPE_AT = 165;
const TRANSFER_FEE_CONFIG = 1;
/** Offset of the older of two schedules (epoch, cap, rate). */
const SCHEDULES_AT = 72;
const SCHEDULE_BYTES = 18;

/** Returns the data with both schedules changed; `undefined` if the mint has none. */
export function withTransferFee(
  data: Uint8Array,
  basisPoints: number,
  maximumFee: bigint,
): Uint8Array | undefined {
  const changed = Buffer.from(data);
  let at = ACCOUNT_TYPE_AT + 1;
  while (at + 4 <= changed.length) {
    const type = changed.readUInt16LE(at);
    const length = changed.readUInt16LE(at + 2);
    if (type === TRANSFER_FEE_CONFIG) {
      for (const schedule of [0, 1]) {
        const start = at + 4 + SCHEDULES_AT + schedule * SCHEDULE_BYTES;
        changed.writeBigUInt64LE(maximumFee, start + 8);
        changed.writeUInt16LE(basisPoints, start + 16);
      }
      return new Uint8Array(changed);
    }
    if (type === 0) return undefined;
    at += 4 + length;
  }
  return undefined;
}
