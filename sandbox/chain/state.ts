/**
 * The chain's state: accounts of the runtime, their history, and landed transactions. Slots come from the caller's clock.
 */
import type { TransactionErrorJson } from './errors.ts';
import { AccountHistory } from './history.ts';
import { usesNonce } from './nonce.ts';
import { Records } from './records.ts';
import { dryRun, execute } from './runtime/run.ts';
import { notRun, type Runtime } from './runtime/runtime.ts';
import type { WireTransaction } from './runtime/wire.ts';
import { SLOTS_PER_EPOCH, type Slots } from './slots.ts';
import type { ChainAccount, Simulation, SubmitOutcome, TransactionRecord } from './types.ts';

export interface SimulateSettings {
  readonly sigVerify?: boolean;
  readonly replaceRecentBlockhash?: boolean;
  /** Accounts whose post state is wanted. */
  readonly accounts?: readonly string[];
}

export class ChainState {
  readonly records = new Records();
  readonly #runtime: Runtime;
  readonly #slots: Slots;
  readonly #history = new AccountHistory();

  constructor(runtime: Runtime, slots: Slots) {
    this.#runtime = runtime;
    this.#slots = slots;
  }

  /** Lands a transaction in the tip's slot, or returns why a leader would drop it. */
  land(wire: WireTransaction): SubmitOutcome {
    const slot = this.#slots.tip;
    const err = this.#refusal(wire, slot);
    if (err !== undefined) return { landed: false, signature: wire.signature, err };
    return this.#execute(wire, slot);
  }

  /** Simulates a transaction on the state at the end of `slot`. */
  simulate(wire: WireTransaction, slot: number, settings: SimulateSettings): Simulation {
    const refusal = settings.replaceRecentBlockhash ? undefined : this.#refusal(wire, slot);
    return this.#onView(slot, () => {
      const { execution: ran, written } = dryRun(this.#runtime, wire, settings.sigVerify ?? false);
      const stopped = refusal !== undefined && ran.err !== 'SignatureFailure';
      const execution = stopped ? notRun(refusal) : ran;
      const accounts = (settings.accounts ?? []).map((address) => {
        if (execution.err !== null) return null;
        const account = written.get(address) ?? this.account(address, slot);
        // An account left without lamports is gone.
        return account?.lamports === 0n ? null : account;
      });
      return { slot, ...execution, accounts };
    });
  }

  /** The account at the end of `slot`. */
  account(address: string, slot: number): ChainAccount | null {
    // Sysvars are the runtime's own; bring them to the slot that is asked for.
    if (address.startsWith('Sysvar')) this.#enter(slot);
    const past = this.#history.at(address, slot);
    return past === undefined ? this.#runtime.account(address) : past;
  }

  /** Every account of a program at the end of `slot`. */
  owned(program: string, slot: number): Map<string, ChainAccount> {
    const accounts = this.#runtime.owned(program);
    for (const address of this.#history.writtenAfter(slot)) {
      const account = this.account(address, slot);
      if (account?.owner === program) accounts.set(address, account);
      else accounts.delete(address);
    }
    return accounts;
  }

  /** Writes an account past the runtime's checks, as part of the tip's slot. */
  setAccount(address: string, account: ChainAccount | null): void {
    this.#history.record(this.#slots.tip, address, () => this.#runtime.account(address));
    this.#runtime.set(address, account);
  }

  rent(size: number): bigint {
    return this.#runtime.rent(size);
  }

  /** Undoes all changes and transactions after the end of `slot`. */
  rewind(slot: number): void {
    for (const [address, account] of this.#history.rewind(slot)) this.#runtime.set(address, account);
    this.records.removeAfter(slot);
  }

  /** Drops the pre-images of `slot`. */
  forgetViews(slot: number): void {
    this.#history.forget(slot);
  }

  #refusal(wire: WireTransaction, slot: number): TransactionErrorJson | undefined {
    const alive = this.#slots.isValid(wire.blockhash, slot);
    if (!alive && !usesNonce(wire, (address) => this.account(address, slot))) return 'BlockhashNotFound';
    const record = this.records.get(wire.signature);
    return record !== undefined && record.slot <= slot ? 'AlreadyProcessed' : undefined;
  }

  #execute(wire: WireTransaction, slot: number): SubmitOutcome {
    const { signature } = wire;
    this.#enter(slot);
    const landing = execute(this.#runtime, wire);
    if (!landing.landed) return { landed: false, signature, err: landing.err };
    for (const [address, before] of landing.preImages) this.#history.record(slot, address, () => before);
    const record: TransactionRecord = {
      signature,
      slot,
      blockTime: this.#slots.time(slot),
      bytes: wire.bytes,
      version: wire.version,
      staticAccounts: wire.staticAccounts,
      loadedAddresses: landing.loadedAddresses,
      ...landing.execution,
      ...landing.changes,
    };
    this.records.add(record);
    return { landed: true, signature, record };
  }

  /** Runs `work` on the state at the end of `slot`, and restores the present state. */
  #onView<T>(slot: number, work: () => T): T {
    const present = [...this.#history.writtenAfter(slot)].map(
      (address) => [address, this.#runtime.account(address)] as const,
    );
    try {
      for (const [address] of present) this.#runtime.set(address, this.#history.at(address, slot) ?? null);
      this.#enter(slot);
      return work();
    } finally {
      for (const [address, account] of present) this.#runtime.set(address, account);
    }
  }

  #enter(slot: number): void {
    this.#runtime.enter(slot, () => ({
      slot,
      time: this.#slots.time(slot),
      epochStartTime: this.#slots.time(slot - (slot % SLOTS_PER_EPOCH)),
      slotHashes: this.#slots.slotHashes(slot),
    }));
  }
}
