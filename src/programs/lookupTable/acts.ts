/** Acts of the Address Lookup Table program's instructions. */
import type { ActsOf } from '../program.ts';
import type { lookupTableLayouts } from './instructions.ts';

export const lookupTableActs: ActsOf<typeof lookupTableLayouts> = {
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
};
