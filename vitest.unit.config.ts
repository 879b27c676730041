import { defineConfig } from 'vitest/config';
import { pureTests } from './scripts/testTiers.ts';

/** The pure tests by themselves: no process, no server, no sandbox. */
export default defineConfig({
  test: { include: pureTests(), pool: 'forks', maxWorkers: 2, testTimeout: 60_000 },
});
