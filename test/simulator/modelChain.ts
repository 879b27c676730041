/**
 * Model chain: slots with and without blocks, a lifetime of 150 blocks, three commitments, forks, failing transactions.
 * Nothing is idempotent: an effect that lands twice exists twice.
 */
import bs58 from 'bs58';
import { digest, type Random } from './random.ts';
import type { VirtualTime } from './time.ts';
import { readAct, type SignedAct } from './transactions.ts';

/** Default slot duration in milliseconds. */
export const SLOT_MS = 400;
/** Lag of each commitment in slots. */
export const DEPTH = { processed: 0, confirmed: 2, finalized: 32 } as const;
const LIFETIME = 150;

interface Block {
  readonly height: number;
  blockhash: string;
  landed: Landing[];
}

export interface Landing {
  readonly act: SignedAct;
  readonly slot: number;
  readonly error: string | null;
}

export interface ChainFaults {
  skip: number;
  /** Chance per slot that the newest slots are replaced. */
  fork: number;
  /** Maximum slots replaced by a fork. Up to two affect `processed` only. */
  forkDepth: number;
  failOnChain: number;
  /** Chance that a pending transaction is included in a block. */
  include: number;
}

export class ModelChain {
  readonly genesis: string;
  readonly faults: ChainFaults;
  /** Number of forks that rolled back confirmed slots. */
  deepForks = 0;
  private readonly time: VirtualTime;
  private readonly slotMs: number;
  private readonly random: Random;
  private readonly slots: Block[] = [];
  private readonly heights = new Map<string, number>();
  private waiting = new Map<string, SignedAct>();
  readonly landings = new Map<string, Landing>();

  constructor(seed: string, time: VirtualTime, random: Random, faults: ChainFaults, slotMs = SLOT_MS) {
    this.time = time;
    this.slotMs = slotMs;
    this.random = random;
    this.faults = faults;
    this.genesis = bs58.encode(digest(`genesis ${seed}`));
    while (this.slots.length < 200) this.produce();
  }

  /** Returns the newest slot. */
  tip(): number {
    const due = 199 + Math.floor(this.time.now / this.slotMs);
    while (this.slots.length - 1 < due) this.produce();
    return this.slots.length - 1;
  }

  block(slot: number): Block {
    const block = this.slots[Math.max(0, Math.min(slot, this.slots.length - 1))];
    if (block === undefined) throw new Error('no block');
    return block;
  }

  /** Returns whether a blockhash is valid at a slot. */
  isValid(blockhash: string, slot: number): boolean {
    const height = this.heights.get(blockhash);
    if (height === undefined) return false;
    const age = this.block(slot).height - height;
    return age >= 0 && age <= LIFETIME;
  }

  /** Receives signed bytes at the leaders. */
  receive(bytes: Uint8Array): SignedAct {
    const act = readAct(bytes);
    if (!this.landings.has(act.signature)) this.waiting.set(act.signature, act);
    return act;
  }

  /** Returns the successful landings of an effect. */
  landed(effect: string, upTo = this.slots.length): Landing[] {
    return [...this.landings.values()].filter(
      ({ act, slot, error }) => act.effect === effect && error === null && slot <= upTo,
    );
  }

  private produce(): void {
    const slot = this.slots.length;
    const before = this.slots[slot - 1];
    const { random, faults } = this;
    if (slot >= 200 && faults.fork > 0 && random.chance(faults.fork))
      this.fork(random.whole(1, faults.forkDepth));
    if (before !== undefined && random.chance(faults.skip)) {
      this.slots.push({ height: before.height, blockhash: before.blockhash, landed: [] });
      return;
    }
    const block: Block = { height: (before?.height ?? -1) + 1, blockhash: '', landed: [] };
    this.slots.push(block);
    this.name(block, slot);
    for (const act of [...this.waiting.values()]) this.execute(act, slot, block);
  }

  private name(block: Block, slot: number): void {
    block.blockhash = bs58.encode(digest(`${this.genesis} ${slot} ${this.random.next()}`));
    this.heights.set(block.blockhash, block.height);
  }

  private execute(act: SignedAct, slot: number, block: Block): void {
    if (!this.isValid(act.blockhash, slot)) {
      this.waiting.delete(act.signature);
      return;
    }
    if (!this.random.chance(this.faults.include)) return;
    if (act.needs.some((effect) => this.landed(effect).length === 0)) return;
    this.waiting.delete(act.signature);
    const failed = digest(`fails ${act.signature}`).readUInt32LE(0) / 2 ** 32 < this.faults.failOnChain;
    const landing = { act, slot, error: failed ? 'InstructionError' : null };
    block.landed.push(landing);
    this.landings.set(act.signature, landing);
  }

  /** Rolls back the newest slots; some of their transactions are included again. */
  private fork(depth: number): void {
    const first = this.slots.length - depth;
    for (let slot = first; slot < this.slots.length; slot++) {
      const block = this.block(slot);
      for (const { act } of block.landed) {
        if (depth > DEPTH.confirmed) this.deepForks += 1;
        this.landings.delete(act.signature);
        if (this.random.chance(0.5)) this.waiting.set(act.signature, act);
      }
      block.landed = [];
      const previous = this.block(slot - 1);
      if (previous.height === block.height) {
        block.blockhash = previous.blockhash;
        continue;
      }
      this.heights.delete(block.blockhash);
      this.name(block, slot);
    }
  }
}
