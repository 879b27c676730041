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
import type { AccountUse, Address, DecodedTransaction, LookupTableContent } from '../../transaction/types.ts';
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

interface Resolved {
  readonly stage: ResolvedStage;
  /** What it stands on beside the text: what each table it names holds, and whose readers were left out. */
  readonly held: readonly (readonly Address[] | undefined)[];
  readonly off: string;
}
const resolved = new Map<string, Resolved>();

/**
 * A stage with its accounts filled in from these tables and each instruction read, but for programs whose reader is `off`.
 * Throws what `readStage` and `accountList` throw.
 */
export function resolveStage(
  text: string,
  tables: readonly LookupTableContent[],
  off: ReadonlySet<Address> = new Set(),
): ResolvedStage {
  const transaction = readStage(text);
  const held = transaction.lookups.map(({ table }) => contentOf(table, tables));
  const names = [...off].join();
  const known = resolved.get(text);
  if (known?.off === names && held.every((addresses, i) => addresses === known.held[i])) return known.stage;
  const loaded = accountList(transaction, tables);
  const given = resolveInstructions(transaction, tables, loaded);
  const stage = { loaded, instructions: given.map(decodeInstruction), readings: readEach(given, off) };
  return remember(resolved, text, { stage, held, off: names }, 256).stage;
}

const contents = new Map<Address, readonly Address[]>();

/** What a table holds: the same list as before where it holds the same. */
function contentOf(table: Address, tables: readonly LookupTableContent[]): readonly Address[] | undefined {
  const now = tables.findLast((each) => each.table === table)?.addresses;
  const before = contents.get(table);
  if (now === undefined) return undefined;
  const isSame = now.length === before?.length && now.every((address, i) => address === before[i]);
  return isSame ? before : remember(contents, table, [...now], 64);
}
