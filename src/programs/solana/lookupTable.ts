/** The Address Lookup Table program and its accounts. */
import { Reader } from '../../transaction/bytes.ts';
import { address, list64, u8, u64 } from '../../transaction/codecs.ts';
import { noncanonical } from '../../transaction/errors.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { defineLayout } from '../layout.ts';
import { defineProgram } from '../program.ts';

const program = LOOKUP_TABLE_PROGRAM;

export const lookupTableLayouts = [
  defineLayout('lookupTable.create', {
    program,
    discriminator: [0, 0, 0, 0],
    accounts: { table: 'writable', authority: 'signer', payer: 'writableSigner', systemProgram: 'readonly' },
    args: { recentSlot: u64, bump: u8 },
  }),
  defineLayout('lookupTable.freeze', {
    program,
    discriminator: [1, 0, 0, 0],
    accounts: { table: 'writable', authority: 'signer' },
  }),
  defineLayout('lookupTable.extend', {
    program,
    discriminator: [2, 0, 0, 0],
    // Payer and System program are needed only if the table lacks rent.
    accounts: {
      table: 'writable',
      authority: 'signer',
      payer: 'writableSigner?',
      systemProgram: 'readonly?',
    },
    args: { addresses: list64(address) },
  }),
  defineLayout('lookupTable.deactivate', {
    program,
    discriminator: [3, 0, 0, 0],
    accounts: { table: 'writable', authority: 'signer' },
  }),
  defineLayout('lookupTable.close', {
    program,
    discriminator: [4, 0, 0, 0],
    accounts: { table: 'writable', authority: 'signer', recipient: 'writable' },
  }),
];

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

export const lookupTable = defineProgram({
  name: 'Address Lookup Table',
  addresses: [LOOKUP_TABLE_PROGRAM],
  source: 'the runtime; compared with the client web3.js',
  layouts: lookupTableLayouts,
  acts: {
    'lookupTable.create': ({ accounts }) => [
      {
        act: 'tableCreate',
        table: accounts.table.address,
        authority: accounts.authority.address,
        payer: accounts.payer.address,
      },
    ],
    'lookupTable.extend': ({ accounts, args }) => [
      {
        act: 'tableExtend',
        table: accounts.table.address,
        authority: accounts.authority.address,
        ...(accounts.payer === undefined ? {} : { payer: accounts.payer.address }),
        addresses: args.addresses,
      },
    ],
    'lookupTable.freeze': ({ accounts }) => [
      { act: 'tableFreeze', table: accounts.table.address, authority: accounts.authority.address },
    ],
    'lookupTable.deactivate': ({ accounts }) => [
      { act: 'tableDeactivate', table: accounts.table.address, authority: accounts.authority.address },
    ],
    'lookupTable.close': ({ accounts }) => [
      {
        act: 'tableClose',
        table: accounts.table.address,
        authority: accounts.authority.address,
        refundTo: accounts.recipient.address,
      },
    ],
  },
});
