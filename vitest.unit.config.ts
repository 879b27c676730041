import { defineConfig } from 'vitest/config';
import { pureTests } from './test/architecture/pureTests.ts';
import { TEST_HANGS_MS } from './test/limits.ts';

/**
 * Runs the pure tests by themselves: no process, no server, no sandbox. The files of a worker share modules,
 * since loading them for each file takes longer than the tests.
 */
export default defineConfig({
  test: {
    include: pureTests(),
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: TEST_HANGS_MS,
    hookTimeout: TEST_HANGS_MS,
    disableConsoleIntercept: true,
    // Transformed modules are kept for the next run, under node_modules.
    experimental: { fsModuleCache: true },
  },
});
