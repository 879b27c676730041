/**
 * `npm run conformance`: the official conformance suite against this server behind a test-only HTTP fixture. The suite
 * needs Node 22 or newer; on an older one it is run with Node 24. Scenarios that cannot apply are listed with their
 * reasons in test/conformance/baseline.yml; a scenario that fails without being there, or passes although it is,
 * fails the run. `npm run conformance -- --next` runs the suite's next version instead, which knows the revisions
 * 2025-11-25 and 2026-07-28 by their frozen requirements; it is fetched for that.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFixture } from '../test/conformance/fixture.ts';

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const BASELINE = resolve('test/conformance/baseline.yml');
const NEXT = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const newer = Number(process.versions.node.split('.')[0]) < 22 ? ['-p', 'node@24'] : [];

/** Runs a command, shows what it says, and gives its exit code. */
const run = (command: string, args: readonly string[], cwd: string): Promise<number | null> =>
  new Promise((done, failed) => {
    const child = spawn(command, [...args], { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', failed);
    child.once('exit', done);
  });

/** What the suite wrote about each check that failed. */
async function tellFailures(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'checks.json') continue;
    const checks: { id: string; status: string; errorMessage?: string }[] = JSON.parse(
      await readFile(join(entry.parentPath, entry.name), 'utf8'),
    );
    for (const { id, status, errorMessage } of checks)
      if (status === 'FAILURE' || status === 'WARNING')
        console.error(`${id}: ${status} ${errorMessage ?? ''}`);
  }
}

/** The commands to run, without the server's address. */
function commands(next: boolean): string[][] {
  if (next) {
    const suite = ['npx', '-y', ...newer, '-p', NEXT, 'conformance', 'server'];
    return REVISIONS.map((revision) => [...suite, '--requirements', revision]);
  }
  const node = newer.length === 0 ? [process.execPath] : ['npx', '-y', ...newer, 'node'];
  return [[...node, SUITE, 'server', '--suite', 'all', '--expected-failures', BASELINE]];
}

const fixture = await startFixture();
// The suite leaves its results in the folder it runs in.
const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
try {
  let failed = false;
  for (const [command = '', ...args] of commands(process.argv.includes('--next'))) {
    const code = await run(command, [...args, '--url', fixture.url, '-o', folder], folder);
    failed ||= code !== 0;
  }
  if (failed) await tellFailures(folder);
  process.exitCode = failed ? 1 : 0;
} finally {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
}
