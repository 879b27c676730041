import { defineConfig } from 'vitest/config';
import { testFiles } from './scripts/mutation/tests.mjs';

/** The tests a mutant has to survive (docs/mutation.md), by themselves. */
export default defineConfig({ test: { include: [...testFiles] } });
