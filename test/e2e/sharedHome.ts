/**
 * Sandbox in a separate process and one home shared by any number of built servers. The policy is the sandbox template
 * without effective limits, since requests repeat.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createHome,
  type Fields,
  liveEnvironment,
  type McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  startSandbox,
  startServer,
  type TestWallet,
  text,
} from './harness.ts';

export interface SharedHome {
  readonly sandbox: SandboxProcess;
  readonly wallet: TestWallet;
  /** Environment of a live server of this home. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a server on this home. */
  serve(more?: Record<string, string>): Promise<McpProcess>;
  /** Returns every transaction on chain that names the wallet, newest first. */
  history(): Promise<{ signature: string; failed: boolean }[]>;
  /** Stops the sandbox and removes the home. All servers must have ended. */
  close(): void;
}

/** @param slotMs milliseconds a block of the sandbox's chain */
export async function openSharedHome(slotMs: number): Promise<SharedHome> {
  const sandbox = await startSandbox(['--set', `slot-ms=${slotMs}`]);
  const wallet = createHome();
  const env = liveEnvironment(wallet, sandbox);
  await sandbox.rpc('requestAirdrop', [wallet.address, 1_000_000_000_000]);
  const policy = join(wallet.home, 'policy.json');
  const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
  const made = await run([...init, '--rpc-url', sandbox.rpcUrl], env);
  if (made.code !== 0) throw new Error(made.err);
  const file = object(JSON.parse(readFileSync(policy, 'utf8')));
  const most = (limit: Fields) => ('asset' in limit ? '999999999999999' : 1_000_000);
  const limits = objects(file.limits).map((limit) => ({ ...limit, max: most(limit) }));
  writeFileSync(policy, JSON.stringify({ ...file, limits }), { mode: 0o600 });
  const where = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy];
  return {
    sandbox,
    wallet,
    env,
    serve: (more = {}) => startServer(where, { ...env, ...more }),
    history: async () => {
      const options = { limit: 1000, commitment: 'confirmed' };
      const found = await sandbox.rpc('getSignaturesForAddress', [wallet.address, options]);
      return objects(found).map(({ signature, err }) => ({
        signature: text(signature),
        failed: err !== null,
      }));
    },
    close: () => {
      sandbox.stop();
      rmSync(wallet.home, { recursive: true, force: true });
    },
  };
}

/** Returns a config request of a new token with `claimers` claimers, the wallet among them. */
export async function configArguments(
  server: McpProcess,
  wallet: string,
  others: readonly string[],
): Promise<Fields> {
  const token = await server.ok('create_token_info', {
    name: 'Same',
    symbol: 'SAME',
    description: 'made by a test',
    imageUrl: 'https://example.com/a.png',
  });
  const share = Math.floor(10_000 / (others.length + 1));
  return {
    baseMint: token.tokenMint,
    payer: wallet,
    flow: 'damm_v2_direct',
    claimersArray: [wallet, ...others],
    basisPointsArray: [10_000 - share * others.length, ...others.map(() => share)],
  };
}
