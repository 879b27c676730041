import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { langchainTools } from '../examples/langchain.ts';
import { vercelTools } from '../examples/vercel-ai-sdk.ts';
import { startSandbox } from '../sandbox/index.ts';
import { systemClock } from '../src/clock.ts';
import { bagsProfile } from '../src/contract/profiles/index.ts';
import {
  type Countersign,
  type CountersignOptions,
  createCountersign,
  type Progress,
  policyTemplate,
} from '../src/index.ts';
import { openLedger } from '../src/ledger/sqlite/sqlite.ts';
import { createMemoryStore } from '../src/secrets/stores/store.ts';

type Fields = Record<string, unknown>;
const object = (value: unknown): Fields => Object(value);

function opened(options: CountersignOptions = {}): Countersign {
  const countersign = createCountersign(options);
  onTestFinished(() => countersign.close());
  return countersign;
}

/** Calls a tool. Throws unless it succeeds. */
async function ok(countersign: Countersign, name: string, args: Fields = {}): Promise<Fields> {
  const result = await countersign.callTool(name, args);
  if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
  return { ...result.structuredContent };
}

/** Builds a config that gives all fees to the wallet. */
async function build(countersign: Countersign): Promise<Fields> {
  const wallet = String((await ok(countersign, 'get_wallet')).address);
  const token = await ok(countersign, 'create_token_info', {
    name: 'Lighthouse',
    symbol: 'LITE',
    description: 'made by a test',
    imageUrl: 'https://example.com/a.png',
  });
  const built = await ok(countersign, 'create_fee_share_config', {
    baseMint: token.tokenMint,
    flow: 'damm_v2_direct',
    claimersArray: [wallet],
    basisPointsArray: [10_000],
  });
  return object(built.plan);
}

/** Creates a signer outside the secret stores, and records its requests. */
function ownSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const signed: Uint8Array[] = [];
  return {
    signed,
    address,
    sign: async (message: Uint8Array) => {
      signed.push(message);
      return new Uint8Array(sign(null, message, privateKey));
    },
  };
}

async function liveService(address: string) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const rpc = async (method: string, params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return object(await response.json()).result;
  };
  await rpc('requestAirdrop', [address, 5_000_000_000]);
  return { sandbox, rpc };
}

/** Creates a home folder, removed after its instance is closed. */
function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'library-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Sets a private temporary folder for this test. Returns a function that lists its files. */
function ownTemporaryFiles(): () => string[] {
  const folder = temporaryHome();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder);
}

describe('the library entry', () => {
  it('lists the tools of a selection without side effects', () => {
    const files = ownTemporaryFiles();
    const names = (options: CountersignOptions): string[] =>
      opened(options)
        .listTools()
        .map(({ name }) => name);
    expect(names({})).toHaveLength(39);
    expect(names({ toolsets: ['trade'], readOnly: true })).toContain('get_swap_quote');
    expect(names({ toolsets: ['trade'], readOnly: true })).not.toContain('submit_plan');
    expect(files()).toEqual([]);
  });

  it('executes a plan in the sandbox, reports progress, and leaves no files', async () => {
    const files = ownTemporaryFiles();
    const countersign = opened();
    const plan = await build(countersign);
    const progress: Progress[] = [];
    const result = await countersign.callTool(
      'submit_plan',
      { planId: plan.planId, waitSeconds: 30 },
      { onProgress: (update) => progress.push(update) },
    );
    expect(result.structuredContent).toMatchObject({ mode: 'sandbox', plan: { status: 'complete' } });
    expect(progress.at(-1)).toMatchObject({ done: 1, total: 1 });
    await countersign.close();
    expect(files()).toEqual([]);
    await expect(countersign.callTool('get_wallet')).rejects.toThrow('closed');
  });

  it('returns mistakes as results and rejects only unknown tools', async () => {
    const countersign = opened({ readOnly: true });
    const result = await countersign.callTool('get_swap_quote', { inputMint: 'nonsense' });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_INPUT', class: 'input' },
    });
    await expect(countersign.callTool('submit_plan', { planId: 'x' })).rejects.toThrow('on offer');
  });

  it("signs with the program's own signer and key, under the program's own policy", async () => {
    const signer = ownSigner();
    const { sandbox, rpc } = await liveService(signer.address);
    const countersign = opened({
      mode: 'live',
      rootUrl: sandbox.rootUrl,
      rpcUrl: sandbox.rpcUrl,
      apiKey: sandbox.apiKey,
      signer,
      policy: policyTemplate('sandbox', { wallet: signer.address, network: sandbox.genesisHash }),
      home: temporaryHome(),
    });
    const plan = await build(countersign);
    const landed = object(
      (await ok(countersign, 'submit_plan', { planId: plan.planId, waitSeconds: 40 })).plan,
    );
    expect(landed.status).toBe('complete');
    expect(signer.signed).toHaveLength(1);
    const [stage] = Array.isArray(landed.stages) ? landed.stages.map(object) : [];
    expect(
      object(
        await rpc('getTransaction', [
          stage?.signature,
          { encoding: 'base64', maxSupportedTransactionVersion: 1, commitment: 'confirmed' },
        ]),
      ).meta,
    ).toMatchObject({ err: null });
  });

  it('reads an API key from the environment if the store has none for the service, and sends no other', async () => {
    const signer = ownSigner();
    const { sandbox } = await liveService(signer.address);
    const feed = async (env: Record<string, string>) => {
      const { rootUrl, rpcUrl } = sandbox;
      const countersign = opened({ mode: 'live', rootUrl, rpcUrl, signer, env, home: temporaryHome() });
      return (await countersign.callTool('list_incorporations')).structuredContent;
    };
    expect(await feed({})).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await feed({ COUNTERSIGN_API_KEY: sandbox.apiKey })).not.toHaveProperty('code');
  });

  it('never sends the output of a broken signer', async () => {
    const signer = { ...ownSigner(), sign: async () => new Uint8Array(64).fill(7) };
    const { sandbox, rpc } = await liveService(signer.address);
    const countersign = opened({
      mode: 'live',
      rootUrl: sandbox.rootUrl,
      rpcUrl: sandbox.rpcUrl,
      apiKey: sandbox.apiKey,
      signer,
      policy: policyTemplate('sandbox', { wallet: signer.address, network: sandbox.genesisHash }),
      home: temporaryHome(),
    });
    const plan = await build(countersign);
    const before = await rpc('getBalance', [signer.address, { commitment: 'confirmed' }]);
    const result = await countersign.callTool('submit_plan', { planId: plan.planId, waitSeconds: 20 });
    expect(object(result.structuredContent.plan).status).not.toBe('complete');
    expect(object(await rpc('getBalance', [signer.address, { commitment: 'confirmed' }])).value).toBe(
      object(before).value,
    );
  });

  /** Opens an instance whose policy asks about configs. */
  async function asking({ approve }: Pick<CountersignOptions, 'approve'>) {
    const signer = ownSigner();
    const { sandbox } = await liveService(signer.address);
    const template = policyTemplate('sandbox', { wallet: signer.address, network: sandbox.genesisHash });
    const home = temporaryHome();
    const countersign = opened({
      mode: 'live',
      rootUrl: sandbox.rootUrl,
      rpcUrl: sandbox.rpcUrl,
      apiKey: sandbox.apiKey,
      signer,
      policy: {
        ...template,
        rules: template.rules.map((rule) =>
          rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
        ),
        approval: { ttlSeconds: 600, channels: ['elicitation'] },
      },
      approve,
      home,
    });
    const submit = async () => ({ planId: (await build(countersign)).planId, waitSeconds: 40 });
    const approvals = async () => {
      const ledger = openLedger({ home, clock: systemClock });
      try {
        return await ledger.rows('approvals', {});
      } finally {
        await ledger.close();
      }
    };
    return { countersign, signer, submit, approvals };
  }

  it('asks through the program if a rule requires approval, and executes only after it', async () => {
    const prompts: string[] = [];
    let answer: 'approve' | 'later' = 'later';
    const { countersign, signer, ...built } = await asking({
      approve: async ({ lines }) => {
        prompts.push(lines.join('\n'));
        return answer;
      },
    });
    const args = await built.submit();
    const submit = async () => object((await ok(countersign, 'submit_plan', args)).plan);
    expect((await submit()).status).toBe('approval_required');
    expect(signer.signed).toHaveLength(0);
    answer = 'approve';
    expect((await submit()).status).toBe('complete');
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toContain(signer.address.slice(0, 4));
  });

  it('rejects an unknown answer of `approve`; the question stays open', async () => {
    const approve = async () => true as never;
    const { countersign, signer, submit, approvals } = await asking({ approve });
    const result = await countersign.callTool('submit_plan', await submit());
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'INTERNAL_ERROR' } });
    expect(await approvals()).toMatchObject([{ state: 'pending' }]);
    expect(signer.signed).toHaveLength(0);
  });

  it('records no answer to a question whose plan was cancelled meanwhile', async () => {
    const { countersign, signer, submit, approvals } = await asking({
      approve: async () => {
        await countersign.callTool('cancel_plan', { planId: String((await args).planId) });
        return 'approve';
      },
    });
    const args = submit();
    await countersign.callTool('submit_plan', await args);
    expect(await approvals()).toMatchObject([{ state: 'pending' }]);
    expect(signer.signed).toHaveLength(0);
  });

  it('refuses options that it would ignore', () => {
    for (const live of [
      { signer: ownSigner() },
      { rpcUrl: 'http://127.0.0.1:1' },
      { secondRpcUrl: 'http://127.0.0.1:1' },
      { rootUrl: 'http://127.0.0.1:1' },
      { apiKey: 'k' },
    ])
      expect(() => createCountersign({ mode: 'sandbox', ...live })).toThrow('live mode');
    const wrong: Fields[] = [
      { readonly: true },
      { secondRpcURL: 'x' },
      { toString: 'x' },
      { mode: 'Sandbox' },
    ];
    for (const options of wrong) expect(() => createCountersign(options)).toThrow(TypeError);
    expect(() => createCountersign({ mode: 'live', apiKey: 'k', secrets: createMemoryStore() })).toThrow(
      'both',
    );
    expect(() => createCountersign({ rpcUrl: undefined, signer: undefined })).not.toThrow();
  });

  it('T55 accepts no second RPC on the server of the first', async () => {
    const codeWith = async (rpcUrl: string, secondRpcUrl: string) => {
      const rootUrl = 'http://127.0.0.1:1';
      const urls = { rootUrl, rpcUrl, secondRpcUrl };
      const countersign = opened({ mode: 'live', ...urls, signer: ownSigner(), home: temporaryHome() });
      return (await countersign.callTool('list_incorporations')).structuredContent.code;
    };
    expect(await codeWith('http://127.0.0.1:2/key', 'http://127.0.0.1:2/other-key')).toBe('NOT_SET_UP');
    expect(await codeWith('http://127.0.0.1:2/key', 'http://127.0.0.1:3/key')).toBe('UNAUTHORIZED');
  });

  it('sends the API key to the service of the profile', async () => {
    const sent: string[] = [];
    vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
      const key = new Headers(init.headers).get('x-api-key');
      if (key !== null) sent.push(`${new URL(url).origin} ${key}`);
      throw new TypeError('no network');
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const countersign = opened({
      mode: 'live',
      profile: 'bags',
      rpcUrl: 'http://127.0.0.1:1',
      apiKey: 'k'.repeat(40),
      signer: ownSigner(),
      home: temporaryHome(),
    });
    await countersign.callTool('list_incorporations');
    expect([...new Set(sent)]).toEqual([`${new URL(bagsProfile.rootUrl ?? '').origin} ${'k'.repeat(40)}`]);
  });
});

describe('the examples', () => {
  it('make Vercel AI SDK tools that run', async () => {
    const tools = vercelTools(opened(), (schema) => ({ jsonSchema: schema }));
    expect(tools.submit_plan?.inputSchema.jsonSchema).toMatchObject({ type: 'object', required: ['planId'] });
    expect(await tools.get_wallet?.execute({}, {})).toMatchObject({
      mode: 'sandbox',
      address: expect.any(String),
    });
    expect(await tools.get_plan?.execute({ planId: 'none' }, {})).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('make LangChain tools that run', async () => {
    const tools = langchainTools(opened(), (run, fields) => ({ run, ...fields }));
    const policy = tools.find(({ name }) => name === 'get_policy');
    const [text, artifact] = (await policy?.run({})) ?? [];
    expect(text).toContain('policyId');
    expect(artifact).toMatchObject({ mode: 'sandbox', policyId: expect.any(String) });
  });
});
