/**
 * The network fee of a transaction, an upper bound that is exact if the transaction sets a compute unit limit. Rounds up
 * like the runtime; rounding down would let a fee pass a cap (T21, T22, T52, B43).
 */
import { noncanonical, TransactionError } from '../../transaction/errors.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import type { DecodedTransaction } from '../../transaction/types.ts';
import { readInstruction } from '../read.ts';

const LAMPORTS_PER_SIGNATURE = 5000n;
/** The runtime's maximum, also assumed if no limit is set. */
export const MAX_COMPUTE_UNITS = 1_400_000;
const MICRO_LAMPORTS = 1_000_000n;

export interface TransactionFee {
  /** Signature fee in lamports. */
  readonly base: bigint;
  /** Priority fee in lamports. */
  readonly priority: bigint;
  /** Total fee in lamports. */
  readonly total: bigint;
  /** Compute units the transaction may use. */
  readonly computeUnitLimit: number;
}

/**
 * Returns the fee of a transaction in lamports, without fees for precompile signatures, because these programs are always
 * denied (T49).
 * @throws TransactionError NONCANONICAL_BYTES if a Compute Budget instruction is repeated or invalid
 */
export function transactionFee(transaction: DecodedTransaction): TransactionFee {
  const base = LAMPORTS_PER_SIGNATURE * BigInt(transaction.numRequiredSignatures);
  const { limit, priority } = transaction.format === 'v1' ? configured(transaction) : requested(transaction);
  return { base, priority, total: base + priority, computeUnitLimit: Math.min(limit, MAX_COMPUTE_UNITS) };
}

/** Returns the fee of a transaction, or the error as a value. */
export function feeOf(transaction: DecodedTransaction): TransactionFee | TransactionError {
  try {
    return transactionFee(transaction);
  } catch (error) {
    if (error instanceof TransactionError) return error;
    throw error;
  }
}

/**
 * Returns limit and priority fee of a v1 message, in which Compute Budget instructions have no effect. An absent limit
 * means 0 units.
 */
function configured({ config }: DecodedTransaction) {
  return { limit: config?.computeUnitLimit ?? 0, priority: config?.priorityFeeLamports ?? 0n };
}

/** Returns limit and priority fee set by the instructions of a legacy or v0 message. */
function requested(transaction: DecodedTransaction) {
  let limit = MAX_COMPUTE_UNITS;
  let microLamports = 0n;
  const seen: string[] = [];
  const budgetIndex = transaction.staticAccounts.indexOf(COMPUTE_BUDGET_PROGRAM);
  for (const { programIndex, data } of transaction.instructions) {
    if (programIndex !== budgetIndex) continue;
    // The runtime ignores the accounts of these instructions, so they are omitted here.
    const { instruction } = readInstruction({
      index: 0,
      program: COMPUTE_BUDGET_PROGRAM,
      accounts: [],
      data,
    });
    // The runtime also accepts trailing bytes, so an instruction that cannot be decoded may still take effect.
    if (instruction === undefined) throw noncanonical('a Compute Budget instruction cannot be decoded');
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
