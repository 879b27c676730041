import { defineConfig } from 'vitest/config';
import { testFiles } from './scripts/mutation/tests.mjs';

/** The tests a mutant has to survive, by themselves. */
export default defineConfig({ test: { include: [...testFiles] } });
