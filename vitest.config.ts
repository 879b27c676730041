import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const report = process.env.COUNTERSIGN_TEST_REPORT;

/** Tests of whole processes, and those that change what a process has only one of. */
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
    // Only ends what hangs: no machine is so slow that one of these limits matters.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    pool: 'forks',
    // Tests wait for servers and slots about half of their time: five workers keep two cores busy.
    maxWorkers: 5,
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
      // A worker loads the modules once for all its files: loading them takes longer than most tests.
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
