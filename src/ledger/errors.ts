/** Errors of the ledger. Nothing is signed meanwhile: a durable record precedes every signature. */

/**
 * `LEDGER_CORRUPT`: the file is damaged, reading goes on where it can, signing stops (F46) ·
 * `LEDGER_LOST`: it is not the one this home signed under, or older: removed, emptied, replaced or put back (T80) ·
 * `LEDGER_UNHEALTHY`: it cannot be written now (full disk, I/O error, F44) ·
 * `LEDGER_VERSION`: its schema is another version's; it is not changed ·
 * `LEDGER_BUSY`: another process held it too long · `LEASE_LOST`: another process signs for this wallet now ·
 * `NOT_FOUND`, `STATE_CONFLICT`: no such row, or not in a state that allows the change.
 */
export type LedgerErrorCode =
  | 'LEDGER_CORRUPT'
  | 'LEDGER_LOST'
  | 'LEDGER_UNHEALTHY'
  | 'LEDGER_VERSION'
  | 'LEDGER_BUSY'
  | 'LEASE_LOST'
  | 'NOT_FOUND'
  | 'STATE_CONFLICT';

const HINTS: Readonly<Record<LedgerErrorCode, string>> = {
  LEDGER_CORRUPT: 'Nothing will be signed. Run `countersign doctor` and restore the ledger from a backup.',
  LEDGER_LOST:
    'Nothing is signed, so that no limit starts at zero. Put the newest ledger.db back in its place, or run `countersign ledger accept`, which counts every limit as used for its window.',
  LEDGER_UNHEALTHY:
    'Nothing more is signed until the ledger can be written; a signature made before is in its journal, and get_plan shows it. Free disk space or repair the disk, then try again.',
  LEDGER_VERSION:
    'Run the version of countersign that wrote it, or choose another home folder. There is no upgrade between schemas.',
  LEDGER_BUSY: 'Try again in a moment.',
  LEASE_LOST: 'Another process took over this wallet. Ask for the plan to see what it did.',
  NOT_FOUND: 'Check the id.',
  STATE_CONFLICT: 'Read the current state first.',
};

/** Hints for a ledger in a PostgreSQL database. */
const DATABASE_HINTS: Readonly<Partial<Record<LedgerErrorCode, string>>> = {
  LEDGER_CORRUPT:
    "Nothing will be signed. Stop the hosts, and repair or restore the database with PostgreSQL's own tools. Do not empty it: it records what was spent.",
  LEDGER_LOST:
    'Nothing is signed, so that no limit starts at zero. Restore the newest state of this database, or correct the address. No command accepts an older one: `countersign ledger accept` works on a file.',
  LEDGER_VERSION:
    'Run the version of countersign that wrote it on every host, or name another database. There is no upgrade between schemas.',
};

/** Returns the error with the hint for a database. */
export function inDatabase(error: LedgerError): LedgerError {
  const hint = DATABASE_HINTS[error.code];
  return hint === undefined || error.hint !== HINTS[error.code]
    ? error
    : new LedgerError(error.code, error.message, hint);
}

/** An error of the ledger. The message holds no untrusted text. */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly class: 'availability' | 'input' | 'security';

  constructor(code: LedgerErrorCode, message: string, hint: string = HINTS[code]) {
    super(message);
    this.name = 'LedgerError';
    this.code = code;
    this.hint = hint;
    this.retryable = code === 'LEDGER_BUSY' || code === 'LEDGER_UNHEALTHY';
    this.class = classOf(code);
  }
}

function classOf(code: LedgerErrorCode): LedgerError['class'] {
  if (code === 'LEDGER_LOST') return 'security';
  return code === 'NOT_FOUND' || code === 'STATE_CONFLICT' ? 'input' : 'availability';
}

export const lost = (message: string): LedgerError => new LedgerError('LEDGER_LOST', message);
export const otherVersion = (): LedgerError =>
  new LedgerError(
    'LEDGER_VERSION',
    'The ledger was written by another version of this program. Nothing in it was changed.',
  );
export const corrupt = (message: string): LedgerError => new LedgerError('LEDGER_CORRUPT', message);
