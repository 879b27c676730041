/** A rehearsed plan moves what it then moves on the chain, to the lamport, whatever kind it is. */
import { expect, test } from 'vitest';
import { readProgramFolder } from '../../src/sandbox/programs/folder.ts';
import { Home } from '../landing/home.ts';
import { ended } from '../landing/real.ts';
import { KINDS } from './kinds.ts';
import { built, changesIn, movedBy, rehearsed } from './scene.ts';

/** A folder of public program binaries that are played in place of the stand-ins. */
const folder = process.env.COUNTERSIGN_TEST_PROGRAMS;
const programs = folder === undefined ? {} : { programs: readProgramFolder(folder) };

test.each(Object.entries(KINDS))('%s: rehearsed and moved amounts are equal', async (_, request) => {
  const home = await Home.start({ sandbox: programs });
  try {
    const plan = await built(home, ...(await request(home)));
    const fact = await rehearsed(home, plan);
    const expected = changesIn(fact);
    const done = await home.submit(plan.planId, 50);
    expect(done).toMatchObject({ status: 'complete' });
    expect(Object.keys(expected)).toHaveLength(plan.stages.filter(({ optional }) => !optional).length);
    expect(await movedBy(home, plan.planId, Object.keys(expected))).toEqual(expected);
  } finally {
    await ended(home);
  }
});
