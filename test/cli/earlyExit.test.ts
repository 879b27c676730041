/** F58: commands with a closed reader (`| head -1`) or an interrupt exit silently. Requires `npm run build`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMAND, environment } from '../server/spawned.ts';

/** Starts a command with a temporary folder of its own. */
function started(...args: string[]) {
  const temporary = mkdtempSync(join(tmpdir(), 'countersign-ending-'));
  const home = join(temporary, 'home');
  mkdirSync(home, { mode: 0o700 });
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: environment({ COUNTERSIGN_HOME: home, TMPDIR: temporary }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  });
  return {
    child,
    output: () => output,
    left: () => readdirSync(temporary).filter((name) => name !== 'home'),
  };
}

const endOf = (child: ChildProcess): Promise<number | string> =>
  new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? String(signal))));
const firstLine = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.stdout?.once('data', () => resolve()));

describe('a command whose output pipe closes', () => {
  test.each([['help'], ['--version'], ['plans'], ['pending'], ['doctor'], ['policy schema']])(
    'F58 ends quietly: %s',
    async (line) => {
      const { child, output } = started(...line.split(' '));
      child.stdout.destroy();
      expect([0, 1, 141]).toContain(await endOf(child));
      expect(output()).not.toMatch(/EPIPE|\n\s+at /);
    },
  );

  test('F58 exits with a failure code if output was lost', async () => {
    const { child, output } = started('policy', 'schema');
    child.stdout.destroy();
    expect(await endOf(child)).toBe(141);
    expect(output()).toBe('');
  });

  test('F58 demo: ends after the first line, with its server, and leaves no folder behind', async () => {
    const { child, output, left } = started('demo');
    await firstLine(child);
    child.stdout.destroy();
    expect(await endOf(child)).toBe(141);
    expect(output()).toBe('');
    expect(left()).toEqual([]);
  });
});

test('F58 an interrupted demo dies of the signal and leaves no folder behind', async () => {
  const { child, output, left } = started('demo');
  await firstLine(child);
  child.kill('SIGINT');
  expect(await endOf(child)).toBe('SIGINT');
  expect(output()).toBe('');
  expect(left()).toEqual([]);
});

test('F58 a reader that stays open receives all output and exit code 0', async () => {
  const { child } = started('help');
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  expect(await endOf(child)).toBe(0);
  expect(printed).toContain('doctor');
});
