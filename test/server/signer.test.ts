/**
 * External signer process, named on the command line: no fault between request and signature sends unapproved bytes or
 * leaks a reservation, and the plan lands once it signs again.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createHome,
  type Fields,
  liveEnvironment,
  McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  startSandbox,
  startServer,
  type TestWallet,
  text,
} from '../e2e/harness.ts';

const SOL = 'So11111111111111111111111111111111111111112';

/** Process with the key: answers each line with a signature, or follows the file `does`. */
const SIGNER_PROCESS = `
import { createPrivateKey, sign } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [keyFile, doesFile, signedFile] = process.argv.slice(2);
const seed = Buffer.from(JSON.parse(readFileSync(keyFile, 'utf8')).slice(0, 32));
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  format: 'der',
  type: 'pkcs8',
});
for await (const line of createInterface({ input: process.stdin })) {
  const { id, message, permit } = JSON.parse(line);
  const does = readFileSync(doesFile, 'utf8');
  appendFileSync(signedFile, JSON.stringify({ does, ...permit }) + '\\n');
  const answer = (bytes) => process.stdout.write(JSON.stringify({ id, signature: bytes.toString('base64') }) + '\\n');
  const honest = sign(null, Buffer.from(message, 'base64'), key);
  if (does === 'dies') process.exit(1);
  if (does === 'late') setTimeout(() => answer(honest), 7_000);
  else if (does === 'another message') answer(sign(null, Buffer.from('something else'), key));
  else if (does === 'noise') answer(Buffer.alloc(64, 7));
  else if (does === 'short') answer(honest.subarray(0, 63));
  else if (does === 'twice') { answer(honest); answer(Buffer.alloc(64, 7)); }
  else answer(honest);
}
`;

/** Module for `--signer`: passes messages to that process, and restarts it after a crash. */
const MODULE = `
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const { address, args } = JSON.parse(readFileSync(new URL('./signer.json', import.meta.url), 'utf8'));
let child;
let next = 1;
const waiting = new Map();
function start() {
  child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, signature } = JSON.parse(line);
    waiting.get(id)?.resolve(Buffer.from(signature, 'base64'));
  });
  child.on('exit', () => {
    child = undefined;
    for (const { reject } of waiting.values()) reject(new Error('the signer has died: secret text'));
    waiting.clear();
  });
}
export default () => ({
  address,
  sign: (message, permit) =>
    new Promise((resolve, reject) => {
      if (child === undefined) start();
      const id = next++;
      waiting.set(id, { resolve, reject });
      child.stdin.write(JSON.stringify({ id, message: Buffer.from(message).toString('base64'), permit }) + '\\n');
    }),
});
`;

let sandbox: SandboxProcess;
let wallet: TestWallet;
let server: McpProcess;
const file = (name: string): string => join(wallet.home, name);
const does = (label: string): void => writeFileSync(file('does'), label);

beforeAll(async () => {
  sandbox = await startSandbox(['--set', 'slot-ms=40']);
  wallet = createHome();
  const { COUNTERSIGN_WALLET_FILE: keyFile = '', ...env } = liveEnvironment(wallet, sandbox);
  await sandbox.rpc('requestAirdrop', [wallet.address, 50_000_000_000]);
  writeFileSync(file('process.mjs'), SIGNER_PROCESS);
  writeFileSync(file('signer.mjs'), MODULE);
  writeFileSync(
    file('signer.json'),
    JSON.stringify({
      address: wallet.address,
      args: [file('process.mjs'), keyFile, file('does'), file('signed')],
    }),
  );
  writeFileSync(file('signed'), '');
  does('honest');
  const policy = file('policy.json');
  const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
  const made = await run([...init, '--rpc-url', sandbox.rpcUrl], env);
  if (made.code !== 0) throw new Error(made.err);
  const where = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy];
  server = await startServer([...where, '--set', `signer=${file('signer.mjs')}`], env);
});
afterAll(async () => {
  await server.stop();
  sandbox.stop();
  rmSync(wallet.home, { recursive: true, force: true });
});

async function newSwap(): Promise<string> {
  const { launches } = await server.ok('get_launch_feed');
  const outputMint = text(objects(launches)[0]?.tokenMint);
  const quote = await server.ok('get_swap_quote', { inputMint: SOL, outputMint, amount: '10000000' });
  return text(object((await server.ok('create_swap', { requestId: text(quote.requestId) })).plan).planId);
}
const submit = (planId: string) => server.call('submit_plan', { planId, waitSeconds: 30 });
const landed = async (): Promise<number> => {
  const options = { limit: 1000, commitment: 'confirmed' };
  return objects(await sandbox.rpc('getSignaturesForAddress', [wallet.address, options])).length;
};
/** Returns the used lamports of the daily limit. */
const used = async (): Promise<bigint> =>
  BigInt(text(objects((await server.ok('get_policy')).limits).find(({ id }) => id === 'sol-day')?.used));
const signRequests = (): Fields[] =>
  readFileSync(file('signed'), 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => object(JSON.parse(line)));

test('an honest one signs the decided transaction and receives the decision id', async () => {
  const before = await landed();
  const planId = await newSwap();
  expect(object((await submit(planId)).data.plan).status).toBe('complete');
  expect(await landed()).toBe(before + 1);
  expect(signRequests().at(-1)).toMatchObject({
    messageSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    decisionId: expect.stringMatching(/^decision-/),
  });
});

describe('T126 a signer that', () => {
  for (const label of ['dies', 'late', 'another message', 'noise', 'short'])
    test(`${label === 'late' ? 'is late' : label === 'dies' ? 'dies' : `gives ${label}`}: nothing is sent or stays reserved, and the plan executes later`, async () => {
      const planId = await newSwap();
      const before = { landed: await landed(), used: await used(), signRequests: signRequests().length };
      does(label);
      const failed = await submit(planId);
      does('honest');
      expect(signRequests().length).toBeGreaterThan(before.signRequests);
      expect(JSON.stringify(failed.data)).not.toContain('complete');
      expect(JSON.stringify(failed.data)).not.toContain('secret text');
      if (label === 'dies' || label === 'late')
        expect(failed).toMatchObject({
          isError: true,
          data: {
            code: 'SIGNER_FAILED',
            retryable: true,
            hint: expect.stringContaining('submit the plan again'),
          },
        });
      expect(await landed()).toBe(before.landed);
      // An earlier swap may have become final meanwhile, at less than its reservation.
      expect(await used()).toBeLessThanOrEqual(before.used);
      const again = object((await submit(planId)).data.plan);
      expect(again.status).toBe('complete');
      expect(await landed()).toBe(before.landed + 1);
    });

  test('answers twice executes the plan once', async () => {
    const before = await landed();
    const planId = await newSwap();
    does('twice');
    const done = object((await submit(planId)).data.plan);
    does('honest');
    expect(done.status).toBe('complete');
    expect(await landed()).toBe(before + 1);
  });
});

test('a module without a signer is reported with the required export', async () => {
  writeFileSync(file('broken.mjs'), 'export default () => ({ address: 7 });');
  const policy = file('policy.json');
  const other = new McpProcess(
    [
      ...['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy],
      ...['--set', `signer=${file('broken.mjs')}`],
    ],
    { COUNTERSIGN_HOME: join(wallet.home, 'other'), COUNTERSIGN_SECRET_STORE: 'env' },
  );
  await other.initialize();
  const answer = await other.call('get_wallet');
  expect(answer.data).toMatchObject({
    code: 'NOT_SET_UP',
    message: expect.stringContaining('broken.mjs cannot be used'),
    hint: expect.stringContaining('address, sign'),
  });
  await other.stop();
});
