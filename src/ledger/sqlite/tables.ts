/** Readers of the tables of `Ledger.rows`. */
import type { Database, whereOf } from '../database.ts';
import { readSigned } from '../plans/planRows.ts';
import { listPlans, planWhere } from '../plans/plans.ts';
import type { Tables } from '../types.ts';
import { readApprovals } from './approvals.ts';
import { decisionWhere, listDecisions } from './decisions.ts';
import { readJournal } from './journal.ts';
import { readSignedStages } from './signedStages.ts';
import { readFreezes, readNote } from './state.ts';
import { takenOf } from './windows.ts';

export const ROWS: {
  readonly [T in keyof Tables]: (db: Database, filter: Tables[T]['filter']) => Promise<Tables[T]['row'][]>;
} = {
  plans: listPlans,
  decisions: listDecisions,
  journal: readJournal,
  signed: readSigned,
  signedStages: (db, filter) => readSignedStages(db, filter),
  approvals: readApprovals,
  freezes: readFreezes,
  uses: takenOf,
  notes: async (db, { key }) => {
    const value = await readNote(db, key);
    return value === undefined ? [] : [{ key, value }];
  },
};

const WHERE: {
  readonly [T in Counted]: (filter: Tables[T]['filter']) => ReturnType<typeof whereOf>;
} = { plans: planWhere, decisions: decisionWhere };
type Counted = 'plans' | 'decisions';

/** See `Ledger.count`. */
export async function countRows<T extends Counted>(
  db: Database,
  table: T,
  filter: Tables[T]['filter'],
): Promise<number> {
  const { where, values } = WHERE[table](filter);
  return (await db.get(`SELECT count(*) AS n FROM ${table} WHERE ${where}`, ...values))?.number('n') ?? 0;
}
