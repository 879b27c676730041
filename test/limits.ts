import { EXHAUSTIVE } from './exhaustive.ts';

/**
 * Limit of every test and hook: for those that hang, far above the duration of any on a slow machine. No test has a limit
 * of its own.
 */
export const TEST_HANGS_MS = EXHAUSTIVE ? 14_400_000 : 1_800_000;
