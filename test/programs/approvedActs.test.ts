/**
 * The acts of every kind of instruction, as approved in approved/acts.txt: one line for each instance. Update:
 * `npx vitest run test/programs/approvedActs.test.ts -u`, with `-u` last.
 */
import { expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { PROGRAMS } from '../../src/programs/index.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, readInstruction } from '../../src/programs/read.ts';
import { NO_VIEW, type View } from '../../src/programs/view.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { arbitraryInstruction } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';
import { CASES } from './publicCases.ts';
import { arbitraryInstruction as arbitraryPublic } from './publicInterfaces.ts';
import { INSTRUCTION_KINDS } from './stock.ts';

const SEED = 20;
const LAYOUTS = PROGRAMS.flatMap((program: ProgramReader) => program.layouts);

/** A view in which every account is a token account of a known owner. */
const HELD: View = {
  tokenAccount: (account) => ({ mint: testAddress(`mint in ${account}`), owner: testAddress('a holder') }),
};

/** An instruction of a kind with all accounts different, so that none can stand for another. */
function own(kind: (typeof INSTRUCTION_KINDS)[number], numRuns: number): ResolvedInstruction[] {
  const layout = LAYOUTS.find((each: Layout) => each.kind === kind);
  if (layout === undefined) throw new Error(`no layout ${kind}`);
  return fc.sample(arbitraryInstruction(kind), { seed: SEED, numRuns }).map(({ accounts, args, program }) => {
    const given = layout.roles.flatMap(({ name, must }) =>
      accounts[name] === undefined ? [] : [[name, must === undefined ? testAddress(name) : accounts[name]]],
    );
    const { programAddress, ...built } = writeLayout(layout, {
      program,
      accounts: Object.fromEntries(given),
      args,
      rest: layout.rest === undefined || given.length < layout.roles.length ? [] : [testAddress('another')],
    });
    return { index: 0, program: programAddress, ...built };
  });
}

const published = async ([, idl, name, options]: (typeof CASES)[number]): Promise<ResolvedInstruction[]> =>
  Promise.all(
    fc
      .sample(arbitraryPublic(idl, name, options), { seed: SEED, numRuns: 2 })
      .map(async (make) => (await make()).instruction),
  );

/** Names addresses by their role in the instruction and numbers the others. */
function naming(roles: Readonly<Record<string, { readonly address: string } | undefined>>) {
  const names = new Map<string, string>([
    ...PROGRAMS.flatMap((each: ProgramReader) =>
      each.addresses.map((at): [string, string] => [at, each.name]),
    ),
  ]);
  const given = Object.entries(roles).flatMap(([role, account]) =>
    account === undefined ? [] : [[role, account.address] as const],
  );
  for (const [role, address] of given) names.set(testAddress(`mint in ${address}`), `mint in ${role}`);
  for (const [role, address] of given) if (!names.has(address)) names.set(address, role);
  names.set(testAddress('a holder'), 'a holder');
  const known = names.size;
  return (address: string): string => {
    const name = names.get(address) ?? `address ${names.size - known + 1}`;
    names.set(address, name);
    return `<${name}>`;
  };
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const plain = (value: unknown, name: (address: string) => string): string =>
  JSON.stringify(value, (_, each: unknown) => {
    // A field without a value is shown, since it differs from a missing field.
    if (each === undefined) return 'no value';
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each === 'string') return ADDRESS.test(each) ? name(each) : each;
    return each instanceof Uint8Array ? `bytes ${Buffer.from(each).toString('hex')}` : each;
  });

function actsText(instruction: ResolvedInstruction, view: View): string {
  const reading = readInstruction(instruction);
  if (reading.status !== 'read') return 'not read';
  const name = naming(reading.instruction.accounts);
  const acts = actsOf(reading, view).map((act: Act) => plain(act, name));
  return `${plain(reading.instruction.args, name)} -> ${acts.join(' ')}`;
}

/** Shows every transferable right; two instances suffice for other kinds. */
const instances = (kind: string): number => (kind === 'token.setAuthority' ? 60 : 2);

const SOURCES = [
  ...INSTRUCTION_KINDS.map((kind) => [kind, async () => own(kind, instances(kind))] as const),
  ...CASES.map((each) => [each[0], () => published(each)] as const),
];

test('every kind of instruction has the approved acts', async () => {
  const lines: string[] = [];
  for (const [kind, make] of SOURCES) {
    const instances = (await make()).map((instruction, index) =>
      actsText(instruction, index === 0 ? NO_VIEW : HELD),
    );
    for (const line of new Set(instances)) lines.push(`${kind} ${line}\n`);
  }
  await expect(lines.join('')).toMatchFileSnapshot('approved/acts.txt');
});
