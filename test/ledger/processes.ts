/** Runs a test program in separate processes: bundled once, started with `node`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a program below test/ to a file that finds the installed packages. */
export async function bundle(program: string): Promise<string> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const outfile = join(mkdtempSync(join(root, 'node_modules', '.test-')), 'program.mjs');
  await build({
    entryPoints: [join(root, 'test', program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command and collects its output. */
export function start(
  command: string,
  args: readonly string[],
): { child: ChildProcess; finished: Promise<Finished> } {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return { child, finished: once(child, 'close').then(([code]) => ({ code, stdout, stderr })) };
}
