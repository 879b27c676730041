/** Maps errors of PostgreSQL and its connection to errors of the ledger. Their messages are dropped: they may contain the address. */
import { corrupt, LedgerError } from '../errors.ts';

const HINT =
  'Nothing more is signed until then. Check that the database runs and is reachable at the given address, then try again.';

const unhealthy = (message: string, hint = HINT): LedgerError =>
  new LedgerError('LEDGER_UNHEALTHY', message, hint);

/** Returns the error code: an SQLSTATE, or a system code. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code);

/**
 * Returns whether the database refused over a working connection, so that nothing was committed. Any other error leaves the
 * outcome of a commit unknown.
 */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error);
  return isState(code) && !/^(08|57P|58|XX)/.test(code);
};

/** Maps an error while connecting. */
export function connectError(error: unknown): LedgerError {
  if (error instanceof LedgerError) return error;
  const code = codeOf(error);
  if (code.startsWith('28'))
    return unhealthy(
      "The ledger's database rejected this user.",
      'Nothing was signed. Correct the user, its password (PGPASSWORD, a .pgpass file or COUNTERSIGN_LEDGER) or what pg_hba.conf allows.',
    );
  if (code === '3D000')
    return unhealthy(
      "The ledger's database does not exist.",
      'Nothing was signed. Correct the name in the address; for a new ledger, create the database with `createdb`.',
    );
  if (code === '53300')
    return new LedgerError(
      'LEDGER_BUSY',
      "The ledger's database has no connection left.",
      'Try again in a moment. Each host uses up to five: raise max_connections when this happens often.',
    );
  return unhealthy("The ledger's database cannot be reached.");
}

/** Maps an error of a statement; programming errors pass through. */
export function statementError(error: unknown): unknown {
  if (error instanceof LedgerError) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  const code = codeOf(error);
  if (!isState(code) || /^(08|57P)/.test(code))
    return unhealthy("The connection to the ledger's database was lost.");
  if (/^(55P03|57014|25P0[34]|40)/.test(code)) {
    return new LedgerError('LEDGER_BUSY', 'Another process kept the ledger busy for too long.');
  }
  if (code === '23505')
    return new LedgerError(
      'STATE_CONFLICT',
      'Another process recorded the same before; this was not recorded.',
    );
  if (/^XX00[12]/.test(code)) return corrupt('The ledger is damaged: its database cannot read it.');
  if (code === '42501' || code === '3F000')
    return unhealthy(
      "This user may not use the tables of the ledger's database.",
      'Nothing was signed. Grant the user usage of their schema, read and write access, and once the right to create them.',
    );
  if (/^(53|58|25006|XX)/.test(code)) {
    return unhealthy(
      "The ledger's database cannot be written: its disk is full or failing, or it is a read-only replica.",
      "Nothing more is signed until then. Free space on the database server's disk, or give the address of the primary server.",
    );
  }
  return error;
}

export const commitLost = (): LedgerError =>
  unhealthy(
    "The connection to the ledger's database was lost during a write and could not be restored. Whether the write was committed is unknown.",
    'Nothing unrecorded is sent. Restore the connection to the database; recorded work then continues.',
  );

export const notCommitted = (): LedgerError =>
  unhealthy("The connection to the ledger's database was lost, and the write was not committed.");
