/**
 * Changes of venue, router and fee share instructions in a recorded stage: each account and argument alone, with
 * derived addresses updated, so that the changed instruction is still supported.
 */
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { PROGRAMS } from '../../../src/programs/index.ts';
import {
  type EncodedInstruction,
  type Layout,
  type Named,
  writeLayout,
} from '../../../src/programs/layout.ts';
import type { ProgramReader } from '../../../src/programs/program.ts';
import { readInstruction } from '../../../src/programs/read.ts';
import type { LayoutRole } from '../../../src/programs/roles.ts';
import type { AccountUse } from '../../../src/transaction/types.ts';
import { ATTACKER, instructionsOf, rewritten, WALLET } from './stages.ts';
import { type Change, otherValues, worded } from './sweep.ts';

const LAYOUTS = new Map<string, Layout>(
  PROGRAMS.flatMap((reader: ProgramReader) => reader.layouts.map((each) => [each.kind, each] as const)),
);

/** Returns every change of the instructions known only to their own program's reader. */
export const changedOperands = (seen: DecisionInputs): Change[] =>
  instructionsOf(seen).flatMap((instruction, at) => {
    if (instruction.kind !== 'unknown') return [];
    const reading = readInstruction(instruction);
    if (reading.status !== 'read') return [];
    const layout = LAYOUTS.get(reading.instruction.kind);
    if (layout === undefined) return [];
    return operands(layout, reading.program, reading.instruction).map(([label, changed]) => ({
      label: `#${at} ${layout.kind}, ${label}`,
      inputs: () => rewritten(seen, (all) => all.map((one, i) => (i === at ? written(changed) : one))),
    }));
  });

/** Returns the changed instruction. Throws RangeError if its argument has no value of that type. */
function written(changed: () => EncodedInstruction): EncodedInstruction {
  try {
    return changed();
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) throw new RangeError(error.message);
    throw error;
  }
}

/**
 * Encodes the `nth` instruction of a kind known only to its own program's reader with other addresses by role
 * (`undefined` removes an account) and other arguments.
 */
export function withRead(
  seen: DecisionInputs,
  kind: string,
  change: {
    readonly accounts?: Readonly<Record<string, string | undefined>>;
    readonly args?: Readonly<Record<string, unknown>>;
  },
  nth = 0,
): DecisionInputs {
  const { at, layout, program, named } = readOf(seen, kind, nth);
  const accounts: Record<string, AccountUse> = { ...free(layout, named.accounts) };
  for (const [role, address] of Object.entries(change.accounts ?? {})) {
    if (address === undefined) delete accounts[role];
    else accounts[role] = { signer: false, writable: true, ...accounts[role], address };
  }
  const { rest, args } = named;
  const one = writeLayout(layout, { program, accounts, rest, args: { ...args, ...change.args } });
  return rewritten(seen, (all) => all.map((each, i) => (i === at ? one : each)));
}

/** The `nth` instruction of a kind as decoded by its program's reader, and its index. */
export function readOf(seen: DecisionInputs, kind: string, nth = 0) {
  const found = instructionsOf(seen).flatMap((instruction, at) => {
    const reading = instruction.kind === 'unknown' ? readInstruction(instruction) : undefined;
    if (reading?.status !== 'read' || reading.instruction.kind !== kind) return [];
    const named: Named = reading.instruction;
    return [{ at, program: reading.program, named }];
  })[nth];
  const layout = LAYOUTS.get(kind);
  if (found === undefined || layout === undefined) throw new Error(`no ${kind} #${nth}`);
  return { ...found, layout };
}

type Written = [what: string, changed: () => EncodedInstruction];

function operands(layout: Layout, program: string, { accounts, rest, args }: Named): Written[] {
  const write = (change: Partial<Named>) => () =>
    writeLayout(layout, { program, accounts: free(layout, accounts), rest, args, ...change });
  const roles = layout.roles.flatMap((role): Written[] => {
    const use = accounts[role.name];
    if (use === undefined || isPinned(role)) return [];
    const others = [...new Set([ATTACKER, WALLET])].filter((each) => each !== use.address);
    const put = (address: string) => ({ ...free(layout, accounts), [role.name]: { ...use, address } });
    const { [role.name]: _, ...without } = free(layout, accounts);
    return [
      ...others.map(
        (address): Written => [`${role.name} is ${worded(address)}`, write({ accounts: put(address) })],
      ),
      ...(role.optional ? [[`without ${role.name}`, write({ accounts: without })] satisfies Written] : []),
    ];
  });
  const more = rest.flatMap((use, i) =>
    [ATTACKER, WALLET]
      .filter((each) => each !== use.address)
      .map(
        (address): Written => [
          `account ${i} of the rest is ${worded(address)}`,
          write({ rest: rest.with(i, { ...use, address }) }),
        ],
      ),
  );
  const values = Object.entries(args).flatMap(([arg, value]) =>
    otherValues(value).map(
      (other): Written => [`${arg} is ${worded(other)}`, write({ args: { ...args, [arg]: other } })],
    ),
  );
  return [...roles, ...more, ...values];
}

/** Returns whether a role's address is derived from the others or constant. */
const isPinned = ({ must, optional, paired }: LayoutRole): boolean =>
  must !== undefined && !Array.isArray(must) && !(optional && !paired);

/** The accounts a builder must be given. */
const free = (layout: Layout, accounts: Named['accounts']): Readonly<Record<string, AccountUse>> =>
  Object.fromEntries(
    Object.entries(accounts).filter(([name]) =>
      layout.roles.some((role) => role.name === name && !isPinned(role)),
    ),
  );
