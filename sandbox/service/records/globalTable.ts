/** The service's own lookup table, against which swaps are compiled. Grows with every venue. */

import type { Address, LookupTableContent } from '../../../src/transaction/types.ts';
import { createTable, extendTable, planTable } from '../build/lookupTable.ts';
import type { ServiceContext } from '../context.ts';

/** Most entries of a table, and most added by one transaction. */
const TABLE_ENTRIES = 256;
const ENTRIES_PER_EXTENSION = 25;

export class GlobalTable {
  readonly #service: ServiceContext;
  #table: Address | undefined;

  constructor(service: ServiceContext) {
    this.#service = service;
  }

  /** Adds what is missing. What does not fit is left out; transactions then name it themselves. */
  add(addresses: readonly Address[]): void {
    const { onchain, keys } = this.#service;
    const authority = keys.tableAuthority;
    if (this.#table === undefined) {
      const plan = planTable(authority.address, onchain.chain.slotAt('confirmed'), []);
      onchain.landBy(authority, [createTable(authority.address, plan.recentSlot)]);
      this.#table = plan.table;
    }
    const table = this.#table;
    const known = onchain.lookupTable(table)?.addresses ?? [];
    const missing = [...new Set(addresses)].filter((address) => !known.includes(address));
    const room = missing.slice(0, TABLE_ENTRIES - known.length);
    for (let start = 0; start < room.length; start += ENTRIES_PER_EXTENSION) {
      const some = room.slice(start, start + ENTRIES_PER_EXTENSION);
      onchain.landBy(authority, [extendTable(table, authority.address, some)]);
    }
  }

  /** The table as every view from `confirmed` on can use it; nothing while its last extension is fresh. */
  usable(): LookupTableContent[] {
    if (this.#table === undefined) return [];
    const { onchain } = this.#service;
    const state = onchain.lookupTable(this.#table, 'confirmed');
    if (state === undefined || state.lastExtendedSlot >= BigInt(onchain.chain.slotAt('confirmed'))) return [];
    return [{ table: this.#table, addresses: state.addresses }];
  }
}
