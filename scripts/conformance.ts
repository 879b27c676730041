/**
 * `npm run conformance`: the official conformance suite against this server behind a test-only HTTP fixture. The suite
 * needs Node 22 or newer; on an older one it is run with Node 24. Scenarios that cannot apply are listed with their
 * reasons in test/conformance/baseline.yml; a scenario that fails without being there, or passes although it is,
 * fails the run.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFixture } from '../test/conformance/fixture.ts';

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const BASELINE = resolve('test/conformance/baseline.yml');
const old = Number(process.versions.node.split('.')[0]) < 22;

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

const fixture = await startFixture();
// The suite leaves its results in the folder it runs in.
const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
try {
  const args = [
    SUITE,
    'server',
    '--url',
    fixture.url,
    '--suite',
    'all',
    '--expected-failures',
    BASELINE,
    '-o',
    folder,
  ];
  const [command = process.execPath, ...before] = old
    ? ['npx', '-y', '-p', 'node@24', 'node']
    : [process.execPath];
  process.exitCode = (await run(command, [...before, ...args], folder)) ?? 1;
  if (process.exitCode !== 0) await tellFailures(folder);
} finally {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
}
