/** The state of the ledger that a decision depends on, in one snapshot. */
import { exhaustedUntil } from '../accept/exhausted.ts';
import type { Database } from '../database.ts';
import { frozen } from '../sqlite/state.ts';
import { usedOfAll } from '../sqlite/windows.ts';
import type { StageOf, StageView } from '../types.ts';
import { readSigned } from './planRows.ts';
import { readPlan } from './plans.ts';
import { earlierSignature } from './runs.ts';

export const readView = async (db: Database, of: StageOf): Promise<StageView> =>
  db.snapshot(async (db) => {
    const { planId, intentKey, wallet, network, limits } = of;
    const freeze = await frozen(db, (await readPlan(db, planId))?.principal);
    const earlier = await earlierSignature(db, of);
    return {
      time: await db.time(),
      used: await usedOfAll(db, limits, wallet, network, planId),
      exhausted: await exhaustedUntil(db, limits),
      ...(freeze === undefined ? {} : { frozen: freeze }),
      ...(earlier === undefined ? {} : { earlier }),
      signed: await readSigned(db, { intentKey }),
    };
  });
