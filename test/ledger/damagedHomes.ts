/** Homes with signatures whose ledger a test damages, and the secret stores that vouch for them. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { keeperOf } from '../../src/runtime/backends/checkpointKeeper.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createMemoryStore, type SecretStore, secretNames } from '../../src/secrets/stores/store.ts';
import { handClock, sampleReserve, sampleRow, solPerDay, WALLET } from './samples.ts';

export const clock = handClock();
export const LOST = { code: 'LEDGER_LOST', class: 'security', retryable: false };

export const newHome = () => mkdtempSync(join(tmpdir(), 'lost-'));

/** Returns a store of the given kind with the parts `keeperOf` uses. */
export const storeLike = (kind: SecretStore['kind']): SecretStore => ({ ...createMemoryStore(), kind });
/** Environment store with the wallet's key. */
export const store = storeLike('env');
await store.set(secretNames.wallet(WALLET), Secret.fromBytes(new Uint8Array(64).fill(7)));

export const open = (home: string, secrets = store): HomeLedger =>
  openLedger({ home, clock, keeper: keeperOf(secrets) });

let signatures = 0;
/** Signs like a server: a lease, a reservation, a journal row. */
export async function sign(
  ledger: HomeLedger,
  times = 1,
  more: { network?: string; deadHeight?: number } = {},
): Promise<void> {
  const lease = await ledger.lease({ wallet: WALLET, holder: 'signer' }, 1e9);
  if (lease === undefined) throw new Error('no lease');
  for (let i = 0; i < times; i++) {
    const request = sampleReserve(lease, 5n, [solPerDay(10_000n)]);
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) throw new Error(outcome.code);
    signatures += 1;
    const row = { ...sampleRow(request, `lost-${signatures}`), ...more };
    await ledger.journalSigned(lease, outcome.reservationId, row);
  }
}

/** Creates a home with signatures in its ledger, closed regularly or as after a kill. */
export async function signedHome(
  end: 'closed' | 'killed',
  times = 6,
): Promise<{ home: string; older: string }> {
  const [home, older] = [newHome(), newHome()];
  const ledger = open(home);
  await sign(ledger, 2);
  await ledger.close();
  cpSync(home, older, { recursive: true });
  const again = open(home);
  await sign(again, times);
  if (end === 'killed') {
    const left = newHome();
    cpSync(home, left, { recursive: true });
    await again.close();
    return { home: left, older };
  }
  await again.close();
  return { home, older };
}

export const remove = (home: string) => {
  for (const name of files(home)) rmSync(join(home, name));
};
export const putBack = (older: string, home: string) => {
  for (const name of files(older)) copyFileSync(join(older, name), join(home, name));
};
export const files = (home: string) => readdirSync(home).filter((name) => name.startsWith('ledger'));
export const db = (home: string) => join(home, 'ledger.db');
export const log = (home: string) => join(home, 'ledger.db-wal');
export const overwrite = (file: string, bytes: Uint8Array) => writeFileSync(file, bytes, { mode: 0o600 });
