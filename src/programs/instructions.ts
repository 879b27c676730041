/** Encodes instructions of the supported programs by their layouts. */
import { PROGRAMS } from './index.ts';
import { type EncodedInstruction, type Layout, writeLayout } from './layout.ts';
import type { InputFor } from './program.ts';

export type { EncodedInstruction } from './layout.ts';

type AnyLayout = (typeof PROGRAMS)[number]['layouts'][number];
/** Names of the supported instructions, as `program.instruction`. */
export type InstructionKind = AnyLayout['kind'];
export type EncodeInput<K extends InstructionKind> = InputFor<Extract<AnyLayout, { kind: K }>>;

let layouts: ReadonlyMap<string, Layout> | undefined;

/**
 * Builds an instruction from accounts by role and arguments by name. Constant and derived accounts may be omitted. Signer and
 * writable flags default to the role's; pass `{ address, signer, writable }` to override them (a multisig authority does not
 * sign itself).
 * Throws TypeError for a missing or unknown name, RangeError for a number out of range.
 */
export function encodeInstruction<K extends InstructionKind>(
  kind: K,
  input: EncodeInput<K>,
): EncodedInstruction {
  layouts ??= new Map(
    PROGRAMS.flatMap((program) => program.layouts.map((each: Layout) => [each.kind, each])),
  );
  const layout = layouts.get(kind);
  if (layout === undefined) throw new TypeError(`no instruction is called ${kind}`);
  return writeLayout(layout, input);
}
