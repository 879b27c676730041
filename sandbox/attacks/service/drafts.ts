/** Changes of requests and drafts: other fields; instructions appended, rewritten, signed by more keys. */

import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import type { AccountInput } from '../../../src/programs/layout.ts';
import { type DecodedInstruction, type ReadKind, readInstruction } from '../../../src/programs/read.ts';
import type { Keypair } from '../../keypair.ts';
import type { Draft } from '../../service/build/compile.ts';
import type { AttackTools, DraftHook, DraftPlace, Fields, RequestHook } from './types.ts';

/** Replaces fields of the request. */
export const withRequestFields =
  (fields: (request: Fields, tools: AttackTools) => Fields): RequestHook =>
  (request, tools) => ({ ...request, ...fields(request, tools) });

/** The attacker as the only claimer. */
export const claimedByAttacker = withRequestFields((_, { attacker }) => ({
  claimersArray: [attacker.address],
  basisPointsArray: [10_000],
}));

/** Returns a field that should be a list. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Instructions that an attack adds. */
export type Extra = (place: DraftPlace, tools: AttackTools) => readonly EncodedInstruction[];

/** Appends instructions and signers. */
export function append(extra: Extra, signers?: (tools: AttackTools) => readonly Keypair[]): DraftHook {
  return (draft, place, tools) => ({
    ...draft,
    instructions: [...draft.instructions, ...extra(place, tools)],
    signers: [...draft.signers, ...(signers?.(tools) ?? [])],
  });
}

/** Applies hooks in order. */
export const both =
  (...hooks: readonly DraftHook[]): DraftHook =>
  (draft, place, tools) =>
    hooks.reduce((changed, hook) => hook(changed, place, tools), draft);

/** Applies a hook to stages with an instruction of a kind. */
export function onStagesWith(kind: ReadKind, hook: DraftHook): DraftHook {
  return (draft, place, tools) =>
    draft.instructions.some((instruction) => read(instruction).kind === kind)
      ? hook(draft, place, tools)
      : draft;
}

/** An instruction of one kind, with its accounts and arguments by name. */
export type ReadOf<K extends ReadKind> = Extract<DecodedInstruction, { kind: K }>;

/** Replaces every instruction of a kind by the result of `change`; `undefined` keeps it. */
export function rewrite<K extends ReadKind>(
  draft: Draft,
  kind: K,
  change: (instruction: ReadOf<K>, nth: number) => readonly EncodedInstruction[] | undefined,
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

/** The first instruction of a kind in a draft. */
export function firstOf<K extends ReadKind>({ instructions }: Draft, kind: K): ReadOf<K> | undefined {
  for (const instruction of instructions) {
    const known = read(instruction);
    if (isKind(known, kind)) return known;
  }
  return undefined;
}

/** Replacement accounts and arguments. An `undefined` account is derived again. */
interface Parts<K extends ReadKind> {
  readonly accounts?: { readonly [R in keyof ReadOf<K>['accounts']]?: AccountInput | undefined };
  readonly args?: Partial<ReadOf<K>['args']>;
  readonly rest?: readonly AccountInput[];
}

type InputOfAny = Parameters<typeof encodeInstruction<ReadKind>>[1];

/** The same instruction with other accounts and arguments. */
export function altered<K extends ReadKind>(
  instruction: ReadOf<K>,
  { accounts, args, rest }: Parts<K>,
): EncodedInstruction {
  const input = {
    program: instruction.program,
    accounts: { ...instruction.accounts, ...accounts },
    args: { ...instruction.args, ...args },
    rest: rest ?? instruction.rest,
  };
  // Decoded by the layout that encodes it, so names and types match.
  return encodeInstruction<ReadKind>(instruction.kind, input as unknown as InputOfAny);
}

/** Replaces accounts and arguments in every instruction of a kind. */
export const alters =
  <K extends ReadKind>(kind: K, parts: (found: ReadOf<K>, tools: AttackTools) => Parts<K>): DraftHook =>
  (draft, _, tools) =>
    rewrite(draft, kind, (found) => [altered(found, parts(found, tools))]);

const UNSUPPORTED = { kind: 'unknown' } as const;

/** Decodes an instruction; the kind is `unknown` for unsupported ones. */
export function read({ programAddress, accounts, data }: EncodedInstruction) {
  const reading = readInstruction({ index: 0, program: programAddress, accounts, data });
  return reading.status === 'read' ? reading.instruction : UNSUPPORTED;
}

function isKind<K extends ReadKind>(instruction: ReturnType<typeof read>, kind: K): instruction is ReadOf<K> {
  return instruction.kind === kind;
}
