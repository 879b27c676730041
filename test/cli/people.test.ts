/**
 * Approval in live mode from request to completion: the owner approves on the page and the plan lands without further
 * calls.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { approveCommand } from '../../src/cli/approvals/approve.ts';
import { endpoints } from '../../src/contract/index.ts';
import { launchFilePath } from '../../src/page/http/launchFile.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts';
import { createOwnerKey } from '../../src/secrets/keys/ownerKey.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createEnvStore } from '../../src/secrets/stores/envStore.ts';
import { OWNER_PASSPHRASE } from '../approval/owner.ts';
import { addressOf } from '../oracle/encode.ts';
import { TEST_WORK_FACTOR, temporaryHome } from '../secrets/temporaryHome.ts';
import { passWithTransactions, UNTIL_FINAL } from '../slots.ts';
import { run } from './terminal.ts';

let sandbox: Sandbox;
let runtime: Runtime;
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await runtime.stop();
  await sandbox.close();
});

/** A live home over a separate sandbox whose policy asks about fee plans. */
async function liveHome(options: { owner?: boolean } = {}) {
  const home = temporaryHome();
  sandbox = await startSandbox({ seed: 'people', clock: 'manual', slotMs: 1 });
  passWithTransactions(sandbox, UNTIL_FINAL);
  const { wallet, rootUrl, rpcUrl, apiKey, genesisHash } = sandbox;
  const walletFile = join(home, 'wallet.json');
  writeFileSync(walletFile, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
  const policy = join(home, 'policy.json');
  const template = policyTemplate('sandbox', { wallet: wallet.address, network: genesisHash });
  const file: PolicyFile = {
    ...template,
    rules: template.rules.map((rule) =>
      rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
    ),
  };
  writeFileSync(policy, JSON.stringify(file), { mode: 0o600 });
  chmodSync(home, 0o700);
  const passphrase = Secret.fromText(OWNER_PASSPHRASE);
  const store = createEnvStore({ env: {} });
  const owner =
    options.owner === false
      ? undefined
      : await createOwnerKey({ home, passphrase, store, workFactor: TEST_WORK_FACTOR });
  const env = {
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_WALLET_FILE: walletFile,
    COUNTERSIGN_API_KEY: apiKey,
    COUNTERSIGN_ROOT_URL: rootUrl,
    COUNTERSIGN_NO_BROWSER: '1',
    ...(owner === undefined ? {} : { COUNTERSIGN_OWNER_PUBLIC_KEY: owner.publicKey }),
  };
  const log: string[] = [];
  const settings = { mode: 'live', profile: 'contract', home, env, rootUrl, rpcUrl, policy } as const;
  runtime = await openRuntime(settings, { log: (line) => log.push(line) });
  return { home, env, log, policy, settings, wallet: wallet.address };
}

/** Submits a fee plan that waits for approval. The wallet is a claimer; `others` get one basis point each. */
async function submitted(wallet: string, others: readonly string[] = []): Promise<string> {
  const call = { signal: new AbortController().signal, progress: () => undefined };
  const { service, plans } = runtime.context(call);
  const info = await service.call(
    'createTokenInfo',
    endpoints.createTokenInfo.request.parse({
      name: 'T',
      symbol: 'T',
      description: 'a test',
      imageUrl: 'https://example.com/a.png',
    }),
  );
  const request = endpoints.feeShareConfig.request.parse({
    baseMint: info.tokenMint,
    payer: wallet,
    flow: 'damm_v2_direct',
    claimersArray: [wallet, ...others],
    basisPointsArray: [10_000 - others.length, ...others.map(() => 1)],
  });
  const answer = await service.call('feeShareConfig', request);
  const { plan } = await plans.open('feeShareConfig', request, answer);
  const planId = plan?.planId ?? '';
  const view = await plans.submit(planId, 30, () => undefined, call.signal);
  expect(view.status).toBe('approval_required');
  return planId;
}

/** Starts a service that builds no fee plans until `buildsAgain()`. */
function serviceWithoutFeePlans(): { countRebuild(): void } {
  const real = globalThis.fetch;
  const stopped = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (url, init) =>
      `${url}`.includes('/fee-share/config')
        ? new Response('{"success":false,"error":"not now"}', { status: 400 })
        : real(url, init),
    );
  return { countRebuild: () => stopped.mockRestore() };
}

const statusOf = async (planId: string) => (await runtime.plans.get(planId)).status;

describe('an approval in live mode', () => {
  it('is requested on the page; once given there, the plan executes without the agent', async () => {
    const { home, log, wallet } = await liveHome();
    const planId = await submitted(wallet);
    expect(log.join('\n')).toContain(launchFilePath(home));
    const launchFile = readFileSync(launchFilePath(home), 'utf8');
    const target = /action="([^"]+)"/.exec(launchFile)?.[1] ?? '';
    const token = /name="token" value="([^"]+)"/.exec(launchFile)?.[1] ?? '';
    expect(log.join('\n') + JSON.stringify(await runtime.plans.get(planId))).not.toContain(token);
    const entered = await fetch(target, {
      method: 'POST',
      headers: { origin: 'null' },
      body: new URLSearchParams({ token }),
    });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const [row] = await runtime.parts.ledger.rows('approvals', { planId });
    const answer = (passphrase: string) =>
      fetch(target.replace(/enter$/, `approval/${row?.id}/approve`), {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: new URL(target).origin, cookie },
        body: new URLSearchParams({ digest: row?.approvalDigest ?? '', passphrase }),
      });
    expect((await answer('not the passphrase')).headers.get('location')).toContain('?said=');
    expect(await statusOf(planId)).toBe('approval_required');
    expect((await answer(OWNER_PASSPHRASE)).status).toBe(303);
    await expect.poll(() => statusOf(planId)).toBe('complete');
    await runtime.stop();
    expect(existsSync(launchFilePath(home))).toBe(false);
    for (const name of readdirSync(home)) {
      const text = readFileSync(join(home, name)).toString('latin1');
      for (const secret of [OWNER_PASSPHRASE, token, cookie]) expect(text.includes(secret), name).toBe(false);
    }
    expect(log.join('\n')).not.toContain(OWNER_PASSPHRASE);
  });

  it('is given on the command line; the agent submits the plan again', async () => {
    const { home, env, wallet } = await liveHome();
    const planId = await submitted(wallet);
    const ran = await run(approveCommand, { home, env, words: [planId], typed: [OWNER_PASSPHRASE] });
    expect(ran.code).toBe(0);
    const view = await runtime.plans.submit(planId, 30, () => undefined, new AbortController().signal);
    expect(view.status).toBe('complete');
  });

  it('is impossible without an owner key: no page, no file, no signature', async () => {
    const { home, wallet } = await liveHome({ owner: false });
    const planId = await submitted(wallet);
    expect(existsSync(launchFilePath(home))).toBe(false);
    const [row] = await runtime.parts.ledger.rows('approvals', { planId });
    await runtime.parts.ledger.answerApproval(row?.id ?? '', { state: 'approved', channel: 'page' });
    const view = await runtime.plans.submit(planId, 30, () => undefined, new AbortController().signal);
    expect(view.status).toBe('approval_required');
    expect(await runtime.parts.ledger.rows('journal', { planId })).toEqual([]);
  });

  it('still covers the rest of a started plan for a server that starts 23 hours later', async () => {
    const { home, env, wallet, settings } = await liveHome();
    const others = Array.from({ length: 39 }, (_, i) => addressOf(`claimer ${i}`));
    const planId = await submitted(wallet, others);
    const service = serviceWithoutFeePlans();
    const ran = await run(approveCommand, { home, env, words: [planId], typed: [OWNER_PASSPHRASE] });
    expect(ran.code).toBe(0);
    const submit = () => runtime.plans.submit(planId, 30, () => undefined, new AbortController().signal);
    await expect(submit()).rejects.toThrow();
    await runtime.plans.idle();
    const begun = (await runtime.parts.ledger.rows('journal', { planId })).length;
    expect(begun).toBeGreaterThan(0);
    await runtime.stop();

    service.countRebuild();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 23 * 3_600_000 });
    runtime = await openRuntime(settings);
    expect((await submit()).status).toBe('complete');
    expect((await runtime.parts.ledger.rows('journal', { planId })).length).toBeGreaterThan(begun);
    expect(await runtime.parts.ledger.rows('approvals', { planId })).toHaveLength(1);
  });
});
