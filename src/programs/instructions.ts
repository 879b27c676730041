/**
 * Instructions by name: `decodeInstruction` gives a discriminated union for what the layouts know and
 * `unknown`, with a reason, for everything else. `encodeInstruction` builds from the same layouts.
 */
import { TransactionError } from '../transaction/errors.ts';
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import { associatedTokenLayouts } from './associatedToken/instructions.ts';
import { computeBudgetLayouts } from './computeBudget/instructions.ts';
import {
  type AccountInput,
  type AccountsOf,
  type ArgsOf,
  type EncodedInstruction,
  type Layout,
  readLayout,
  startsWith,
  writeLayout,
} from './layout.ts';
import { lookupTableLayouts } from './lookupTable/instructions.ts';
import { memoLayouts } from './memo/instructions.ts';
import { systemLayouts } from './system/instructions.ts';
import { tokenLayouts } from './token/instructions.ts';
import { token2022Layouts } from './token2022/instructions.ts';
import { tokenMetadataLayouts } from './token2022/metadata.ts';

export type { AccountInput, EncodedInstruction } from './layout.ts';

/** Every instruction this project can read and build. */
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

type DecodedBy<L> =
  L extends Layout<infer K, infer A, infer X>
    ? {
        readonly kind: K;
        readonly program: Address;
        readonly index: number;
        readonly accounts: AccountsOf<A, AccountUse>;
        readonly rest: readonly AccountUse[];
        readonly args: ArgsOf<X>;
      }
    : never;

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

/** By program and first byte of the data, so that reading an instruction looks at a handful of layouts. */
const layoutsByProgram = new Map<Address, Map<number, Layout[]>>();
/** Programs whose layouts may begin with any byte, or with none. */
const ANY_BYTE = -1;
const layoutsByKind = new Map<string, Layout>();
for (const each of LAYOUTS) {
  const layout: Layout = each;
  layoutsByKind.set(layout.kind, layout);
  for (const program of layout.programs) {
    const byByte = layoutsByProgram.get(program) ?? new Map<number, Layout[]>();
    layoutsByProgram.set(program, byByte);
    const firsts = [layout.discriminator[0] ?? ANY_BYTE, ...(layout.emptyData ? [ANY_BYTE] : [])];
    for (const first of firsts) byByte.set(first, [...(byByte.get(first) ?? []), layout]);
  }
}

/** Names an instruction's accounts and arguments. Never throws: what does not fit exactly is `unknown`. */
export function decodeInstruction(instruction: ResolvedInstruction): Instruction {
  const byByte = layoutsByProgram.get(instruction.program);
  if (byByte === undefined) return unknown(instruction, 'the program is not one this reader knows');
  const layouts = byByte.get(instruction.data[0] ?? ANY_BYTE) ?? byByte.get(ANY_BYTE);
  const layout = layouts?.find((candidate) => startsWith(candidate, instruction.data));
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

type EncodeBy<L> =
  L extends Layout<infer K, infer A, infer X>
    ? {
        kind: K;
        input: {
          /** Which program, where several share the layout; by default the first (Token, Memo v3). */
          readonly program?: Address;
          readonly accounts: AccountsOf<A, AccountInput>;
          readonly rest?: readonly AccountInput[];
        } & (keyof X extends never ? { readonly args?: Record<never, never> } : { readonly args: ArgsOf<X> });
      }
    : never;
export type EncodeInput<K extends InstructionKind> = Extract<EncodeBy<AnyLayout>, { kind: K }>['input'];

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
