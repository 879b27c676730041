import { defineConfig } from 'vitest/config';
import { pureTests } from './scripts/testTiers.ts';

const report = process.env.COUNTERSIGN_TEST_REPORT;
const pure = pureTests();

// Tests that spawn the built command need `npm run build` first; `npm test` does both.
export default defineConfig({
  test: {
    globalSetup: 'test/temporary.ts',
    // Only ends what hangs: no machine is so slow that one of these limits matters.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    pool: 'forks',
    // Tests wait for servers and slots about a third of their time: three workers keep two cores busy.
    maxWorkers: 3,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    coverage: { provider: 'v8', include: ['src/**', 'tools/**'], reporter: ['text-summary', 'json'] },
    projects: [
      { extends: true, test: { name: 'system', include: ['test/**/*.test.ts'], exclude: pure } },
      // Pure tests share the modules a worker has loaded: loading them takes longer than the tests.
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
    ],
  },
});
