/** Committed stand-in binaries match the compiler's output for their sources. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compiledProgram, SOURCES } from '../../../sandbox/programs/standIns.ts';
import { addressHeader, COMPILER, compileProgram, hasCompiler } from '../../../scripts/programs/compile.ts';
import { linkObject } from '../../../scripts/programs/link.ts';

const isThere = hasCompiler();
if (!isThere) {
  process.stderr.write(
    `Stand-in programs are not compared with their sources: ${COMPILER} is not installed.\n`,
  );
}

describe.skipIf(!isThere)('the compiled stand-in programs', () => {
  test.each(SOURCES)(
    "%s equals the compiler's output for its source (otherwise: npm run programs)",
    (source) => {
      const committed = Buffer.from(compiledProgram(source));
      expect(committed.equals(compileProgram(process.cwd(), source))).toBe(true);
    },
  );
});

test('addresses in the sources equal those of the sandbox', () => {
  expect(readFileSync('sandbox/programs/c/addresses.generated.h', 'utf8')).toBe(addressHeader());
});

test('an object file without code is refused', () => {
  const header = Buffer.alloc(64);
  header.writeUInt16LE(64, 58);
  expect(() => linkObject(header)).toThrow('no code');
});
