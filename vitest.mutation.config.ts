import { defineConfig } from 'vitest/config';

/** The tests a mutant of transaction/ or policy/ has to survive: Stryker runs them (stryker.config.json). */
export default defineConfig({
  test: {
    include: ['test/transaction/**/*.test.ts', 'test/policy/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
