/** `serve --http` with invalid options: prints the reason and the next step, and exits with a code before listening. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMAND, object } from '../../e2e/harness.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-http-options-'));
  file('token', 'a'.repeat(40));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

function started(...args: string[]): { code: number | null; message: string; hint: string; stdout: string } {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
  );
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [COMMAND, 'serve', '--sandbox', '--http', '--port', '0', ...args],
    { env: { ...env, COUNTERSIGN_HOME: join(folder, 'home') }, encoding: 'utf8' },
  );
  const logLine = object(JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}'));
  return { code: status, message: String(logLine.message), hint: String(logLine.hint), stdout };
}

const one = { name: 'anna', is: [{ tokenFile: 'token' }], wallets: 'all', policy: 'policy.json' };
let files = 0;
const principals = (...list: object[]): string[] => {
  files += 1;
  return ['--set', `principals=${file(`principals-${files}.json`, { version: 1, principals: list })}`];
};

test('no agent is served anonymously: a token file or a principals file is required', () => {
  expect(started()).toMatchObject({
    code: 2,
    message: expect.stringContaining('must know who may use it'),
    hint: expect.stringContaining('http-token-file'),
    stdout: '',
  });
});

test('a public address requires an issuer and an https audience', () => {
  for (const host of ['0.0.0.0', '192.168.1.2', '::'])
    expect(
      started('--set', `host=${host}`, '--set', `http-token-file=${join(folder, 'token')}`),
    ).toMatchObject({
      code: 2,
      message: expect.stringContaining('Others can reach'),
      hint: expect.stringContaining('issuer'),
    });
  expect(
    started(
      '--set',
      'host=0.0.0.0',
      '--set',
      'issuer=https://login.example.com',
      '--set',
      'audience=http://a.example.com/mcp',
    ),
  ).toMatchObject({ code: 2, message: expect.stringContaining('over TLS') });
  const issued = ['--set', 'issuer=https://login.example.com', '--set', 'audience=https://a.example.com/mcp'];
  expect(started('--set', 'host=0.0.0.0', ...issued, ...principals(one))).toMatchObject({
    code: 2,
    message: expect.stringContaining('a token file is for agents on this machine'),
  });
  expect(started('--set', 'issuer=https://login.example.com')).toMatchObject({
    code: 2,
    message: expect.stringContaining('belong together'),
  });
});

test('an invalid principals file is refused with position and reason', () => {
  const refused: [string[], string][] = [
    [['--set', `principals=${join(folder, 'nowhere.json')}`], 'does not exist'],
    [['--set', `principals=${file('broken.json', '{"version": 1,\n "principals": [}')}`], 'broken.json:2:'],
    [principals({ ...one, wallet: 'all' }), 'wallet'],
    [principals({ ...one, name: 'Anna B' }), 'lower-case letters'],
    [principals(one, one), 'the name anna is given twice'],
    [principals(one, { ...one, name: 'bela' }), 'given to two principals'],
    [principals({ ...one, is: [{ tokenFile: 'none' }] }), 'There is no token file'],
    [principals({ ...one, toolsets: ['magic'] }), 'no toolset "magic"'],
    [principals({ ...one, is: [{ issuer: 'https://login.example.com', subject: 'a' }] }), 'does not trust'],
  ];
  for (const [args, why] of refused)
    expect([why, started(...args)]).toEqual([
      why,
      expect.objectContaining({ code: 1, message: expect.stringContaining(why), stdout: '' }),
    ]);
  const open = file('open.json', { version: 1, principals: [one] });
  chmodSync(open, 0o666);
  expect(started('--set', `principals=${open}`).message).toContain('can be written by other users');
});

test('a port in use is reported', async () => {
  const { createServer } = await import('node:net');
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  expect(started('--set', `http-token-file=${join(folder, 'token')}`, '--port', String(port))).toMatchObject({
    code: 1,
    message: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`),
    hint: expect.stringContaining('--port'),
  });
  taken.close();
});
