/** `npm run programs`: writes the compiled stand-in programs of the sandbox anew. Needs clang 14. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressHeader, COMPILER, compileAll, hasCompiler } from './programs/compile.ts';

const root = process.cwd();
if (!hasCompiler()) {
  console.error(`${COMPILER} is not installed (Debian: apt-get install ${COMPILER}).`);
  process.exit(1);
}
writeFileSync(join(root, 'sandbox/programs/c/addresses.generated.h'), addressHeader());
writeFileSync(join(root, 'sandbox/programs/standIns.generated.json'), compileAll(root));
