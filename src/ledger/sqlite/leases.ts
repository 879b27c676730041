/**
 * Who may sign for a wallet now. A lease expires by itself, and every new holder gets a higher fence, so that a
 * process that was suspended and wakes up late cannot write any more (F43).
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../database.ts';
import { LedgerError } from '../errors.ts';
import type { Lease, Ledger } from '../types.ts';
import { freedWallet } from '../wakes.ts';

/** A name for one holder: this machine, this process, and a number of its own. */
export const newHolder = (): string => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Whether a holder may still be at work. Only a process of this machine that is certainly gone is not, so that a
 * start after `kill -9` need not wait for the lease to expire; fencing keeps a wrong guess harmless.
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

/** See `Ledger.lease`. The row of a lease that is given back stays, so that fences go on growing. */
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
    if (ttlMs === 0) await db.tell(freedWallet(wallet));
    return { wallet, holder, fence, expiresAt };
  });
}

/** Whether no other process took the wallet over since. An expired lease that was not taken over is still exclusive. */
export async function isHeld(db: Database, lease: Lease): Promise<boolean> {
  const row = await db.get('SELECT holder, fence FROM leases WHERE wallet = ?', lease.wallet);
  return row?.number('fence') === lease.fence && row.text('holder') === lease.holder;
}

/** Throws `LEASE_LOST` when another process took the wallet over. */
export async function requireHeld(db: Database, lease: Lease): Promise<void> {
  if (!(await isHeld(db, lease)))
    throw new LedgerError('LEASE_LOST', 'Another process signs for this wallet now.');
}
