/** Precise changes of a recorded stage, for tests that name what they change. */
import type { Facts } from '../../../src/policy/decide/types.ts';
import type {
  EncodedInstruction,
  Instruction,
  InstructionKind,
  InstructionOf,
} from '../../../src/programs/instructions.ts';
import { encoded, instructionsOf, rewritten } from './stages.ts';

/** The `nth` instruction of a kind, counted from 0. */
export function instructionOf<K extends InstructionKind>(facts: Facts, kind: K, nth = 0): InstructionOf<K> {
  const found = instructionsOf(facts).filter((each) => each.kind === kind)[nth];
  if (found === undefined) throw new Error(`no ${kind} #${nth}`);
  // What was decoded as a kind has the shape of that kind.
  return found as unknown as InstructionOf<K>;
}

/** The stage with the `nth` instruction of a kind changed, or left out. */
function edited(
  facts: Facts,
  kind: InstructionKind,
  nth: number,
  change: (one: Instruction) => readonly EncodedInstruction[],
): Facts {
  const at = instructionsOf(facts).flatMap((each, i) => (each.kind === kind ? [i] : []))[nth];
  if (at === undefined) throw new Error(`no ${kind} #${nth}`);
  const one = instructionsOf(facts)[at];
  return rewritten(facts, (list) =>
    list.flatMap((each, i) => (i === at && one !== undefined ? change(one) : [each])),
  );
}

/** With other arguments. */
export const withArgs = (facts: Facts, kind: InstructionKind, args: object, nth = 0): Facts =>
  edited(facts, kind, nth, (one) =>
    one.kind === 'unknown' ? [] : [encoded({ ...one, args: { ...one.args, ...args } } as Instruction)],
  );

/** With other addresses, by role. */
export const withAccounts = (
  facts: Facts,
  kind: InstructionKind,
  roles: Readonly<Record<string, string>>,
  nth = 0,
): Facts =>
  edited(facts, kind, nth, (one) => {
    if (one.kind === 'unknown') return [];
    const accounts: Record<string, unknown> = { ...one.accounts };
    for (const [role, address] of Object.entries(roles)) {
      accounts[role] = { signer: false, writable: false, ...Object(accounts[role]), address };
    }
    return [encoded({ ...one, accounts } as unknown as Instruction)];
  });

/** The `nth` instruction of a program changed or left out, whether or not it is read here. */
export function withRaw(
  facts: Facts,
  program: string,
  nth: number,
  change: (one: EncodedInstruction) => EncodedInstruction | readonly EncodedInstruction[],
): Facts {
  return rewritten(facts, (list) => {
    const found = list.filter(({ programAddress }) => programAddress === program).at(nth);
    if (found === undefined) throw new Error(`no instruction ${nth} of ${program}`);
    return list.flatMap((each) => (each === found ? change(each) : [each]));
  });
}

export const without = (facts: Facts, kind: InstructionKind, nth = 0): Facts =>
  edited(facts, kind, nth, () => []);

export const plus = (facts: Facts, ...more: readonly EncodedInstruction[]): Facts =>
  rewritten(facts, (list) => [...list, ...more]);

type Fields = Readonly<Record<string, unknown>>;

const put = (fields: Fields, change: Fields): Fields =>
  Object.fromEntries(Object.entries({ ...fields, ...change }).filter(([, value]) => value !== undefined));

/** Had something else been asked for, or answered. `undefined` takes a field away. */
export const asked = (facts: Facts, request: Fields): Facts => ({
  ...facts,
  plan: { ...facts.plan, request: put(facts.plan.request, request) },
});
export const answered = (facts: Facts, answer: Fields): Facts => ({
  ...facts,
  plan: { ...facts.plan, answer: put(facts.plan.answer, answer) },
});

/** Had the stored quote said something else, or been asked for otherwise. */
export function quoted(facts: Facts, quote: Fields, request: Fields = {}): Facts {
  const stored = facts.quote;
  if (stored === undefined) throw new Error('no quote');
  return {
    ...facts,
    quote: { ...stored, quote: put(stored.quote, quote), request: put(stored.request, request) },
  };
}
