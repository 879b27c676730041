import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, v0_3 } from '@anthropic-ai/mcpb';
import { describe, expect, it } from 'vitest';
import { OPTIONS, variableOf } from '../../src/cli/options.ts';
import { listed } from '../../src/server/catalogue.ts';
import { bareEnvironment, emptyFolder, firstMinute, speakTo } from './speaking.ts';

const manifest = v0_3.McpbManifestSchema.parse(JSON.parse(readFileSync('manifest.json', 'utf8')));
const server: {
  name: string;
  version: string;
  description: string;
  packages: {
    identifier: string;
    version: string;
    environmentVariables: { name: string; isSecret?: boolean }[];
  }[];
} = JSON.parse(readFileSync('server.json', 'utf8'));
const own: { name: string; version: string; mcpName: string } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** Variables that no option sets: the mode, and secrets, which have no option. */
const WITHOUT_OPTION = ['COUNTERSIGN_MODE', 'COUNTERSIGN_API_KEY', 'COUNTERSIGN_PASSPHRASE'];
const known = [...Object.keys(OPTIONS).map(variableOf), ...WITHOUT_OPTION];

describe('the bundle', () => {
  it('names every tool of the default catalogue, and only variables the server reads', () => {
    const tools = listed.filter(({ domain }) => domain !== 'legacy').map(({ tool }) => tool.name);
    expect(manifest.tools?.map(({ name }) => name)).toEqual(tools);
    expect(Object.keys(manifest.server.mcp_config.env ?? {}).filter((name) => !known.includes(name))).toEqual(
      [],
    );
    expect(manifest.version).toBe(own.version);
  });

  it('asks for secrets as secrets', () => {
    const secret = Object.entries(manifest.user_config ?? {}).filter(
      ([, { sensitive }]) => sensitive === true,
    );
    expect(secret.map(([name]) => name)).toEqual(['rpc_url', 'api_key']);
  });

  it('packs, unpacks into an empty folder and serves from there as a client would start it', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'countersign.mcpb');
    const unpacked = join(folder, 'unpacked');
    execFileSync(process.execPath, ['scripts/pack.mjs', file], { stdio: 'pipe' });
    expect(await unpackExtension({ mcpbPath: file, outputDir: unpacked, silent: true })).toBe(true);
    expect(readdirSync(unpacked).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'manifest.json',
      'node_modules',
      'package.json',
    ]);
    // What a client starts when its user left every setting at its default.
    const config = await getMcpConfigForManifest({
      manifest: v0_3.McpbManifestSchema.parse(
        JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')),
      ),
      extensionPath: unpacked,
      systemDirs: {},
      userConfig: {},
      pathSeparator: '/',
    });
    if (config?.args === undefined) throw new Error('the client would not start it');
    const env = { ...bareEnvironment(join(folder, 'home')), ...config.env };
    expect(Object.values(env).join(' ')).not.toContain('${');
    const speaker = speakTo(process.execPath, config.args, env);
    const { tools, status, wallet } = await firstMinute(speaker);
    expect(tools).toEqual(manifest.tools?.map(({ name }) => name));
    expect(status).toMatchObject({ mode: 'sandbox', service: 'answering' });
    expect(wallet).toMatchObject({ lamports: expect.stringMatching(/^[1-9]\d+$/) });
    expect(await speaker.end()).toBe(0);
  }, 180_000);
});

describe('the registry entry', () => {
  it('describes this package and this version, within the limits of the registry', () => {
    expect(server.name).toBe(own.mcpName);
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
    expect(server.version).toBe(own.version);
    expect(server.packages).toHaveLength(1);
    expect(server.packages[0]).toMatchObject({ identifier: own.name, version: own.version });
  });

  it('names only variables the server reads, and marks the secret ones', () => {
    const variables = server.packages.flatMap(({ environmentVariables }) => environmentVariables);
    expect(variables.filter(({ name }) => !known.includes(name))).toEqual([]);
    expect(variables.filter(({ isSecret }) => isSecret === true).map(({ name }) => name)).toEqual([
      'COUNTERSIGN_RPC_URL',
      'COUNTERSIGN_PASSPHRASE',
      'COUNTERSIGN_API_KEY',
    ]);
  });
});
