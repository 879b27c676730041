import { defineConfig } from 'vitest/config';

const report = process.env.COUNTERSIGN_TEST_REPORT;

// Tests that spawn the built command need `npm run build` first; `npm test` does both.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/temporary.ts',
    // What hangs is told from what is slow: no machine may be so slow that one of these passes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    pool: 'forks',
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    coverage: { provider: 'v8', include: ['src/**', 'tools/**'], reporter: ['text-summary', 'json'] },
  },
});
