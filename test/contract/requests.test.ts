import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues, ENDPOINT_NAMES, endpoints } from '../../src/contract/index.ts';
import { problems, validRequests } from './validRequests.ts';

describe('every endpoint', () => {
  it.each(ENDPOINT_NAMES)('%s accepts its valid request unchanged', (name) => {
    expect(endpoints[name].request.parse(validRequests[name])).toEqual(validRequests[name]);
  });

  it.each(ENDPOINT_NAMES)('B01 %s refuses an unknown field and names it', (name) => {
    expect(problems(name, { ...validRequests[name], confirmed: true })).toEqual([
      ': Unrecognized key: "confirmed"',
    ]);
  });

  it.each(ENDPOINT_NAMES)('B02 %s refuses null and an array in place of its fields', (name) => {
    expect(problems(name, null)).not.toEqual([]);
    expect(problems(name, [])).not.toEqual([]);
  });

  it.each(ENDPOINT_NAMES)('B03 %s refuses keys that reach a prototype', (name) => {
    for (const key of ['__proto__', 'constructor']) {
      const request = JSON.parse(`{"${key}": {"polluted": true}}`);
      const merged = Object.assign(Object.create(null), validRequests[name]);
      Object.defineProperty(merged, key, { value: request[key], enumerable: true });
      expect(problems(name, merged).join()).toContain(`Unrecognized key: "${key}"`);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(ENDPOINT_NAMES)('%s disallows additional properties in JSON Schema', (name) => {
    const schema = z.toJSONSchema(endpoints[name].request, { io: 'input', unrepresentable: 'any' });
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('retries reads only, and treats every request without POST as a read', () => {
    for (const name of ENDPOINT_NAMES) {
      const { method, retry, effect } = endpoints[name];
      expect([name, method === 'GET']).toEqual([name, effect === 'read']);
      expect([name, retry === 'safe']).toEqual([name, method === 'GET']);
    }
  });

  it('names for every write how to find out whether it happened', () => {
    const writes = ENDPOINT_NAMES.filter((name) => endpoints[name].effect === 'write');
    expect(writes).toContain('createAgentKey');
    for (const name of writes)
      expect(endpoints[name]).toHaveProperty('reconcile', expect.stringMatching(/\w/));
  });

  it('B02 names the path of a missing field', () => {
    const { payer: _, ...rest } = validRequests.feeShareConfig;
    expect(problems('feeShareConfig', rest)).toEqual([expect.stringMatching(/^payer: .*received undefined/)]);
  });
});

describe('whole numbers', () => {
  it.each([
    ['infinity from 1e400', JSON.parse('1e400')],
    ['not a number', Number.NaN],
    ['minus zero', -0],
    ['a fraction', 1.5],
    ['text', '50'],
    ['a boolean', true],
  ])('B04 B44 refuses %s as a limit', (_, limit) => {
    expect(problems('evmTrades', { ...validRequests.evmTrades, limit })).toEqual([
      'limit: must be a whole number from 1 to 200',
    ]);
  });
});

describe('problem descriptions', () => {
  it('name nested fields, cap the list and never repeat a value', () => {
    const request = {
      ...validRequests.feeShareConfig,
      feeLimits: [{ asset: { mint: 'SECRETVALUE' } }],
      a: 1,
    };
    const result = endpoints.feeShareConfig.request.safeParse(request);
    const sentence = describeIssues(result.error?.issues ?? [], 2);
    expect(sentence).toContain('feeLimits[0].asset.mint: must be a base58 public key');
    expect(sentence).toMatch(/; and \d more$/);
    expect(sentence).not.toContain('SECRETVALUE');
  });
});
