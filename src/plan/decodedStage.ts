/**
 * The transaction of a stage as it travels: made from its text when the stage enters, from a service's answer or from the
 * ledger, and read at the first question. What was read stays with it. As JSON it is its text.
 */
import type { Act } from '../programs/acts.ts';
import { feeOf, type TransactionFee } from '../programs/computeBudget/fee.ts';
import { decodeInstruction, type Instruction } from '../programs/instructions.ts';
import { type Reading, type ReadingWithActs, readEach, withActs } from '../programs/read.ts';
import type { View } from '../programs/view.ts';
import { accountList, resolveInstructions } from '../transaction/accounts.ts';
import { TransactionError } from '../transaction/errors.ts';
import { readTransaction } from '../transaction/read.ts';
import type { AccountUse, Address, DecodedTransaction } from '../transaction/types.ts';
import { decodeWire, encodeWire } from '../transaction/wire.ts';

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
  /** The readings with what each does, as the accounts of a view complete it. */
  readonly actsIn: (view: View) => readonly ReadingWithActs[];
  /** What the chain will charge, or why that cannot be told. */
  readonly fee: TransactionFee | TransactionError;
}

/** What stages are read with beside their text: what lookup tables hold, and the programs whose reader is left out. */
export interface ReadWith {
  readonly tables: ReadonlyMap<Address, readonly Address[]>;
  readonly off: ReadonlySet<Address>;
}

/** What a transaction adds to a lookup table. */
export interface TableEntries {
  readonly table: Address;
  readonly addresses: readonly Address[];
  /** Whether it makes the table. */
  readonly makes?: true;
}

/** Whether two tables hold the same. */
export const holdSame = (one: readonly Address[], other: readonly Address[]): boolean =>
  one === other || (one.length === other.length && one.every((address, i) => address === other[i]));

/** A stage as it was resolved, and the table entries it rests on. */
interface Resolved {
  readonly stage: ResolvedStage;
  readonly entries: readonly { readonly table: Address; readonly index: number; readonly address: Address }[];
  /** The last that it was resolved with. */
  given: ReadWith;
}

/** Whether a resolved stage is the same with what is given now. Neither its tables nor its set change once they are given. */
function isStill({ entries, given: before }: Resolved, given: ReadWith): boolean {
  if (before === given) return true;
  const { tables, off } = given;
  if (before.off !== off && !holdSame([...off], [...before.off])) return false;
  let table: Address | undefined;
  let addresses: readonly Address[] | undefined;
  for (const entry of entries) {
    if (entry.table !== table) {
      table = entry.table;
      addresses = tables.get(table);
    }
    if (addresses?.[entry.index] !== entry.address) return false;
  }
  return true;
}

const NOTHING: ReadWith = { tables: new Map(), off: new Set() };

export class DecodedStage {
  /** Base64, letter by letter as it came. */
  readonly text: string;
  #read: DecodedTransaction | TransactionError | undefined;
  #resolved: Resolved | undefined;
  #entries: readonly TableEntries[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The stage of these wire bytes. */
  static ofBytes(bytes: Uint8Array): DecodedStage {
    return new DecodedStage(encodeWire(bytes, 'base64'));
  }

  toJSON(): string {
    return this.text;
  }

  /** The transaction. @throws TransactionError for text that has not exactly one reading */
  read(): DecodedTransaction {
    this.#read ??= attempt(() => readTransaction(decodeWire(this.text, 'base64')));
    if (this.#read instanceof TransactionError) throw this.#read;
    return this.#read;
  }

  /** The transaction; `undefined` for text that has not exactly one reading. */
  get decoded(): DecodedTransaction | undefined {
    const read = attempt(() => this.read());
    return read instanceof TransactionError ? undefined : read;
  }

  /**
   * The stage with its accounts filled in and each instruction read, but for programs whose reader is `off`.
   * @throws TransactionError like `read`, and for an account that is not known or loaded twice
   */
  resolve(given: ReadWith): ResolvedStage {
    if (this.#resolved !== undefined && isStill(this.#resolved, given)) {
      this.#resolved.given = given;
      return this.#resolved.stage;
    }
    const { tables, off } = given;
    const transaction = this.read();
    const { lookups } = transaction;
    const named = lookups.flatMap(({ table }) => {
      const addresses = tables.get(table);
      return addresses === undefined ? [] : [{ table, addresses }];
    });
    const loaded = accountList(transaction, named);
    const instructions = resolveInstructions(transaction, named, loaded);
    const readings = readEach(instructions, off);
    let asks = false;
    const alone = withActs(readings, {
      tokenAccount: () => {
        asks = true;
        return undefined;
      },
    });
    const stage: ResolvedStage = {
      loaded,
      instructions: instructions.map(decodeInstruction),
      readings,
      acts: alone.flatMap(({ acts }) => acts),
      actsIn: (view) => (asks ? withActs(readings, view) : alone),
      fee: feeOf(transaction),
    };
    const indexes = [
      ...lookups.flatMap(({ writableIndexes }) => [...writableIndexes]),
      ...lookups.flatMap(({ readonlyIndexes }) => [...readonlyIndexes]),
    ];
    const entries = loaded
      .flatMap(({ table, address }) => (table === undefined ? [] : [{ table, address }]))
      .map((entry, i) => ({ ...entry, index: indexes[i] ?? 0 }));
    this.#resolved = { entries, given, stage };
    return stage;
  }

  /** What a setup transaction, which uses no tables itself, adds to tables. Unreadable bytes add nothing. */
  get tableEntries(): readonly TableEntries[] {
    if (this.#entries !== undefined) return this.#entries;
    const stage = attempt(() => this.resolve(NOTHING));
    this.#entries =
      stage instanceof TransactionError
        ? []
        : stage.instructions.flatMap((instruction): TableEntries[] => {
            if (instruction.kind === 'lookupTable.create')
              return [{ table: instruction.accounts.table.address, addresses: [], makes: true }];
            if (instruction.kind !== 'lookupTable.extend') return [];
            return [{ table: instruction.accounts.table.address, addresses: instruction.args.addresses }];
          });
    return this.#entries;
  }
}

/** What a reading gives, or the error that says why it gives nothing. */
function attempt<T>(read: () => T): T | TransactionError {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransactionError) return error;
    throw error;
  }
}
