/**
 * Scene of `npm run fleet`: one sandbox, one PostgreSQL, several wallets with a policy and a limit each, the principals
 * that trade from them, and hosts with separate homes that can all sign for every wallet.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimitSpec } from '../src/ledger/types.ts';
import {
  COMMAND,
  createHome,
  type Fields,
  object,
  objects,
  run,
  type SandboxProcess,
  text,
} from '../test/e2e/harness.ts';
import { openSharedHome } from '../test/e2e/sharedHome.ts';
import { startPostgres, type TestPostgres } from '../test/ledger/postgres.ts';
import type { Random } from '../test/simulator/random.ts';

/** Wallet with its SOL limit and the principals that trade from it. */
export interface FleetWallet {
  readonly address: string;
  /** Maximum outflow per limit window, in lamports. */
  readonly max: bigint;
  readonly spec: LimitSpec;
  /** Numbers of principals. */
  readonly principals: readonly number[];
}

export interface Fleet {
  readonly postgres: TestPostgres;
  /** The ledger's address. */
  readonly database: string;
  readonly sandbox: SandboxProcess;
  readonly wallets: readonly FleetWallet[];
  /** Starts every host. */
  begin(): Promise<void>;
  /** Kills a host with SIGKILL and starts a new one in its home. */
  kill(index: number): Promise<void>;
  /** Calls a tool on a random host and returns its data. Throws if the host is gone or the tool failed. */
  call(principal: number, name: string, args: Fields): Promise<Fields>;
  /** Returns a wallet's balance in lamports. */
  balance(address: string): Promise<bigint>;
  /** Returns the newest transactions that name a wallet, at most 1,000. */
  history(address: string): Promise<{ signature: string; failed: boolean }[]>;
  /** Recent output of the hosts. */
  output(): string;
  end(): void;
}

/** Signer for every wallet of the home; keys are files beside the module, for tests only. */
const SIGNER = `
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
const wallets = JSON.parse(readFileSync(new URL('./wallets.json', import.meta.url), 'utf8'));
export default () => wallets.map(({ address, key }) => {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(key.slice(0, 32))]);
  const own = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { address, sign: (message) => new Uint8Array(sign(null, message, own)) };
});
`;

export interface FleetOptions {
  readonly hosts: number;
  /** Principals and limit (lamports) per wallet. */
  readonly wallets: readonly { readonly principals: number; readonly max: bigint }[];
  readonly random: Random;
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { random } = options;
  const postgres = startPostgres({ durable: true });
  const database = await postgres.newLedger();
  const home = await openSharedHome(400);
  const { sandbox } = home;
  const [first, ...others] = options.wallets;
  const keys = [home.wallet, ...others.map(() => createHome())];
  for (const { address } of keys.slice(1)) await sandbox.rpc('requestAirdrop', [address, 1_000_000_000_000]);
  const wallets: FleetWallet[] = [];
  const principals: Fields[] = [];
  for (const [index, { principals: count, max }] of [first, ...others]
    .flatMap((each) => each ?? [])
    .entries()) {
    const address = keys[index]?.address ?? '';
    const policy = `policy-${index}.json`;
    const spec = await writePolicy(join(home.wallet.home, policy), address, max);
    const numbers = Array.from({ length: count }, (_, place) => principals.length + place);
    for (const number of numbers) {
      writeFileSync(join(home.wallet.home, `agent-${number}.token`), tokenOf(number), { mode: 0o600 });
      const is = [{ tokenFile: `agent-${number}.token` }];
      principals.push({ name: `agent-${number}`, is, wallets: [address], policy, callsPerMinute: 10_000 });
    }
    wallets.push({ address, max, spec, principals: numbers });
  }

  async function writePolicy(file: string, address: string, max: bigint): Promise<LimitSpec> {
    const init = ['policy', 'init', '--template', 'sandbox', '--wallet', address, '--out', file];
    const made = await run([...init, '--rpc-url', sandbox.rpcUrl], home.env);
    if (made.code !== 0) throw new Error(made.err);
    const policy = object(JSON.parse(readFileSync(file, 'utf8')));
    const limits = objects(policy.limits).map((limit) => {
      const isDay = limit.asset === 'SOL' && limit.window !== 'transaction';
      const most = 'asset' in limit ? '999999999999999' : 1_000_000;
      return { ...limit, max: isDay ? `${max}` : most };
    });
    writeFileSync(file, JSON.stringify({ ...policy, limits }), { mode: 0o600 });
    return { id: address, kind: 'asset', of: 'SOL', max, window: { rollingMs: 7 * 86_400_000 } };
  }
  const write = (name: string, content: string): void =>
    writeFileSync(join(home.wallet.home, name), content, { mode: 0o600 });
  write('principals.json', JSON.stringify({ version: 1, principals }));
  write('signer.mjs', SIGNER);
  write(
    'wallets.json',
    JSON.stringify(
      keys.map(({ address, file }) => ({ address, key: JSON.parse(readFileSync(file, 'utf8')) })),
    ),
  );
  const homes = Array.from({ length: options.hosts }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-fleet-'));
    cpSync(home.wallet.home, folder, { recursive: true });
    return folder;
  });

  const hosts: { child?: ChildProcess; url?: string | undefined }[] = homes.map(() => ({}));
  const log: string[] = [];

  async function start(index: number): Promise<void> {
    const folder = homes[index] ?? '';
    const live = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl];
    const served = [
      'serve',
      '--http',
      '--port',
      '0',
      '--set',
      `principals=${join(folder, 'principals.json')}`,
    ];
    const signer = ['--set', `signer=${join(folder, 'signer.mjs')}`];
    const child = spawn(process.execPath, [COMMAND, ...served, ...live, ...signer], {
      env: {
        ...process.env,
        ...home.env,
        COUNTERSIGN_HOME: folder,
        COUNTERSIGN_WALLET_FILE: join(folder, 'wallet.json'),
        COUNTERSIGN_LEDGER: database,
        COUNTERSIGN_NO_BROWSER: '1',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    hosts[index] = { child };
    const url = await new Promise<string | undefined>((resolve) => {
      let output = '';
      child.once('exit', () => resolve(undefined));
      child.stderr.on('data', (chunk) => {
        log.push(`${chunk}`);
        if (log.length > 200) log.shift();
        output = `${output}${chunk}`.slice(-10_000);
        const found = /at (http:[^"\s]+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    if (hosts[index]?.child === child) hosts[index] = { child, url };
  }

  async function kill(index: number): Promise<void> {
    const host = hosts[index];
    const gone = new Promise((resolve) => host?.child?.once('exit', resolve));
    hosts[index] = {};
    host?.child?.kill('SIGKILL');
    await gone;
    await start(index);
  }

  async function call(principal: number, name: string, args: Fields): Promise<Fields> {
    const up = hosts.flatMap(({ url }) => url ?? []);
    const url = up[random.whole(0, Math.max(0, up.length - 1))];
    if (url === undefined) throw new Error('no host');
    const post = async (message: Fields, session?: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${tokenOf(principal)}`,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        signal: AbortSignal.timeout(60_000),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(`${response.status}: ${body.slice(0, 200)}`);
      const json = body.startsWith('{') ? body : (/^data: (\{.*"result".*\})$/m.exec(body)?.[1] ?? '{}');
      return {
        result: object(object(JSON.parse(json)).result),
        session: response.headers.get('mcp-session-id'),
      };
    };
    const clientInfo = { name: 'fleet', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const { session } = await post({ id: 1, method: 'initialize', params });
    const payload = { id: 2, method: 'tools/call', params: { name, arguments: args } };
    const { result } = await post(payload, session ?? undefined);
    const data = object(result.structuredContent);
    if (result.isError === true) throw new Error(JSON.stringify(data).slice(0, 300));
    return data;
  }

  return {
    postgres,
    database,
    sandbox,
    wallets,
    begin: async () => void (await Promise.all(hosts.map((_, index) => start(index)))),
    kill,
    call,
    balance: async (address) => BigInt(Number(object(await sandbox.rpc('getBalance', [address])).value)),
    history: async (address) => {
      const found = await sandbox.rpc('getSignaturesForAddress', [
        address,
        { limit: 1000, commitment: 'confirmed' },
      ]);
      return objects(found).map(({ signature, err }) => ({
        signature: text(signature),
        failed: err !== null,
      }));
    },
    output: () => log.slice(-20).join(''),
    end: () => {
      for (const { child } of hosts) child?.kill('SIGKILL');
      home.close();
      for (const { home: folder } of keys) rmSync(folder, { recursive: true, force: true });
      for (const folder of homes) rmSync(folder, { recursive: true, force: true });
      postgres.end();
    },
  };
}

const tokenOf = (principal: number): string => `agent-${principal}-`.padEnd(40, 'x');
