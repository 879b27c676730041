/** Changing what is built: the request the service believes; instructions appended, rewritten, signed by more keys. */
import {
  decodeInstruction,
  type EncodedInstruction,
  type InstructionKind,
  type InstructionOf,
} from '../../programs/instructions.ts';
import type { Draft } from '../../sandbox/service/build/compile.ts';
import type { Keypair } from '../../sandbox/service/keys.ts';
import type { AttackTools, DraftHook, DraftPlace, Fields, RequestHook } from './types.ts';

/** A request the service believes instead of the one that was sent. */
export const believes =
  (fields: (asked: Fields, tools: AttackTools) => Fields): RequestHook =>
  (asked, tools) => ({ ...asked, ...fields(asked, tools) });

/** A field of a request or answer that should be a list. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Instructions an attack adds, for the wallet that asked. */
export type Extra = (place: DraftPlace, tools: AttackTools) => readonly EncodedInstruction[];

/** Adds instructions at the end, signed by `signers` where the attacker has to. */
export function append(extra: Extra, signers?: (tools: AttackTools) => readonly Keypair[]): DraftHook {
  return (draft, place, tools) => ({
    ...draft,
    instructions: [...draft.instructions, ...extra(place, tools)],
    signers: [...draft.signers, ...(signers?.(tools) ?? [])],
  });
}

/** Plays a hook on stages that hold an instruction of a kind. */
export function onStagesWith(kind: InstructionKind, hook: DraftHook): DraftHook {
  return (draft, place, tools) =>
    draft.instructions.some((instruction) => read(instruction).kind === kind)
      ? hook(draft, place, tools)
      : draft;
}

/** Replaces every instruction of a kind by what `change` makes of it; `undefined` leaves it as it is. */
export function rewrite<K extends InstructionKind>(
  draft: Draft,
  kind: K,
  change: (instruction: InstructionOf<K>, nth: number) => readonly EncodedInstruction[] | undefined,
): Draft {
  let nth = 0;
  const instructions = draft.instructions.flatMap((instruction) => {
    const known = read(instruction);
    if (!isKind(known, kind)) return [instruction];
    const changed = change(known, nth) ?? [instruction];
    nth += 1;
    return changed;
  });
  return { ...draft, instructions };
}

/** An instruction of a draft by name. */
export function read({ programAddress, accounts, data }: EncodedInstruction) {
  return decodeInstruction({ index: 0, program: programAddress, accounts, data });
}

function isKind<K extends InstructionKind>(
  instruction: ReturnType<typeof read>,
  kind: K,
): instruction is InstructionOf<K> {
  return instruction.kind === kind;
}
