import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { openLiveBackend } from '../../src/runtime/backends/liveBackend.ts';
import { noPolicy, policyFromFile, readPolicyFile } from '../../src/runtime/policyFile.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { eventually } from '../eventually.ts';

const WALLET = 'EGKQ3SkrVMVJYGsVuyhQ4ZV5dnJCpEFvZKvDsN1eh8JT';
const GOOD = JSON.stringify(policyTemplate('creator', { wallet: WALLET, network: 'devnet' }));
const notAccepted = async () => undefined;

function policyFile(text = GOOD, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.json');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const problemOf = async (path: string): Promise<string> => {
  const file = await readPolicyFile(path);
  return 'problem' in file ? file.problem : '';
};

describe('B73 a policy file that another user could have written', () => {
  it('B73 is refused as a link, as a folder, and if others may write it', async () => {
    const path = policyFile();
    symlinkSync(path, `${path}.link`);
    expect(await problemOf(`${path}.link`)).toContain('symbolic link');
    mkdirSync(`${path}.folder`);
    expect(await problemOf(`${path}.folder`)).toContain('not a file');
    for (const mode of [0o666, 0o620, 0o602]) {
      expect(await problemOf(policyFile(GOOD, mode))).toContain('can be written by other users');
    }
    expect(await problemOf(policyFile(GOOD, 0o644))).toBe('');
    expect(await problemOf(`${path}.none`)).toContain('does not exist');
  });

  it("B73 is refused if it is not the user's own", async () => {
    const path = policyFile();
    // Only root can change a file's owner; any user can find a file owned by root.
    if (process.getuid?.() === 0) {
      chownSync(path, 65_534, 65_534);
      expect(await problemOf(path)).toContain('belongs to another user');
    } else expect(await problemOf('/etc/hosts')).toContain('belongs to another user');
  });

  it('B73 is never read if another program replaces the file between check and use', async () => {
    const folder = dirname(policyFile());
    const path = join(folder, 'p');
    for (const [name, text, mode] of [
      ['good', 'good', 0o600],
      ['wide', 'wide', 0o666],
    ] as const) {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), mode);
    }
    // Replaces the file over and over, by the two in turn.
    const swaps = spawn(
      process.execPath,
      [
        '-e',
        `const { linkSync, renameSync } = require('node:fs');
        for (;;) for (const name of ['good', 'wide']) { linkSync(name, 'next'); renameSync('next', 'p'); }`,
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    const ended = once(swaps, 'exit');
    const seen = new Set<string>();
    await eventually(async () => expect(await problemOf(path)).toContain('can be written'));
    for (let i = 0; i < 2_000 || !seen.has('good'); i++) {
      const file = await readPolicyFile(path);
      seen.add('text' in file ? file.text : file.problem);
    }
    swaps.kill('SIGKILL');
    await ended;
    expect([...seen].sort()).toEqual(['good', expect.stringContaining('can be written by other users')]);
  });

  it('T124 denies a change between server start and first use if a hash is in force', async () => {
    const path = policyFile();
    const read = await policyFromFile(path, notAccepted).current();
    const hash = read.status === 'ok' ? read.hash : '';
    expect(await policyFromFile(path, notAccepted, hash).current()).toMatchObject({ status: 'ok' });
    expect(await policyFromFile(path, notAccepted, 'a'.repeat(64)).current()).toEqual({
      status: 'changed',
      hash,
      pinned: 'a'.repeat(64),
    });
  });

  it("T124 denies a principal's policy that the owner accepted only for the home", async () => {
    const env = { COUNTERSIGN_SECRET_STORE: 'env' };
    const url = 'http://127.0.0.1:1';
    const wide = JSON.stringify(policyTemplate('trader', { wallet: WALLET, network: 'devnet' }));
    const accepted = await policyFromFile(policyFile(wide), notAccepted).current();
    const acceptedHash = accepted.status === 'ok' ? accepted.hash : '';
    const path = policyFile();
    const { policy: ofHome, ...backend } = openLiveBackend(
      {
        mode: 'live',
        profile: 'contract',
        home: dirname(path),
        env,
        rootUrl: url,
        rpcUrl: url,
        policy: path,
      },
      createRedactor(),
      async () => acceptedHash,
    );
    const first = await ofHome.current();
    const ofPrincipal = await backend.policyOf(path, first.status === 'ok' ? first.hash : '');
    expect(await ofPrincipal.current()).toMatchObject({ status: 'ok' });
    writeFileSync(path, wide);
    expect(await ofHome.current()).toMatchObject({ status: 'ok', hash: acceptedHash });
    expect(await ofPrincipal.current()).toMatchObject({ status: 'changed', hash: acceptedHash });
  });

  it('is the same object while the file is unchanged, so that decisions do not parse it again', async () => {
    const path = policyFile();
    const source = policyFromFile(path, notAccepted);
    const first = await source.current();
    if (first.status !== 'ok') throw new Error(first.status);
    renameSync(policyFile(), path);
    expect(await source.current()).toBe(first);
  });

  it('B73 is refused with ten megabytes or a byte order mark', async () => {
    expect(await problemOf(policyFile(`${GOOD}${' '.repeat(10_000_000)}`))).toContain('larger than');
    const marked = policyFromFile(policyFile(`\ufeff${GOOD}`), notAccepted);
    expect(await marked.current()).toMatchObject({ status: 'invalid' });
  });

  it('B72 B73 signs nothing if invalid, and names the error', async () => {
    for (const text of [
      '',
      '{}',
      '{"version": 1} // all is allowed',
      GOOD.replace('"version":2', '"version":1'),
      GOOD.replace('"version":2', '"version":3'),
    ]) {
      const state = await policyFromFile(policyFile(text), notAccepted).current();
      if (state.status !== 'invalid') throw new Error(`accepted ${text.slice(0, 40)}`);
      expect(state.problem.length).toBeGreaterThan(10);
    }
    expect(await noPolicy.current()).toEqual({ status: 'missing' });
  });
});

describe('F53 a policy file changed while in force', () => {
  it('F53 leaves neither version in force until the owner accepts it', async () => {
    const path = policyFile();
    let accepted: string | undefined;
    const source = policyFromFile(path, async () => accepted);
    const first = await source.current();
    expect(first).toMatchObject({ status: 'ok' });
    const other = policyFile(GOOD.replace('"500000000"', '"900000000"'));
    renameSync(other, path);
    const changed = await source.current();
    if (changed.status !== 'changed') throw new Error(changed.status);
    accepted = changed.hash;
    expect(await source.current()).toMatchObject({ status: 'ok', hash: accepted });
    // Restoring the earlier file is another change, and was not accepted.
    renameSync(policyFile(), path);
    expect(await source.current()).toMatchObject({ status: 'changed', pinned: accepted });
  });
});
