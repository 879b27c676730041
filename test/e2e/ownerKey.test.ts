/** Servers without the owner's public key or with another one: commands fail if the server would reject the answer. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { approveCommand } from '../../src/cli/approvals/approve.ts';
import { freezeCommand } from '../../src/cli/approvals/freeze.ts';
import { unfreezeCommand } from '../../src/cli/approvals/unfreeze.ts';
import { ownerCommand } from '../../src/cli/keys/owner.ts';
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { ownerKeyPath } from '../../src/secrets/keys/ownerKey.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { run as ran } from '../cli/terminal.ts';
import {
  createHome,
  liveEnvironment,
  McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  someAddress,
  startSandbox,
  type TestWallet,
  text,
} from './harness.ts';

let sandbox: SandboxProcess;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

/** Creates a home with an owner key and a policy that requires approval for everything. */
async function home(): Promise<{ wallet: TestWallet; policy: string; owner: string }> {
  const wallet = createHome();
  onTestFinished(() => rmSync(wallet.home, { recursive: true, force: true }));
  await sandbox.rpc('requestAirdrop', [wallet.address, 5_000_000_000]);
  const policy = join(wallet.home, 'policy.json');
  await run(
    [
      ...['policy', 'init', '--template', 'creator', '--wallet', wallet.address],
      ...['--out', policy, '--rpc-url', sandbox.rpcUrl],
    ],
    liveEnvironment(wallet, sandbox),
  );
  const file: { rules: { effect: string }[] } = JSON.parse(readFileSync(policy, 'utf8'));
  for (const rule of file.rules) if (rule.effect === 'allow') rule.effect = 'require_approval';
  writeFileSync(policy, JSON.stringify(file), { mode: 0o600 });
  return { wallet, policy, owner: text(await (await withOwner(wallet.home))()) };
}

async function serve(wallet: TestWallet, policy: string, more: Record<string, string>): Promise<McpProcess> {
  const server = new McpProcess(
    ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy],
    { ...liveEnvironment(wallet, sandbox), COUNTERSIGN_NO_BROWSER: '1', ...more },
  );
  onTestFinished(async () => void (await server.stop()));
  await server.initialize();
  return server;
}

/** Builds and submits a config. Returns the plan and its approval request. */
async function askQuestion(
  server: McpProcess,
  wallet: string,
): Promise<{ planId: string; id: string; where: string }> {
  const token = await server.ok('create_token_info', {
    ...{ name: 'Owner', symbol: 'OWN', description: 'of a test', imageUrl: 'https://example.com/a.png' },
  });
  const built = await server.ok('create_fee_share_config', {
    ...{ baseMint: token.tokenMint, payer: wallet, flow: 'damm_v2_direct' },
    ...{ claimersArray: [wallet, someAddress()], basisPointsArray: [9_000, 1_000] },
  });
  return submitted(server, text(object(built.plan).planId));
}

async function submitted(server: McpProcess, planId: string) {
  const { plan } = await server.ok('submit_plan', { planId, waitSeconds: 30 });
  expect(object(plan).status).toBe('approval_required');
  const { id, where } = object(object(plan).approval);
  return { planId, id: text(id), where: text(where) };
}

async function stateOf(home: string, id: string): Promise<string | undefined> {
  const ledger = openLedger({ home, clock: systemClock });
  const [row] = await ledger.rows('approvals', { id });
  await ledger.close();
  return row?.state;
}

it('a server without the public key reports so at start and to the agent; approve has no effect until the key is set', async () => {
  const { wallet, policy, owner } = await home();
  const typed = [OWNER_PASSPHRASE];
  const without = await serve(wallet, policy, {});
  const { planId, id, where } = await askQuestion(without, wallet.address);
  expect(without.stderr).toContain('COUNTERSIGN_OWNER_PUBLIC_KEY');
  expect(where).toContain('COUNTERSIGN_OWNER_PUBLIC_KEY');
  const refused = await ran(approveCommand, { home: wallet.home, words: [id], typed });
  // Refused before the passphrase is asked for.
  expect(refused).toMatchObject({ error: { code: 'OWNER_KEY_NEEDED' }, prompts: [] });
  expect(await stateOf(wallet.home, id)).toBe('pending');
  await without.stop('SIGTERM');

  const env = { COUNTERSIGN_SECRET_STORE: 'env' };
  const shown = await ran(ownerCommand, { home: wallet.home, env, words: ['show'], typed });
  expect([shown.code, shown.out]).toEqual([0, owner]);

  const knowing = await serve(wallet, policy, { COUNTERSIGN_OWNER_PUBLIC_KEY: owner });
  const again = await submitted(knowing, planId);
  expect(knowing.stderr).not.toContain('COUNTERSIGN_OWNER_PUBLIC_KEY');
  expect(again.id).toBe(id);
  const approved = await ran(approveCommand, { home: wallet.home, words: [id], typed });
  expect([approved.code, approved.error]).toEqual([0, undefined]);
  const { plan } = await knowing.ok('submit_plan', { planId, waitSeconds: 60 });
  expect(object(plan).status).toBe('complete');
});

it('a foreign owner key neither approves nor lifts a freeze, and the command fails; the right one does both', async () => {
  const { wallet, policy, owner } = await home();
  const server = await serve(wallet, policy, { COUNTERSIGN_OWNER_PUBLIC_KEY: owner });
  const { planId, id } = await askQuestion(server, wallet.address);
  // This machine has a second owner key instead of a copy of the first.
  const path = ownerKeyPath(wallet.home);
  renameSync(path, `${path}.right`);
  await withOwner(wallet.home);
  const answer = { home: wallet.home, typed: [OWNER_PASSPHRASE] };

  expect((await ran(approveCommand, { ...answer, words: [id] })).error).toMatchObject({
    code: 'OWNER_KEY_MISMATCH',
  });
  expect(await stateOf(wallet.home, id)).toBe('pending');
  await ran(freezeCommand, { home: wallet.home });
  expect((await ran(unfreezeCommand, answer)).error).toMatchObject({ code: 'OWNER_KEY_MISMATCH' });
  expect(existsSync(path)).toBe(true);
  expect(objects([(await server.ok('get_policy')).frozen])).toEqual([
    expect.objectContaining({ reason: expect.any(String) }),
  ]);

  renameSync(`${path}.right`, path);
  expect((await ran(unfreezeCommand, answer)).code).toBe(0);
  expect((await server.ok('get_policy')).frozen).toBeNull();
  expect((await ran(approveCommand, { ...answer, words: [id] })).code).toBe(0);
  const { plan } = await server.ok('submit_plan', { planId, waitSeconds: 60 });
  expect(object(plan).status).toBe('complete');
});

it('without a running server any owner key of the home lifts a freeze', async () => {
  const { wallet, policy, owner } = await home();
  const server = await serve(wallet, policy, { COUNTERSIGN_OWNER_PUBLIC_KEY: owner });
  await server.ok('get_wallet');
  await ran(freezeCommand, { home: wallet.home });
  await server.stop('SIGTERM');
  renameSync(ownerKeyPath(wallet.home), `${ownerKeyPath(wallet.home)}.old`);
  await withOwner(wallet.home);
  const lifted = await ran(unfreezeCommand, { home: wallet.home, typed: [OWNER_PASSPHRASE] });
  expect([lifted.code, lifted.error]).toEqual([0, undefined]);
});
