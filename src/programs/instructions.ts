/**
 * Decodes and encodes instructions of the stock programs. `decodeInstruction` returns a discriminated union; anything
 * without a matching layout is `unknown`, with a reason. `encodeInstruction` uses the same layouts.
 */
import { TransactionError } from '../transaction/errors.ts';
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import { type EncodedInstruction, type Layout, readLayout, writeLayout } from './layout.ts';
import type { DecodedBy, InputFor } from './program.ts';
import { associatedTokenLayouts } from './solana/associatedToken.ts';
import { computeBudgetLayouts } from './solana/computeBudget.ts';
import { lookupTableLayouts } from './solana/lookupTable.ts';
import { memoLayouts } from './solana/memo.ts';
import { systemLayouts } from './solana/system.ts';
import { Table } from './table.ts';
import { tokenLayouts } from './token/instructions.ts';
import { token2022Layouts, tokenMetadataLayouts } from './token2022/instructions.ts';

export type { EncodedInstruction } from './layout.ts';

/** Layouts of the supported instructions of the stock programs. */
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

/** An instruction without a matching layout. `reason` contains no untrusted text. */
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

/** Decodes an instruction. Never throws; returns `unknown` if no layout matches exactly. */
export function decodeInstruction(instruction: ResolvedInstruction): Instruction {
  if (!table.knows(instruction.program)) {
    return unknown(instruction, 'unsupported program');
  }
  const layout = table.find(instruction.program, instruction.data);
  if (layout === undefined) return unknown(instruction, 'unsupported instruction');
  try {
    const named = readLayout(layout, instruction);
    if (typeof named === 'string') return unknown(instruction, `${layout.kind}: ${named}`);
    const { program, index } = instruction;
    // `named` has the shape that the layout declares for this kind.
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
 * Builds an instruction from accounts by role and arguments by name. Signer and writable flags default to the role's; pass
 * `{ address, signer, writable }` to override them (a multisig authority does not sign itself).
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
