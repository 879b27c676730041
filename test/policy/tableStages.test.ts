/** Stages about lookup tables with one change each: refusals and their wording (T9, T14). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { Instruction } from '../../src/programs/instructions.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { answered, instructionOf, withAccounts, withArgs, without, withRequest } from './recorded/edits.ts';
import { ATTACKER, encoded, instructionsOf, rewritten, stage } from './recorded/stages.ts';

const setup = stage('custody table');
const retired = stage('custody table retired');
const closed = stage('custody table closed');
const other = keyNamed('another table').address;

const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';

/** The stage with every instruction of one kind changed. */
const each = (
  inputs: DecisionInputs,
  kind: Instruction['kind'],
  change: (one: Instruction) => Instruction,
): DecisionInputs => {
  const list = instructionsOf(inputs).map((one) => encoded(one.kind === kind ? change(one) : one));
  return rewritten(inputs, () => list);
};
/** A plan with only its table: no answer and no request names it. */
const alone = (inputs: DecisionInputs): DecisionInputs => {
  const bare = answered(withRequest(inputs, { lookupTable: undefined }), { launch: undefined });
  return { ...bare, siblings: [], plan: { ...bare.plan, operation: 'lookup_table_setup' } };
};
const short = (address: string) => `${address.slice(0, 6)}…`;

describe('a stage that sets up a lookup table', () => {
  const { args, accounts } = instructionOf(setup, 'lookupTable.extend');
  const table = accounts.table.address;

  it('adds each address once: a second time costs rent without effect (T14)', () => {
    const [first = ''] = args.addresses;
    const twice = withArgs(setup, 'lookupTable.extend', { addresses: [...args.addresses, first] });
    const entries = instructionsOf(twice).reduce(
      (sum, one) => sum + (one.kind === 'lookupTable.extend' ? one.args.addresses.length : 0),
      0,
    );
    expect(decisionText(setup)).toMatch(/^allow/);
    finds(twice, `REQUEST_MISMATCH: tableEntriesOnce (${entries} entries; allowed ${entries - 1} entries)`);
  });

  it('uses the table it begins with if the plan names none', () => {
    const plan = alone(setup);
    expect(decisionText(plan)).toMatch(/^allow/);
    const begun = withAccounts(plan, 'lookupTable.create', { table: other });
    finds(begun, `matchesRequest lookupTable (${short(table)}; allowed ${short(other)})`);
    const onlyAdds = without(plan, 'lookupTable.create');
    expect(instructionsOf(onlyAdds).map(({ kind }) => kind)).toContain('lookupTable.extend');
    findsNot(onlyAdds, 'matchesRequest');
  });

  it('creates one table', () => {
    const two = rewritten(setup, (list) => [...list.slice(0, 1), ...list]);
    finds(two, `${UNEXPECTED} (#`);
    finds(two, 'tableCreate)');
  });

  it('extends an already funded table without a payer, and never by another key', () => {
    const unpaid = each(setup, 'lookupTable.extend', (one) => {
      if (one.kind !== 'lookupTable.extend') return one;
      const { table: to, authority } = one.accounts;
      return { ...one, accounts: { table: to, authority } };
    });
    findsNot(unpaid, UNEXPECTED);
    for (const role of ['payer', 'authority']) {
      const theirs = withAccounts(setup, 'lookupTable.extend', { [role]: ATTACKER });
      finds(theirs, `${UNEXPECTED} (#`);
    }
  });
});

describe('a stage that removes a lookup table', () => {
  it.each([
    ['retired', retired, 'lookupTable.deactivate'],
    ['closed', closed, 'lookupTable.close'],
  ] as const)("is %s once, by the wallet's authority", (_, inputs, kind) => {
    expect(decisionText(inputs)).toMatch(/^allow/);
    finds(without(inputs, kind), 'REQUEST_MISMATCH: partThere table (0 times; allowed 1 times)');
    const again = rewritten(inputs, (list) => [...list, ...list.slice(-1)]);
    finds(again, `${UNEXPECTED} (#`);
    finds(withAccounts(inputs, kind, { authority: ATTACKER }), `${UNEXPECTED} (#`);
  });

  it.each(['config', 'manager_update', 'holding_claim', 'position_claim', 'swap'] as const)(
    'belongs to a launch or to its own plan: not to %s',
    (operation) => {
      for (const inputs of [retired, closed]) {
        const inAnother: DecisionInputs = { ...inputs, plan: { ...inputs.plan, operation } };
        finds(inAnother, `stageBelongs (${inputs.stage.kind})`);
      }
    },
  );
});
