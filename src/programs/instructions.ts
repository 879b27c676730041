/**
 * Instructions by name: `decodeInstruction` gives a discriminated union for what the layouts know and
 * `unknown`, with a reason, for everything else. `encodeInstruction` builds from the same layouts.
 */
import { TransactionError } from '../transaction/errors.ts';
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import { associatedTokenLayouts } from './associatedToken/instructions.ts';
import { computeBudgetLayouts } from './computeBudget/instructions.ts';
import { type EncodedInstruction, type Layout, readLayout, writeLayout } from './layout.ts';
import { lookupTableLayouts } from './lookupTable/instructions.ts';
import { memoLayouts } from './memo/instructions.ts';
import type { DecodedBy, InputFor } from './program.ts';
import { systemLayouts } from './system/instructions.ts';
import { Table } from './table.ts';
import { tokenLayouts } from './token/instructions.ts';
import { token2022Layouts } from './token2022/instructions.ts';
import { tokenMetadataLayouts } from './token2022/metadata.ts';

export type { EncodedInstruction } from './layout.ts';

/** Every instruction of the stock programs that this project can read and build. */
export const LAYOUTS = [
  ...systemLayouts,
  ...computeBudgetLayouts,
  ...tokenLayouts,
  ...token2022Layouts,
  ...tokenMetadataLayouts,
  ...associatedTokenLayouts,
  ...memoLayouts,
  ...lookupTableLayouts,
];

type AnyLayout = (typeof LAYOUTS)[number];
export type InstructionKind = AnyLayout['kind'];
export const INSTRUCTION_KINDS: readonly InstructionKind[] = LAYOUTS.map((layout) => layout.kind);

/** A decoded instruction of any known kind. */
export type KnownInstruction = DecodedBy<AnyLayout>;
/** A decoded instruction of one kind: `InstructionOf<'system.transfer'>`. */
export type InstructionOf<K extends InstructionKind> = Extract<KnownInstruction, { kind: K }>;

/** An instruction no layout fits. `reason` is a sentence without untrusted text. */
export interface UnknownInstruction {
  readonly kind: 'unknown';
  readonly program: Address;
  readonly programName?: string;
  readonly index: number;
  readonly reason: string;
  readonly data: Uint8Array;
  readonly accounts: readonly AccountUse[];
}

export type Instruction = KnownInstruction | UnknownInstruction;

const table = new Table<Layout>(LAYOUTS);
const layoutsByKind = new Map<string, Layout>(LAYOUTS.map((layout) => [layout.kind, layout]));

/** Names an instruction's accounts and arguments. Never throws: what does not fit exactly is `unknown`. */
export function decodeInstruction(instruction: ResolvedInstruction): Instruction {
  if (!table.knows(instruction.program)) {
    return unknown(instruction, 'the program is not one this reader knows');
  }
  const layout = table.find(instruction.program, instruction.data);
  if (layout === undefined) return unknown(instruction, 'the instruction is not one this reader knows');
  try {
    const named = readLayout(layout, instruction);
    if (typeof named === 'string') return unknown(instruction, `${layout.kind}: ${named}`);
    const { program, index } = instruction;
    // The layout that read the parts is the one that declares this kind's shape.
    return { kind: layout.kind, program, index, ...named } as unknown as KnownInstruction;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return unknown(instruction, `${layout.kind}: ${error.message}`);
  }
}

function unknown(instruction: ResolvedInstruction, reason: string): UnknownInstruction {
  const { program, index, data, accounts } = instruction;
  const programName = PROGRAM_NAMES[program];
  return { kind: 'unknown', program, ...(programName ? { programName } : {}), index, reason, data, accounts };
}

export type EncodeInput<K extends InstructionKind> = InputFor<Extract<AnyLayout, { kind: K }>>;

/**
 * Builds an instruction from accounts by role and arguments by name. Roles bring their usual signer and
 * writable flags; give `{ address, signer, writable }` to differ (a multisig authority does not sign itself).
 * Throws TypeError for a missing or unknown name, RangeError for a number out of range.
 */
export function encodeInstruction<K extends InstructionKind>(
  kind: K,
  input: EncodeInput<K>,
): EncodedInstruction {
  const layout = layoutsByKind.get(kind);
  if (layout === undefined) throw new TypeError(`no instruction is called ${kind}`);
  return writeLayout(layout, input);
}
