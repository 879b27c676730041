/** Runs the documented rehearsal commands in order, until `doctor` passes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { COMMAND, run } from './harness.ts';
import { typeInto } from './typist.ts';

const [section = ''] = /^## Rehearse$.*?^## /ms.exec(readFileSync('docs/setup.md', 'utf8')) ?? [];
const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim());

it('commands of the rehearsal lead from an empty folder to a passing doctor and a funded wallet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-rehearsal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [start = '', ...others] = blocks;
  // Free ports, since the page's ports may be taken.
  const words = start
    .split(' ')
    .slice(1)
    .map((word) => (/^89\d\d$/.test(word) ? '0' : word));
  const sandbox = spawn(process.execPath, [COMMAND, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void sandbox.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of sandbox.stdout) {
    printed += String(chunk);
    if (printed.includes('Stop it with')) break;
  }
  const shown = (name: string): string => new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(printed)?.[1] ?? '';
  const [commands = '', airdrop = '', doctor = ''] = others.map((text) =>
    text
      .replaceAll('http://127.0.0.1:8900', shown('service'))
      .replaceAll('http://127.0.0.1:8901', shown('RPC'))
      .replaceAll('"$PWD/rehearsal"', join(folder, 'home'))
      .replace(/(?<= )(login\.txt|policy\.json)/g, (name) => join(folder, name)),
  );
  writeFileSync(join(folder, 'login.txt'), `${shown('login')}\n`, { mode: 0o600 });

  const env: Record<string, string> = {
    ...CHEAP_PASSPHRASES,
    COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic',
  };
  let address = '';
  for (const line of commands.split('\n')) {
    const [program, ...words] = line.split(' ');
    if (program === 'export') {
      for (const word of words) env[word.replace(/=.*/, '')] = word.replace(/^[^=]*=/, '');
      continue;
    }
    if (words[0] === 'owner') {
      const typed = ['New owner passphrase:', 'The same again:'];
      const answers = typed.map((question) => ({ question, answer: 'a person keeps this in the head' }));
      const surroundings = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env };
      expect((await typeInto(words, surroundings, answers)).code, line).toBe(0);
      continue;
    }
    const { code, out, err } = await run(words, env);
    expect(code, `${line}\n${out}${err}`).toBe(0);
    if (words[0] === 'wallet') address = out.trim();
  }

  const [, url = '', body = ''] = /(http:\S+) .* -d '(.*)'$/.exec(airdrop) ?? [];
  const post = (text: string): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  const before = await run(doctor.split(' ').slice(1), env);
  expect(before.out).toContain(`send SOL to ${address}`);
  expect(await (await post(body.replace('ADDRESS', address))).json()).toHaveProperty('result');
  const { code, out } = await run(doctor.split(' ').slice(1), env);
  expect(code, out).toBe(0);
});
