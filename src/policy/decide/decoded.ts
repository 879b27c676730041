/**
 * Stage bytes as read, kept for a while by their text. A plan's stages are looked at again and again: previewed,
 * reviewed, decided, and once more as siblings of every other stage. Reading is pure, so the same text is the same
 * transaction, and with the same tables the same instructions. Signatures are not part of this: they are verified anew
 * in every decision.
 */
import { remember } from '../../base/remember.ts';
import type { Act } from '../../programs/acts.ts';
import { feeOf, type TransactionFee } from '../../programs/computeBudget/fee.ts';
import { decodeInstruction, type Instruction } from '../../programs/instructions.ts';
import { type Reading, readEach, withActs } from '../../programs/read.ts';
import { NO_VIEW } from '../../programs/view.ts';
import { accountList, resolveInstructions } from '../../transaction/accounts.ts';
import type { TransactionError } from '../../transaction/errors.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';
import { decodeWire } from '../../transaction/wire.ts';

/** A hundred-claimer plan has some fifteen stages; this keeps a few such plans. */
const KEPT = 64;
const kept = new Map<string, DecodedTransaction>();

/** The transaction of a stage's base64 text. Throws TransactionError for text that has not exactly one reading. */
export function readStage(text: string): DecodedTransaction {
  return kept.get(text) ?? remember(kept, text, readTransaction(decodeWire(text, 'base64')), KEPT);
}

/** A stage whose accounts are all known. */
export interface ResolvedStage {
  /** Every account of the message, those of lookup tables included, each once. */
  readonly loaded: readonly AccountUse[];
  /** Its instructions, those of the stock programs by name. */
  readonly instructions: readonly Instruction[];
  /** The same as every reader knows them. */
  readonly readings: readonly Reading[];
  /** What they do as far as the bytes alone say. */
  readonly acts: readonly Act[];
  /** What the chain will charge, or why that cannot be told. */
  readonly fee: TransactionFee | TransactionError;
}

/** What stages are read with beside their text: what lookup tables hold, and the programs whose reader is left out. */
export interface ReadWith {
  readonly tables: ReadonlyMap<Address, readonly Address[]>;
  readonly off: ReadonlySet<Address>;
}

/** Whether two tables hold the same. */
export const holdSame = (one: readonly Address[], other: readonly Address[]): boolean =>
  one === other || (one.length === other.length && one.every((address, i) => address === other[i]));

const contents = new Map<Address, readonly Address[]>();

/** Looks at each table once for all stages of a decision: a table has the same list as before where it holds the same. */
export function readWith(tables: ReadWith['tables'], off: ReadWith['off']): ReadWith {
  const held = new Map<Address, readonly Address[]>();
  for (const [table, now] of tables) {
    const before = contents.get(table);
    const isSame = before !== undefined && holdSame(now, before);
    held.set(table, isSame ? before : remember(contents, table, Object.isFrozen(now) ? now : [...now], 64));
  }
  return { tables: held, off };
}

const resolved = new Map<string, ReadWith & { readonly stage: ResolvedStage }>();

/**
 * A stage with its accounts filled in and each instruction read, but for programs whose reader is `off`.
 * Throws what `readStage` and `accountList` throw.
 */
export function resolveStage(text: string, { tables, off }: ReadWith): ResolvedStage {
  const known = resolved.get(text);
  if (known?.off === off && [...known.tables].every(([table, held]) => tables.get(table) === held))
    return known.stage;
  const transaction = readStage(text);
  const named = transaction.lookups.map(({ table }) => table);
  const held = new Map([...tables].filter(([table]) => named.includes(table)));
  const contents = [...held].map(([table, addresses]) => ({ table, addresses }));
  const loaded = accountList(transaction, contents);
  const given = resolveInstructions(transaction, contents, loaded);
  const readings = readEach(given, off);
  const stage = {
    loaded,
    instructions: given.map(decodeInstruction),
    readings,
    acts: withActs(readings, NO_VIEW).flatMap(({ acts }) => acts),
    fee: feeOf(transaction),
  };
  return remember(resolved, text, { tables: held, off, stage }, 256).stage;
}
