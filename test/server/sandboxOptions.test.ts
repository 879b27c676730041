/** Sandbox mode with options of live mode. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { type Fields, McpProcess, object, objects, someAddress, text } from '../e2e/harness.ts';

const SOL = 'So11111111111111111111111111111111111111112';
let home: string;
let server: McpProcess;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'options-'));
});
afterEach(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<void> {
  server = new McpProcess(['--sandbox', ...args], {
    COUNTERSIGN_HOME: home,
    COUNTERSIGN_NO_BROWSER: '1',
    COUNTERSIGN_RPC_URL: 'http://127.0.0.1:1',
  });
  await server.initialize();
}

/** Writes a policy for another wallet and chain, with swaps changed. */
function written(change: (rule: PolicyFile['rules'][number]) => PolicyFile['rules'][number]): string {
  const file = policyTemplate('sandbox', { wallet: someAddress(), network: someAddress() });
  const path = join(home, 'policy.json');
  writeFileSync(path, JSON.stringify({ ...file, id: 'mine', rules: file.rules.map(change) }));
  chmodSync(path, 0o600);
  return path;
}

async function swap(): Promise<Fields> {
  const { launches } = await server.ok('get_launch_feed');
  const outputMint = text(objects(launches)[0]?.tokenMint);
  const quote = await server.ok('get_swap_quote', { inputMint: SOL, outputMint, amount: '10000000' });
  return object((await server.ok('create_swap', { requestId: text(quote.requestId) })).plan);
}

it('an RPC given to the sandbox is ignored, and the server says so', async () => {
  await start();
  expect(server.stderr).toContain('ignores: rpc-url.');
});

it('a policy given to the sandbox decides there, for its own wallet and chain, and questions work', async () => {
  await start(
    '--policy',
    written((rule) =>
      rule.operation === 'swap' && rule.effect === 'allow' ? { ...rule, effect: 'require_approval' } : rule,
    ),
  );
  expect(await server.ok('get_policy')).toMatchObject({ policyId: 'mine', status: 'in_force' });
  const plan = await swap();
  expect(plan.status).toBe('approval_required');
  const submitted = await server.call('submit_plan', { planId: text(plan.planId), waitSeconds: 1 });
  const { approval } = object(object(submitted.data.plan));
  expect(object(approval)).toMatchObject({ id: expect.any(String), expiresAt: expect.stringMatching(/^20/) });
  const { state, ...decision } = object(approval);
  expect(state).toBe('pending');
  for (const each of Object.values(decision)) expect(submitted.text).toContain(String(each));
});

it('a policy that allows a swap executes it', async () => {
  await start(
    '--policy',
    written((rule) => rule),
  );
  const plan = await swap();
  const done = object((await server.ok('submit_plan', { planId: text(plan.planId), waitSeconds: 30 })).plan);
  expect(done.status).toBe('complete');
});

it('an unreadable policy stops every call with a message that names the file', async () => {
  await start('--policy', join(home, 'nowhere.json'));
  const answer = await server.call('get_wallet');
  expect(answer.data).toMatchObject({
    code: 'NOT_SET_UP',
    message: expect.stringContaining('does not exist'),
  });
});
