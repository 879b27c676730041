/**
 * Wallet leases of this process. All plans of a wallet share one lease, renewed while any of them works; the first
 * use of a lease reconciles what earlier holders left open.
 */
import { newHolder } from '../ledger/sqlite/leases.ts';
import type { Lease } from '../ledger/types.ts';
import { freedWallet, waitFor } from '../ledger/wakes.ts';
import type { Address } from '../transaction/types.ts';
import { ExecutionError } from './errors.ts';
import type { ExecutionDeps, Timing } from './ports.ts';

/** Use of a wallet under its lease. */
export interface WalletWork {
  /** The newest lease; its fence stays the same for the duration of the work. */
  readonly lease: Lease;
  leave(): Promise<void>;
}

type LeaseDeps = Pick<ExecutionDeps, 'ledger' | 'clock' | 'holder' | 'log'>;

interface Entry {
  lease: Lease;
  users: number;
  readonly renewing: AbortController;
}

/** Leases wallets to the jobs of this process that sign with them. */
export class WalletLeases {
  private readonly deps: LeaseDeps;
  private readonly timing: Timing;
  private readonly holder: string;
  private readonly begin: (lease: Lease) => Promise<void>;
  private readonly entries = new Map<Address, Promise<Entry>>();

  /** `begin` runs once per lease, before any work under it. */
  constructor(deps: LeaseDeps, timing: Timing, begin: (lease: Lease) => Promise<void>) {
    this.deps = deps;
    this.timing = timing;
    this.begin = begin;
    this.holder = deps.holder ?? newHolder();
  }

  /** Starts working for a wallet. Rejects with `WALLET_BUSY` while another process holds its lease. */
  async enter(wallet: Address): Promise<WalletWork> {
    const opening = this.entries.get(wallet) ?? this.open(wallet);
    this.entries.set(wallet, opening);
    let entry: Entry;
    try {
      entry = await opening;
    } catch (error) {
      if (this.entries.get(wallet) === opening) this.entries.delete(wallet);
      throw error;
    }
    // The last user may have released the lease while this call awaited it.
    if (this.entries.get(wallet) !== opening) return this.enter(wallet);
    entry.users += 1;
    return {
      get lease() {
        return entry.lease;
      },
      leave: async () => {
        entry.users -= 1;
        if (entry.users > 0) return;
        this.entries.delete(wallet);
        entry.renewing.abort();
        await this.deps.ledger.lease(entry.lease, 0);
      },
    };
  }

  private async open(wallet: Address): Promise<Entry> {
    const { ledger, clock } = this.deps;
    const giveUpAt = clock.now() + this.timing.busyMs;
    let wait = waitFor(ledger, freedWallet(wallet));
    let lease = await ledger.lease({ wallet, holder: this.holder }, this.timing.leaseMs);
    while (lease === undefined) {
      const left = giveUpAt - clock.now();
      if (left <= 0)
        throw new ExecutionError('WALLET_BUSY', 'Another process is signing for this wallet now.');
      await wait(clock, { pollMs: Math.min(200, this.timing.busyMs), notifiedMs: left });
      wait = waitFor(ledger, freedWallet(wallet));
      lease = await ledger.lease({ wallet, holder: this.holder }, this.timing.leaseMs);
    }
    const entry: Entry = { lease, users: 0, renewing: new AbortController() };
    void this.renew(entry);
    try {
      await this.begin(lease);
    } catch (error) {
      entry.renewing.abort();
      await ledger.lease(lease, 0);
      throw error;
    }
    return entry;
  }

  /** Renews the lease until stopped. A lost lease is not an error here: the next write under it is refused. */
  private async renew(entry: Entry): Promise<void> {
    const { ledger, clock, log } = this.deps;
    const { signal } = entry.renewing;
    while (!signal.aborted) {
      try {
        await clock.sleep(this.timing.leaseMs / 3, signal);
        const renewed = await ledger.lease(entry.lease, this.timing.leaseMs);
        if (renewed === undefined) {
          log?.('Another process took over a wallet.');
          return;
        }
        entry.lease = renewed;
      } catch {
        // Stopped, or the ledger is not writable: the lease then expires by itself.
      }
    }
  }
}
