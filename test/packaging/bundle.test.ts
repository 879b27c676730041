/** MCP bundles, one per platform, and the registry entry. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, v0_3 } from '@anthropic-ai/mcpb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { MORE_SETTINGS, OPTIONS, variableOf } from '../../src/cli/options.ts';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import { select } from '../../src/server/catalogue.ts';
import { startSandbox } from '../e2e/harness.ts';
import '../secrets/cheapPassphrases.mjs';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { bareEnvironment, firstMinute, firstPlan, speakTo } from './speaking.ts';

const manifest = v0_3.McpbManifestSchema.parse(JSON.parse(readFileSync('manifest.json', 'utf8')));
const text = (limit: number) => z.string().min(1).max(limit);

/** Registry schema of 2025-12-11, limited to the fields used here; strict, to catch typos. */
const entrySchema = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: text(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: text(100),
  description: text(100),
  version: text(255).regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string().min(1),
        version: text(255).regex(/^\d+\.\d+\.\d+$/),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(
          z.strictObject({ type: z.literal('positional'), value: z.string().min(1) }),
        ),
        environmentVariables: z.array(
          z.strictObject({
            name: z.string().min(1),
            description: z.string().min(1),
            format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
            isRequired: z.boolean().optional(),
            isSecret: z.boolean().optional(),
            choices: z.array(z.string()).optional(),
            default: z.string().optional(),
            placeholder: z.string().optional(),
          }),
        ),
      }),
    )
    .length(1),
});
const server = entrySchema.parse(JSON.parse(readFileSync('server.json', 'utf8')));
const own: { name: string; version: string; mcpName: string; author: string } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** Variables without an option: the mode. */
const WITHOUT_OPTION = ['COUNTERSIGN_MODE'];
/** Variables required by each store; the keychain needs none. */
const STORE_VARIABLES = {
  file: ['COUNTERSIGN_PASSPHRASE'],
  env: ['COUNTERSIGN_API_KEY', 'COUNTERSIGN_WALLET_FILE', 'COUNTERSIGN_OWNER_PUBLIC_KEY'],
};
const known = [
  ...new Set([...STORE_VARIABLES.file, ...STORE_VARIABLES.env, 'COUNTERSIGN_JWT']),
  ...Object.keys({ ...OPTIONS, ...MORE_SETTINGS }).map(variableOf),
  ...WITHOUT_OPTION,
];

describe('the bundle', () => {
  it('lists every tool of the default catalogue, and only variables the server reads', () => {
    const tools = select({}).map(({ tool }) => tool.name);
    expect(manifest.tools?.map(({ name }) => name)).toEqual(tools);
    expect(Object.keys(manifest.server.mcp_config.env ?? {}).filter((name) => !known.includes(name))).toEqual(
      [],
    );
    expect(manifest).toMatchObject({ name: own.name, version: own.version, author: { name: own.author } });
  });

  it('requests secrets as secret fields', () => {
    const secret = Object.entries(manifest.user_config ?? {}).filter(
      ([, { sensitive }]) => sensitive === true,
    );
    expect(secret.map(([name]) => name)).toEqual(['rpc_url', 'passphrase', 'api_key', 'login_token']);
  });

  it('passes a login token and names only existing files', () => {
    expect(manifest.server.mcp_config.env?.COUNTERSIGN_JWT).toMatch(/^\$\{user_config\.login_token\}$/);
    expect(headOf(manifest.icon ?? '').toString('latin1', 1, 4)).toBe('PNG');
  });

  it('has a field for what each secret store needs and passes it to the server', () => {
    const env = manifest.server.mcp_config.env ?? {};
    for (const variable of ['COUNTERSIGN_SECRET_STORE', ...STORE_VARIABLES.file, ...STORE_VARIABLES.env]) {
      const field = /^\$\{user_config\.(\w+)\}$/.exec(env[variable] ?? '')?.[1] ?? '';
      expect(manifest.user_config, variable).toHaveProperty(field);
    }
  });

  it('passes the passphrase field to the server, which opens the encrypted file with it', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const home = temporaryHome();
    const passphrase = 'orbit velvet canyon mosaic';
    const env = { COUNTERSIGN_PASSPHRASE: passphrase };
    const store = await setUpStore({ home, env, requested: 'file' });
    const { address, secret } = createKeypair();
    await store.set(`wallet:${address}`, secret);
    /** Returns the wallet of a server started with these settings. */
    const walletWith = async (typed: string): Promise<unknown> => {
      const config = await getMcpConfigForManifest({
        manifest,
        extensionPath: process.cwd(),
        systemDirs: {},
        userConfig: {
          mode: 'live',
          root_url: sandbox.rootUrl,
          rpc_url: sandbox.rpcUrl,
          secret_store: 'file',
          passphrase: typed,
        },
        pathSeparator: '/',
      });
      expect(config?.env).toMatchObject({ COUNTERSIGN_PASSPHRASE: typed });
      const env = { ...bareEnvironment(home), ...config?.env, COUNTERSIGN_HOME: home };
      const speaker = speakTo(config?.command ?? '', config?.args ?? [], env);
      const { status } = await firstMinute(speaker);
      expect(JSON.stringify(status)).not.toContain(typed);
      await speaker.end();
      return Object(status).wallet;
    };
    expect(await walletWith(passphrase)).toBe(address);
    expect(await walletWith('another passphrase than that')).not.toBe(address);
  });
});

/** Header of a native file for each platform: format and processor. */
const HEADERS: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'linux-x64': (head) => head.toString('latin1', 1, 4) === 'ELF' && head[18] === 0x3e,
  'linux-arm64': (head) => head.toString('latin1', 1, 4) === 'ELF' && head[18] === 0xb7,
  'darwin-arm64': (head) => head.toString('hex', 0, 8) === 'cffaedfe0c000001',
  'darwin-x64': (head) => head.toString('hex', 0, 8) === 'cffaedfe07000001',
  'win32-x64': (head) => head.includes(Buffer.from('PE\0\0\x64\x86', 'latin1')),
};

function headOf(path: string): Buffer {
  const head = Buffer.alloc(1024);
  const file = openSync(path, 'r');
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  return head;
}

describe('bundles for all platforms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bundles-'));
  const here = `${process.platform}-${process.arch}`;
  /** `npm run exhaustive` checks all five; the suite checks this machine's and the one without the sandbox. */
  const platforms = EXHAUSTIVE ? Object.keys(HEADERS) : [here, 'win32-x64'];
  const fileOf = (platform: string, place = 'out'): string =>
    join(folder, place, `${own.name}-${own.version}-${platform}.mcpb`);
  const pack = (place: string, names: readonly string[] = []): void =>
    void execFileSync(process.execPath, ['scripts/pack.mjs', '--out', join(folder, place), ...names], {
      stdio: 'pipe',
    });
  const unpacked = (platform: string): string => join(folder, platform);
  const manifestOf = (platform: string) =>
    v0_3.McpbManifestSchema.parse(
      JSON.parse(readFileSync(join(unpacked(platform), 'manifest.json'), 'utf8')),
    );
  beforeAll(async () => {
    pack('out', platforms);
    for (const each of platforms) {
      const opened = { mcpbPath: fileOf(each), outputDir: unpacked(each), silent: true };
      if (!(await unpackExtension(opened))) throw new Error(`the bundle of ${each} does not open`);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(platforms)('%s: contains the native code of that platform only', (platform) => {
    const files = readdirSync(unpacked(platform), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const natives = files.filter((file) => /\.(node|dll|so|dylib)$/.test(file));
    for (const file of natives) expect(HEADERS[platform]?.(headOf(file)), file).toBe(true);
    const packages = natives.map((file) => relative(join(unpacked(platform), 'node_modules'), file));
    const expected = ['@libsql/', '@napi-rs/keyring-', ...(platform === 'win32-x64' ? [] : ['litesvm-'])];
    expect(packages.map((file) => expected.find((name) => file.startsWith(`${name}${platform}`)))).toEqual(
      expected,
    );
  });

  it.each(platforms)(
    '%s: names its system, has an icon and contains no build artefacts of this machine',
    (platform) => {
      const written = manifestOf(platform);
      expect(written.compatibility?.platforms).toEqual([platform.split('-')[0]]);
      expect(written.user_config?.mode?.default).toBe(platform === 'win32-x64' ? 'live' : 'sandbox');
      const icon = headOf(join(unpacked(platform), written.icon ?? ''));
      expect(icon.toString('latin1', 1, 4)).toBe('PNG');
      expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512]);
      expect(readdirSync(unpacked(platform)).sort()).toEqual([
        'LICENSE',
        'README.md',
        'dist',
        'docs',
        'manifest.json',
        'node_modules',
        'package.json',
      ]);
      const names = readdirSync(unpacked(platform), { recursive: true }).map(String);
      expect(names.filter((name) => /\.cache$|\.map$|\.bin$/.test(name))).toEqual([]);
    },
  );

  if (EXHAUSTIVE)
    it('are reproducible byte for byte', () => {
      pack('again', [here]);
      expect(readFileSync(fileOf(here, 'again')).equals(readFileSync(fileOf(here)))).toBe(true);
    });

  it('for this machine serves and executes a plan from an empty folder, with only Node on its path', async () => {
    const node = join(folder, 'only-node');
    mkdirSync(node);
    symlinkSync(process.execPath, join(node, 'node'));
    // Client configuration with every setting at its default.
    const config = await getMcpConfigForManifest({
      manifest: manifestOf(here),
      extensionPath: unpacked(here),
      systemDirs: {},
      userConfig: {},
      pathSeparator: '/',
    });
    if (config?.args === undefined) throw new Error('the client would not start it');
    const env = { ...bareEnvironment(join(folder, 'home')), ...config.env, PATH: node };
    expect(Object.values(env).join(' ')).not.toContain('${');
    const speaker = speakTo(config.command, config.args, env);
    const { tools, status, wallet } = await firstMinute(speaker);
    expect(tools).toEqual(manifest.tools?.map(({ name }) => name));
    expect(status).toMatchObject({ mode: 'sandbox', service: 'answering' });
    expect(wallet).toMatchObject({ lamports: expect.stringMatching(/^[1-9]\d+$/) });
    expect(await firstPlan(speaker)).toBe('complete');
    expect(await speaker.end()).toBe(0);
  });
});

describe('the registry entry', () => {
  it("describes this package and version, within the registry's limits", () => {
    expect(server.name).toBe(own.mcpName);
    expect(server.version).toBe(own.version);
    expect(server.packages[0]).toMatchObject({ identifier: own.name, version: own.version });
  });

  it('starts the server', () => {
    expect(server.packages[0]?.packageArguments).toEqual([{ type: 'positional', value: 'serve' }]);
  });

  it('defaults to an offered choice', () => {
    for (const { choices, default: preset } of server.packages[0]?.environmentVariables ?? [])
      if (preset !== undefined) expect(choices).toContain(preset);
  });

  it('names only variables the server reads, and marks the secret ones', () => {
    const variables = server.packages.flatMap(({ environmentVariables }) => environmentVariables);
    expect(variables.filter(({ name }) => !known.includes(name))).toEqual([]);
    expect(variables.filter(({ isSecret }) => isSecret === true).map(({ name }) => name)).toEqual([
      'COUNTERSIGN_RPC_URL',
      'COUNTERSIGN_PASSPHRASE',
      'COUNTERSIGN_API_KEY',
      'COUNTERSIGN_JWT',
    ]);
  });
});
