/** `settings.json` of a home: read by every command, overridden by variables and options, changed by `countersign settings`. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/cli/options.ts';
import { changeSettings, readSettings, settingsPath } from '../../src/cli/settings.ts';
import { settingsCommand } from '../../src/cli/setup/settings.ts';
import { statusCommand } from '../../src/cli/setup/status.ts';
import { readCommandLine } from './commandLine.ts';
import { recorded, temporaryFolder } from './setup/terminal.ts';
import { run } from './terminal.ts';

const LIVE = {
  mode: 'live',
  'rpc-url': 'https://rpc.example.com',
  policy: '/etc/policy.json',
  toolsets: 'fees',
};

test("options override variables, and variables override the home's settings", () => {
  const rpc = (argv: string[], env: Record<string, string>) =>
    readCommandLine(argv, env, LIVE).options['rpc-url'];
  expect(rpc(['balance'], {})).toBe('https://rpc.example.com');
  expect(rpc(['balance'], { COUNTERSIGN_RPC_URL: 'https://two' })).toBe('https://two');
  expect(rpc(['balance', '--rpc-url', 'https://three'], { COUNTERSIGN_RPC_URL: 'https://two' })).toBe(
    'https://three',
  );
  expect(readCommandLine(['doctor'], {}, LIVE).options).toMatchObject({ live: true, sandbox: false });
});

test('a sandbox of a live home ignores its policy and addresses and serves the same tools', () => {
  const { options } = readCommandLine(['serve', '--sandbox'], {}, LIVE);
  expect(options).toMatchObject({ live: false, sandbox: true, toolsets: 'fees' });
  expect([options.policy, options['rpc-url']]).toEqual([undefined, undefined]);
});

test('writes a private file in which paths inside the home are relative', () => {
  const [home, other] = [join(temporaryFolder(), 'home'), join(temporaryFolder(), 'other')];
  changeSettings(home, { policy: join(home, 'policy.json'), images: '/srv/images' });
  expect(statSync(settingsPath(home)).mode & 0o077).toBe(0);
  mkdirSync(other, { mode: 0o700 });
  writeFileSync(settingsPath(other), readFileSync(settingsPath(home)), { mode: 0o600 });
  expect(readSettings(other)).toEqual({ policy: join(other, 'policy.json'), images: '/srv/images' });
});

test.each([
  ['{"mode": "live"', 'is not JSON'],
  ['["live"]', 'not a JSON object'],
  ['{"polcy": "x"}', 'polcy'],
  ['{"policy": 3}', 'policy'],
])('%s is refused with the file name and a remedy', (text, why) => {
  const home = temporaryFolder();
  chmodSync(home, 0o700);
  writeFileSync(settingsPath(home), text, { mode: 0o600 });
  try {
    readSettings(home);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toContain(settingsPath(home));
    expect(error.message).toContain(why);
    expect(error.hint).toContain('countersign init');
    return;
  }
  throw new Error('accepted');
});

test('refuses a file that others can read', () => {
  const home = temporaryFolder();
  chmodSync(home, 0o700);
  writeFileSync(settingsPath(home), '{}', { mode: 0o644 });
  expect(() => readSettings(home)).toThrow(expect.objectContaining({ code: 'INSECURE_FILE' }));
});

test('sets, shows and removes a setting, and refuses unknown ones', async () => {
  const home = join(temporaryFolder(), 'home');
  const settings = (...words: string[]) => run(settingsCommand, { home, words });
  expect((await settings('mode', 'live')).code).toBe(0);
  expect((await settings('read-only', 'true')).code).toBe(0);
  expect(readSettings(home)).toEqual({ mode: 'live', 'read-only': true });
  expect((await settings()).out).toMatch(/^mode +live\nread-only +true$/);
  expect((await settings('read-only', '-')).code).toBe(0);
  expect(readSettings(home)).toEqual({ mode: 'live' });
  for (const words of [
    ['mode', 'real'],
    ['read-only', 'perhaps'],
    ['rpcurl', 'https://x'],
  ])
    expect((await settings(...words)).error).toBeDefined();
  expect(readSettings(home)).toEqual({ mode: 'live' });
});

test('refers an empty home to `init`, and names what a live home without a policy lacks', async () => {
  expect((await run(statusCommand, { home: join(temporaryFolder(), 'none') })).out).toContain(
    'countersign init',
  );
  const { input, out } = recorded([], { live: true });
  expect(await statusCommand(input)).toBe(0);
  expect(out()).toContain('asks for what is missing');
});
