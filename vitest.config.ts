import { defineConfig } from 'vitest/config';

const report = process.env.COUNTERSIGN_TEST_REPORT;

// Tests that spawn the built command need `npm run build` first; `npm test` does both.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    coverage: { provider: 'v8', include: ['src/**', 'tools/**'], reporter: ['text-summary', 'json'] },
  },
});
