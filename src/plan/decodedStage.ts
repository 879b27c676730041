/**
 * The transaction of a stage, created from its text in a service's answer or the ledger. Decoded lazily, with cached results.
 * Serializes to its text.
 */
import type { Act } from '../programs/acts.ts';
import { type Reading, type ReadingWithActs, readEach, withActs } from '../programs/read.ts';
import { feeOf, type TransactionFee } from '../programs/solana/fee.ts';
import type { View } from '../programs/view.ts';
import { accountList, resolveInstructions } from '../transaction/accounts.ts';
import { TransactionError } from '../transaction/errors.ts';
import { readTransaction } from '../transaction/read.ts';
import type { AccountUse, Address, DecodedTransaction } from '../transaction/types.ts';
import { decodeWire, encodeWire } from '../transaction/wire.ts';

/** A stage with all accounts resolved. */
export interface ResolvedStage {
  /** Distinct accounts of the message, including those of lookup tables. */
  readonly loaded: readonly AccountUse[];
  /** Decoded instructions. */
  readonly readings: readonly Reading[];
  /** Acts, without account data. */
  readonly acts: readonly Act[];
  /** Returns the readings with their acts, using the account data of a view. */
  readonly actsIn: (view: View) => readonly ReadingWithActs[];
  /** Network fee, or the error if it cannot be computed. */
  readonly fee: TransactionFee | TransactionError;
}

/** Input for resolving stages: contents of lookup tables, and switched-off programs. */
export interface ReadWith {
  readonly tables: ReadonlyMap<Address, readonly Address[]>;
  readonly off: ReadonlySet<Address>;
}

/** Entries that a transaction adds to a lookup table. */
export interface TableEntries {
  readonly table: Address;
  readonly addresses: readonly Address[];
  /** Set if the transaction creates the table. */
  readonly makes?: true;
}

/** Whether two lists contain the same addresses in the same order. */
export const sameAddresses = (one: readonly Address[], other: readonly Address[]): boolean =>
  one === other || (one.length === other.length && one.every((address, i) => address === other[i]));

/** A cached resolved stage, with the table entries that it uses. */
interface Resolved {
  readonly stage: ResolvedStage;
  readonly entries: readonly { readonly table: Address; readonly index: number; readonly address: Address }[];
  /** The latest input with the same result. */
  given: ReadWith;
}

/** Whether a cached stage is valid for an input. Inputs are immutable. */
function isValidFor({ entries, given: before }: Resolved, given: ReadWith): boolean {
  if (before === given) return true;
  const { tables, off } = given;
  if (before.off !== off && !sameAddresses([...off], [...before.off])) return false;
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
  /** The original base64 text, unchanged. */
  readonly text: string;
  #read: DecodedTransaction | TransactionError | undefined;
  #resolved: Resolved | undefined;
  #entries: readonly TableEntries[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Creates the stage of wire bytes. */
  static ofBytes(bytes: Uint8Array): DecodedStage {
    return new DecodedStage(encodeWire(bytes, 'base64'));
  }

  toJSON(): string {
    return this.text;
  }

  /** Returns the decoded transaction. @throws TransactionError for malformed or non-canonical text */
  read(): DecodedTransaction {
    this.#read ??= attempt(() => readTransaction(decodeWire(this.text, 'base64')));
    if (this.#read instanceof TransactionError) throw this.#read;
    return this.#read;
  }

  /** The decoded transaction, or `undefined` for malformed or non-canonical text. */
  get decoded(): DecodedTransaction | undefined {
    const read = attempt(() => this.read());
    return read instanceof TransactionError ? undefined : read;
  }

  /**
   * Resolves accounts and decodes instructions, except those of the programs in `off`.
   * @throws TransactionError like `read`, and for an unknown or duplicate account
   */
  resolve(given: ReadWith): ResolvedStage {
    if (this.#resolved !== undefined && isValidFor(this.#resolved, given)) {
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
    let usesView = false;
    const alone = withActs(readings, {
      tokenAccount: () => {
        usesView = true;
        return undefined;
      },
    });
    const stage: ResolvedStage = {
      loaded,
      readings,
      acts: alone.flatMap(({ acts }) => acts),
      actsIn: (view) => (usesView ? withActs(readings, view) : alone),
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

  /** Table entries that a setup transaction adds; empty for transactions that use tables or cannot be decoded. */
  get tableEntries(): readonly TableEntries[] {
    if (this.#entries !== undefined) return this.#entries;
    const stage = attempt(() => this.resolve(NOTHING));
    this.#entries =
      stage instanceof TransactionError
        ? []
        : stage.readings.flatMap(({ instruction }): TableEntries[] => {
            if (instruction?.kind === 'lookupTable.create')
              return [{ table: instruction.accounts.table.address, addresses: [], makes: true }];
            if (instruction?.kind !== 'lookupTable.extend') return [];
            return [{ table: instruction.accounts.table.address, addresses: instruction.args.addresses }];
          });
    return this.#entries;
  }
}

/** Returns the result of a function, or its TransactionError as a value. */
function attempt<T>(read: () => T): T | TransactionError {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransactionError) return error;
    throw error;
  }
}
