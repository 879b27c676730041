import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, v0_3 } from '@anthropic-ai/mcpb';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPTIONS, variableOf } from '../../src/cli/options.ts';
import { listed } from '../../src/server/catalogue.ts';
import { bareEnvironment, emptyFolder, firstMinute, speakTo } from './speaking.ts';

const manifest = v0_3.McpbManifestSchema.parse(JSON.parse(readFileSync('manifest.json', 'utf8')));
const text = (limit: number) => z.string().min(1).max(limit);

/** What the registry's schema of 2025-12-11 asks of an entry, as far as this one uses it; strict, so that a slip shows. */
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
    expect(manifest).toMatchObject({ name: own.name, version: own.version, author: { name: own.author } });
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
    expect(server.version).toBe(own.version);
    expect(server.packages[0]).toMatchObject({ identifier: own.name, version: own.version });
  });

  it('starts the server', () => {
    expect(server.packages[0]?.packageArguments).toEqual([{ type: 'positional', value: 'serve' }]);
  });

  it('defaults to a choice it offers', () => {
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
    ]);
  });
});
