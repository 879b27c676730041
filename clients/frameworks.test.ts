/**
 * Agent frameworks use the built server as their users would: each starts it, shows a scripted model its
 * tools, and makes the model's calls. The model has no other information.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import listed from '../src/server/catalogue.generated.json' with { type: 'json' };
import { aiSdk } from './frameworks/aiSdk.ts';
import { type Connection, type ShownTool, sandboxServer } from './frameworks/framework.ts';
import { langchain } from './frameworks/langchain.ts';
import { mastra } from './frameworks/mastra.ts';
import { mcpUse } from './frameworks/mcpUse.ts';
import { openaiAgents, openaiAgentsStructured } from './frameworks/openaiAgents.ts';

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** Every path of a schema that ends at a named argument: `feeLimits[].asset.mint`. */
function paths(schema: unknown, at = ''): string[] {
  const { properties, items, anyOf } = fields(schema);
  const inner = Object.entries(fields(properties)).flatMap(([name, value]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [path, ...paths(value, path)];
  });
  const listed = items === undefined ? [] : paths(items, `${at}[]`);
  const choices = Array.isArray(anyOf) ? anyOf.flatMap((choice) => paths(choice, at)) : [];
  return [...new Set([...inner, ...listed, ...choices])];
}

/** Returns objects without declared properties. A strict converter rejects one or strips it to `{}`. */
function unsaid(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, additionalProperties } = fields(schema);
  const bare = type === 'object' && properties === undefined && typeof additionalProperties !== 'object';
  return [
    ...(bare ? [at] : []),
    ...Object.entries(schema).flatMap(([name, value]) => unsaid(value, `${at}.${name}`)),
  ];
}

/** Returns the arguments for a strict model: every required one, `null` if absent. */
function withNulls(schema: unknown, args: unknown): unknown {
  const { anyOf, properties, required, items } = fields(schema);
  if (Array.isArray(anyOf)) return args === null ? null : withNulls(anyOf[0], args);
  if (Array.isArray(args)) return args.map((each) => withNulls(items, each));
  if (properties === undefined) return args;
  const given = fields(args);
  const names = new Set([...(Array.isArray(required) ? required : []), ...Object.keys(given)]);
  return Object.fromEntries(
    [...names].map((name) => [name, withNulls(fields(properties)[name], given[name] ?? null)]),
  );
}

/** Returns the rows of claimable fees from either form of the result. */
const rowsOf = (shown: string) =>
  shown
    .split(/(?=\btokenMint(?:":"| ))/)
    .slice(1)
    .map((row) => (name: string) => new RegExp(`\\b${name}(?:":"| )([^\\s"·]+)`).exec(row)?.[1] ?? '');

describe.each([openaiAgents, openaiAgentsStructured, mastra, mcpUse, langchain, aiSdk])(
  '$name',
  (framework) => {
    const home = mkdtempSync(join(tmpdir(), 'countersign-clients-'));
    let connection: Connection;
    let tools: readonly ShownTool[] = [];
    beforeAll(async () => {
      connection = await framework.connect(sandboxServer(home));
      tools = await connection.tools();
    });
    afterAll(async () => {
      await connection.close();
      rmSync(home, { recursive: true, force: true });
    });

    const call = (name: string, args: Fields = {}) => {
      const schema = tools.find((tool) => tool.name === name)?.parameters;
      return connection.call(name, framework.strict ? fields(withNulls(schema, args)) : args);
    };
    const land = async (built: string) => {
      const [planId = built] = /\bplan-[0-9a-f]{8,}/.exec(built) ?? [];
      return call('submit_plan', { planId, waitSeconds: 30 });
    };

    it('gives a model every tool with every argument, nested ones too', () => {
      expect(tools.map(({ name }) => name).sort()).toEqual(listed.map(({ tool }) => tool.name).sort());
      for (const { tool } of listed) {
        const parameters = tools.find(({ name }) => name === tool.name)?.parameters;
        expect(paths(parameters).sort(), tool.name).toEqual(paths(tool.inputSchema).sort());
        expect(unsaid(parameters, tool.name)).toEqual([]);
      }
      if (framework.strict) expect(tools.filter(({ strict }) => strict !== true)).toEqual([]);
    });

    it(`shows a model the ${framework.shows.join(' and the ')} of a result`, async () => {
      const shown = await call('list_claimable_positions');
      expect(/\n- tokenMint /.test(shown), shown).toBe(framework.shows.includes('text'));
      expect(/"tokenMint":"/.test(shown), shown).toBe(framework.shows.includes('structure'));
    });

    it('shows a model why a call is refused and what to do next', async () => {
      const shown = await call('get_launch_creators', { tokenMint: 'nope' });
      expect(shown).toMatch(/tokenMint: must be a base58 public key/);
      expect(shown).toMatch(/Correct the named arguments/);
    });

    it('claims from a source that a model names in a nested object, and lands the claim', async () => {
      const row = rowsOf(await call('list_claimable_positions')).find((each) => each('authority') !== '');
      const claim = await call('create_fee_claims', {
        tokenMint: row?.('tokenMint'),
        quoteMint: row?.('quoteMint'),
        source: { kind: 'holding', authority: row?.('authority') },
      });
      const landed = await land(claim);
      expect(landed).toMatch(/is complete|"status":"complete"/);
      expect(landed).toMatch(/\+0\.0\d+ SOL|"asset":"SOL","amount":"\+0\.0\d+"/);
    });

    it('has the items of feeLimits reach the service: it refuses under a low ceiling and builds under a high one', async () => {
      const shown = await call('list_claimable_positions');
      const claims = (row: (name: string) => string, basisPoints: number, maximumFeeRaw: string) => {
        const asset = { mint: row('quoteMint'), tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' };
        return call('create_fee_claims', {
          tokenMint: row('tokenMint'),
          quoteMint: row('quoteMint'),
          feeLimits: [{ asset, basisPoints, maximumFeeRaw }],
        });
      };
      const refused: string[] = [];
      for (const row of rowsOf(shown)) {
        if (!/the transfer fee in force is above the limit/.test(await claims(row, 1, '5'))) continue;
        refused.push(row('tokenMint'));
        const landed = await land(await claims(row, 10_000, '1000000000000'));
        expect(landed).toMatch(/is complete|"status":"complete"/);
      }
      expect(refused).toHaveLength(1);
    });

    it('builds a split among three from lists, and lands it', async () => {
      const wallet = /\baddress(?:":"| )(\w+)/.exec(await call('get_wallet'))?.[1] ?? '';
      const ada = /\bwallet(?:":"| )(\w+)/.exec(
        await call('resolve_fee_share_wallet', { provider: 'twitter', username: '@Ada' }),
      );
      const bob = /\bwallet(?:":"| )(\w+)/.exec(
        await call('resolve_fee_share_wallet', { provider: 'github', username: 'bob' }),
      );
      const made = await call('create_token_info', {
        name: 'Lighthouse',
        symbol: 'LIGHT',
        description: 'a test',
        imageUrl: 'https://example.com/a.png',
      });
      const built = await call('create_fee_share_config', {
        tokenMint: /\btokenMint(?:":"| )(\w+)/.exec(made)?.[1],
        flow: 'damm_v2_direct',
        claimersArray: [wallet, ada?.[1], bob?.[1]],
        basisPointsArray: [5000, 3000, 2000],
        admin: wallet,
      });
      const landed = await land(built);
      expect(landed).toMatch(/is complete|"status":"complete"/);
      for (const share of ['50%', '30%', '20%']) expect(landed).toContain(share);
    });
  },
);
