/** Commands on a full disk: each reports the next step, changes nothing, and leaves no partial files. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import '../secrets/cheapPassphrases.mjs';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { COMMAND, run, type SandboxProcess, someAddress, startSandbox } from './harness.ts';
import { runHere } from './inProcess.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';

let sandbox: SandboxProcess;
let files: string;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  sandbox = await startSandbox();
  files = mkdtempSync(join(tmpdir(), 'countersign-full-'));
  home = join(files, 'home');
  env = { ...CHEAP_PASSPHRASES, COUNTERSIGN_HOME: home, COUNTERSIGN_PASSPHRASE: PASSPHRASE };
  await setUpStore({ home, env, requested: 'file' });
  expect((await runHere(['wallet', 'create'], env)).code).toBe(0);
  // A process of its own, which leaves no file of the ledger open.
  expect((await run(['freeze'], env)).code).toBe(0);
});
afterAll(() => {
  sandbox.stop();
  rmSync(files, { recursive: true, force: true });
});

/** Runs a command with a file size limit of zero, equivalent to a full disk, for any user. */
function onFullDisk(args: readonly string[], more: Record<string, string> = {}) {
  const limited = 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"';
  const child = spawn('sh', ['-c', limited, process.execPath, COMMAND, ...args], {
    env: { PATH: process.env.PATH, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise<{ code: number | null; output: string }>((done) =>
    child.once('close', (code) => done({ code, output })),
  );
}

/** Checks for a next step as second sentence, without errno or database error codes. */
function expectNextStep({ code, output }: { code: number | null; output: string }): void {
  expect(code).toBe(1);
  expect(output.trim().split('\n').length).toBeGreaterThan(1);
  expect(output).toMatch(/disk space/);
  expect(output).not.toMatch(/\bE[A-Z]{4,}\b|SQLITE|no such table|\bat .*:\d+:\d+/);
}

describe('on a full disk', () => {
  const out = (name: string) => join(files, name);
  it.each([
    ['freeze', () => ['freeze']],
    ['unfreeze', () => ['unfreeze']],
    ['plans', () => ['plans']],
    ['limits', () => ['limits']],
    ['pending', () => ['pending']],
    ['doctor', () => ['doctor', '--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl]],
    ['backup', () => ['backup', out('backup')]],
    ['export', () => ['export', '--out', out('rows.csv')]],
    ['export decisions', () => ['export', 'decisions', '--out', out('decisions.jsonl')]],
    ['wallet create', () => ['wallet', 'create', 'second']],
  ])('%s names the remedy', async (_, args) => {
    const before = readdirSync(files).sort();
    expectNextStep(await onFullDisk(args()));
    expect(readdirSync(files).sort()).toEqual(before);
  });

  it('policy init leaves no partial file, so that it can be run again', async () => {
    const path = out('policy.json');
    const args = [
      ...['policy', 'init', '--template', 'creator', '--wallet', someAddress()],
      ...['--rpc-url', sandbox.rpcUrl, '--out', path],
    ];
    expectNextStep(await onFullDisk(args));
    expect(existsSync(path)).toBe(false);
    expect((await runHere(args, env)).code).toBe(0);
  });

  it('an incomplete new ledger is completed by the next command once there is space', async () => {
    const fresh = { COUNTERSIGN_HOME: join(files, 'fresh') };
    await setUpStore({ home: fresh.COUNTERSIGN_HOME, env, requested: 'file' });
    expectNextStep(await onFullDisk(['freeze'], fresh));
    expect((await runHere(['freeze'], { ...env, ...fresh })).code).toBe(0);
    const backup = await runHere(['backup', out('fresh-backup')], { ...env, ...fresh });
    expect(backup.code).toBe(0);
  });
});

describe('backup to an unwritable destination', () => {
  it.each([
    ['a device', () => '/dev/null'],
    ['below a device', () => '/dev/null/backup'],
    ['below a file', () => join(files, 'a-file', 'backup')],
    ['a file system that takes no folder', () => '/proc/countersign-backup'],
    ['a name that is too long', () => join(files, 'x'.repeat(300))],
  ])('%s: it ends with a next step, and a move changes nothing', async (_, place) => {
    writeFileSync(join(files, 'a-file'), '');
    for (const move of [[], ['--move']]) {
      const { code, err } = await runHere(['backup', place(), ...move], env);
      expectNextStep({ code, output: err });
    }
    // The home was not moved and still works.
    expect((await runHere(['freeze'], env)).code).toBe(0);
  });

  it('export --out never replaces anything but a regular file', async () => {
    const folder = join(files, 'folder');
    await runHere(['export', '--out', join(files, 'rows.csv')], env);
    expect(existsSync(join(files, 'rows.csv'))).toBe(true);
    mkdirSync(folder);
    const { code, err } = await runHere(['export', '--out', folder], env);
    expect([code, err.trim().split('\n').length > 1]).toEqual([1, true]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
