/** Address lookup table accounts. */
import { Reader } from '../../transaction/bytes.ts';
import { noncanonical } from '../../transaction/errors.ts';
import type { Address } from '../../transaction/types.ts';

const META_BYTES = 56;
const ADDRESS_BYTES = 32;
const MAX_ADDRESSES = 256;
const LOOKUP_TABLE = 1;
/** The `deactivationSlot` of an active table. */
export const NEVER_DEACTIVATED = 0xffff_ffff_ffff_ffffn;

export interface LookupTableState {
  /** Slot of the deactivation; `NEVER_DEACTIVATED` while active. */
  readonly deactivationSlot: bigint;
  /** Slot in which the entries from `lastExtendedStartIndex` on were added; they cannot be used in that slot. */
  readonly lastExtendedSlot: bigint;
  readonly lastExtendedStartIndex: number;
  /** Absent if the table is frozen. */
  readonly authority?: Address;
  readonly addresses: readonly Address[];
}

/** Decodes a lookup table. Throws TransactionError NONCANONICAL_BYTES for any other account. */
export function readLookupTable(data: Uint8Array): LookupTableState {
  const reader = new Reader(data);
  if (reader.u32() !== LOOKUP_TABLE) throw noncanonical('the account is not a lookup table');
  const deactivationSlot = reader.u64();
  const lastExtendedSlot = reader.u64();
  const lastExtendedStartIndex = reader.u8();
  const tag = reader.u8();
  if (tag > 1) throw noncanonical('invalid option tag');
  const authority = tag === 1 ? reader.address() : undefined;
  reader.advance(META_BYTES - reader.offset);

  const count = reader.remaining / ADDRESS_BYTES;
  if (!Number.isInteger(count) || count > MAX_ADDRESSES)
    throw noncanonical('the table has an invalid length');
  return {
    deactivationSlot,
    lastExtendedSlot,
    lastExtendedStartIndex,
    authority,
    addresses: reader.each(count, (each) => each.address()),
  };
}
