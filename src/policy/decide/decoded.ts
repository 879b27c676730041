/**
 * Stage bytes as read, kept for a while by their text. A plan's stages are looked at again and again: previewed,
 * reviewed, decided, and once more as siblings of every other stage. Reading is pure, so the same text is the same
 * transaction, and with the same tables the same instructions. Signatures are not part of this: they are verified anew
 * in every decision.
 */
import { remember } from '../../base/remember.ts';
import { decodeInstruction, type Instruction } from '../../programs/instructions.ts';
import { type Reading, readEach } from '../../programs/read.ts';
import { accountList, resolveInstructions } from '../../transaction/accounts.ts';
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
}

/** What stages are read with beside their text: what lookup tables hold, and the programs whose reader is left out. */
export interface ReadWith {
  readonly tables: ReadonlyMap<Address, readonly Address[]>;
  readonly off: ReadonlySet<Address>;
  readonly offNames: string;
}

const contents = new Map<Address, readonly Address[]>();

/** Looks at each table once for all stages of a decision: a table has the same list as before where it holds the same. */
export function readWith(
  tables: ReadonlyMap<Address, readonly Address[]>,
  off: ReadonlySet<Address>,
): ReadWith {
  const held = new Map<Address, readonly Address[]>();
  for (const [table, now] of tables) {
    const before = contents.get(table);
    const isSame = now.length === before?.length && now.every((address, i) => address === before[i]);
    held.set(table, isSame ? before : remember(contents, table, [...now], 64));
  }
  return { tables: held, off, offNames: [...off].join() };
}

interface Resolved {
  readonly stage: ResolvedStage;
  /** What each table it names held, and whose readers were left out. */
  readonly held: readonly (readonly Address[] | undefined)[];
  readonly offNames: string;
}
const resolved = new Map<string, Resolved>();

/**
 * A stage with its accounts filled in and each instruction read, but for programs whose reader is `off`.
 * Throws what `readStage` and `accountList` throw.
 */
export function resolveStage(text: string, { tables, off, offNames }: ReadWith): ResolvedStage {
  const transaction = readStage(text);
  const { lookups } = transaction;
  const known = resolved.get(text);
  if (known?.offNames === offNames && lookups.every(({ table }, i) => tables.get(table) === known.held[i]))
    return known.stage;
  const contents = [...tables].map(([table, addresses]) => ({ table, addresses }));
  const loaded = accountList(transaction, contents);
  const given = resolveInstructions(transaction, contents, loaded);
  const stage = { loaded, instructions: given.map(decodeInstruction), readings: readEach(given, off) };
  const held = lookups.map(({ table }) => tables.get(table));
  return remember(resolved, text, { stage, held, offNames }, 256).stage;
}
