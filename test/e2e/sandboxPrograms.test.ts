/** `countersign sandbox --programs DIR`: program binaries from a folder, callable over the sandbox's RPC. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { startSandbox } from './harness.ts';

const account = z.object({
  value: z.object({ executable: z.boolean(), data: z.tuple([z.string(), z.literal('base64')]) }),
});
const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';

test('loads a program file in place of its stand-in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-programs-'));
  const code = Buffer.from(compiledProgram('harmless'));
  writeFileSync(join(folder, `${ROUTER}.so`), code);
  const sandbox = await startSandbox(['--programs', folder]);
  const read = async (address: string): Promise<{ executable: boolean; data: Buffer }> => {
    const { value } = account.parse(await sandbox.rpc('getAccountInfo', [address, { encoding: 'base64' }]));
    return { executable: value.executable, data: Buffer.from(value.data[0], 'base64') };
  };
  try {
    const program = await read(ROUTER);
    expect(program.executable).toBe(true);
    const { data } = await read(bs58.encode(program.data.subarray(4, 36)));
    expect(data.subarray(45).equals(code)).toBe(true);
  } finally {
    sandbox.stop();
  }
});

test('a folder without programs is an error with a hint and does not fall back to stand-ins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-programs-'));
  await expect(startSandbox(['--programs', folder])).rejects.toThrow(/no ADDRESS\.so file[\s\S]*--programs/);
});
