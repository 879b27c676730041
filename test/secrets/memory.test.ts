import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { createFileStore } from '../../src/secrets/stores/fileStore.ts';
import { temporaryHome } from './temporaryHome.ts';

/** Counts each needle in the writable memory of a process. */
function countInMemory(pid: number, needles: readonly Buffer[]): number[] {
  const counts = needles.map(() => 0);
  const chunk = Buffer.allocUnsafe(8 << 20);
  const overlap = 512;
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
      if (range === null) continue;
      const end = Number.parseInt(range[2] ?? '', 16);
      for (let at = Number.parseInt(range[1] ?? '', 16); at < end; at += chunk.length - overlap) {
        let length = 0;
        try {
          length = readSync(memory, chunk, 0, Math.min(chunk.length, end - at), at);
        } catch {
          break;
        }
        needles.forEach((needle, index) => {
          const part = chunk.subarray(0, length);
          for (let hit = part.indexOf(needle); hit >= 0; hit = part.indexOf(needle, hit + 1)) {
            if (hit < chunk.length - overlap) counts[index] = (counts[index] ?? 0) + 1;
          }
        });
      }
    }
  } finally {
    closeSync(memory);
  }
  return counts;
}

function answer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`The child ended with ${code}.`)));
  });
}

const MAX_COLLECTIONS = 40;

/** Counts copies of the key, in each usable or readable form, before and after the wallet is locked. */
async function copiesOfKey(scenario: 'direct' | 'import' | 'redactor' | 'file') {
  const home = temporaryHome();
  const { address, secret } = createKeypair();
  const key = Buffer.from(secret.exposeBytes());
  writeFileSync(
    join(home, 'masked'),
    key.map((value) => value ^ 0x5a),
  );
  if (scenario === 'import') {
    writeFileSync(join(home, 'id.json'), JSON.stringify([...key]), { mode: 0o600 });
  }
  if (scenario === 'file') {
    const store = createFileStore({ home, env: { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' } });
    await store.set(`wallet:${address}`, secret);
  }
  const program = join(home, 'child.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'memoryChild.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });

  const expanded = createHash('sha512').update(key.subarray(0, 32)).digest();
  const scalar = Buffer.from(expanded.subarray(0, 32));
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 127) | 64;
  const forms = {
    seed: key.subarray(0, 32),
    scalar,
    noncePrefix: expanded.subarray(32),
    numbers: Buffer.from([...key.subarray(0, 32)].join(',')),
    hex: Buffer.from(key.subarray(0, 32).toString('hex')),
    base64: Buffer.from(key.subarray(0, 30).toString('base64')),
    wideHex: Buffer.from(key.subarray(0, 32).toString('hex'), 'utf16le'),
    wideBase64: Buffer.from(key.subarray(0, 30).toString('base64'), 'utf16le'),
  };
  const child = fork(program, [scenario, join(home, 'masked'), home, address], { execArgv: ['--expose-gc'] });
  try {
    await answer(child);
    const count = () => {
      const counts = countInMemory(child.pid ?? 0, Object.values(forms));
      return Object.fromEntries(Object.keys(forms).map((name, index) => [name, counts[index]]));
    };
    const open = count();
    const reportStep = async (step: string) => {
      const done = answer(child);
      child.send(step);
      await done;
    };
    await reportStep('lock');
    // Collected memory is freed later by another thread; memory that survives this many collections is retained.
    let locked = count();
    for (
      let turn = 0;
      turn < MAX_COLLECTIONS && Object.values(locked).some((copies) => copies !== 0);
      turn++
    ) {
      await reportStep('collect');
      locked = count();
    }
    return { open, locked };
  } finally {
    child.removeAllListeners();
    child.kill('SIGKILL');
  }
}

const none = { seed: 0, scalar: 0, noncePrefix: 0, numbers: 0, hex: 0, base64: 0, wideHex: 0, wideBase64: 0 };

// Only Linux allows reading another process's memory without a debugger.
describe.skipIf(process.platform !== 'linux')('a wallet key in the memory of the signing process', () => {
  it('exists once while the wallet is open, however much was signed, and is gone after lock and collection', async () => {
    const { open, locked } = await copiesOfKey('direct');
    expect(open).toEqual({ ...none, seed: 1 });
    expect(locked).toEqual(none);
  });

  it('leaves no bytes of the imported keypair file in memory', async () => {
    const { open, locked } = await copiesOfKey('import');
    expect(open.numbers).toBe(0);
    expect(locked).toEqual(none);
  });

  it('leaves no copy in the redactor', async () => {
    const { open, locked } = await copiesOfKey('redactor');
    expect(open).toEqual({ ...none, seed: 1 });
    expect(locked).toEqual(none);
  });

  it('is gone after lock and collection if it came from the encrypted file', async () => {
    const { open, locked } = await copiesOfKey('file');
    expect(open.seed).toBeGreaterThan(0);
    expect(locked).toEqual(none);
  });
});
