/** Reads transactions from text and files, and wraps transactions without a request in a plan. */
import { readFile, stat } from 'node:fs/promises';
import { DecodedStage } from '../../plan/decodedStage.ts';
import type { Plan } from '../../plan/types.ts';
import type { Act } from '../../programs/acts.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { TransactionError } from '../../transaction/errors.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import { decodeWire, type WireEncoding } from '../../transaction/wire.ts';

/** A transaction and its source. */
export interface Found {
  readonly title: string;
  readonly transaction: DecodedTransaction;
}

const ENCODINGS: readonly WireEncoding[] = ['base64', 'base58'];
const MAX_BYTES = 64 * 1024;

/**
 * Decodes a text as base64 or base58, of which exactly one must yield a transaction.
 * @throws SetupError with the reason and the next step
 */
export function readText(given: string): DecodedTransaction {
  const text = given.trim();
  const found: DecodedTransaction[] = [];
  const reasons: string[] = [];
  for (const each of ENCODINGS) {
    try {
      found.push(readTransaction(decodeWire(text, each)));
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error;
      reasons.push(`as ${each}: ${error.message}`);
    }
  }
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) {
    throw new SetupError(
      'This text is a transaction in base64 and another one in base58.',
      'Give a file with its bytes instead.',
    );
  }
  throw new SetupError(
    `This is not a transaction (${reasons.join('; ')}).`,
    'Give the transaction as base64 or base58, a file that holds it, or the id of a plan of this home.',
  );
}

/** Reads a transaction from a file, as bytes or text. */
export async function readFileOf(path: string): Promise<DecodedTransaction> {
  const bytes = await readFile(path);
  if (bytes.length > MAX_BYTES) {
    throw new SetupError(`${path} is too large for a transaction.`, 'A transaction has at most 4,096 bytes.');
  }
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
  }
  return readText(bytes.toString('utf8'));
}

/** Returns whether the argument names an existing file. */
export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Maximum length of a text taken for a path: the shortest transaction is longer as text. */
const LONGEST_PATH = 170;

/** Returns whether an argument without a file was meant as a path: a transaction's text has no dot, and is longer. */
export const looksLikePath = (word: string): boolean =>
  /[./\\~]/.test(word) && (word.length < LONGEST_PATH || /[.\\~]/.test(word));

/** Wraps transactions without a request in a plan. `fields`: request fields inferred from their acts. */
export const planAround = (
  found: readonly Found[],
  wallet: Address,
  fields: Readonly<Record<string, unknown>> = {},
): Plan => ({
  ...{ planId: '', revision: 0, operation: 'send', mode: 'live', network: '', wallet, intentKey: '' },
  request: { endpoint: '', fields, digest: '' },
  ...{ answer: {}, createdAt: 0 },
  stages: found.map(({ title: id, transaction: { format, bytes } }) => ({
    ...{ id, kind: 'send', format, dependsOn: [], transaction: DecodedStage.ofBytes(bytes) },
    ...{ declared: {}, optional: false, refresh: 'never', waitSlots: 0 },
  })),
});

/** Returns the parts of a request implied by acts: operation, token, quote and config. */
export function impliedBy(acts: readonly Act[]): {
  readonly operation: Plan['operation'] | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
} {
  const kinds = new Set(acts.map(({ act }) => act));
  const operation = IMPLIED.find(([act]) => kinds.has(act))?.[1];
  const launch = acts.find((act) => act.act === 'createPool');
  const about = launch ?? acts.find((act) => 'base' in act && act.base !== undefined);
  if (about === undefined || !('base' in about)) return { operation, fields: {} };
  const { base: tokenMint } = about;
  const quote = 'quote' in about ? { quoteMint: about.quote } : {};
  const config = launch?.act === 'createPool' ? launch.config : undefined;
  return {
    operation,
    fields: { tokenMint, ...quote, ...(config === undefined ? {} : { configKey: config }) },
  };
}

const IMPLIED: readonly (readonly [Act['act'], Plan['operation']])[] = [
  ['createPool', 'launch'],
  ['createConfig', 'config'],
  ['extendConfig', 'config'],
  ['changeShares', 'manager_update'],
  ['swap', 'swap'],
  ['claim', 'holding_claim'],
];
