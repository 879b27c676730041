import { defineConfig } from 'vitest/config';
import { testFiles } from './scripts/mutation/tests.mjs';

/** Runs the tests for mutants by themselves. */
export default defineConfig({ test: { include: [...testFiles] } });
