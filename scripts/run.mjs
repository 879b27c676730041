/** Bundles one TypeScript script with esbuild and runs it: `node scripts/run.mjs scripts/gen.ts [options]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [script, ...options] = process.argv.slice(2);
if (script === undefined) throw new Error('Which script? node scripts/run.mjs scripts/gen.ts');
// Inside node_modules, so that bare imports resolve as in the script.
const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.run-'));
try {
  const outfile = join(folder, 'script.mjs');
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  process.argv = [process.argv[0] ?? 'node', script, ...options];
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
