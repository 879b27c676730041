import { defineConfig } from 'vitest/config';

const report = process.env.COUNTERSIGN_TEST_REPORT;

// Run by `npm run clients`, which installs this folder and builds the command first.
export default defineConfig({
  test: {
    include: ['clients/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    silent: 'passed-only',
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    // No telemetry from these runs.
    env: {
      MCP_USE_ANONYMIZED_TELEMETRY: 'false',
      MASTRA_TELEMETRY_DISABLED: '1',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
      LANGSMITH_TRACING: 'false',
    },
  },
});
