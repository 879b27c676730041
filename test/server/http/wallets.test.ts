/** Two wallets in one home and agents that select them by label: signing wallet, limits, and results. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { CHEAP_PASSPHRASES } from '../../e2e/cheapPassphrases.ts';
import {
  COMMAND,
  type Fields,
  object,
  objects,
  run,
  type SandboxProcess,
  startSandbox,
  text,
} from '../../e2e/harness.ts';
import { eventually } from '../../eventually.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const AMOUNT = 20_000_000n;
const AGENTS = ['treasurer', 'deputy', 'trader', 'both'] as const;
type Name = (typeof AGENTS)[number];
const tokenOf = (name: Name): string => name.padEnd(40, '0');
const UNFINISHED: readonly unknown[] = ['running', 'unknown', 'waiting_setup'];

let folder: string;
let sandbox: SandboxProcess;
let child: ChildProcess;
let env: Record<string, string>;
let [treasury, desk]: [string, string] = ['', ''];
const lines: Fields[] = [];
const agents = new Map<Name, Client>();

const written = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

/** Starts the built command. Returns its address once it serves. */
async function start(args: readonly string[]): Promise<string> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_'));
  child = spawn(process.execPath, [COMMAND, 'serve', '--live', '--http', '--port', '0', ...args], {
    env: { ...Object.fromEntries(clean), ...env, COUNTERSIGN_NO_BROWSER: '1' },
  });
  let kept = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${JSON.stringify(lines)}`)));
    child.stderr?.on('data', (chunk) => {
      kept += String(chunk);
      for (let end = kept.indexOf('\n'); end >= 0; end = kept.indexOf('\n')) {
        lines.push(object(JSON.parse(kept.slice(0, end))));
        kept = kept.slice(end + 1);
        const found = /at (http:\S+)/.exec(String(lines.at(-1)?.message))?.[1];
        if (found !== undefined) resolve(found);
      }
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-two-wallets-'));
  sandbox = await startSandbox();
  env = {
    ...CHEAP_PASSPHRASES,
    COUNTERSIGN_HOME: join(folder, 'home'),
    COUNTERSIGN_SECRET_STORE: 'file',
    COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic',
    COUNTERSIGN_API_KEY: sandbox.apiKey,
    COUNTERSIGN_ROOT_URL: sandbox.rootUrl,
    COUNTERSIGN_RPC_URL: sandbox.rpcUrl,
  };
  for (const label of ['treasury', 'desk']) {
    const made = await run(['wallet', 'create', label], env);
    expect([made.code, made.err]).toEqual([0, expect.stringContaining('Created.')]);
    if (label === 'treasury') treasury = made.out.trim();
    else desk = made.out.trim();
    await sandbox.rpc('requestAirdrop', [made.out.trim(), 1_000_000_000]);
  }
  const made = policyTemplate('sandbox', {
    wallet: treasury,
    network: text(await sandbox.rpc('getGenesisHash')),
  });
  const limits = made.limits.map((limit) =>
    'asset' in limit && limit.asset === 'SOL' && limit.window !== 'transaction'
      ? { ...limit, max: `${2n * AMOUNT}` }
      : limit,
  );
  const wallets = [
    { label: 'treasury', address: treasury },
    { label: 'desk', address: desk },
  ];
  written('policy.json', JSON.stringify({ ...made, limits, wallets }));
  const named: Record<Name, string[]> = {
    treasurer: ['treasury'],
    deputy: [treasury],
    trader: ['desk', 'cellar'],
    both: ['desk', 'treasury'],
  };
  for (const name of AGENTS) written(`${name}.token`, tokenOf(name));
  const principals = AGENTS.map((name) => ({
    name,
    is: [{ tokenFile: `${name}.token` }],
    wallets: named[name],
    policy: 'policy.json',
  }));
  const url = await start([
    '--set',
    `principals=${written('principals.json', JSON.stringify({ version: 1, principals }))}`,
  ]);
  for (const name of AGENTS) {
    const client = new Client({ name, version: '1' });
    const headers = { authorization: `Bearer ${tokenOf(name)}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    agents.set(name, client);
  }
});
afterAll(async () => {
  for (const client of agents.values()) await client.close();
  child.kill('SIGKILL');
  sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(name: Name, tool: string, args: Fields = {}): Promise<{ error: boolean; data: Fields }> {
  const result = await agents.get(name)?.callTool({ name: tool, arguments: args });
  return { error: result?.isError === true, data: object(result?.structuredContent) };
}
async function ok(name: Name, tool: string, args: Fields = {}): Promise<Fields> {
  const { error, data } = await call(name, tool, args);
  if (error) throw new Error(`${tool}: ${JSON.stringify(data)}`);
  return data;
}

/** Swaps with the named or default wallet. Returns the outcome. */
async function swap(name: Name, wallet?: string): Promise<unknown> {
  const { launches } = await ok(name, 'get_launch_feed');
  const outputMint = text(objects(launches)[0]?.tokenMint);
  const own = wallet === undefined ? {} : { wallet };
  const terms = { inputMint: SOL, outputMint, amount: `${AMOUNT}`, ...own };
  const { requestId } = await ok(name, 'get_swap_quote', terms);
  const built = await call(name, 'create_swap', { requestId: text(requestId), ...own });
  const plan = object(built.data.plan);
  if (plan.planId === undefined) return built.data.code;
  let done = object(
    object((await call(name, 'submit_plan', { planId: plan.planId, waitSeconds: 20 })).data).plan,
  );
  while (UNFINISHED.includes(done.status))
    done = object(
      object((await call(name, 'submit_plan', { planId: plan.planId, waitSeconds: 20 })).data).plan,
    );
  const codes = object(done.decision).reasonCodes;
  return done.status === 'complete' ? 'complete' : Array.isArray(codes) ? codes[0] : done.status;
}

const lamports = async (wallet: string): Promise<bigint> => {
  const answer = object(await sandbox.rpc('getBalance', [wallet, { commitment: 'confirmed' }]));
  return BigInt(Number(answer.value));
};

describe('agents of a home with two wallets', () => {
  test("T132 a principal's wallet missing from the home is logged once at start", async () => {
    const warnings = () => lines.filter(({ message }) => String(message).includes('does not have'));
    await eventually(async () => expect(warnings()).toHaveLength(1));
    expect(warnings()[0]).toMatchObject({
      principal: 'trader',
      message: expect.stringContaining('names the wallet cellar, which this home does not have'),
    });
  });

  test('each sees its wallets by label, and with several the default is used', async () => {
    expect(await ok('treasurer', 'get_wallet')).toMatchObject({ address: treasury });
    expect(await ok('trader', 'get_wallet')).toMatchObject({ address: desk });
    expect(await ok('both', 'get_wallet')).toMatchObject({
      address: treasury,
      wallets: [
        { address: treasury, label: 'treasury', default: true },
        { address: desk, label: 'desk' },
      ],
    });
    for (const called of ['desk', desk])
      expect(await ok('both', 'get_wallet', { wallet: called })).toMatchObject({ address: desk });
    for (const called of ['desk', desk, 'cellar'])
      expect(await call('treasurer', 'get_wallet', { wallet: called })).toMatchObject({
        error: true,
        data: {
          message: 'No wallet here has that label or address.',
          hint: expect.not.stringContaining(desk),
        },
      });
  });

  test('T132 each signs only with the wallet the file names by label', async () => {
    const before = [await lamports(treasury), await lamports(desk)];
    const refused = await swap('treasurer', desk);
    expect(refused).toBe('SIGNER_UNAVAILABLE');
    expect([await lamports(treasury), await lamports(desk)]).toEqual(before);
    expect(await swap('treasurer')).toBe('complete');
    expect(await lamports(treasury)).toBeLessThan((before[0] ?? 0n) - AMOUNT);
    expect(await lamports(desk)).toBe(before[1]);
  });

  test("a wallet's exhausted limit stops all users of that wallet, and none of the other", async () => {
    expect(await swap('treasurer')).toBe('LIMIT_EXCEEDED');
    expect(await swap('deputy')).toBe('LIMIT_EXCEEDED');
    expect(await swap('both')).toBe('LIMIT_EXCEEDED');
    expect(await swap('trader')).toBe('complete');
    expect(await swap('both', desk)).toBe('LIMIT_EXCEEDED');
  });

  test('doctor has a row for each wallet and one for principals, and no secret', async () => {
    const checked = await run(
      ['doctor', '--live', '--json', '--set', `principals=${join(folder, 'principals.json')}`],
      env,
    );
    const rows = objects(object(JSON.parse(checked.out)).findings);
    const details = (label: string) => rows.filter((row) => row.what === label);
    expect(details('wallet')).toMatchObject([
      {
        ok: true,
        detail: expect.stringMatching(
          new RegExp(`^treasury ${treasury} \\(default\\): its key opens; it has 0\\.9\\d* SOL$`),
        ),
      },
      {
        ok: true,
        detail: expect.stringMatching(new RegExp(`^desk ${desk}: its key opens; it has 0\\.9\\d* SOL$`)),
      },
    ]);
    expect(details('principals')).toMatchObject([
      {
        ok: false,
        detail: expect.stringContaining('names the wallet cellar, which this home does not have'),
      },
    ]);
    for (const secret of [env.COUNTERSIGN_PASSPHRASE, sandbox.apiKey, ...AGENTS.map(tokenOf)])
      expect(checked.out).not.toContain(secret);
    expect(checked.code).toBe(1);
  });

  test('T132 a label moved to another wallet gives no principal another wallet while the server runs', async () => {
    const digest = async () =>
      (await run(['principals', 'check', join(folder, 'principals.json')], env)).out.split('digest ')[1];
    const before = await digest();
    for (const words of [
      ['treasury', 'vault'],
      ['desk', 'treasury'],
    ])
      expect(await run(['wallet', 'label', ...words], env)).toMatchObject({ code: 0 });
    expect(await digest()).not.toBe(before);
    // A server stops using a secret file changed by another program (F51).
    const { data } = await call('treasurer', 'get_wallet');
    expect(data).toMatchObject({ code: 'KEYSTORE_CHANGED' });
    expect(JSON.stringify(data)).not.toContain(desk);
    const stopped = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await stopped;
  });
});
