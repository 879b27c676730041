/** All protocol revisions and client libraries get the same tools and answers. */
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { select } from '../../src/server/catalogue.ts';
import { COMMAND, environment, object, spawnServer } from './spawned.ts';

const tools = select({}).map((each) => each.tool);
const names = tools.map((tool) => tool.name);
const badCall = { name: 'get_plan', arguments: { plan: 'x' } };
const goodCall = { name: 'get_status', arguments: {} };

const namesIn = (result: unknown): unknown[] => {
  const list: unknown = object(result).tools;
  return Array.isArray(list) ? list.map((tool) => object(tool).name) : [];
};

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('a client of %s', (version) => {
  test('initializes at its revision, lists, calls, and receives errors', async () => {
    const server = spawnServer();
    const hello = await server.initialize(version);
    expect(hello.protocolVersion).toBe(version);
    expect(hello.instructions).toContain('submit_plan');
    const list = await server.request('tools/list');
    expect(namesIn(list.result)).toEqual(names);
    const bad = object((await server.request('tools/call', badCall)).result);
    expect(bad).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_INPUT', mode: 'sandbox' },
    });
    const good = object((await server.request('tools/call', goodCall)).result);
    expect(good.isError).not.toBe(true);
    expect(good.structuredContent).toMatchObject({ mode: 'sandbox', service: 'answering' });
    expect(server.others).toEqual([]);
  });
});

describe('a client of 2026-07-28', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };

  test('discovers, lists and calls without a handshake', async () => {
    const server = spawnServer();
    const found = object((await server.request('server/discover', { _meta })).result);
    expect(found.supportedVersions).toContain('2026-07-28');
    expect(namesIn((await server.request('tools/list', { _meta })).result)).toEqual(names);
    const bad = object((await server.request('tools/call', { _meta, ...badCall })).result);
    expect(bad).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } });
    const good = object((await server.request('tools/call', { _meta, ...goodCall })).result);
    expect(good.structuredContent).toMatchObject({ mode: 'sandbox', service: 'answering' });
  });

  test('may discover first and then fall back to initialize', async () => {
    const server = spawnServer();
    await server.request('server/discover', { _meta });
    expect((await server.initialize('2025-06-18')).protocolVersion).toBe('2025-06-18');
    expect(namesIn((await server.request('tools/list')).result)).toEqual(names);
  });
});

describe('client libraries', () => {
  const start = () => ({
    command: process.execPath,
    args: [COMMAND, 'serve', '--sandbox'],
    env: environment(),
  });

  test('the first-generation SDK lists and calls, including errors', async () => {
    const client = new OldClient({ name: 'old', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(new OldTransport(start()));
    expect(namesIn(await client.listTools())).toEqual(names);
    // The client validates structured content, errors included, against the output schema.
    expect(await client.callTool(badCall)).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_INPUT' },
    });
    expect(await client.callTool(goodCall)).toMatchObject({ structuredContent: { service: 'answering' } });
  });

  test.each([
    ['by default', {}],
    ['choosing the revision itself', { versionNegotiation: { mode: 'auto' as const } }],
  ])('the second-generation SDK, %s, lists and calls', async (_, options) => {
    const client = new NewClient({ name: 'new', version: '1' }, options);
    onTestFinished(() => client.close());
    await client.connect(new NewTransport(start()));
    expect(namesIn(await client.listTools())).toEqual(names);
    expect(await client.callTool(badCall)).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_INPUT' },
    });
    expect(await client.callTool(goodCall)).toMatchObject({ structuredContent: { service: 'answering' } });
  });
});

describe('served tools', () => {
  test('--read-only serves reads only, and the reason for the missing ones', async () => {
    const server = spawnServer(['--read-only']);
    await server.initialize();
    const shown = namesIn((await server.request('tools/list')).result);
    expect(shown).toContain('get_plan');
    expect(shown).not.toContain('submit_plan');
    const refused = await server.request('tools/call', {
      name: 'submit_plan',
      arguments: { planId: 'plan-1' },
    });
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('--read-only') });
  });

  test('--toolsets serves its domains, also from the environment', async () => {
    const server = spawnServer([], { COUNTERSIGN_TOOLSETS: 'evm,admin' });
    await server.initialize();
    const shown = namesIn((await server.request('tools/list')).result);
    expect(shown).toEqual(expect.arrayContaining(['list_evm_trades', 'list_admin_tokens', 'submit_plan']));
    expect(shown).not.toContain('create_swap');
  });

  test('an unknown toolset ends the start with a message without a stack', async () => {
    const server = spawnServer(['--toolsets', 'fee']);
    expect(await server.ended).not.toBe(0);
    expect(server.stderr()).toMatch(/no toolset "fee".*fees/);
    expect(server.stderr()).not.toMatch(/\n\s+at /);
  });

  test('an unknown tool is an error that points to the list', async () => {
    const server = spawnServer();
    await server.initialize();
    const answer = await server.request('tools/call', { name: 'approve_plan', arguments: {} });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('approve_plan') });
  });

  test('the policy in force and resource templates can be read', async () => {
    const server = spawnServer();
    await server.initialize();
    const templates = object((await server.request('resources/templates/list')).result);
    expect(JSON.stringify(templates)).toContain('plan://{planId}/stages/{stageId}');
    const policy = object((await server.request('resources/read', { uri: 'policy://current' })).result);
    expect(JSON.stringify(policy)).toContain('policyHash');
    const missing = await server.request('resources/read', { uri: 'file:///etc/passwd' });
    expect(missing.error).toMatchObject({ message: expect.stringContaining('No such resource') });
    expect((await server.request('resources/subscribe', { uri: 'policy://current' })).error).toBeDefined();
  });
});
