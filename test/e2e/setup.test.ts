/** A new live user: an empty home, five commands, each saying what comes next, a green doctor, a landed config. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { landedConfig } from './firstPlan.ts';
import { McpProcess, object, objects, run, type SandboxProcess, startSandbox } from './harness.ts';
import { typeInto } from './typist.ts';

const WALLET_PASSPHRASE = 'orbit velvet canyon mosaic';
const OWNER_PASSPHRASE = 'a person keeps this in the head';
const PATIENCE_MS = 3_600_000;

let sandbox: SandboxProcess;
let userHome: string;
const servers: McpProcess[] = [];

beforeAll(async () => {
  sandbox = await startSandbox();
  userHome = mkdtempSync(join(tmpdir(), 'countersign-user-'));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  sandbox.stop();
  rmSync(userHome, { recursive: true, force: true });
});

/** The words a client's file starts the server with, and the variables it takes from its own surroundings. */
function clientEntry(file: string): { args: string[]; env: Record<string, unknown> } {
  const { args, env } = object(object(object(JSON.parse(readFileSync(file, 'utf8'))).mcpServers).countersign);
  return { args: Array.isArray(args) ? args.map(String) : [], env: object(env) };
}

it(
  'five commands from an empty home to a landed config',
  async () => {
    const surroundings = { HOME: userHome, XDG_DATA_HOME: '', COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE };
    const policy = join(userHome, 'policy.json');
    const token = join(userHome, 'token');
    writeFileSync(token, `${sandbox.jwt}\n`, { mode: 0o600 });
    const service = ['--root-url', sandbox.rootUrl];
    const live = ['--live', ...service, '--rpc-url', sandbox.rpcUrl, '--policy', policy];
    const home = join(userHome, '.local/share/countersign');

    const before = await run(['doctor', '--live'], surroundings);
    expect(before.code).toBe(1);
    expect(before.out).toContain('→ countersign wallet create');
    expect(existsSync(home)).toBe(false);

    // 1
    const wallet = await run(['wallet', 'create', '--secret-store', 'file'], surroundings);
    expect(wallet.code).toBe(0);
    expect(wallet.err).toContain('Next: `countersign login');
    const address = wallet.out.trim();
    // 2
    const login = await run(['login', ...service, '--token-file', token], surroundings);
    expect(login.code).toBe(0);
    expect(login.err).toContain('Next: `countersign policy init');
    // 3
    const made = await run(
      ['policy', 'init', '--template', 'creator', '--out', policy, '--rpc-url', sandbox.rpcUrl],
      surroundings,
    );
    expect(made.code).toBe(0);
    expect(made.err).toContain(`for ${address}`);
    expect(made.err).toContain('Next: `countersign owner create`');
    // 4
    const owner = await typeInto(
      ['owner', 'create'],
      { PATH: process.env.PATH ?? '', TERM: 'xterm', ...surroundings },
      [
        { question: 'New owner passphrase:', answer: OWNER_PASSPHRASE },
        { question: 'The same again:', answer: OWNER_PASSPHRASE },
      ],
    );
    expect(owner.shown).toContain('Next: `countersign setup --live');
    expect(owner.code).toBe(0);
    expect(owner.shown).not.toContain(OWNER_PASSPHRASE);
    // 5
    mkdirSync(join(userHome, '.cursor'));
    const setup = await run(['setup', 'cursor', '--write', ...live], surroundings);
    expect(setup.code).toBe(0);
    expect(setup.err).toContain('set COUNTERSIGN_PASSPHRASE where the client is started');
    expect(setup.err).toContain('Next: `countersign doctor --live`');

    const poor = await run(['doctor', ...live], surroundings);
    expect(poor.out.match(/^MISS .*/gm)).toEqual([expect.stringContaining('it has 0 SOL')]);
    expect(poor.out).toContain(`send SOL to ${address}`);
    await sandbox.rpc('requestAirdrop', [address, 20_000_000_000]);
    const doctor = await run(['doctor', ...live], surroundings);
    expect(doctor.out).not.toContain('MISS');
    expect(doctor.out.match(/^ok /gm)?.length).toBeGreaterThanOrEqual(7);
    expect(doctor.code).toBe(0);

    // What the client would start, with the one secret from its surroundings, lands a config.
    const entry = clientEntry(join(userHome, '.cursor/mcp.json'));
    const written = `\${env:COUNTERSIGN_PASSPHRASE}`;
    expect(entry.env).toEqual({ COUNTERSIGN_PASSPHRASE: written });
    expect(entry.args[1]).toBe('serve');
    const server = new McpProcess(entry.args.slice(2), surroundings);
    servers.push(server);
    await server.initialize();
    const plan = await landedConfig(server);
    expect(plan.status).toBe('complete');
    expect(objects(plan.stages).length).toBeGreaterThan(0);
    await server.stop('SIGTERM');

    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
      expect(name).not.toMatch(/approve\.html|\.lock$/);
    }
  },
  PATIENCE_MS,
);
