/**
 * Reads instructions of every program there is a reader for, and says what they do. Nothing here decides whether
 * an instruction may be signed.
 */
import { TransactionError } from '../transaction/errors.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import { type AccountBytes, isOfType, readAs } from './account.ts';
import type { Act } from './acts.ts';
import { publicName } from './anchor.ts';
import { PROGRAMS } from './index.ts';
import { type EncodedInstruction, type Layout, readLayout, writeLayout } from './layout.ts';
import type { DecodedBy, InputFor, NamedInstruction, ProgramReader } from './program.ts';
import { type Entry, Table } from './table.ts';
import { FollowingView, type View } from './view.ts';

type AnyLayout = (typeof PROGRAMS)[number]['layouts'][number];
/** Names of all instructions that are read in full, as `program.instruction`. */
export type ReadKind = AnyLayout['kind'];
/** An instruction of any kind that is read in full. */
export type DecodedInstruction = DecodedBy<AnyLayout>;

interface About {
  readonly index: number;
  readonly program: Address;
  /** Who reads it; absent for programs without a reader. */
  readonly reader?: ProgramReader;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** What an instruction is. */
export type Reading =
  /** Read in full. `inferred` says what of it no public interface states. */
  | (About & {
      readonly status: 'read';
      readonly reader: ProgramReader;
      readonly instruction: DecodedInstruction;
      readonly inferred: readonly string[];
    })
  /** Known by name, and never part of an operation. */
  | (About & { readonly status: 'named'; readonly reader: ProgramReader; readonly name: string })
  /** Not known, or with a `kind` known and not as it must look. `reason` is a sentence without untrusted text. */
  | (About & { readonly status: 'unsupported'; readonly kind?: ReadKind; readonly reason: string });

interface Known extends Entry {
  readonly reader: ProgramReader;
  readonly what: Layout | NamedInstruction;
}

let table: Table<Known> | undefined;

/** Made at the first reading, so that importing this costs nothing. */
function known(): Table<Known> {
  table ??= new Table<Known>(
    PROGRAMS.flatMap((reader: ProgramReader) => [
      ...reader.layouts.map((what) => ({
        programs: what.programs,
        discriminator: what.discriminator,
        emptyData: what.emptyData,
        reader,
        what,
      })),
      ...reader.named.map((what) => ({
        programs: reader.addresses,
        discriminator: what.discriminator,
        reader,
        what,
      })),
    ]),
  );
  return table;
}

/** Reads one instruction. Never throws: what does not fit exactly is `unsupported`. */
export function readInstruction(instruction: ResolvedInstruction): Reading {
  const { program, index, accounts, data } = instruction;
  const about: About = { index, program, accounts, data };
  if (!known().knows(program))
    return { ...about, status: 'unsupported', reason: 'the program has no reader' };
  const found = known().find(program, data);
  if (found === undefined) {
    const reader = PROGRAMS.find((each) => each.addresses.includes(program));
    const reason = 'the first bytes are those of no known instruction';
    return { ...about, ...(reader === undefined ? {} : { reader }), status: 'unsupported', reason };
  }
  const { reader, what } = found;
  if ('name' in what) return { ...about, reader, status: 'named', name: what.name };
  const kind = what.kind as ReadKind; // every layout of PROGRAMS is one of them
  try {
    const named = readLayout(what, instruction);
    if (typeof named === 'string') return { ...about, reader, status: 'unsupported', kind, reason: named };
    // The layout that read the parts is the one that declares this kind's shape.
    const decoded = { kind, program, index, ...named } as unknown as DecodedInstruction;
    return { ...about, reader, status: 'read', instruction: decoded, inferred: what.inferred };
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return { ...about, reader, status: 'unsupported', kind, reason: error.message };
  }
}

/** Returns why an instruction does not fit the layout of its discriminator; `undefined` for any other reading. */
export const misfitOf = (reading: Reading): string | undefined =>
  reading.status === 'unsupported' && reading.kind !== undefined
    ? `${reading.kind}: ${reading.reason}`
    : undefined;

/** Whether no reader claims an instruction, so that an entry of a policy may admit it. */
export const isUnsupported = (reading: Reading | undefined): boolean =>
  reading !== undefined && reading.status !== 'read' && misfitOf(reading) === undefined;

const leftUnsupported = ({ program, index, accounts, data }: ResolvedInstruction): Reading => ({
  ...{ program, index, accounts, data, status: 'unsupported' },
  reason: 'the reader of the program is switched off',
});

/** What a program's public interface calls an instruction, by its first bytes; `undefined` for one not known here. */
export function instructionName(program: Address, data: Uint8Array): string | undefined {
  const what = known().find(program, data)?.what;
  if (what === undefined) return undefined;
  return 'name' in what ? what.name : publicName(what.kind.slice(what.kind.indexOf('.') + 1));
}

/** What one instruction does, given what is known of its accounts when it runs. */
export function actsOf(reading: Reading, view: View): readonly Act[] {
  if (reading.status === 'read') return reading.reader.acts(reading.instruction, view);
  const { program } = reading;
  const accounts = reading.accounts.map(({ address }) => address);
  if (reading.status === 'named') return [{ act: 'named', program, instruction: reading.name, accounts }];
  return [{ act: 'unsupported', program, reason: reading.reason, accounts }];
}

/** An instruction and what it does. */
export interface ReadingWithActs {
  readonly reading: Reading;
  readonly acts: readonly Act[];
}

/** Reads instructions, each by itself. Readers of the programs in `off` are left out. */
export const readEach = (
  instructions: readonly ResolvedInstruction[],
  off: ReadonlySet<Address>,
): readonly Reading[] =>
  instructions.map((each) => (off.has(each.program) ? leftUnsupported(each) : readInstruction(each)));

/** Reads a transaction's instructions in order, with what each does. */
export const readInstructions = (
  instructions: readonly ResolvedInstruction[],
  view: View,
): readonly ReadingWithActs[] => withActs(instructions.map(readInstruction), view);

/** Returns the acts of instructions in order; each reader sees the account changes of earlier instructions. */
export function withActs(readings: readonly Reading[], view: View): readonly ReadingWithActs[] {
  const following = new FollowingView(view);
  return readings.map((reading) => {
    const acts = actsOf(reading, following);
    for (const act of acts) following.follow(act);
    return { reading, acts };
  });
}

/**
 * Builds an instruction of any program from accounts by role and arguments by name. Accounts that can be one
 * address only, because they are fixed or derived from the others, need not be given.
 * @throws TypeError for a missing or unknown name, RangeError for a number out of range
 */
export function buildInstruction<K extends ReadKind>(
  kind: K,
  input: InputFor<Extract<AnyLayout, { kind: K }>>,
): EncodedInstruction {
  const layout = PROGRAMS.flatMap((reader: ProgramReader) => reader.layouts).find(
    (each) => each.kind === kind,
  );
  if (layout === undefined) throw new TypeError(`no instruction is called ${kind}`);
  return writeLayout(layout, input);
}

/** An account read by its program's reader. */
export interface AccountReading {
  /** `program.account` */
  readonly kind: string;
  readonly fields: unknown;
  readonly inferred: readonly string[];
}

/** Reads an account of any supported type; `undefined` for other accounts and for invalid data. */
export function readAccount(account: AccountBytes): AccountReading | undefined {
  for (const reader of PROGRAMS) {
    if (!reader.addresses.includes(account.owner)) continue;
    const layout = reader.accounts.find((each) => isOfType(each, account));
    if (layout === undefined) continue;
    const fields = readAs(layout, account);
    return typeof fields === 'string' ? undefined : { kind: layout.kind, fields, inferred: layout.inferred };
  }
  return undefined;
}
