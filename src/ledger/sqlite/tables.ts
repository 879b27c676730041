/** Readers of the tables of `Ledger.rows`. */
import type { Database } from '../database.ts';
import { readSigned } from '../plans/planRows.ts';
import { countPlans, listPlans } from '../plans/plans.ts';
import type { Tables } from '../types.ts';
import { readApprovals } from './approvals.ts';
import { countDecisions, listDecisions } from './decisions.ts';
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

export const COUNTS: {
  readonly [T in 'plans' | 'decisions']: (db: Database, filter: Tables[T]['filter']) => Promise<number>;
} = { plans: countPlans, decisions: countDecisions };
