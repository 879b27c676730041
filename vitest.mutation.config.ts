import { defineConfig } from 'vitest/config';

/**
 * The tests a mutant of transaction/ or policy/ has to survive: Stryker runs them (stryker.config.json). They start
 * nothing and take milliseconds; those of test/policy that start a sandbox, and the random ones, are left out.
 */
export default defineConfig({
  test: {
    include: ['test/transaction/**/*.test.ts', 'test/policy/**/*.test.ts'],
    exclude: [
      'test/policy/{attacks,benign,binding,decision,everyTemplate,fuzz,hostile,properties,recordedCases}.test.ts',
      'test/policy/retiredConfig.test.ts',
      'test/policy/documents.test.ts',
      'test/policy/zzrelay.test.ts',
      'test/transaction/runtime.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
  },
});
