import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { bareEnvironment, firstMinute, speakTo } from './speaking.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tarball-'));
const app = join(folder, 'app');
const command = join(app, 'node_modules', '.bin', 'countersign');
const env = bareEnvironment(join(folder, 'home'));
const npm = (args: string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly unknown[];
    readonly licenses?: readonly unknown[];
    readonly properties: readonly { readonly value: string }[];
  }[];
}
let packed: string[] = [];
let tarball = '';

describe('the package as npm installs it', () => {
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/types.mjs'], { stdio: 'pipe' });
    const [{ filename, files }] = JSON.parse(
      npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd()),
    );
    packed = files.map(({ path }: { path: string }) => path);
    tarball = join(folder, filename);
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{ "private": true }');
    npm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], app);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the built command and the documents, and no artefacts of one machine', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'dist/countersign.js',
        'dist/start.cjs',
        'README.md',
        'LICENSE',
        'docs/tools.md',
      ]),
    );
    const made = /\.cache$|^(src|test|tools|scripts|node_modules)\//;
    expect(packed.filter((path) => made.test(path))).toEqual([]);
    // Only examples contain sources; dist/ is built.
    expect(packed.filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith('examples/'))).toEqual([]);
  });

  it('contains every page and picture its documents link to', () => {
    const pages = packed.filter((path) => path.endsWith('.md'));
    const links = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, to = '']) =>
        posix.normalize(posix.join(posix.dirname(page), to)),
      ),
    );
    expect(links.length).toBeGreaterThan(20);
    const holds = (to: string): boolean =>
      packed.some((path) => path === to || path.startsWith(`${to.replace(/\/$/, '')}/`));
    expect(links.filter((to) => !holds(to))).toEqual([]);
  });

  it('installs native code, its loader, and zod for its types only', () => {
    const { packages }: { packages: Record<string, unknown> } = JSON.parse(
      readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'),
    );
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''));
    const native = /-(?:darwin|linux|freebsd|win32)-|^@libsql\//;
    expect(names.filter((name) => !native.test(name)).sort()).toEqual([
      '@napi-rs/keyring',
      '@neon-rs/load',
      'countersign',
      'detect-libc',
      'libsql',
      'zod',
    ]);
    expect(names.length).toBeLessThanOrEqual(60);
  });

  it('starts from the bytecode cached by an earlier start, without compiling again', async () => {
    const bytecode = (): string[] => {
      const dist = join(app, 'node_modules/countersign/dist');
      const caches = readdirSync(dist).filter((name) => /^start-.*\.cache$/.test(name));
      // A rewritten file has a new inode, since the command renames it into place.
      return caches.map((name) => `${name} ${statSync(join(dist, name)).ino}`);
    };
    const start = async (): Promise<void> => {
      const server = speakTo(command, ['serve', '--sandbox'], env);
      await server.ask('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      });
      await server.ask('tools/list');
      expect(await server.end()).toBe(0);
    };
    await start();
    const left = bytecode();
    expect(left).toHaveLength(1);
    await start();
    expect(bytecode()).toEqual(left);
  });

  it('passes publint', async () => {
    const { messages } = await publint({
      pkgDir: join(app, 'node_modules/countersign'),
      level: 'suggestion',
      strict: true,
      pack: false,
    });
    expect(messages).toEqual([]);
  });

  // Second build, for `npm run exhaustive` only.
  if (EXHAUSTIVE)
    it('is byte-identical when packed from another checkout of the same commit', () => {
      // Beside this one, since the build moves its output within one file system.
      mkdirSync('reports', { recursive: true });
      const other = mkdtempSync(resolve('reports', 'checkout-'));
      onTestFinished(() => rmSync(other, { recursive: true, force: true }));
      const mine = ['node_modules', 'dist', 'reports', 'coverage', '.git'];
      for (const name of readdirSync('.').filter((each) => !mine.includes(each)))
        cpSync(name, join(other, name), { recursive: true });
      symlinkSync(resolve('node_modules'), join(other, 'node_modules'), 'dir');
      const again = join(other, 'packed');
      mkdirSync(again);
      for (const script of ['scripts/build.mjs', 'scripts/types.mjs'])
        execFileSync(process.execPath, [script], { cwd: other, stdio: 'pipe' });
      npm(['pack', '--ignore-scripts', '--pack-destination', again], other);
      const [name = ''] = readdirSync(again);
      expect(readFileSync(join(again, name)).equals(readFileSync(tarball))).toBe(true);
    });

  it('contains a bill of materials: every bundled or installed package, with licence and hash', () => {
    const installed = join(app, 'node_modules', 'countersign', 'dist');
    const bill: Bill = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(
      bill.components.filter(({ hashes, licenses }) => hashes?.length !== 1 || licenses?.length !== 1),
    ).toEqual([]);
    const { packages }: { packages: Record<string, { version: string }> } = JSON.parse(
      readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'),
    );
    const listed = bill.components.map(({ name, version }) => `${name} ${version}`);
    const brought = Object.entries(packages)
      .map(([path, { version }]) => `${path.replace('node_modules/', '')} ${version}`)
      .filter((name) => !name.startsWith('countersign '));
    expect(brought.filter((name) => !listed.includes(name))).toEqual([]);
    // Bundled, hence absent from the user's lock file.
    const bundled = bill.components.filter(({ properties }) => properties[0]?.value === 'true');
    expect(bundled.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        '@modelcontextprotocol/server',
        '@solana/kit',
        'age-encryption',
        'viem',
        'hono',
      ]),
    );
    const licences = readFileSync(join(installed, 'licenses.txt'), 'utf8');
    for (const { name, version } of bundled) expect(licences).toContain(`\n${name} ${version}\n`);
  });

  it('needs no install script', () => {
    expect(readdirSync(join(app, 'node_modules'))).toContain('countersign');
    const version = execFileSync(command, ['--version'], { encoding: 'utf8', env, cwd: folder });
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves a bare client, native code included', async () => {
    const speaker = speakTo(command, ['serve'], env);
    const { tools, status, wallet } = await firstMinute(speaker);
    expect(tools).toHaveLength(39);
    expect(status).toMatchObject({ mode: 'sandbox', service: 'answering' });
    expect(wallet).toHaveProperty('address');
    expect(await speaker.end()).toBe(0);
  });

  it('serves the SDK client of version 1', async () => {
    const client = new ClientV1({ name: 'v1', version: '1' });
    await client.connect(new StdioV1({ command, args: ['serve'], env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(39);
    expect(await client.callTool({ name: 'get_policy', arguments: {} })).toMatchObject({
      structuredContent: { mode: 'sandbox', policyId: expect.any(String) },
    });
  });

  it('serves the SDK client of version 2', async () => {
    const client = new Client({ name: 'v2', version: '1' });
    await client.connect(new StdioClientTransport({ command, args: ['serve'], env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(39);
    expect((await client.listPrompts()).prompts).toHaveLength(5);
    const { structuredContent } = await client.callTool({ name: 'list_plans', arguments: {} });
    expect(structuredContent).toMatchObject({ mode: 'sandbox', plans: [] });
  });

  it('is also a library, with types a strict compiler accepts', () => {
    const program = [
      "import { type Countersign, createCountersign, policyTemplate, type ToolResult } from 'countersign';",
      'const countersign: Countersign = createCountersign({ readOnly: true });',
      "const result: ToolResult = await countersign.callTool('get_wallet', {}, { onProgress: ({ done }) => void done });",
      'const names: string[] = countersign.listTools().map((tool) => tool.name);',
      "const policy = policyTemplate('observer', { wallet: 'w', network: 'devnet' });",
      'console.log(JSON.stringify([names.length, result.structuredContent.mode, policy.id]));',
      'await countersign.close();',
      '// @ts-expect-error there is no such mode',
      "if (names.length === 0) createCountersign({ mode: 'pretend' });",
    ].join('\n');
    writeFileSync(join(app, 'use.mts'), program);
    const compile = (options: Record<string, unknown>, files: readonly string[]): void => {
      const shared = { module: 'nodenext', target: 'es2023', strict: true };
      const config = { compilerOptions: { ...shared, ...options }, files };
      writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(config));
      execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', app], {
        stdio: 'pipe',
      });
    };
    writeFileSync(
      join(app, 'types.mts'),
      [
        "import type { ApprovalView, Ledger, PolicyFile, SecretStore, WalletSigner } from 'countersign';",
        "import { Secret } from 'countersign';",
        "export const get: SecretStore['get'] = async () => Secret.fromText('an API key');",
        "export const rule: PolicyFile['rules'][number] = { id: 'a', operation: 'swap', effect: 'deny', why: 'b' };",
        'export const ask = (signer: WalletSigner): string => signer.address;',
        'export type Others = [ApprovalView, Ledger, SecretStore];',
        '// @ts-expect-error a rule says why it is there',
        "export const mute: PolicyFile['rules'][number] = { id: 'a', operation: 'swap', effect: 'deny' };",
      ].join('\n'),
    );
    // Once without Node types, and once with every declaration checked, ours and zod's.
    compile({ skipLibCheck: true, types: [], lib: ['es2023', 'dom'] }, ['use.mts']);
    const typeRoots = [resolve('node_modules/@types')];
    const thorough = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    compile({ ...thorough, skipLibCheck: false, lib: ['es2023'], types: ['node'], typeRoots }, [
      'use.mts',
      'types.mts',
    ]);
    const printed = execFileSync(process.execPath, [join(app, 'use.mjs')], {
      encoding: 'utf8',
      env,
      cwd: folder,
    });
    expect(JSON.parse(printed)).toEqual([expect.any(Number), 'sandbox', 'observer']);
  });
});
