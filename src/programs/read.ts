/** Decodes instructions of the supported programs, and returns their acts. Makes no policy decisions. */
import { TransactionError } from '../transaction/errors.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import type { Act } from './acts.ts';
import { publicName } from './anchor.ts';
import { PROGRAMS } from './index.ts';
import { type Layout, readLayout } from './layout.ts';
import type { DecodedBy, NamedInstruction, ProgramReader } from './program.ts';
import { FollowingView, type View } from './view.ts';

type AnyLayout = (typeof PROGRAMS)[number]['layouts'][number];
/** Names of the supported instructions, as `program.instruction`. */
export type ReadKind = AnyLayout['kind'];
/** A decoded instruction of any supported kind. */
export type DecodedInstruction = DecodedBy<AnyLayout>;

interface About {
  readonly index: number;
  readonly program: Address;
  /** Definition of the program; absent for unsupported programs. */
  readonly reader?: ProgramReader;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
  /** The decoded instruction; absent unless it is supported. */
  readonly instruction?: DecodedInstruction;
}

/** The result of decoding an instruction. */
export type Reading =
  /** A supported instruction. `inferred`: properties that no public interface documents. */
  | (About & {
      readonly status: 'read';
      readonly reader: ProgramReader;
      readonly instruction: DecodedInstruction;
      readonly inferred: readonly string[];
    })
  /** An instruction known only by name, never part of an operation. */
  | (About & { readonly status: 'named'; readonly reader: ProgramReader; readonly name: string })
  /** An unknown instruction or, with `kind`, one that does not match its layout. `reason` contains no untrusted text. */
  | (About & { readonly status: 'unsupported'; readonly kind?: ReadKind; readonly reason: string });

/** An instruction of one or more programs, identified by its discriminator. */
interface Entry {
  readonly programs: readonly Address[];
  readonly discriminator: Uint8Array;
  /** Whether empty data is equivalent to the discriminator. */
  readonly emptyData?: boolean;
}

/** Key of entries without a discriminator or with empty data. */
const ANY_BYTE = -1;

/** Entries by program and first byte, so that a look-up compares only a few. */
export class Table<E extends Entry> {
  private readonly byProgram = new Map<Address, Map<number, E[]>>();

  constructor(entries: Iterable<E>) {
    for (const entry of entries) {
      const firsts = [entry.discriminator[0] ?? ANY_BYTE, ...(entry.emptyData ? [ANY_BYTE] : [])];
      for (const program of entry.programs) {
        const byByte = this.byProgram.get(program) ?? new Map<number, E[]>();
        this.byProgram.set(program, byByte);
        for (const first of firsts) byByte.set(first, [...(byByte.get(first) ?? []), entry]);
      }
    }
  }

  knows(program: Address): boolean {
    return this.byProgram.has(program);
  }

  /** Returns the entry whose discriminator the data starts with, or `undefined`. */
  find(program: Address, data: Uint8Array): E | undefined {
    const byByte = this.byProgram.get(program);
    if (byByte === undefined) return undefined;
    const entries = byByte.get(data[0] ?? ANY_BYTE) ?? byByte.get(ANY_BYTE);
    return entries?.find((entry) => startsWith(entry, data));
  }
}

function startsWith({ discriminator, emptyData }: Entry, data: Uint8Array): boolean {
  if (data.length === 0) return emptyData === true || discriminator.length === 0;
  return discriminator.every((byte, index) => data[index] === byte);
}

interface Known extends Entry {
  readonly reader: ProgramReader;
  readonly what: Layout | NamedInstruction;
}

let table: Table<Known> | undefined;

/** Returns the discriminator table, built on first use to keep the import cheap. */
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

/** Decodes an instruction. Never throws; returns `unsupported` if no layout matches exactly. */
export function readInstruction(instruction: ResolvedInstruction): Reading {
  const { program, index, accounts, data } = instruction;
  const about: About = { index, program, accounts, data };
  if (!known().knows(program)) return { ...about, status: 'unsupported', reason: 'unsupported program' };
  const found = known().find(program, data);
  if (found === undefined) {
    const reader = PROGRAMS.find((each) => each.addresses.includes(program));
    const reason = 'unknown discriminator';
    return { ...about, ...(reader === undefined ? {} : { reader }), status: 'unsupported', reason };
  }
  const { reader, what } = found;
  if ('name' in what) return { ...about, reader, status: 'named', name: what.name };
  const kind = what.kind as ReadKind; // every layout of PROGRAMS is one of them
  try {
    const named = readLayout(what, instruction);
    if (typeof named === 'string') return { ...about, reader, status: 'unsupported', kind, reason: named };
    // `named` has the shape that the layout declares for this kind.
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

/** Whether an instruction is neither supported nor a misfit, so that a policy entry may allow it. */
export const isUnsupported = (reading: Reading | undefined): boolean =>
  reading !== undefined && reading.status !== 'read' && misfitOf(reading) === undefined;

const switchedOff = ({ program, index, accounts, data }: ResolvedInstruction): Reading => ({
  ...{ program, index, accounts, data, status: 'unsupported' },
  reason: 'the policy switches the program off',
});

/** Returns an instruction's name in the program's public interface, or `undefined` if it is unknown. */
export function instructionName(program: Address, data: Uint8Array): string | undefined {
  const what = known().find(program, data)?.what;
  if (what === undefined) return undefined;
  return 'name' in what ? what.name : publicName(what.kind.slice(what.kind.indexOf('.') + 1));
}

/** Returns the acts of an instruction; `view` supplies the state of its accounts when it runs. */
export function actsOf(reading: Reading, view: View): readonly Act[] {
  if (reading.status === 'read') return reading.reader.acts(reading.instruction, view);
  const { program } = reading;
  const accounts = reading.accounts.map(({ address }) => address);
  if (reading.status === 'named') return [{ act: 'named', program, instruction: reading.name, accounts }];
  return [{ act: 'unsupported', program, reason: reading.reason, accounts }];
}

/** A decoded instruction with its acts. */
export interface ReadingWithActs {
  readonly reading: Reading;
  readonly acts: readonly Act[];
}

/** Decodes instructions; those of the programs in `off` are `unsupported`. */
export const readEach = (
  instructions: readonly ResolvedInstruction[],
  off: ReadonlySet<Address>,
): readonly Reading[] =>
  instructions.map((each) => (off.has(each.program) ? switchedOff(each) : readInstruction(each)));

/** Decodes a transaction's instructions and adds their acts, in order. */
export const readInstructions = (
  instructions: readonly ResolvedInstruction[],
  view: View,
): readonly ReadingWithActs[] => withActs(instructions.map(readInstruction), view);

/** Adds acts to decoded instructions, in order; account changes of earlier instructions are visible to later ones. */
export function withActs(readings: readonly Reading[], view: View): readonly ReadingWithActs[] {
  const following = new FollowingView(view);
  return readings.map((reading) => {
    const acts = actsOf(reading, following);
    for (const act of acts) following.follow(act);
    return { reading, acts };
  });
}
