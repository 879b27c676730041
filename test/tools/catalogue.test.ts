/** Tool catalogue: names, hints, descriptions, schemas, and its size in tokens. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { CONFIG_TYPES } from '../../src/contract/index.ts';
import { listed, select } from '../../src/server/catalogue.ts';
import { INSTRUCTIONS } from '../../src/server/guidance/instructions.ts';
import { catalogue } from '../../tools/index.ts';
import { DOMAINS, hints } from '../../tools/tool.ts';

const names = catalogue.map((tool) => tool.name);
const served = select({}).map((each) => each.tool);

const ORDER = `create_agent_key get_status create_token_info list_supported_quote_tokens create_damm_launch
  create_fee_share_damm_launch create_curve_launch get_launch_feed get_launch_creators create_fee_share_config
  update_fee_share_config resolve_fee_share_wallet list_claimable_positions create_fee_claims list_vault_claimables
  create_vault_claim list_deployer_claimables create_deployer_claims claim_all_fees list_claim_events get_swap_quote create_swap
  send unwrap_sol list_evm_trades list_evm_token_creations get_evm_creator_roster get_evm_creator_earnings
  start_incorporation list_incorporations review_plan submit_plan get_plan list_plans cancel_plan get_wallet get_policy list_decisions
  get_activity`.split(/\s+/);

/** Tools of toolsets that must be enabled explicitly. */
const ON_REQUEST =
  `reclaim_rent get_token_facts get_lifetime_fees list_creator_tokens list_top_tokens get_partner_stats
  list_admin_tokens`.split(/\s+/);

const EXTRA: string[] = [
  // Tools of the domain `extra`, one a line.
];

test('39 tools are served by default, in the order of the reference, and the others exist', () => {
  expect(served.map((tool) => tool.name)).toEqual(ORDER);
  expect(names).toEqual([...ORDER, ...EXTRA, ...ON_REQUEST]);
});

describe.each(listed.map(({ tool, domain, effect }) => [tool.name, { tool, domain, effect }] as const))(
  '%s',
  (name, each) => {
    const { tool } = each;
    test('has a plain name, a short title, and a complete description that names existing tools only', () => {
      expect(name).toMatch(
        /^((create|get|list|update|resolve|start|review|submit|cancel|reclaim|claim|unwrap)_[a-z_]+|send)$/,
      );
      expect(DOMAINS).toContain(each.domain);
      expect(tool.title.length).toBeLessThanOrEqual(50);
      expect(tool.description).toMatch(/^[A-Z].*\.$/);
      expect(tool.description.length).toBeLessThanOrEqual(320);
      const mentioned = tool.description.match(
        /\b(create|get|list|update|resolve|start|review|submit|cancel|reclaim)_[a-z_]+/g,
      );
      for (const other of mentioned ?? []) expect(names).toContain(other);
    });

    test('describes every argument', () => {
      const properties = tool.inputSchema.properties;
      for (const [argument, schema] of Object.entries(properties ?? {})) {
        expect(schema, argument).toMatchObject({ description: expect.stringMatching(/^.{3,130}\.$/) });
      }
    });

    test('requires no result field, so that no answer is lost to a schema', () => {
      expect(tool.outputSchema.type).toBe('object');
      expect(JSON.stringify(tool.outputSchema)).not.toMatch(/"required"|"additionalProperties"/);
    });
  },
);

test('has hints that follow from its effect', () => {
  const of = (effect: 'read' | 'write' | 'build' | 'submit') => hints({ effect });
  expect(of('read')).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  });
  expect(of('build')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  expect(of('write')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  expect(of('submit')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  for (const tool of catalogue) {
    const shown = listed.find((each) => each.tool.name === tool.name);
    expect(shown?.tool.annotations, tool.name).toEqual(hints(tool));
  }
  expect(catalogue.filter((tool) => tool.effect === 'submit').map((tool) => tool.name)).toEqual([
    'submit_plan',
  ]);
});

test('names that begin like a read are reads, and creating is never one', () => {
  for (const tool of catalogue) {
    const isReadName = /^(get|list|resolve|review)_/.test(tool.name);
    expect(tool.effect === 'read', tool.name).toBe(isReadName);
  }
});

test('each tool for one kind of claim names its list or claim, and the tool that claims all', () => {
  const kinds = [
    ['list_claimable_positions', 'create_fee_claims'],
    ['list_vault_claimables', 'create_vault_claim'],
    ['list_deployer_claimables', 'create_deployer_claims'],
  ] as const;
  const describes = (name: string) => catalogue.find((tool) => tool.name === name)?.description;
  for (const [list, claim] of kinds) {
    expect(describes(list)).toContain(claim);
    for (const name of [list, claim]) expect(describes(name)).toContain('claim_all_fees');
  }
});

test('every result with a plan has its schema, and submit_plan describes its fields', () => {
  for (const { tool, effect } of listed) {
    if (effect === 'build' || ['review_plan', 'get_plan'].includes(tool.name))
      expect(tool.outputSchema.properties, tool.name).toMatchObject({ plan: {} });
    if (effect === 'submit')
      expect(tool.outputSchema.properties, tool.name).toMatchObject({
        plan: { properties: { planId: {}, status: {}, next: {}, changes: {}, decision: {}, stages: {} } },
      });
  }
});

/** Returns the paths of objects without named fields in an input schema, at any depth. */
function unnamed(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => unnamed(value, `${at}.${key}`));
  const isOpen = Reflect.get(schema, 'type') === 'object' && !Reflect.get(schema, 'properties');
  return isOpen ? [at, ...inner] : inner;
}

test('every object in an argument names its fields, since strict converters refuse or empty others', () => {
  expect(unnamed({ items: { type: 'object' } }, 'x')).toEqual(['x.items']);
  for (const { tool } of listed) expect(unnamed(tool.inputSchema.properties, tool.name)).toEqual([]);
  const limits = listed.find(({ tool }) => tool.name === 'create_fee_claims')?.tool.inputSchema.properties;
  expect(limits).toMatchObject({
    feeLimits: {
      items: {
        properties: {
          asset: { properties: { mint: {}, tokenProgram: {} } },
          basisPoints: {},
          maximumFeeRaw: {},
        },
      },
    },
  });
});

test('the initial context of a client, names and instructions, costs at most 480 tokens', () => {
  const start = [...served.map((tool) => tool.name), INSTRUCTIONS].join('\n');
  expect(encode(start).length).toBeLessThanOrEqual(480);
});

test('the default catalogue costs at most 8000 tokens, a median of 230 a tool, and 650 for the largest', () => {
  const each = served.map((tool) => encode(JSON.stringify(tool)).length).sort((a, b) => a - b);
  expect(encode(JSON.stringify(served)).length).toBeLessThanOrEqual(8000);
  expect(each[each.length >> 1]).toBeLessThanOrEqual(230);
  expect(each.at(-1)).toBeLessThanOrEqual(650);
});

test('the instructions cost at most 400 tokens and name existing tools only', () => {
  expect(encode(INSTRUCTIONS).length).toBeLessThanOrEqual(400);
  for (const name of INSTRUCTIONS.match(/\b(create|get|list|submit|review)_[a-z_]+[a-z]/g) ?? [])
    expect(names).toContain(name);
});

test('limits of lists and texts are published', () => {
  const of = (name: string) => listed.find(({ tool }) => tool.name === name)?.tool.inputSchema.properties;
  expect(of('create_fee_share_config')).toMatchObject({
    claimersArray: { maxItems: 100 },
    basisPointsArray: { maxItems: 100 },
    feeLimits: { maxItems: 4 },
    additionalLookupTables: { maxItems: 8 },
  });
  for (const { label } of Object.values(CONFIG_TYPES))
    expect(of('create_fee_share_config')).toMatchObject({
      serviceConfigType: { description: expect.stringContaining(label) },
    });
  expect(of('create_agent_key')).toMatchObject({ name: { maxLength: 255 } });
  expect(of('create_curve_launch')).toMatchObject({ tokenMetadata: { maxLength: 200 } });
  expect(of('list_evm_trades')).toMatchObject({ limit: { maximum: 200 } });
});
