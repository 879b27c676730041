/** Pre-images of accounts by slot: the source of the `confirmed` and `finalized` views, and of undoing slots. */
import type { ChainAccount } from './types.ts';

interface PreImage {
  readonly slot: number;
  readonly before: ChainAccount | null;
}

export class AccountHistory {
  /** Oldest first; at most one pre-image for each slot. */
  readonly #byAddress = new Map<string, PreImage[]>();
  readonly #bySlot = new Map<number, Set<string>>();

  /** Notes what an account held before `slot` first wrote it. Later writes in that slot change nothing. */
  record(slot: number, address: string, before: () => ChainAccount | null): void {
    let written = this.#bySlot.get(slot);
    if (written === undefined) {
      written = new Set();
      this.#bySlot.set(slot, written);
    }
    if (written.has(address)) return;
    written.add(address);
    const images = this.#byAddress.get(address);
    const image = { slot, before: before() };
    if (images === undefined) this.#byAddress.set(address, [image]);
    else images.push(image);
  }

  /** The account at the end of `slot`, or `undefined` when nothing wrote it since. */
  at(address: string, slot: number): ChainAccount | null | undefined {
    return this.#byAddress.get(address)?.find((image) => image.slot > slot)?.before;
  }

  /** Every address written after the end of `slot`. */
  writtenAfter(slot: number): Set<string> {
    const addresses = new Set<string>();
    for (const [writtenIn, written] of this.#bySlot) {
      if (writtenIn > slot) for (const address of written) addresses.add(address);
    }
    return addresses;
  }

  /** Forgets everything from after the end of `slot` and returns what the accounts held there. */
  rewind(slot: number): Map<string, ChainAccount | null> {
    const states = new Map<string, ChainAccount | null>();
    for (const address of this.writtenAfter(slot)) {
      states.set(address, this.at(address, slot) ?? null);
      const kept = this.#byAddress.get(address)?.filter((image) => image.slot <= slot) ?? [];
      if (kept.length === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, kept);
    }
    for (const writtenIn of [...this.#bySlot.keys()]) if (writtenIn > slot) this.#bySlot.delete(writtenIn);
    return states;
  }

  /** Drops the pre-images of one slot that no view can ask for any more. */
  forget(slot: number): void {
    const written = this.#bySlot.get(slot);
    if (written === undefined) return;
    this.#bySlot.delete(slot);
    for (const address of written) {
      const images = this.#byAddress.get(address);
      if (images?.[0]?.slot === slot) images.shift();
      if (images?.length === 0) this.#byAddress.delete(address);
    }
  }
}
