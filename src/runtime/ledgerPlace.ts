/** Where the ledger is: the file of the home, or the PostgreSQL at an address that a person gave. */
import { hasLedger } from '../ledger/ledgerFile.ts';
import { SetupError } from './backends/backend.ts';

export interface HomePlace {
  readonly home: string;
  readonly database?: string | undefined;
}

/** @throws SetupError, without the address, where it cannot be one of a ledger */
export function ledgerPlace(home: string, address: string | undefined): HomePlace {
  if (address === undefined || address === '') return { home };
  const fault = addressFault(address);
  if (fault !== undefined) throw new SetupError(fault, ADDRESS_HINT);
  return { home, database: address };
}

/** Whether there may be something in it: a file is there or not, a database is asked. */
export const mayHold = ({ home, database }: HomePlace): boolean => database !== undefined || hasLedger(home);

const LOCAL = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/** Why an address is not used; `undefined` for one that is. Faults are said without the address: it may hold a password. */
export function addressFault(address: string): string | undefined {
  // A socket's address names no host, which a URL must.
  const whole = address.replace('@/', '@localhost/');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return 'The address of the ledger must begin with postgres://.';
  }
  const mode = url.searchParams.get('sslmode');
  const isSocket = url.searchParams.get('host')?.startsWith('/') === true || /^%2f/i.test(url.hostname);
  if (mode !== null || isSocket || LOCAL.has(url.hostname)) return undefined;
  return 'The ledger is on another machine, and its address does not say how the connection is kept private.';
}

const ADDRESS_HINT =
  'postgres://USER@HOST/DATABASE?sslmode=verify-full, or sslmode=disable inside a network of your own; the password in PGPASSWORD or COUNTERSIGN_LEDGER.';
