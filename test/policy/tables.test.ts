/** Lookup tables, one change at a time, and their stages (T9, T14). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import type { Instruction } from '../programs/stock.ts';
import { lookupTable } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import {
  answered,
  instructionOf,
  plus,
  withAccounts,
  withArgs,
  without,
  withRequest,
} from './recorded/edits.ts';
import { ATTACKER, decide, encoded, instructionsOf, rewritten, stage, WALLET } from './recorded/stages.ts';

const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';

describe('a lookup table', () => {
  const setup = stage('custody table');
  const retired = stage('custody table retired');
  const closed = stage('custody table closed');
  const table = instructionOf(closed, 'lookupTable.close').accounts.table.address;
  /** A plan with only a table setup. */
  const alone = (
    inputs: DecisionInputs,
    operation: DecisionInputs['plan']['operation'],
    more: Partial<DecisionInputs> = {},
  ): DecisionInputs => {
    const bare = answered(withRequest(inputs, { lookupTable: undefined }), { launch: undefined });
    return { ...bare, siblings: [], plan: { ...bare.plan, operation }, ...more };
  };

  it('is created and filled by a plan of its own or by a launch', () => {
    expect(decisionText(alone(setup, 'lookup_table_setup'))).toMatch(/^allow/);
    finds(alone(setup, 'lookup_table_close'), 'stageBelongs (lookup_table_setup)');
  });

  it('is one table: the one named in the answer, or the one the stage begins with', () => {
    const other = keyNamed('another table').address;
    finds(
      answered(setup, { launch: { lookupTable: other } }),
      'REQUEST_MISMATCH: matchesRequest lookupTable (',
    );
    const two = withAccounts(alone(setup, 'lookup_table_setup'), 'lookupTable.extend', { table: other });
    finds(two, 'matchesRequest lookupTable (');
  });

  it('is set up with at least one address', () => {
    const none = [...instructionOfAll(setup)].reduce(
      (inputs) => without(inputs, 'lookupTable.extend'),
      setup,
    );
    finds(none, 'partThere tableEntries (0 times; allowed 1 times)');
  });

  it.each([
    ['retired', retired, 'lookup_table_deactivate'],
    ['closed', closed, 'lookup_table_close'],
  ] as const)('may only be %s if the chain shows it and it is the same table', (_, inputs, operation) => {
    const onChain = { accounts: [lookupTable(table, WALLET)] };
    findsNot(alone(inputs, operation, onChain), 'lookup table');
    finds(alone(inputs, operation, { accounts: [] }), 'matchesRequest lookupTable (');
    const elsewhere = { accounts: [{ ...lookupTable(table, WALLET), owner: SYSTEM_PROGRAM }] };
    finds(alone(inputs, operation, elsewhere), 'lookupTable (');
    const named = withRequest(alone(inputs, operation, onChain), {
      lookupTable: keyNamed('another table').address,
    });
    finds(named, 'lookupTable (');
    findsNot(withRequest(alone(inputs, operation, onChain), { lookupTable: table }), 'lookup table');
    expect(LOOKUP_TABLE_PROGRAM).toMatch(/^AddressLookup/);
  });

  it.each([
    ['retired', retired, 'lookupTable.deactivate'],
    ['closed', closed, 'lookupTable.close'],
  ] as const)(
    'T9 is %s by a launch only if its own setup created it, whatever the answer names',
    (_, inputs, kind) => {
      const other = keyNamed('a table of the wallet that no plan made').address;
      const swapped = (list: readonly AccountFact[]) =>
        list.map((each) => (each.address === table ? { ...each, address: other } : each));
      const onOther = (siblings: DecisionInputs['siblings']): DecisionInputs => {
        const named = answered(withAccounts(inputs, kind, { table: other }), {
          launch: { lookupTable: other },
        });
        const { simulation } = named;
        return {
          ...named,
          siblings,
          accounts: [
            ...named.accounts.filter(({ address }) => address !== table),
            lookupTable(other, WALLET),
          ],
          simulation:
            simulation.status === 'done'
              ? { ...simulation, before: swapped(simulation.before), after: swapped(simulation.after) }
              : simulation,
        };
      };
      expect(decisionText(inputs)).toMatch(/^allow/);
      expect(decisionText(answered(inputs, { launch: {} }))).toMatch(/^allow/);
      finds(onOther(inputs.siblings), 'matchesRequest lookupTable (');
      // Without a setup in the plan, and with one that only extends the other table.
      const noSetup = inputs.siblings.filter(({ stage }) => stage.kind !== 'lookup_table_setup');
      finds(onOther(noSetup), 'matchesRequest lookupTable (');
      const { stage: extended } = [...instructionOfAll(setup)].reduce(
        (made, __, nth) => withAccounts(made, 'lookupTable.extend', { table: other }, nth),
        without(setup, 'lookupTable.create'),
      );
      const extending = inputs.siblings.map((each) =>
        each.stage.kind === 'lookup_table_setup'
          ? { ...each, stage: { ...each.stage, transaction: extended.transaction } }
          : each,
      );
      finds(onOther(extending), 'matchesRequest lookupTable (');
      // A request that names the table accepts it.
      findsNot(withRequest(onOther(noSetup), { lookupTable: other }), 'lookupTable (');
    },
  );

  it('closed by our authority returns its rent to the wallet', () => {
    const away = withAccounts(closed, 'lookupTable.close', { recipient: ATTACKER });
    finds(away, 'UNDECLARED_LOSS: matchesRequest rentReceiver (ATTACKER; allowed WALLET)');
    const theirs = withAccounts(closed, 'lookupTable.close', { authority: ATTACKER });
    finds(theirs, `${UNEXPECTED} (#2 tableClose)`);
  });

  function* instructionOfAll(inputs: DecisionInputs) {
    for (let i = 0; ; i++) {
      try {
        yield instructionOf(inputs, 'lookupTable.extend', i);
      } catch {
        return;
      }
    }
  }
});

const setup = stage('custody table');
const retired = stage('custody table retired');
const closed = stage('custody table closed');
const other = keyNamed('another table').address;

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

it('a lookup table names each address once (T14)', () => {
  const setup = stage('custody table');
  expect(decide(setup).effect).toBe('allow');
  const { accounts, args } = instructionOf(setup, 'lookupTable.extend');
  const again = encodeInstruction('lookupTable.extend', {
    accounts: {
      table: accounts.table.address,
      authority: WALLET,
      payer: WALLET,
      systemProgram: SYSTEM_PROGRAM,
    },
    args: { addresses: args.addresses.slice(0, 1) },
  });
  const decision = decide(plus(setup, again));
  expect(decision.effect).toBe('deny');
  expect(decision.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toContain('tableEntriesOnce');
});
