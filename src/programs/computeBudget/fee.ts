/**
 * What the chain will charge for a transaction, from its bytes alone: an upper bound, exact where the bytes
 * name a compute unit limit. Rounds up as the runtime does; rounding down lets a price slip under a cap (T21,
 * T22, T52, B43).
 */
import { noncanonical, TransactionError } from '../../transaction/errors.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import type { DecodedTransaction } from '../../transaction/types.ts';
import { decodeInstruction } from '../instructions.ts';

const LAMPORTS_PER_SIGNATURE = 5000n;
/** The runtime's cap, and what an absent limit counts as. */
export const MAX_COMPUTE_UNITS = 1_400_000;
const MICRO_LAMPORTS = 1_000_000n;

export interface TransactionFee {
  /** Lamports for the signatures. */
  readonly base: bigint;
  /** Lamports for priority. */
  readonly priority: bigint;
  /** Lamports in all. */
  readonly total: bigint;
  /** Compute units the transaction may use. */
  readonly computeUnitLimit: number;
}

/**
 * The fee of a transaction in lamports. Signatures that precompile programs verify would cost more, but those
 * programs are always denied (T49).
 * @throws TransactionError NONCANONICAL_BYTES when a Compute Budget instruction is repeated or cannot be read
 */
export function transactionFee(transaction: DecodedTransaction): TransactionFee {
  const base = LAMPORTS_PER_SIGNATURE * BigInt(transaction.numRequiredSignatures);
  const { limit, priority } = transaction.format === 'v1' ? configured(transaction) : requested(transaction);
  return { base, priority, total: base + priority, computeUnitLimit: Math.min(limit, MAX_COMPUTE_UNITS) };
}

/** The same; the error where it cannot be told. */
export function feeOf(transaction: DecodedTransaction): TransactionFee | TransactionError {
  try {
    return transactionFee(transaction);
  } catch (error) {
    if (error instanceof TransactionError) return error;
    throw error;
  }
}

/**
 * v1 names its fee in the message; Compute Budget instructions do nothing there. An absent limit means none.
 */
function configured({ config }: DecodedTransaction) {
  return { limit: config?.computeUnitLimit ?? 0, priority: config?.priorityFeeLamports ?? 0n };
}

/** Legacy and v0 ask for price and limit by instruction. */
function requested(transaction: DecodedTransaction) {
  let limit = MAX_COMPUTE_UNITS;
  let microLamports = 0n;
  const seen: string[] = [];
  const budgetIndex = transaction.staticAccounts.indexOf(COMPUTE_BUDGET_PROGRAM);
  for (const { programIndex, data } of transaction.instructions) {
    if (programIndex !== budgetIndex) continue;
    // The runtime ignores accounts given to these instructions, so they must not hide one from this sum.
    const instruction = decodeInstruction({ index: 0, program: COMPUTE_BUDGET_PROGRAM, accounts: [], data });
    // It also accepts bytes after the end and acts on what precedes them: not decodable, but not harmless.
    if (instruction.kind === 'unknown') throw noncanonical('a Compute Budget instruction cannot be read');
    if (seen.includes(instruction.kind)) throw noncanonical('a Compute Budget instruction is repeated');
    seen.push(instruction.kind);
    if (instruction.kind === 'computeBudget.setComputeUnitLimit') limit = instruction.args.units;
    if (instruction.kind === 'computeBudget.setComputeUnitPrice')
      microLamports = instruction.args.microLamports;
  }
  limit = Math.min(limit, MAX_COMPUTE_UNITS);
  const priority = (microLamports * BigInt(limit) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  return { limit, priority };
}
