/** Instructions of the stock programs, for tests about each of them. */
import type { DecodedBy } from '../../src/programs/program.ts';
import { readInstruction } from '../../src/programs/read.ts';
import { associatedTokenLayouts } from '../../src/programs/solana/associatedToken.ts';
import { computeBudgetLayouts } from '../../src/programs/solana/computeBudget.ts';
import { lookupTableLayouts } from '../../src/programs/solana/lookupTable.ts';
import { memoLayouts } from '../../src/programs/solana/memo.ts';
import { systemLayouts } from '../../src/programs/solana/system.ts';
import { tokenLayouts } from '../../src/programs/token/instructions.ts';
import { token2022Layouts, tokenMetadataLayouts } from '../../src/programs/token2022/instructions.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../../src/transaction/types.ts';

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
export type KnownInstruction = DecodedBy<AnyLayout>;
export type InstructionOf<K extends InstructionKind> = Extract<KnownInstruction, { kind: K }>;
export interface UnknownInstruction {
  readonly kind: 'unknown';
  readonly program: Address;
  readonly index: number;
  readonly reason: string;
  readonly data: Uint8Array;
  readonly accounts: readonly AccountUse[];
}
export type Instruction = KnownInstruction | UnknownInstruction;

const isStock = (instruction: { readonly kind: string }): instruction is KnownInstruction =>
  INSTRUCTION_KINDS.some((kind) => kind === instruction.kind);

/** Returns a decoded instruction of a stock program, or the reason why it cannot be decoded. */
export function decodeInstruction(given: ResolvedInstruction): Instruction {
  const reading = readInstruction(given);
  if (reading.instruction !== undefined && isStock(reading.instruction)) return reading.instruction;
  const kind = reading.status === 'unsupported' ? reading.kind : undefined;
  const reason = reading.status === 'unsupported' ? reading.reason : reading.status;
  return { ...given, kind: 'unknown', reason: kind === undefined ? reason : `${kind}: ${reason}` };
}
