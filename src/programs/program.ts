/** The definition of a supported program: instruction layouts, instructions known by name, and acts. */
import type { AccountUse, Address } from '../transaction/types.ts';
import type { Act } from './acts.ts';
import type { AccountInput, AccountsOf, ArgsOf, GivenAccounts, Layout } from './layout.ts';
import type { View } from './view.ts';

/** An instruction decoded by a layout. */
export type DecodedBy<L> =
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

/** Input for encoding an instruction by a layout. */
export type InputFor<L> =
  L extends Layout<string, infer A, infer X>
    ? {
        /** The program, if several share the layout; defaults to the first (Token, Memo v3). */
        readonly program?: Address;
        readonly accounts: GivenAccounts<A, AccountInput>;
        readonly rest?: readonly AccountInput[];
      } & (keyof X extends never ? { readonly args?: Record<never, never> } : { readonly args: ArgsOf<X> })
    : never;

type Layouts = readonly Layout[];
/** A program's decoded instructions of some kinds. */
export type InstructionIn<L extends Layouts, K extends L[number]['kind']> = Extract<
  DecodedBy<L[number]>,
  { kind: K }
>;

/** Functions that return the acts of a program's instructions, by kind. */
type ActsOf<L extends Layouts> = {
  readonly [K in L[number]['kind']]: (instruction: InstructionIn<L, K>, view: View) => readonly Act[];
};

/** An instruction known only by name and discriminator, never part of an operation. */
export interface NamedInstruction {
  /** Name in the program's public interface. */
  readonly name: string;
  readonly discriminator: Uint8Array;
}

/** Builds named instructions from names and discriminators. */
export function namedBy(
  names: readonly (readonly [name: string, ...discriminator: readonly number[]])[],
): readonly NamedInstruction[] {
  return names.map(([name, ...discriminator]) => ({ name, discriminator: Uint8Array.from(discriminator) }));
}

/** The definition of one program. */
export interface ProgramReader<L extends Layouts = Layouts> {
  /** Display name. */
  readonly name: string;
  readonly addresses: readonly Address[];
  /** Source of the definition, as a sentence for the documentation. */
  readonly source: string;
  /** Supported instructions. */
  readonly layouts: L;
  /** The other instructions of its public interface. */
  readonly named: readonly NamedInstruction[];
  /** Returns the acts of an instruction decoded by one of the layouts. Throws TypeError for an unknown kind. */
  acts(instruction: DecodedBy<Layout>, view: View): readonly Act[];
}

interface ProgramSpec<L extends Layouts> {
  readonly name: string;
  readonly addresses: readonly Address[];
  readonly source: string;
  readonly layouts: L;
  readonly acts: ActsOf<L>;
  readonly named?: readonly NamedInstruction[];
}

/** Defines a program. The types require acts for every layout. */
export function defineProgram<const L extends Layouts>(spec: ProgramSpec<L>): ProgramReader<L> {
  // Each entry accepts instructions of its own kind, and the look-up below is by kind.
  const acts = spec.acts as unknown as Readonly<
    Record<string, ((instruction: DecodedBy<Layout>, view: View) => readonly Act[]) | undefined>
  >;
  return {
    name: spec.name,
    addresses: spec.addresses,
    source: spec.source,
    layouts: spec.layouts,
    named: spec.named ?? [],
    acts(instruction, view) {
      const act = acts[instruction.kind];
      if (act === undefined) throw new TypeError(`${spec.name} has no instruction ${instruction.kind}`);
      return act(instruction, view);
    },
  };
}
