/**
 * `npm run conformance`: the official conformance suite against this server behind a test-only HTTP fixture. The suite
 * needs Node 22 or newer; on an older one it is run with Node 24. Scenarios that cannot apply are listed with their
 * reasons in test/conformance/baseline.yml; a scenario that fails without being there, or passes although it is,
 * fails the run.
 *
 * `npm run conformance -- --next` runs the suite's next version instead, which knows the revisions 2025-11-25 and
 * 2026-07-28 by their frozen requirements; it is fetched for that. Every scored scenario must pass. It also runs a few
 * that no revision requires and counts them apart; of those, only the ones with a reason below may fail.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFixture } from '../test/conformance/fixture.ts';

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const BASELINE = resolve('test/conformance/baseline.yml');
const NEXT = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const newer = Number(process.versions.node.split('.')[0]) < 22 ? ['-p', 'node@24'] : [];

const TASKS =
  'an extension, which a server may declare; this one does not: submit_plan and get_plan do its work';
const HEADERS =
  "headers that copy a tool's arguments, for HTTP proxies; the product serves stdio and declares none";

/** Expected results of a run for one revision, besides passing every scored scenario. */
interface Revision {
  readonly name: string;
  /** Scenarios outside the revision that may fail, each with its reason. */
  readonly mayFail: Readonly<Record<string, string>>;
}

const REVISIONS: readonly Revision[] = [
  { name: '2025-11-25', mayFail: {} },
  {
    name: '2026-07-28',
    mayFail: {
      'tasks-lifecycle': TASKS,
      'tasks-capability-negotiation': TASKS,
      'tasks-wire-fields': TASKS,
      'tasks-request-state-removal': TASKS,
      'tasks-mrtr-input': TASKS,
      'tasks-request-headers': TASKS,
      'tasks-dispatch-and-envelope': TASKS,
      'tasks-required-task-error': TASKS,
      'tasks-mrtr-composition': TASKS,
      'http-custom-header-server-validation': HEADERS,
    },
  },
];

interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command in `cwd`; its output is kept. */
const run = (command: string, args: readonly string[], cwd: string): Promise<Finished> =>
  new Promise((done, failed) => {
    const child = spawn(command, [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    child.once('error', failed);
    child.once('close', (code) => done({ code, output }));
  });

/** Returns the suite's report on each failed check. */
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

/** Runs the installed suite: exit code 0 means that exactly the scenarios of the baseline failed. */
async function runInstalled(url: string, folder: string): Promise<boolean> {
  const node = newer.length === 0 ? [process.execPath] : ['npx', '-y', ...newer, 'node'];
  const [command = '', ...args] = [...node, SUITE, 'server', '--suite', 'all'];
  const options = ['--expected-failures', BASELINE, '--url', url, '-o', folder];
  const { code, output } = await run(command, [...args, ...options], folder);
  const passed = output.match(/^✓ /gm)?.length ?? 0;
  console.log(code === 0 ? output.slice(output.lastIndexOf('=== SUMMARY')).trim() : output);
  return code === 0 && passed > 0;
}

/** The next version against one revision: exit code 0 means that every scored scenario passed. */
async function runNext({ name, mayFail }: Revision, url: string, folder: string): Promise<boolean> {
  const args = ['-y', ...newer, '-p', NEXT, 'conformance', 'server', '--requirements', name];
  const { code, output } = await run('npx', [...args, '--url', url, '-o', folder], folder);
  const [scored = '', apart = ''] = output.split(/^Not scored for /m);
  const unscored = [...apart.matchAll(/^\s*✗ (\S+)/gm)].map(([, scenario = '']) => scenario);
  const other = apart.match(/^\s*✓ /gm)?.length ?? 0;
  const passed = (scored.match(/^✓ /gm)?.length ?? 0) - other;
  const unexplained = unscored.filter((scenario) => mayFail[scenario] === undefined);
  const stale = Object.keys(mayFail).filter((scenario) => !unscored.includes(scenario));
  const held = code === 0 && passed > 0 && unexplained.length === 0 && stale.length === 0;
  if (!held) console.log(output);
  for (const scenario of unexplained)
    console.error(`${scenario} failed, and no reason is written down for it`);
  for (const scenario of stale) console.error(`${scenario} may fail for a reason that is no longer true`);
  console.log(`revision ${name}: ${held ? `all ${passed} scenarios it requires passed` : 'FAILED'}`);
  for (const reason of new Set(Object.values(mayFail))) {
    const about = unscored.filter((scenario) => mayFail[scenario] === reason);
    if (about.length > 0) console.log(`  not required, not passed: ${about.join(', ')}: ${reason}`);
  }
  return held;
}

const fixture = await startFixture();
// The suite leaves its results in the folder it runs in.
const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
try {
  const { url } = fixture;
  let held = true;
  if (process.argv.includes('--next'))
    for (const revision of REVISIONS) held = (await runNext(revision, url, folder)) && held;
  else held = await runInstalled(url, folder);
  if (!held) await tellFailures(folder);
  process.exitCode = held ? 0 : 1;
} finally {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
}
