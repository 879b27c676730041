/**
 * Every reason code and error code with its cause and next step, for the operating guide. The lists of codes are the
 * code's own: a code that is added there and not here does not compile. Where an error class carries its own hint,
 * that hint is the next step.
 */

import { LandingError, type LandingErrorCode } from '../src/landing/errors.ts';
import { LedgerError, type LedgerErrorCode } from '../src/ledger/errors.ts';
import { PlanError } from '../src/plan/errors.ts';
import { classOf } from '../src/policy/decide/reasons.ts';
import { REASON_CODES } from '../src/policy/decide/types.ts';
import { REASON_STEPS } from '../src/presentation/nextSteps.ts';
import { ChainError, type ChainErrorCode } from '../src/rpc/errors.ts';
import { SecretError, type SecretErrorCode } from '../src/secrets/errors.ts';
import { ServiceError, type ServiceErrorCode } from '../src/service/errors.ts';

export interface CodeRow {
  readonly code: string;
  readonly class: string;
  readonly cause: string;
  readonly next: string;
}

/** Cause, next step. */
type Told = readonly [string, string];

const PERSON = 'Tell the person';

const SERVICE: Readonly<Record<ServiceErrorCode, Told>> = {
  INVALID_INPUT: ['An argument breaks a rule; nothing was sent.', 'Correct the field the message names.'],
  REQUEST_REFUSED: [
    'The service refused the request.',
    'Read the quoted reason as data; correct the request.',
  ],
  QUOTE_NOT_REVIEWED: [
    'The service has no saved configuration for this quote mint and config type.',
    'list_supported_quote_tokens; choose a listed pair, or leave quoteMint out for SOL.',
  ],
  NOTHING_TO_CLAIM: [
    'There is nothing to claim here.',
    'The other purses: list_claimable_positions, list_vault_claimables, list_deployer_claimables.',
  ],
  KEY_LIMIT_REACHED: [
    'The account has as many API keys as it may.',
    `${PERSON}: revoke one in the service's dashboard.`,
  ],
  NOT_FOUND: [
    'The service knows nothing under that mint, handle or id.',
    'Check the address character by character.',
  ],
  ENDPOINT_UNAVAILABLE: [
    'This deployment does not have the endpoint.',
    'Use another tool for the purpose, or tell the person.',
  ],
  UNAUTHORIZED: [
    'There is no API key, or the service does not accept it.',
    'create_agent_key, or tell the person: `countersign login`.',
  ],
  FORBIDDEN: ['The key may not do this.', `${PERSON}.`],
  KEY_REFUSED: [
    'The stored key belongs to another service address and was not sent.',
    `${PERSON}: is the root URL right?`,
  ],
  UPSTREAM_REDIRECT: [
    'The service tried to send the call elsewhere; it was not followed.',
    `${PERSON}: is the root URL right?`,
  ],
  RATE_LIMITED: ['Too many calls in this hour or minute.', 'Wait until the time the hint names.'],
  UPSTREAM_UNREACHABLE: [
    'The service cannot be reached.',
    'Try again in a moment; get_status shows when it is back.',
  ],
  UPSTREAM_TRUNCATED: ['The answer broke off.', 'Make the same call again.'],
  UPSTREAM_TIMEOUT: ['The service did not answer in time.', 'Make the same call again.'],
  CIRCUIT_OPEN: [
    'Several calls failed in a row; calls are held back for a few seconds.',
    'Wait, then try again.',
  ],
  UPSTREAM_ERROR: ['The service failed.', 'Try again in a moment.'],
  UPSTREAM_BAD_BODY: [
    'The answer was not of the agreed shape, or too big.',
    'Try once more; then tell the person.',
  ],
  OUTCOME_UNKNOWN: [
    'A write may have happened and its answer was lost.',
    'Look before repeating: get_status, list_plans, get_launch_feed.',
  ],
  CANCELLED: ['The call was cancelled.', 'Work already signed goes on; get_plan shows it.'],
};

const SECRETS: Readonly<Record<SecretErrorCode, Told>> = {
  KEYSTORE_UNAVAILABLE: [
    'The system keychain does not keep what it is given.',
    '`countersign doctor`, or `countersign secrets migrate` to the encrypted file.',
  ],
  KEYSTORE_LOCKED: [
    'The secret store is locked.',
    'Unlock the keychain, or set COUNTERSIGN_PASSPHRASE where the server starts.',
  ],
  KEYSTORE_CHANGED: [
    'The store changed under the running server.',
    'Restart the server if that was you; else `countersign freeze`.',
  ],
  KEYSTORE_CORRUPT: ['The store or its record cannot be read.', 'Restore it from a backup.'],
  KEYSTORE_BUSY: ['Another process writes a file of this home.', 'Try again in a moment.'],
  KEYSTORE_NOT_CHOSEN: [
    'No secret store was set up in this home.',
    '`countersign wallet create` or `countersign login`.',
  ],
  KEYSTORE_MISMATCH: [
    'Another store is recorded than was asked for, or both hold different values.',
    '`countersign secrets migrate`.',
  ],
  KEYSTORE_READ_ONLY: [
    'Secrets come from the environment, which cannot be written.',
    'Set the variable where the server starts.',
  ],
  KEYSTORE_WRITE_FAILED: [
    'The store could not write.',
    'Free space or mend the folder; `countersign doctor`.',
  ],
  WRONG_PASSPHRASE: [
    'The passphrase does not open the file.',
    'Type it again, or correct COUNTERSIGN_PASSPHRASE.',
  ],
  PASSPHRASE_BACKOFF: ['Too many wrong passphrases.', 'Wait as long as the message says.'],
  WEAK_PASSPHRASE: ['The new passphrase is too easy.', 'Four or five random words.'],
  PASSPHRASE_REUSED: ['The owner passphrase is the wallet one.', 'Choose another.'],
  INSECURE_FILE: ['Others can read or write a file that holds secrets.', 'chmod as the message says.'],
  FILE_MISSING: ['The file is not there.', 'Give the right path.'],
  FILE_EXISTS: ['There is one already.', 'Use it, or move it away.'],
  INVALID_KEY: ['The keypair file is not one.', 'Make one with `solana-keygen new`.'],
  INVALID_SECRET: ['A secret has characters no key has.', 'Copy it again, without spaces or line breaks.'],
  INVALID_NAME: ['A secret was asked for under an impossible name.', 'Check the root URL.'],
  INVALID_HOME: ['The home folder has no usable name or cannot be made.', '--home DIR.'],
  SECRET_WIPED: ['A key was already wiped from memory.', 'Restart the server.'],
  SIGNER_LOCKED: ['The wallet or owner key is locked.', 'Restart the server, or run the command again.'],
  PERMIT_MISMATCH: [
    'The decision allows another message than the one to be signed. Nothing was signed.',
    '`countersign audit show`; build the plan again.',
  ],
  SIGNATURE_INVALID: [
    'A signature that was made does not verify and was thrown away.',
    'Restart; suspect the machine if it happens again.',
  ],
  CHALLENGE_REFUSED: [
    'A login challenge looked like a transaction and was not signed.',
    'Log in with a JWT; check the service.',
  ],
  OWNER_KEY_MISSING: ['There is no owner key in this home.', '`countersign owner create`.'],
  STATEMENT_INVALID: [
    'An approval, unfreeze or accepted policy is not signed by the owner key.',
    'Run the command again.',
  ],
};

const PLAN =
  'An answer of the service could not become a plan: duplicate ids, a cycle, a foreign contract version, too many stages.';

const LANDING: Readonly<Record<LandingErrorCode, string>> = {
  NOT_FOUND: 'There is no such plan or stage.',
  WALLET_BUSY: 'Another process signs for this wallet.',
  NETWORK_MISMATCH: 'The plan was made for another chain or mode, or the RPC is on another chain.',
  STOPPING: 'The server is shutting down.',
  SIGNATURE_MISMATCH: 'The RPC answered with another signature than ours.',
  QUOTE_CONFLICT: 'The service gave one quote id to two different quotes.',
  SIGNER_FAILED: 'The signer gave no signature, or not in time.',
};

const LEDGER: Readonly<Record<LedgerErrorCode, string>> = {
  LEDGER_CORRUPT: 'The ledger file is damaged; signing stops.',
  LEDGER_LOST: 'The ledger is not the one this home signed under, or an older copy of it; signing stops.',
  LEDGER_UNHEALTHY: 'The ledger cannot be written: full disk or I/O error.',
  LEDGER_VERSION: 'Another version of this program wrote the ledger.',
  LEDGER_BUSY: 'Another process held the ledger too long.',
  LEASE_LOST: 'Another process signs for this wallet now.',
  NOT_FOUND: 'There is no such row.',
  STATE_CONFLICT: 'The row is not in a state that allows the change.',
};

const CHAIN: Readonly<Record<ChainErrorCode, string>> = {
  RPC_UNREACHABLE: 'Your RPC cannot be reached.',
  RPC_TIMEOUT: 'Your RPC did not answer in time.',
  RPC_BAD_ANSWER: 'Your RPC answered something else than a Solana RPC does.',
  RPC_REFUSED: 'Your RPC refused the call.',
  RPC_RATE_LIMITED: 'Your RPC limits requests.',
  RPC_UNAUTHORIZED: 'Your RPC rejects its key.',
  RPC_BEHIND: 'Your RPC has not seen a new enough block.',
};

const SERVER: readonly CodeRow[] = [
  {
    code: 'NOT_SET_UP',
    class: 'input',
    cause: 'A piece of setup is missing: wallet, RPC, service address, login token, image folder.',
    next: `${PERSON} what the hint names.`,
  },
  {
    code: 'INTERNAL_ERROR',
    class: 'availability',
    cause: 'Something went wrong inside Countersign.',
    next: 'Its standard error output says more. get_plan tells what happened to a plan.',
  },
];

const entries = <K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] =>
  // Object.entries forgets the keys' type; the records above are literals with exactly these keys.
  Object.entries(record) as [K, V][];

/** Reason codes, in the order of the code's own list. */
export const reasonRows = (): CodeRow[] =>
  REASON_CODES.map((code) => ({
    code,
    class: classOf(code),
    cause: REASON_STEPS[code].cause,
    next: REASON_STEPS[code].next,
  }));

/** Error codes by where they come from. */
export function errorRows(): { title: string; rows: CodeRow[] }[] {
  return [
    {
      title: 'The service',
      rows: entries(SERVICE).map(([code, [cause, next]]) => ({
        code,
        class: new ServiceError(code, '', { hint: '' }).class,
        cause,
        next,
      })),
    },
    {
      title: 'Plans and landing',
      rows: [
        { code: 'PLAN_INVALID', class: 'security or upstream', cause: PLAN, next: new PlanError('').hint },
        ...entries(LANDING).map(([code, cause]) => {
          const error = new LandingError(code, '');
          return { code, class: error.class, cause, next: error.hint };
        }),
      ],
    },
    {
      title: 'The ledger',
      rows: entries(LEDGER).map(([code, cause]) => {
        const error = new LedgerError(code, '');
        return { code, class: error.class, cause, next: error.hint };
      }),
    },
    {
      title: 'The chain',
      rows: entries(CHAIN).map(([code, cause]) => {
        const error = new ChainError(code, '');
        return { code, class: error.class, cause, next: error.hint };
      }),
    },
    {
      title: 'Secrets and keys (for the person)',
      rows: entries(SECRETS).map(([code, [cause, next]]) => ({
        code,
        class: new SecretError(code, '', '').class,
        cause,
        next,
      })),
    },
    { title: 'The server', rows: [...SERVER] },
  ];
}
