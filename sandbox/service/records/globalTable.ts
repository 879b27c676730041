/** The service's lookup table for swaps; grows with every venue. */

import type { Address, LookupTableContent } from '../../../src/transaction/types.ts';
import { fillTable } from '../build/launchTable.ts';
import { createTable, planTable } from '../build/lookupTable.ts';
import type { ServiceContext } from '../context.ts';

export class GlobalTable {
  readonly #service: ServiceContext;
  #table: Address | undefined;

  constructor(service: ServiceContext) {
    this.#service = service;
  }

  /** Adds missing entries. */
  add(addresses: readonly Address[]): void {
    const { onchain, keys } = this.#service;
    const authority = keys.tableAuthority;
    if (this.#table === undefined) {
      const plan = planTable(authority.address, onchain.chain.slotAt('confirmed'), []);
      onchain.landBy(authority, [createTable(authority.address, plan.recentSlot)]);
      this.#table = plan.table;
    }
    fillTable(this.#service, this.#table, addresses);
  }

  /** Returns the table once its last extension is usable in the confirmed view; empty before. */
  usable(): LookupTableContent[] {
    if (this.#table === undefined) return [];
    const { onchain } = this.#service;
    const state = onchain.lookupTable(this.#table, 'confirmed');
    if (state === undefined || state.lastExtendedSlot >= BigInt(onchain.chain.slotAt('confirmed'))) return [];
    return [{ table: this.#table, addresses: state.addresses }];
  }
}
