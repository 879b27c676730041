import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { TEST_HANGS_MS } from './test/limits.ts';

const report = process.env.COUNTERSIGN_TEST_REPORT;

/** Tests that start processes or change process-wide state. */
const ALONE = [
  'test/attacks/**',
  'test/e2e/**',
  'test/packaging/**',
  'test/sandbox/chain/unavailable.test.ts',
  'test/secrets/fileStore.test.ts',
];

// Tests that spawn the built command need `npm run build` first; `npm test` does both.
export default defineConfig({
  test: {
    globalSetup: 'test/temporary.ts',
    testTimeout: TEST_HANGS_MS,
    hookTimeout: TEST_HANGS_MS,
    expect: { poll: { timeout: 300_000 } },
    pool: 'forks',
    // Tests wait for servers and slots about half of their time, so five workers keep two cores busy.
    maxWorkers: 5,
    // Transformed modules are kept for the next run, under node_modules.
    experimental: { fsModuleCache: true },
    // Output of a library after the last test of a file would otherwise fail the run, since its worker has closed.
    disableConsoleIntercept: true,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'tools/**', 'sandbox/**'],
      reporter: ['text-summary', 'json'],
    },
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ALONE.map((files) => files.replace(/\*\*$/, '**/*.test.ts')) },
      },
      // A worker loads modules once for all its files, since loading takes longer than most tests.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
          execArgv: [
            '--import',
            fileURLToPath(new URL('test/secrets/cheapPassphrases.mjs', import.meta.url)),
          ],
        },
      },
    ],
  },
});
