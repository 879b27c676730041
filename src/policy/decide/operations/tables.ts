/**
 * Rules of lookup tables: created for a plan, deactivated, and closed for their rent. The wallet's authority over a table
 * may be used only here (T9).
 */
import { asRecord } from '../../../base/record.ts';
import type { Operation, StageKind } from '../../../plan/types.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { madeTables, plannedTables } from '../checks/tables.ts';
import { type DecisionContext, rentOf } from '../decisionContext.ts';
import { TABLE_STAGES } from '../unsupported/entries.ts';
import { all, clause, exactly, same, take, type Verdict } from './clauses.ts';
import { type Matched, nothing } from './operation.ts';
import { textOf } from './request.ts';
import { stageAlone, UNSIGNED } from './run.ts';

/** Maximum number of extend instructions in a stage, and maximum size of a table in bytes. */
const MAX_EXTENSIONS = 8;
const MAX_TABLE_BYTES = 56 + 32 * 256;

/** Operations whose plans may set up a table. */
const SETS_UP: readonly Operation[] = [
  'config',
  'manager_update',
  'launch',
  'holding_claim',
  'position_claim',
  'lookup_table_setup',
];

type Match = (c: DecisionContext, list: Checklist) => Matched;

/** Returns the matcher of a table stage, or `undefined` if the operation has no such stage. */
export function tableStage(operation: Operation, kind: StageKind): Match | undefined {
  const ends = operation === 'launch' || operation === kind;
  if (kind === 'lookup_table_setup') return SETS_UP.includes(operation) ? matchSetup : undefined;
  if (kind === 'lookup_table_deactivate') return ends ? matchEnd('tableDeactivate') : undefined;
  return ends ? matchEnd('tableClose') : undefined;
}

/** Returns the launch's lookup table named in the service's answer. */
const namedTable = ({ inputs }: DecisionContext): Address | undefined =>
  textOf(asRecord(inputs.plan.answer.launch), 'lookupTable');

/** Matches the creation and extension of one table, with the wallet as authority and payer. */
function matchSetup(c: DecisionContext, list: Checklist): Matched {
  const touches = c.acts.find((act) => act.act === 'tableCreate' || act.act === 'tableExtend');
  const table = namedTable(c) ?? touches?.table;
  // The request does not name the entries. Duplicates are refused because they only cost rent (T14).
  const entries = c.acts.flatMap((act) => (act.act === 'tableExtend' ? act.addresses : []));
  list.expect(new Set(entries).size === entries.length, 'REQUEST_MISMATCH', 'tableEntriesOnce', {
    observed: `${entries.length} entries`,
    allowed: `${new Set(entries).size} entries`,
  });
  if (table !== undefined) checkUse(c, table, list);
  const fits = (act: { table: Address; authority: Address; payer?: Address }): Verdict =>
    act.authority === c.wallet &&
    (act.payer === undefined || act.payer === c.wallet) &&
    all(same('lookupTable', act.table, table));
  const clauses = [
    clause('table', 'tableCreate', [0, 1], fits),
    clause('tableEntries', 'tableExtend', [1, MAX_EXTENSIONS], fits),
  ];
  take(c, stageAlone(c), clauses, list);
  return { ...nothing(), maxRent: rentOf(c.inputs, MAX_TABLE_BYTES) };
}

/**
 * Checks that an unsigned transaction of the plan uses the table. Before such transactions are built, the plan may set up
 * only one table (T175).
 */
function checkUse({ inputs }: DecisionContext, table: Address, list: Checklist): void {
  const open = inputs.siblings.filter(({ status }) => UNSIGNED.includes(status));
  const later = open.filter(({ stage }) => !TABLE_STAGES.includes(stage.kind));
  const isUsed = later.some(({ stage }) =>
    stage.transaction.decoded?.lookups.some((each) => each.table === table),
  );
  const others = [...plannedTables({ siblings: open }).keys()].filter((each) => each !== table);
  list.expect(later.length === 0 ? others.length === 0 : isUsed, 'REQUEST_MISMATCH', 'tableUsed', {
    observed: table,
  });
}

/** Matches the deactivation of a table of this plan, or its closure with the rent returned to the wallet. */
const matchEnd =
  (act: 'tableDeactivate' | 'tableClose'): Match =>
  (c, list) => {
    const ends = clause('table', act, [1, 1], (given) => {
      const refundTo = given.act === 'tableClose' ? given.refundTo : c.wallet;
      const elsewhere = { wrong: 'rentReceiver', observed: refundTo, allowed: c.wallet } as const;
      const isBack = refundTo === c.wallet;
      return (
        given.authority === c.wallet &&
        all(isPlanned(c, given.table), [isBack, () => ({ ...elsewhere, code: 'UNDECLARED_LOSS' })])
      );
    });
    take(c, stageAlone(c), [ends], list);
    return nothing();
  };

/**
 * Requires that the plan created the table or the request names it. A table in the service's answer, or one that the plan
 * only extends, does not count (T9).
 */
function isPlanned({ inputs, accounts }: DecisionContext, table: Address) {
  const requested = textOf(inputs.plan.request, 'lookupTable');
  const planned = new Set([...madeTables(inputs), ...(requested === undefined ? [] : [requested])]);
  // The request of a plan about an existing table may not name it; then the address must be a lookup table on chain.
  const isAlone = planned.size === 0 && inputs.plan.operation === inputs.stage.kind;
  const alone = isAlone && accounts.get(table)?.owner === LOOKUP_TABLE_PROGRAM;
  return exactly('lookupTable', table, planned.has(table) || alone);
}
