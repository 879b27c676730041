/**
 * Wallet leases. A lease expires by itself, and every new holder gets a higher fence, so that a process that was suspended
 * cannot write after it wakes (F43).
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../database.ts';
import { LedgerError } from '../errors.ts';
import type { Lease, Ledger } from '../types.ts';
import { freedWallet } from '../wakes.ts';

/** Returns a new holder name: host, process id and random digits. */
export const newHolder = (): string => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Returns whether a holder may still be working: false only for a process of this machine that no longer exists, so that a
 * start after `kill -9` need not wait for the lease to expire. Fencing keeps a wrong guess harmless.
 */
export function holderMayLive(holder: string): boolean {
  const [host, pid] = holder.split(':');
  if (host !== hostname() || Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** See `Ledger.lease`. The row of a returned lease stays, so that fences keep increasing. */
export async function lease(
  db: Database,
  { wallet, holder, fence: held }: Parameters<Ledger['lease']>[0],
  ttlMs: number,
): Promise<Lease | undefined> {
  return db.write(async (db, now) => {
    const row = await db.get('SELECT holder, fence, expires_at FROM leases WHERE wallet = ?', wallet);
    const last = row?.number('fence') ?? 0;
    const isOwn = row?.text('holder') === holder;
    const isRunning = row !== undefined && row.number('expires_at') > now;
    if (held !== undefined && !(isOwn && held === last)) return undefined;
    if (isRunning && !isOwn && holderMayLive(row.text('holder'))) return undefined;
    const fence = held ?? (isRunning && isOwn ? last : last + 1);
    const expiresAt = ttlMs === 0 ? 0 : now + ttlMs;
    await db.run(
      `INSERT INTO leases VALUES (?, ?, ?, ?)
       ON CONFLICT (wallet) DO UPDATE SET holder = excluded.holder, fence = excluded.fence, expires_at = excluded.expires_at`,
      ...[wallet, holder, fence, expiresAt],
    );
    if (ttlMs === 0) await db.notify(freedWallet(wallet));
    return { wallet, holder, fence, expiresAt };
  });
}

/** Returns whether no other process took over the wallet. An expired lease is exclusive until then. */
export async function isHeld(db: Database, lease: Lease): Promise<boolean> {
  const row = await db.get('SELECT holder, fence FROM leases WHERE wallet = ?', lease.wallet);
  return row?.number('fence') === lease.fence && row.text('holder') === lease.holder;
}

/** Throws `LEASE_LOST` if another process took over the wallet. */
export async function requireHeld(db: Database, lease: Lease): Promise<void> {
  if (!(await isHeld(db, lease)))
    throw new LedgerError('LEASE_LOST', 'Another process signs for this wallet now.');
}
