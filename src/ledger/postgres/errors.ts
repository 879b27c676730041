/** What PostgreSQL and the way to it say, as errors of the ledger. No message of theirs is passed on: it may name the address. */
import { corrupt, LedgerError } from '../errors.ts';

const HINT =
  'Nothing more is signed until then. Check that the database runs and is reachable at the given address, then try again.';

const unhealthy = (message: string, hint = HINT): LedgerError =>
  new LedgerError('LEDGER_UNHEALTHY', message, hint);

/** The code of an error: five signs of PostgreSQL's, or one of the system. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code);

/**
 * Whether the database itself refused, with the connection still whole: then nothing of the transaction was kept. All
 * else leaves it open whether a commit was made.
 */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error);
  return isState(code) && !/^(08|57P|58|XX)/.test(code);
};

/** An error while connecting. */
export function connectError(error: unknown): LedgerError {
  if (error instanceof LedgerError) return error;
  const code = codeOf(error);
  if (code.startsWith('28'))
    return unhealthy(
      "The ledger's database does not let this user in.",
      'Nothing was signed. Correct the user, its password (PGPASSWORD, a .pgpass file or COUNTERSIGN_LEDGER) or what pg_hba.conf allows.',
    );
  if (code === '3D000')
    return unhealthy(
      "The ledger's database does not exist.",
      'Nothing was signed. Correct the name in the address; where the ledger is new, make the database with `createdb`.',
    );
  if (code === '53300')
    return new LedgerError(
      'LEDGER_BUSY',
      "The ledger's database has no connection left.",
      'Try again in a moment. Each host uses up to five: raise max_connections when this happens often.',
    );
  return unhealthy("The ledger's database cannot be reached.");
}

/** An error of a statement; what is a fault of ours stays as it is. */
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
      'Nothing was signed. Grant the user the right to use their schema, to read and write them, and once to make them.',
    );
  if (/^(53|58|25006|XX)/.test(code)) {
    return unhealthy(
      "The ledger's database cannot be written: its disk is full or failing, or it is a copy.",
      "Nothing more is signed until then. Free space on the database server's disk, or give the address of the server that takes writes.",
    );
  }
  return error;
}

export const commitLost = (): LedgerError =>
  unhealthy(
    "The connection to the ledger's database was lost while a write was made, and was not to be had again. Whether it was made is not known.",
    'Nothing that was not recorded is sent. Mend the way to the database; what was recorded is taken up again from there.',
  );

export const notCommitted = (): LedgerError =>
  unhealthy("The connection to the ledger's database was lost, and the write was not made.");
