import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createHome,
  type Fields,
  liveEnvironment,
  type McpProcess,
  object,
  objects,
  type SandboxProcess,
  someAddress,
  startProxy,
  startSandbox,
  startServer,
  type TestWallet,
  text,
} from './harness.ts';
import { runHere } from './inProcess.ts';

/** Polls a plan until it is no longer running. */
async function ended(server: McpProcess, planId: string): Promise<Fields> {
  for (;;) {
    const plan = object((await server.ok('submit_plan', { planId, waitSeconds: 30 })).plan);
    if (plan.status !== 'running' && plan.status !== 'waiting_setup') return plan;
  }
}

describe('serve --live against a separate sandbox', () => {
  let sandbox: SandboxProcess;
  let wallet: TestWallet;
  let policy: string;
  const servers: McpProcess[] = [];
  /** Server under the policy, before an RPC that can hold sends; the tests after its restart share it. */
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let ruled: McpProcess;

  const serve = async (args: readonly string[], rpcUrl = sandbox.rpcUrl): Promise<McpProcess> => {
    const server = await startServer(
      ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', rpcUrl, ...args],
      liveEnvironment(wallet, sandbox),
    );
    servers.push(server);
    return server;
  };

  const policyFrom = (template: string, out: string) =>
    runHere(
      ['policy', 'init', '--template', template, '--wallet', wallet.address, '--out', out].concat([
        '--rpc-url',
        sandbox.rpcUrl,
      ]),
      liveEnvironment(wallet, sandbox),
    );

  const config = async (server: McpProcess, claimers = 2): Promise<Fields> => {
    const token = await server.ok('create_token_info', {
      name: 'Live',
      symbol: 'LIVE',
      description: 'made by a test',
      imageUrl: 'https://example.com/a.png',
    });
    // The wallet keeps at least half: `creator` requires approval for unknown claimers with more.
    const share = Math.floor(5_000 / (claimers - 1));
    return {
      baseMint: token.tokenMint,
      payer: wallet.address,
      flow: 'damm_v2_direct',
      claimersArray: [wallet.address, ...Array.from({ length: claimers - 1 }, someAddress)],
      basisPointsArray: [
        10_000 - share * (claimers - 1),
        ...Array.from({ length: claimers - 1 }, () => share),
      ],
    };
  };

  const landedOnce = async (signatures: string[]) => {
    expect(new Set(signatures).size).toBe(signatures.length);
    const found = object(
      await sandbox.rpc('getSignatureStatuses', [signatures, { searchTransactionHistory: true }]),
    );
    for (const status of objects(found.value)) expect(status.err).toBeNull();
    const history = await sandbox.rpc('getSignaturesForAddress', [
      wallet.address,
      { limit: 1000, commitment: 'confirmed' },
    ]);
    return objects(history).filter((entry) => signatures.includes(text(entry.signature))).length;
  };

  beforeAll(async () => {
    sandbox = await startSandbox();
    proxy = await startProxy(sandbox.rpcUrl);
    wallet = createHome();
    await sandbox.rpc('requestAirdrop', [wallet.address, 50_000_000_000]);
    policy = join(wallet.home, 'policy.json');
    const made = await policyFrom('creator', policy);
    expect(made.err).toContain('countersign policy check');
    expect(made.code).toBe(0);
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    proxy.close();
    sandbox.stop();
  });

  it('signs nothing without a policy and names the command that creates one', async () => {
    const server = await serve([]);
    const built = await server.ok('create_fee_share_config', await config(server));
    const { plan } = await server.ok('submit_plan', { planId: text(object(built.plan).planId) });
    expect(object(plan).status).toBe('denied');
    expect(object(object(plan).decision).reasonCodes).toEqual(['POLICY_MISSING']);
    expect(text(object(object(plan).decision).remedy)).toContain('countersign policy init');
    const history = objects(
      await sandbox.rpc('getSignaturesForAddress', [wallet.address, { commitment: 'confirmed' }]),
    );
    expect(history.length).toBeLessThanOrEqual(1); // the airdrop at most
  });

  it('F38 executes once if the server is killed between signing and sending', async () => {
    proxy.state.holding = true;
    const first = await serve(['--policy', policy], proxy.url);
    const built = await first.ok('create_fee_share_config', await config(first));
    const planId = text(object(built.plan).planId);
    void first.call('submit_plan', { planId });
    await proxy.nextHeld();
    await first.stop('SIGKILL');
    const [signed] = proxy.state.held;

    proxy.state.holding = false;
    ruled = await serve(['--policy', policy], proxy.url);
    const plan = await ended(ruled, planId);
    expect(plan.status).toBe('complete');
    const signatures = objects(plan.stages).map((stage) => text(stage.signature));
    expect(await landedOnce(signatures)).toBe(signatures.length);
    // The same bytes were forwarded; there was no second signature.
    expect(new Set(proxy.state.sent)).toEqual(new Set([signed]));
  });

  it('executes a config under a policy file once, for repeated and concurrent submissions', async () => {
    const request = await config(ruled, 20);
    const built = await ruled.ok('create_fee_share_config', request);
    const planId = text(object(built.plan).planId);
    await Promise.all(Array.from({ length: 4 }, () => ruled.ok('submit_plan', { planId, waitSeconds: 30 })));
    const plan = await ended(ruled, planId);
    expect(plan.status).toBe('complete');
    const again = object((await ruled.ok('submit_plan', { planId })).plan);
    const signatures = objects(plan.stages).map((stage) => text(stage.signature));
    expect(objects(again.stages).map((stage) => stage.signature)).toEqual(signatures);
    expect(await landedOnce(signatures)).toBe(signatures.length);
    const rebuilt = await ruled.ok('create_fee_share_config', request);
    expect(rebuilt).toMatchObject({ needsCreation: false, plan: null });
  });

  it('does the main job: a key from a login, configs of 3 and 100 in v0 and v1, a swap', async () => {
    const sandboxRules = join(wallet.home, 'sandbox-policy.json');
    const made = await policyFrom('sandbox', sandboxRules);
    expect(made.code).toBe(0);
    const server = await startServer(
      ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', sandboxRules],
      { ...liveEnvironment(wallet, sandbox), COUNTERSIGN_JWT: sandbox.jwt },
    );
    servers.push(server);
    const key = await server.ok('create_agent_key', { name: 'live' });
    expect(key).toMatchObject({ status: 'active', storedIn: 'memory' });
    for (const [claimers, format] of [
      [3, 'v0'],
      [100, 'v0'],
      [100, 'v1'],
    ] as const) {
      const request = { ...(await config(server, claimers)), transactionFormat: format };
      const built = await server.ok('create_fee_share_config', request);
      const plan = await ended(server, text(object(built.plan).planId));
      expect(plan.status).toBe('complete');
      const signatures = objects(plan.stages).map((stage) => text(stage.signature));
      expect(await landedOnce(signatures)).toBe(signatures.length);
      expect(await server.ok('create_fee_share_config', request)).toMatchObject({ needsCreation: false });
    }
    const info = object((await sandbox.control('info', {})).response);
    const traded = objects(info.tokens).find((token) => token.status === 'MIGRATED');
    const balance = async () =>
      object(await sandbox.rpc('getBalance', [info.treasury, { commitment: 'confirmed' }])).value;
    const before = Number(await balance());
    const quote = await server.ok('get_swap_quote', {
      inputMint: 'So11111111111111111111111111111111111111112',
      outputMint: traded?.mint,
      amount: '100000000',
      slippageMode: 'auto',
    });
    const swap = await server.ok('create_swap', { requestId: quote.requestId });
    expect((await ended(server, text(object(swap.plan).planId))).status).toBe('complete');
    expect(Number(await balance()) - before).toBe(Number(quote.feeLamports));
  });

  it('F53 stops signing if the policy file changes while it runs', async () => {
    const before = object(await ruled.ok('get_policy'));
    expect(before.policyId).toBe('creator');
    const original = readFileSync(policy, 'utf8');
    writeFileSync(policy, original.replace('"max": "500000000"', '"max": "900000000000"'), { mode: 0o600 });
    try {
      const built = await ruled.ok('create_fee_share_config', await config(ruled));
      const { plan } = await ruled.ok('submit_plan', { planId: text(object(built.plan).planId) });
      expect(object(plan).status).toBe('denied');
      expect(object(object(plan).decision).reasonCodes).toEqual(['POLICY_CHANGED']);
    } finally {
      writeFileSync(policy, original, { mode: 0o600 });
    }
  });

  it('F55 does not submit a plan of this chain on another one', async () => {
    const built = await ruled.ok('create_fee_share_config', await config(ruled));
    const planId = text(object(built.plan).planId);
    await ruled.stop('SIGTERM');
    const elsewhere = await startSandbox();
    try {
      const moved = await serve(['--policy', policy], elsewhere.rpcUrl);
      const answer = await moved.call('submit_plan', { planId });
      expect(answer.isError).toBe(true);
      expect(text(object(answer.data).code)).toBe('NETWORK_MISMATCH');
    } finally {
      elsewhere.stop();
    }
  });
});
