/**
 * Live server of the built command, a sandbox in a separate process, and recorders of the requests to the service and
 * the transactions to the chain.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAINS } from '../../tools/tool.ts';
import {
  createHome,
  type Fields,
  liveEnvironment,
  type McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  startProxy,
  startSandbox,
  startServer,
  type TestWallet,
  text,
} from './harness.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export interface LiveScene {
  readonly server: McpProcess;
  readonly sandbox: SandboxProcess;
  readonly wallet: TestWallet;
  /** Active policy file. */
  readonly policy: string;
  readonly service: Recorder;
  /** Transactions sent to the chain. */
  readonly chain: { readonly sent: readonly string[] };
  /** Values that must not appear in output. */
  readonly secrets: readonly string[];
  /** Registers a new token. */
  token(): Promise<{ tokenMint: string; ipfs: string }>;
  /** Submits a plan and waits until it ends. */
  submit(built: Fields): Promise<Fields>;
  close(): Promise<void>;
}

export interface LiveSceneOptions {
  readonly profile?: 'contract' | 'bags';
  /** Changes the sandbox template before it is written. */
  readonly policy?: (file: Fields) => Fields;
  readonly args?: readonly string[];
}

/** All non-empty toolsets, for `--toolsets`. */
export const EVERY_TOOLSET = DOMAINS.filter((domain) => domain !== 'extra').join(',');

/** Statuses after which a plan is submitted again. On a slow machine a blockhash can expire before the signature. */
export const UNFINISHED: readonly string[] = ['running', 'waiting_setup', 'unknown'];

/** Returns the file with fields added to one rule. */
export const withRule = (file: Fields, id: string, more: Fields): Fields => ({
  ...file,
  rules: objects(file.rules).map((rule) => (rule.id === id ? { ...rule, ...more } : rule)),
});

export async function startLiveScene(options: LiveSceneOptions = {}): Promise<LiveScene> {
  const profile = options.profile ?? 'contract';
  const sandbox = await startSandbox(['--profile', profile, '--set', 'slot-ms=200']);
  const wallet = createHome();
  await sandbox.rpc('requestAirdrop', [wallet.address, 100_000_000_000]);
  const service = await startRecorder(sandbox.rootUrl);
  const chain = await startProxy(sandbox.rpcUrl);
  const env = {
    ...liveEnvironment(wallet, sandbox),
    COUNTERSIGN_JWT: sandbox.jwt,
    COUNTERSIGN_ROOT_URL: service.url,
  };
  const policy = join(wallet.home, 'policy.json');
  const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
  const made = await run([...init, '--rpc-url', sandbox.rpcUrl, '--profile', profile], env);
  if (made.code !== 0) throw new Error(made.err);
  if (options.policy !== undefined) {
    const file = options.policy(object(JSON.parse(readFileSync(policy, 'utf8'))));
    writeFileSync(policy, JSON.stringify(file), { mode: 0o600 });
  }
  const where = ['--profile', profile, '--root-url', service.url, '--rpc-url', chain.url];
  const server = await startServer(
    ['--live', ...where, '--policy', policy, ...(options.args ?? ['--toolsets', EVERY_TOOLSET])],
    env,
  );
  const key = Buffer.from(JSON.parse(readFileSync(wallet.file, 'utf8')));
  return {
    server,
    sandbox,
    wallet,
    policy,
    service,
    chain: chain.state,
    secrets: [sandbox.apiKey, sandbox.jwt, key.toString('hex'), key.toString('base64')],
    token: async () => {
      const made = await server.ok('create_token_info', {
        name: 'Scene',
        symbol: 'SCN',
        description: 'made by a test',
        imageUrl: 'https://example.com/a.png',
      });
      return { tokenMint: text(made.tokenMint), ipfs: text(made.tokenMetadata) };
    },
    submit: async (built) => {
      const planId = text(object(built.plan).planId);
      for (;;) {
        const plan = object((await server.ok('submit_plan', { planId, waitSeconds: 30 })).plan);
        if (!UNFINISHED.includes(text(plan.status))) return plan;
      }
    },
    close: async () => {
      await server.stop();
      service.close();
      chain.close();
      sandbox.stop();
    },
  };
}
