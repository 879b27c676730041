/** Claims and lookup tables, one change at a time (rule 5 of the threat model; T9, T29). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { lookupTable } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { answered, instructionOf, plus, withAccounts, without, withRequest } from './recorded/edits.ts';
import { ATTACKER, decide, rewritten, stage, WALLET } from './recorded/stages.ts';

const position = stage('position claim');
const holding = stage('holding claim');
const vault = stage('vault claim');
const deployer = stage('deployer claim');

const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';

describe('a claim', () => {
  const opens = (payer: string, owner: string, mint: string) =>
    encodeInstruction('associatedToken.createIdempotent', {
      accounts: {
        payer,
        associatedToken: associatedTokenAddress(owner, mint, TOKEN_PROGRAM),
        owner,
        mint,
        systemProgram: SYSTEM_PROGRAM,
        tokenProgram: TOKEN_PROGRAM,
      },
    });
  const other = keyNamed('another mint').address;

  it('promises the simulated payout', () => {
    const [change] = decide(position).changes;
    expect(change).toMatchObject({ asset: 'SOL', out: '0' });
    expect(BigInt(change?.in ?? '0')).toBeGreaterThan(0n);
    const { simulation } = position;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const nothing: DecisionInputs = { ...position, simulation: { ...simulation, after: simulation.before } };
    finds(nothing, 'UNDECLARED_LOSS: simulated claimPays (0');
  });

  it('pays out in the requested asset', () => {
    expect(decisionText(withRequest(position, { quoteMint: other }))).toMatch(
      /REQUEST_MISMATCH: matchesRequest /,
    );
    expect(decisionText(withRequest(position, { quoteMint: undefined }))).toMatch(/^allow/);
  });

  it('opens accounts for the wallet only, paid by the fee payer or the wallet', () => {
    const [payer = ''] = holding.stage.declared.requiredSigners ?? [WALLET];
    findsNot(plus(holding, opens(payer, WALLET, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(WALLET, ATTACKER, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(ATTACKER, WALLET, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(WALLET, WALLET, other)), UNEXPECTED);
  });

  it('forwards nothing to another wallet and signs no memo', () => {
    const pay = encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: ATTACKER },
      args: { lamports: 1n },
    });
    const memo = encodeInstruction('memo.memo', {
      accounts: {},
      args: { text: `claim holding ${WSOL_MINT}` },
      rest: [WALLET],
    });
    for (const claim of [position, holding, vault, deployer])
      for (const extra of [pay, memo]) finds(plus(claim, extra), UNEXPECTED);
  });

  it('of a deployer empties its vaults and pays out an amount', () => {
    expect(decisionText(withRequest(deployer, { quoteMint: other }))).toMatch(/^allow/);
    const { simulation } = deployer;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const nothing: DecisionInputs = { ...deployer, simulation: { ...simulation, after: simulation.before } };
    finds(nothing, 'claimPays (0');
    findsNot(nothing, 'tokenVisible');
  });

  it('has the format its plan names; a bare one has either of the older formats', () => {
    const plan = (format: 'legacy' | 'v0' | 'v1'): DecisionInputs => ({
      ...position,
      stage: { ...position.stage, format },
    });
    const asV1 = rewritten(plan('v1'), (list) => list, {
      format: 'v1',
      budget: [],
      config: { computeUnitLimit: 200_000, priorityFeeLamports: 0n },
    });
    findsNot(asV1, 'FORMAT_MISMATCH');
    const legacy = (inputs: DecisionInputs) =>
      rewritten({ ...inputs, stage: { ...inputs.stage, format: 'legacy' } }, (list) => list, {
        format: 'legacy',
      });
    finds(legacy(position), 'FORMAT_MISMATCH: askedFormat (legacy; allowed v0)');
    findsNot(legacy(vault), 'FORMAT_MISMATCH');
    findsNot(legacy(deployer), 'FORMAT_MISMATCH');
    finds(legacy(holding), 'FORMAT_MISMATCH');
  });
});

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
