/**
 * Lookup tables. Table contents come from our own RPC; a table that the plan sets up must also hold exactly the entries of
 * its setup transactions (T36, T55).
 */

import {
  type DecodedStage,
  type ReadWith,
  type ResolvedStage,
  sameAddresses,
} from '../../../plan/decodedStage.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { Address, DecodedTransaction } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionInputs } from '../types.ts';

/**
 * Returns the stage with its resolved accounts, and the tables for resolving its sibling stages: those of the plan's setups
 * and those on chain, which take precedence. Returns `undefined` if a table is unreliable.
 */
export function resolveAccounts(
  inputs: DecisionInputs,
  transaction: DecodedTransaction,
  off: ReadonlySet<Address>,
  list: Checklist,
): { readonly stage: ResolvedStage; readonly given: ReadWith } | undefined {
  const planned = plannedTables(inputs);
  const reliable = transaction.lookups.every(({ table }) => checkTable(inputs, table, planned, list));
  if (!reliable) return undefined;
  const tables = new Map(planned);
  for (const { table, addresses } of inputs.tables) tables.set(table, addresses);
  const given = { tables, off };
  try {
    const stage = inputs.stage.transaction.resolve(given);
    list.pass('accountsKnown');
    return { stage, given };
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    list.fail(error.code, 'accountsKnown');
    return undefined;
  }
}

function checkTable(inputs: DecisionInputs, table: Address, planned: Tables, list: Checklist): boolean {
  const refuse = (observed: string, kind: 'security' | 'availability') => {
    list.fail('LOOKUP_TABLE_UNRESOLVED', 'tableReliable', { observed: `${table}: ${observed}`, class: kind });
    return false;
  };
  const fact = inputs.tables.find((each) => each.table === table);
  if (fact === undefined) return refuse('not found by our RPC', 'availability');
  if (fact.source === 'setup' && inputs.purpose === 'sign')
    return refuse('not on the chain yet', 'availability');
  if (fact.deactivationSlot !== undefined) return refuse('deactivated', 'security');
  if (fact.source === 'chain' && fact.lastExtendedSlot >= fact.slot) {
    return refuse('extended in this slot', 'availability');
  }
  const put = planned.get(table);
  const agrees = put === undefined || sameAddresses(put, fact.addresses);
  if (!agrees) return refuse('holds other addresses than the plan put there', 'security');
  list.pass('tableReliable', {
    observed: `${table}: ${fact.addresses.length} addresses, ${fact.dataSha256}`,
  });
  return true;
}

type Tables = ReadWith['tables'];
type Setups = Pick<DecisionInputs, 'siblings' | 'earlierSetups'>;

/** Returns landed setup stages of earlier builds, then the setup stages of the plan. */
function setupsOf({ siblings, earlierSetups = [] }: Setups): readonly DecodedStage[] {
  const setups = siblings.filter(({ stage }) => stage.kind === 'lookup_table_setup');
  return [...earlierSetups, ...setups.map(({ stage }) => stage.transaction)];
}

/** Returns the tables that these setups create, without those they only extend. */
export const madeTables = (setups: Setups): readonly Address[] =>
  setupsOf(setups).flatMap(({ tableEntries }) =>
    tableEntries.flatMap(({ table, makes }) => (makes ? [table] : [])),
  );

/** Returns the entries, in order, that the plan's setup stages and landed setups of earlier builds put into each table. */
export function plannedTables(setups: Setups): Tables {
  const tables = new Map<Address, readonly Address[]>();
  for (const { tableEntries } of setupsOf(setups)) {
    for (const { table, addresses } of tableEntries) {
      const before = tables.get(table) ?? [];
      tables.set(table, before.length === 0 ? addresses : [...before, ...addresses]);
    }
  }
  return tables;
}
