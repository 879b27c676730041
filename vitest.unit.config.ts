import { defineConfig } from 'vitest/config';
import { pureTests } from './scripts/testTiers.ts';

/**
 * The pure tests by themselves: no process, no server, no sandbox. The files of a worker share the modules they load,
 * since starting anew for each takes longer than the tests; `npm test` gives each file a worker of its own.
 */
export default defineConfig({
  test: {
    include: pureTests(),
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
