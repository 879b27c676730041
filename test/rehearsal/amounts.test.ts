/** Rehearsed amounts equal the executed ones to the lamport, for every kind of plan. */
import { expect, test } from 'vitest';
import { readProgramFolder } from '../../sandbox/programs/folder.ts';
import { KINDS } from './kinds.ts';
import { executed } from './scene.ts';

/** Folder of public program binaries, used in place of the stand-ins. */
const folder = process.env.COUNTERSIGN_TEST_PROGRAMS;
const programs = folder === undefined ? undefined : readProgramFolder(folder);

test.each(Object.entries(KINDS))('%s: rehearsed and moved amounts are equal', async (_, request) => {
  const { status, isWhole, rehearsed, moved } = await executed(request, programs);
  expect({ status, isWhole }).toEqual({ status: 'complete', isWhole: true });
  expect(moved).toEqual(rehearsed);
});
