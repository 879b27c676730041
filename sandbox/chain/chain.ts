/**
 * The embedded chain: a real Solana runtime behind a facade with the cluster's part: slots and blockhashes, one landing
 * per signature, size and lock limits, and commitment views.
 *
 * A chain lives in memory. With `clock: 'manual'` slots pass only through `advanceSlots`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { ChainError, transactionErrorSentence } from './errors.ts';
import { Faucet } from './faucet.ts';
import { loadRuntime, type Runtime } from './runtime/runtime.ts';
import { decodeTransaction } from './runtime/wire.ts';
import { BLOCKHASH_WINDOW, Slots } from './slots.ts';
import { ChainState, type SimulateSettings } from './state.ts';
import type {
  ChainAccount,
  ChainStatus,
  Simulation,
  SubmitOutcome,
  TransactionRecord,
  View,
} from './types.ts';

export interface ChainOptions {
  /** Makes genesis hash, blockhashes and faucet repeatable. Random by default. */
  readonly seed?: string;
  readonly clock: 'auto' | 'manual';
  /** Milliseconds of a slot; 100 unless told. */
  readonly slotMs?: number;
  /** Slots from landing to `confirmed`; 1 unless told. */
  readonly confirmedLag?: number;
  /** Slots from landing to `finalized`; 32 unless told. */
  readonly finalizedLag?: number;
  /** Milliseconds since the Unix epoch. A manual chain without it starts on a fixed day. */
  readonly now?: () => number;
  /** Genesis accounts in write order; `slot` is the first slot. */
  readonly genesis?: (rent: (bytes: number) => bigint, slot: number) => Genesis;
}

export interface ChainEvents {
  /** A slot began; `root` is the newest finalized one. */
  slot: { readonly slot: number; readonly parent: number; readonly root: number };
  /** A transaction landed. */
  transaction: TransactionRecord;
}

export type Genesis = Iterable<readonly [address: string, account: ChainAccount]>;

export interface SimulateOptions extends SimulateSettings {
  /** The view to run on; `processed` unless told. */
  readonly at?: View;
}

/** Start of a manual chain's time: 2026-01-01T00:00:00Z. */
const MANUAL_START_MS = 1_767_225_600_000;
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
/** Maximum slots produced after a pause, such as a suspended machine or a debugger. */
const MAX_CATCH_UP = 32;
/** Readable slots below the finalized view, for lagging views. */
const LAGGING_VIEWS = 256;

/** Starts a chain. Throws `UNAVAILABLE` where the native runtime does not load. */
export async function createChain(options: ChainOptions): Promise<SandboxChain> {
  return new SandboxChain(await loadRuntime(), options);
}

/** Monotonic, so that a clock set back never stops or rewinds the chain. */
const monotonicNow = () => performance.timeOrigin + performance.now();

export class SandboxChain {
  readonly confirmedLag: number;
  readonly finalizedLag: number;
  /** Milliseconds by which `advanceSlots` has moved the chain's time ahead of the clock. */
  #skippedMs = 0;
  readonly #slots: Slots;
  readonly #faucet: Faucet;
  readonly #state: ChainState;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #timer: NodeJS.Timeout | undefined;
  /** Whether `runTrial` is running. */
  #isTrial = false;

  constructor(runtime: Runtime, options: ChainOptions) {
    this.confirmedLag = options.confirmedLag ?? 1;
    this.finalizedLag = Math.max(options.finalizedLag ?? 32, this.confirmedLag);
    const now = options.now ?? (options.clock === 'auto' ? monotonicNow : () => MANUAL_START_MS);
    const secret =
      options.seed === undefined
        ? randomBytes(32)
        : createHash('sha256').update(`countersign sandbox ${options.seed}`).digest();
    this.#faucet = new Faucet(secret);
    const genesisSlot = runtime.builtForSlot;
    this.#slots = new Slots({
      secret,
      genesisSlot,
      // The genesis state is finalized from the start.
      tip: genesisSlot + this.finalizedLag,
      slotMs: options.slotMs ?? 100,
      startMs: now(),
    });
    this.#state = new ChainState(runtime, this.#slots);
    runtime.set(this.#faucet.address, {
      lamports: FAUCET_LAMPORTS,
      data: new Uint8Array(),
      owner: SYSTEM_PROGRAM,
      executable: false,
    });
    for (const [address, account] of options.genesis?.((bytes) => runtime.rent(bytes), genesisSlot) ?? [])
      runtime.set(address, account);
    if (options.clock === 'auto') {
      this.#timer = setInterval(() => this.#catchUp(now()), this.#slots.slotMs);
      this.#timer.unref();
    }
  }

  get genesisHash(): string {
    return this.#slots.genesisHash;
  }

  /** The slot being built: the `processed` view. */
  get slot(): number {
    return this.#slots.tip;
  }

  get blockHeight(): number {
    return this.#slots.height(this.slot);
  }

  /** The oldest slot any view shows. */
  get firstSlot(): number {
    return this.#slots.genesisSlot;
  }

  get transactionCount(): number {
    return this.#state.records.size;
  }

  get faucetAddress(): string {
    return this.#faucet.address;
  }

  /** Returns the slot of a view. */
  slotAt(view: View): number {
    if (view === 'processed') return this.slot;
    if (view === 'confirmed') return this.slot - this.confirmedLag;
    if (view === 'finalized') return this.slot - this.finalizedLag;
    return Math.min(Math.max(view, this.firstSlot), this.slot);
  }

  blockHeightAt(view: View): number {
    return this.#slots.height(this.slotAt(view));
  }

  /** Block time in seconds since the Unix epoch. */
  blockTime(slot: number): number {
    return this.#slots.time(slot);
  }

  /** The newest blockhash of a view, and the last block height at which it may be used. */
  latestBlockhash(view: View): { slot: number; blockhash: string; lastValidBlockHeight: number } {
    const slot = this.slotAt(view);
    return {
      slot,
      blockhash: this.#slots.blockhash(slot),
      lastValidBlockHeight: this.#slots.height(slot) + BLOCKHASH_WINDOW,
    };
  }

  isBlockhashValid(blockhash: string, view: View): boolean {
    return this.#slots.isValid(blockhash, this.slotAt(view));
  }

  /** Advances `count` slots. */
  advanceSlots(count: number): void {
    if (!this.#isTrial) this.#skippedMs += count * this.#slots.slotMs;
    this.#produce(count);
  }

  /** Runs `work` and then undoes its slots, transactions and account changes. Notifies no listener. */
  runTrial<T>(work: () => T): T {
    const { slot } = this;
    this.#isTrial = true;
    try {
      this.#slots.next();
      return work();
    } finally {
      this.#slots.rewind(slot);
      this.#state.rewind(slot);
      this.#isTrial = false;
    }
  }

  #produce(count: number): void {
    for (let i = 0; i < count; i += 1) {
      const slot = this.#slots.next();
      if (this.#isTrial) continue;
      const root = slot - this.finalizedLag;
      this.#state.forgetViews(root - LAGGING_VIEWS);
      this.#events.emit('slot', { slot, parent: slot - 1, root });
    }
  }

  /**
   * Lands a transaction in the current slot, or returns why it cannot land. Throws `TOO_LARGE` or `MALFORMED` for other
   * bytes.
   */
  submit(bytes: Uint8Array): SubmitOutcome {
    const outcome = this.#state.land(decodeTransaction(bytes));
    if (outcome.landed && !this.#isTrial) this.#events.emit('transaction', outcome.record);
    return outcome;
  }

  /** Simulates a transaction on one view. Missing signatures are allowed without `sigVerify`. */
  simulate(bytes: Uint8Array, options: SimulateOptions = {}): Simulation {
    const slot = this.slotAt(options.at ?? 'processed');
    const simulation = this.#state.simulate(decodeTransaction(bytes), slot, options);
    if (!options.replaceRecentBlockhash) return simulation;
    const { blockhash, lastValidBlockHeight } = this.latestBlockhash(slot);
    return { ...simulation, replacementBlockhash: { blockhash, lastValidBlockHeight } };
  }

  /** Returns the account in a view; `null` if it does not exist. */
  getAccount(address: string, view: View = 'processed'): ChainAccount | null {
    return this.#state.account(address, this.slotAt(view));
  }

  /** Writes an account in the current slot without the runtime's checks; `null` removes it. */
  setAccount(address: string, account: ChainAccount | null): void {
    this.#state.setAccount(address, account);
  }

  /** Returns a program's accounts in a view by address. */
  programAccounts(program: string, view: View = 'processed'): Map<string, ChainAccount> {
    return this.#state.owned(program, this.slotAt(view));
  }

  /** Lamports that make an account of `size` data bytes rent exempt. */
  rent(size: number): bigint {
    return this.#state.rent(size);
  }

  /** Returns the status of a signature at a node whose newest slot is `tip`. */
  status(signature: string, tip = this.slot): ChainStatus | undefined {
    const record = this.#state.records.get(signature);
    if (record === undefined || record.slot > tip) return undefined;
    const depth = tip - record.slot;
    const commitment =
      depth >= this.finalizedLag ? 'finalized' : depth >= this.confirmedLag ? 'confirmed' : 'processed';
    const confirmations = commitment === 'finalized' ? null : depth;
    return { slot: record.slot, err: record.err, confirmations, commitment };
  }

  transaction(signature: string, view: View = 'processed'): TransactionRecord | undefined {
    const record = this.#state.records.get(signature);
    return record !== undefined && record.slot <= this.slotAt(view) ? record : undefined;
  }

  /** Landed transactions that name an address, newest first. */
  transactionsFor(address: string, view: View = 'processed'): TransactionRecord[] {
    const slot = this.slotAt(view);
    return this.#state.records.naming(address).filter((record) => record.slot <= slot);
  }

  /** Sends lamports from the faucet, as an ordinary transaction. Throws when they cannot arrive. */
  airdrop(address: string, lamports: bigint): TransactionRecord {
    const { blockhash } = this.latestBlockhash('processed');
    const outcome = this.submit(this.#faucet.transfer(address, lamports, blockhash));
    const err = outcome.landed ? outcome.record.err : outcome.err;
    if (outcome.landed && err === null) return outcome.record;
    throw new ChainError(
      'NOT_POSSIBLE',
      `airdrop failed: ${transactionErrorSentence(err ?? 'SanitizeFailure')}`,
    );
  }

  /** Calls `listener` on every event of a kind until the returned function is called. */
  on<K extends keyof ChainEvents>(kind: K, listener: (event: ChainEvents[K]) => void): () => void {
    this.#events.on(kind, listener);
    return () => void this.#events.off(kind, listener);
  }

  /** Stops the clock and forgets the listeners. */
  close(): void {
    clearInterval(this.#timer);
    this.#events.removeAllListeners();
  }

  #catchUp(nowMs: number): void {
    // Slots that were advanced manually moved the time too.
    const ms = nowMs + this.#skippedMs;
    const behind = this.#slots.behind(ms);
    if (behind > 0) this.#produce(Math.min(behind, MAX_CATCH_UP));
    if (behind > MAX_CATCH_UP) this.#slots.anchor(ms);
  }
}
