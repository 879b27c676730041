/**
 * The chain's clock: slots, block heights, blockhashes and block times. Each blockhash is derived from the chain's secret and
 * its slot.
 *
 * Every slot has a block. The height differs from the slot, as on long-lived clusters, to expose code that confuses them.
 */
import { createHash } from 'node:crypto';
import { addressFromBytes } from '../../src/transaction/base58.ts';

/** A blockhash may be used while the block height is at most this far past its block. */
export const BLOCKHASH_WINDOW = 150;
/** Entries of the slot hashes sysvar; a lookup table closes once its deactivation slot has left it. */
export const SLOT_HASHES = 512;
export const SLOTS_PER_EPOCH = 432_000;
/** Slots remembered when looking a blockhash up: the widest window plus room for lagging views. */
const HASHES_KEPT = 2 * SLOT_HASHES;
/** Height = slot − this. */
const SKIPPED_SLOTS = 21_000_017;

export class Slots {
  readonly genesisHash: string;
  readonly genesisSlot: number;
  readonly slotMs: number;
  readonly #secret: Uint8Array;
  readonly #hashBySlot = new Map<number, string>();
  readonly #slotByHash = new Map<string, number>();
  /** Times of slots: from `slot` at `ms`, one slot every `slotMs`. Newest last. */
  readonly #anchors: { slot: number; ms: number }[];
  #tip: number;

  constructor(options: {
    secret: Uint8Array;
    genesisSlot: number;
    tip: number;
    slotMs: number;
    startMs: number;
  }) {
    this.#secret = options.secret;
    this.genesisSlot = options.genesisSlot;
    this.slotMs = options.slotMs;
    this.#tip = options.tip;
    this.#anchors = [{ slot: options.tip, ms: options.startMs }];
    this.genesisHash = this.#digest('genesis');
  }

  get tip(): number {
    return this.#tip;
  }

  next(): number {
    this.#tip += 1;
    return this.#tip;
  }

  /** Returns to an earlier tip. */
  rewind(tip: number): void {
    this.#tip = tip;
  }

  height(slot: number): number {
    return slot - SKIPPED_SLOTS;
  }

  /** The blockhash of one slot's block. */
  blockhash(slot: number): string {
    const known = this.#hashBySlot.get(slot);
    if (known !== undefined) return known;
    const hash = this.#digest(`block ${slot}`);
    this.#hashBySlot.set(slot, hash);
    this.#slotByHash.set(hash, slot);
    if (this.#hashBySlot.size > 2 * HASHES_KEPT) this.#forget();
    return hash;
  }

  /** Whether a transaction with this blockhash may run in a block of `slot`. */
  isValid(blockhash: string, slot: number): boolean {
    for (let s = slot - BLOCKHASH_WINDOW; s <= slot; s += 1) this.blockhash(s);
    const born = this.#slotByHash.get(blockhash);
    return born !== undefined && born <= slot && slot - born <= BLOCKHASH_WINDOW;
  }

  /** The slot hashes sysvar as a block of `slot` sees it: its 512 predecessors, newest first. */
  slotHashes(slot: number): { slot: bigint; hash: string }[] {
    return Array.from({ length: SLOT_HASHES }, (_, back) => {
      const s = slot - 1 - back;
      return { slot: BigInt(s), hash: this.blockhash(s) };
    });
  }

  /** Block time of a slot in seconds since the Unix epoch. */
  time(slot: number): number {
    const anchor = this.#anchors.findLast((a) => a.slot <= slot) ?? this.#anchors[0];
    if (anchor === undefined) return 0;
    return Math.floor((anchor.ms + (slot - anchor.slot) * this.slotMs) / 1000);
  }

  /** Returns the number of slots by which a clock reading of `ms` is ahead of the tip. */
  behind(ms: number): number {
    const anchor = this.#anchors.at(-1);
    return anchor === undefined ? 0 : anchor.slot + Math.floor((ms - anchor.ms) / this.slotMs) - this.#tip;
  }

  /** Sets the time of the tip to `ms`. */
  anchor(ms: number): void {
    this.#anchors.push({ slot: this.#tip, ms });
  }

  #digest(label: string): string {
    return addressFromBytes(createHash('sha256').update(this.#secret).update(label).digest());
  }

  #forget(): void {
    for (const [slot, hash] of this.#hashBySlot) {
      if (this.#hashBySlot.size <= HASHES_KEPT) return;
      this.#hashBySlot.delete(slot);
      this.#slotByHash.delete(hash);
    }
  }
}
