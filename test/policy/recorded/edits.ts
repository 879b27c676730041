/** Precise changes of a recorded stage. */
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { AccountFact, SimulationFact } from '../../../src/rpc/types.ts';
import type { Instruction, InstructionKind, InstructionOf } from '../../programs/stock.ts';
import { encoded, instructionsOf, rewritten, WALLET } from './stages.ts';

/** The `nth` instruction of a kind, counted from 0. */
export function instructionOf<K extends InstructionKind>(
  inputs: DecisionInputs,
  kind: K,
  nth = 0,
): InstructionOf<K> {
  const found = instructionsOf(inputs).filter((each) => each.kind === kind)[nth];
  if (found === undefined) throw new Error(`no ${kind} #${nth}`);
  // An instruction decoded as a kind has the shape of that kind.
  return found as unknown as InstructionOf<K>;
}

/** The stage with the `nth` instruction of a kind changed, or left out. */
function edited(
  inputs: DecisionInputs,
  kind: InstructionKind,
  nth: number,
  change: (one: Instruction) => readonly EncodedInstruction[],
): DecisionInputs {
  const at = instructionsOf(inputs).flatMap((each, i) => (each.kind === kind ? [i] : []))[nth];
  if (at === undefined) throw new Error(`no ${kind} #${nth}`);
  const one = instructionsOf(inputs)[at];
  return rewritten(inputs, (list) =>
    list.flatMap((each, i) => (i === at && one !== undefined ? change(one) : [each])),
  );
}

/** With other arguments. */
export const withArgs = (
  inputs: DecisionInputs,
  kind: InstructionKind,
  args: object,
  nth = 0,
): DecisionInputs =>
  edited(inputs, kind, nth, (one) =>
    one.kind === 'unknown' ? [] : [encoded({ ...one, args: { ...one.args, ...args } } as Instruction)],
  );

/** With other addresses, by role. */
export const withAccounts = (
  inputs: DecisionInputs,
  kind: InstructionKind,
  roles: Readonly<Record<string, string>>,
  nth = 0,
): DecisionInputs =>
  edited(inputs, kind, nth, (one) => {
    if (one.kind === 'unknown') return [];
    const accounts: Record<string, unknown> = { ...one.accounts };
    for (const [role, address] of Object.entries(roles)) {
      accounts[role] = { signer: false, writable: false, ...Object(accounts[role]), address };
    }
    return [encoded({ ...one, accounts } as unknown as Instruction)];
  });

/** Changes or removes the `nth` instruction of a program, supported or not. */
export function withRaw(
  inputs: DecisionInputs,
  program: string,
  nth: number,
  change: (one: EncodedInstruction) => EncodedInstruction | readonly EncodedInstruction[],
): DecisionInputs {
  return rewritten(inputs, (list) => {
    const found = list.filter(({ programAddress }) => programAddress === program).at(nth);
    if (found === undefined) throw new Error(`no instruction ${nth} of ${program}`);
    return list.flatMap((each) => (each === found ? change(each) : [each]));
  });
}

export const without = (inputs: DecisionInputs, kind: InstructionKind, nth = 0): DecisionInputs =>
  edited(inputs, kind, nth, () => []);

export const plus = (inputs: DecisionInputs, ...more: readonly EncodedInstruction[]): DecisionInputs =>
  rewritten(inputs, (list) => [...list, ...more]);

type Fields = Readonly<Record<string, unknown>>;

const put = (fields: Fields, change: Fields): Fields =>
  Object.fromEntries(Object.entries({ ...fields, ...change }).filter(([, value]) => value !== undefined));

/** The inputs for another request or answer. `undefined` removes a field. */
export const withRequest = (inputs: DecisionInputs, request: Fields): DecisionInputs => ({
  ...inputs,
  plan: { ...inputs.plan, request: put(inputs.plan.request, request) },
});
export const answered = (inputs: DecisionInputs, answer: Fields): DecisionInputs => ({
  ...inputs,
  plan: { ...inputs.plan, answer: put(inputs.plan.answer, answer) },
});

/** The inputs with another stored quote or quote request. */
export function quoted(inputs: DecisionInputs, quote: Fields, request: Fields = {}): DecisionInputs {
  const stored = inputs.quote;
  if (stored === undefined) throw new Error('no quote');
  return {
    ...inputs,
    quote: { ...stored, quote: put(stored.quote, quote), request: put(stored.request, request) },
  };
}

/** Returns the completed simulation of a stage. Throws if the stage was not simulated. */
export function simulationOf({ simulation }: DecisionInputs): Extract<SimulationFact, { status: 'done' }> {
  if (simulation.status !== 'done') throw new Error(simulation.status);
  return simulation;
}

/** The stage with each account changed as its simulation leaves it. */
export function withAfter(
  inputs: DecisionInputs,
  change: (each: AccountFact) => AccountFact,
): DecisionInputs {
  const simulation = simulationOf(inputs);
  return { ...inputs, simulation: { ...simulation, after: simulation.after.map(change) } };
}

/** The stage with these accounts on the chain, instead of others at their addresses. */
export const withFacts = (inputs: DecisionInputs, ...facts: readonly AccountFact[]): DecisionInputs => ({
  ...inputs,
  accounts: [
    ...inputs.accounts.filter((each) => facts.every(({ address }) => address !== each.address)),
    ...facts,
  ],
});

/** Adds lamports to the wallet's account, and to no other. */
export const withLamports =
  (more: bigint) =>
  (each: AccountFact): AccountFact =>
    each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) + more}` } : each;
