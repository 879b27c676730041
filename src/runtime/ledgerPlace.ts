/** The location of the ledger: the home's file, or a PostgreSQL address. */
import { hasLedger } from '../ledger/ledgerFile.ts';
import { SetupError } from './backends/backend.ts';

export interface HomePlace {
  readonly home: string;
  readonly database?: string | undefined;
}

/**
 * Parses a location.
 * @throws SetupError, without the address, if it is invalid
 */
export function ledgerPlace(home: string, address: string | undefined): HomePlace {
  if (address === undefined || address === '') return { home };
  const fault = addressFault(address);
  if (fault !== undefined) throw new SetupError(fault, ADDRESS_HINT);
  return { home, database: address };
}

/** Returns whether a ledger may exist there: a file is checked, a database has to be asked. */
export const canHoldLedger = ({ home, database }: HomePlace): boolean =>
  database !== undefined || hasLedger(home);

const LOCAL = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/**
 * Returns why an address is unusable; `undefined` if it is usable. The reason does not contain the address, which may
 * include a password.
 */
export function addressFault(address: string): string | undefined {
  // A socket address has no host, which URLs require.
  const whole = address.replace('@/', '@localhost/');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return 'The address of the ledger must begin with postgres://.';
  }
  const mode = url.searchParams.get('sslmode');
  const isSocket = url.searchParams.get('host')?.startsWith('/') === true || /^%2f/i.test(url.hostname);
  if (mode !== null || isSocket || LOCAL.has(url.hostname)) return undefined;
  return 'The ledger is on another machine, and its address does not set sslmode.';
}

const ADDRESS_HINT =
  'postgres://USER@HOST/DATABASE?sslmode=verify-full, or sslmode=disable inside a network of your own; the password in PGPASSWORD or COUNTERSIGN_LEDGER.';
