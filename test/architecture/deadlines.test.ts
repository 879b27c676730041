/** Deadlines have one implementation: signals created by Node may be garbage-collected before they fire (F03). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsBelow } from './imports.ts';

const files = [
  ...new Set(importsBelow(process.cwd(), ['src', 'tools', 'sandbox']).map(({ from }) => from)),
  'src/clock.ts',
];

/** Returns a file's code without comments. */
const code = (file: string): string =>
  readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const LOST = /\bAbortSignal\s*\.\s*(timeout|any)\b/;

test('no source makes a deadline with AbortSignal.timeout or joins signals with AbortSignal.any', () => {
  expect(files.length).toBeGreaterThan(300);
  expect(LOST.test('signal: AbortSignal.timeout(5_000)')).toBe(true);
  expect(files.filter((file) => LOST.test(code(file)))).toEqual([]);
});
