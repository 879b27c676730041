/** Landed transactions in order, by signature and by the accounts they name. */
import type { TransactionRecord } from './types.ts';

export class Records {
  readonly #bySignature = new Map<string, TransactionRecord>();
  /** Oldest first. */
  readonly #byAddress = new Map<string, TransactionRecord[]>();

  get size(): number {
    return this.#bySignature.size;
  }

  get(signature: string): TransactionRecord | undefined {
    return this.#bySignature.get(signature);
  }

  add(record: TransactionRecord): void {
    this.#bySignature.set(record.signature, record);
    for (const address of addressesOf(record)) {
      const records = this.#byAddress.get(address);
      if (records === undefined) this.#byAddress.set(address, [record]);
      else records.push(record);
    }
  }

  /** Transactions naming an address, newest first. */
  naming(address: string): TransactionRecord[] {
    return this.#byAddress.get(address)?.toReversed() ?? [];
  }

  /** Forgets every transaction after `slot`. */
  removeAfter(slot: number): void {
    const addresses = new Set<string>();
    for (const record of this.#bySignature.values()) {
      if (record.slot <= slot) continue;
      this.#bySignature.delete(record.signature);
      for (const address of addressesOf(record)) addresses.add(address);
    }
    for (const address of addresses) {
      const kept = this.#byAddress.get(address)?.filter((record) => record.slot <= slot) ?? [];
      this.#byAddress.set(address, kept);
    }
  }
}

function addressesOf(record: TransactionRecord): Set<string> {
  const { writable, readonly } = record.loadedAddresses;
  return new Set([...record.staticAccounts, ...writable, ...readonly]);
}
