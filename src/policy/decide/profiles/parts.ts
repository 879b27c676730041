/**
 * The small language profiles are written in. A profile lists the parts it expects: which instruction, how often,
 * and what must hold for it. Every instruction must be one of the parts; whatever is left over is refused
 * (T12, T13, T48), and so is a part that is missing.
 */
import type { Instruction, InstructionKind, InstructionOf } from '../../../programs/instructions.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Checklist, shown } from '../checklist.ts';
import { type DecisionContext, keepsForUs } from '../decisionContext.ts';
import { MATCHES_REQUEST } from '../reasons.ts';
import type { ReasonCode } from '../types.ts';

/** Whether an instruction is a part: `true`, `false`, or the one thing about it that is not what was asked for. */
export type Verdict = boolean | Wrong;

/** The part, with one thing wrong about it. Texts must be fit to show. */
export interface Wrong {
  readonly wrong: string;
  readonly observed?: string;
  readonly allowed?: string;
  /** `REQUEST_MISMATCH` unless said otherwise. */
  readonly code?: ReasonCode;
}

export interface Part {
  readonly name: string;
  readonly kind: InstructionKind;
  readonly min: number;
  readonly max: number;
  readonly fits: (instruction: Instruction) => Verdict;
}

/** A part that must be there `min` to `max` times. */
export function part<K extends InstructionKind>(
  name: string,
  kind: K,
  [min, max]: Times,
  fits: (instruction: InstructionOf<K>) => Verdict,
): Part {
  // An instruction of this kind has the shape the kind names.
  return { name, kind, min, max, fits: (i) => i.kind === kind && fits(i as unknown as InstructionOf<K>) };
}

/** How often a part may be there: at least and at most. */
export type Times = readonly [min: number, max: number];

/** Something that must hold for a part; what is wrong is only put into words when it does not. */
export type Condition = readonly [holds: boolean, wrong: () => Wrong];

/** An amount is not above another. */
export const atMost = (wrong: string, observed: bigint, most: bigint): Condition => [
  observed <= most,
  () => ({ wrong, observed: `${observed}`, allowed: `${most}` }),
];

/** Something is what was asked for. What was seen is shown as far as it is fit to be. */
export const exactly = (wrong: string, observed: unknown, held: boolean, allowed?: unknown): Condition => [
  held,
  () => ({ wrong, observed: shown(observed), ...(allowed === undefined ? {} : { allowed: shown(allowed) }) }),
];

/**
 * What is sent to an account of ours stays ours: no other key can close it, spend from it or keep it frozen (T65). Says
 * nothing about whether it is the right account; the part does.
 */
export const staysOurs = (
  c: DecisionContext,
  account: Address,
  mint: Address,
  tokenProgram: Address,
): Condition => [
  keepsForUs(c, account, mint, tokenProgram),
  () => ({
    wrong: 'no other key can take what arrives',
    observed: account,
    allowed: 'an account only the wallet controls',
    code: 'UNDECLARED_LOSS',
  }),
];

/** `true`, or the one thing that is wrong: the first that does not hold. */
export function all(...conditions: readonly Condition[]): Verdict {
  for (const [holds, wrong] of conditions) if (!holds) return wrong();
  return true;
}

/** Which instructions were found to be which part. */
export type Placed = ReadonlyMap<string, readonly Instruction[]>;

/**
 * Puts every readable instruction into its part and records what does not fit. Where an allowed program is opaque,
 * parts may be missing: its instruction may do their work, and the simulated effects say whether it did.
 */
export function place(c: DecisionContext, parts: readonly Part[], list: Checklist): Placed {
  const placed = new Map<string, Instruction[]>();
  for (const instruction of c.instructions) {
    if (instruction.kind === 'unknown') {
      if (!c.opaque.includes(instruction)) unexpected(instruction, list);
      continue;
    }
    const found = findPart(instruction, parts, placed);
    if (found === undefined) unexpected(instruction, list);
    else if ('wrong' in found) {
      list.fail(found.code ?? 'REQUEST_MISMATCH', `${MATCHES_REQUEST}${found.wrong}`, found);
    } else placed.set(found.name, [...(placed.get(found.name) ?? []), instruction]);
  }
  for (const { name, min } of parts) {
    const count = placed.get(name)?.length ?? 0;
    if (count >= min || c.opaque.length > 0) continue;
    list.fail('REQUEST_MISMATCH', `${MATCHES_REQUEST}${name}`, {
      observed: `${count} times`,
      allowed: `${min} times`,
    });
  }
  // Rule 5 of the threat model: a transaction without any part of the operation is refused too.
  list.expect(c.instructions.length > 0, 'REQUEST_MISMATCH', 'there are instructions to look at', {
    observed: `${c.instructions.length} instructions`,
  });
  return placed;
}

function unexpected(instruction: Instruction, list: Checklist): void {
  const what = instruction.kind === 'unknown' ? instruction.program : instruction.kind;
  list.fail('UNEXPECTED_INSTRUCTION', 'every instruction belongs to the operation', {
    observed: `#${instruction.index} ${what}`,
  });
}

function findPart(
  instruction: Instruction,
  parts: readonly Part[],
  placed: Placed,
): Part | Wrong | undefined {
  let nearly: Wrong | undefined;
  for (const candidate of parts) {
    if (candidate.kind !== instruction.kind) continue;
    // A part that already has all its instructions takes no further one, not even one that nearly fits.
    if ((placed.get(candidate.name)?.length ?? 0) >= candidate.max) continue;
    const verdict = candidate.fits(instruction);
    if (verdict === true) return candidate;
    if (verdict !== false) nearly ??= verdict;
  }
  return nearly;
}

/** The instructions of one part. */
export function placedAs<K extends InstructionKind>(
  placed: Placed,
  { name, kind }: Part,
  expected: K,
): readonly InstructionOf<K>[] {
  if (kind !== expected) return [];
  return (placed.get(name) ?? []).flatMap((i) =>
    i.kind === expected ? [i as unknown as InstructionOf<K>] : [],
  );
}
