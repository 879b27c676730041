/**
 * Everything known about a program: its instructions (read in full, or known by name), its accounts, and
 * what its instructions do. One folder for each program; `index.ts` lists them.
 */
import type { AccountUse, Address } from '../transaction/types.ts';
import type { AccountLayout } from './account.ts';
import type { Act } from './acts.ts';
import type { AccountInput, AccountsOf, ArgsOf, GivenAccounts, Layout } from './layout.ts';
import type { View } from './view.ts';

/** An instruction read with a layout: what stands in it, by name. */
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

/** What a builder is given for a layout. */
export type InputFor<L> =
  L extends Layout<string, infer A, infer X>
    ? {
        /** Which program, where several share the layout; by default the first (Token, Memo v3). */
        readonly program?: Address;
        readonly accounts: GivenAccounts<A, AccountInput>;
        readonly rest?: readonly AccountInput[];
      } & (keyof X extends never ? { readonly args?: Record<never, never> } : { readonly args: ArgsOf<X> })
    : never;

type Layouts = readonly Layout[];
type OfKind<L extends Layouts, K extends string> = Extract<DecodedBy<L[number]>, { kind: K }>;

/** For every kind of a program's instructions, what it does. */
export type ActsOf<L extends Layouts> = {
  readonly [K in L[number]['kind']]: (instruction: OfKind<L, K>, view: View) => readonly Act[];
};

/** An instruction of which only name and first bytes are known. It is never part of an operation. */
export interface NamedInstruction {
  /** As the program's public interface spells it. */
  readonly name: string;
  readonly discriminator: Uint8Array;
}

/** Names with the bytes their instructions begin with. */
export function namedBy(
  names: readonly (readonly [name: string, ...discriminator: readonly number[]])[],
): readonly NamedInstruction[] {
  return names.map(([name, ...discriminator]) => ({ name, discriminator: Uint8Array.from(discriminator) }));
}

/** Everything known about one program. */
export interface ProgramReader<L extends Layouts = Layouts> {
  /** What people call it. */
  readonly name: string;
  readonly addresses: readonly Address[];
  /** Where what is known comes from, as a sentence for the documentation. */
  readonly source: string;
  /** Instructions read in full. */
  readonly layouts: L;
  /** Every other instruction of its public interface. */
  readonly named: readonly NamedInstruction[];
  /** Account types read. */
  readonly accounts: readonly AccountLayout[];
  /** What an instruction read by one of its layouts does. */
  acts(instruction: DecodedBy<Layout>, view: View): readonly Act[];
}

interface ProgramSpec<L extends Layouts> {
  readonly name: string;
  readonly addresses: readonly Address[];
  readonly source: string;
  readonly layouts: L;
  readonly acts: ActsOf<L>;
  readonly named?: readonly NamedInstruction[];
  readonly accounts?: readonly AccountLayout[];
}

/** Declares a program. The compiler checks that every layout has its acts. */
export function defineProgram<const L extends Layouts>(spec: ProgramSpec<L>): ProgramReader<L> {
  // The entry of a kind takes instructions of that kind; `acts` looks it up by the kind it is given.
  const acts = spec.acts as unknown as Readonly<
    Record<string, ((instruction: DecodedBy<Layout>, view: View) => readonly Act[]) | undefined>
  >;
  return {
    name: spec.name,
    addresses: spec.addresses,
    source: spec.source,
    layouts: spec.layouts,
    named: spec.named ?? [],
    accounts: spec.accounts ?? [],
    acts(instruction, view) {
      const act = acts[instruction.kind];
      if (act === undefined) throw new TypeError(`${spec.name} has no instruction ${instruction.kind}`);
      return act(instruction, view);
    },
  };
}
