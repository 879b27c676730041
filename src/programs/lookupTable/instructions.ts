/** Layouts of the Address Lookup Table program. */
import { address, list64, u8, u64 } from '../../transaction/codecs.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

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
