import { describe, expect, it } from 'vitest';
import { canonicalJson, jsonDigest } from '../../src/base/canonicalJson.ts';
import fc from '../fc.ts';

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

describe('canonical JSON', () => {
  it('is the same JSON for equal values in any key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('omits undefined members and keeps the order of lists', () => {
    expect(canonicalJson({ b: [2, 1, undefined], a: undefined, c: null })).toBe('{"b":[2,1,null],"c":null}');
    expect(jsonDigest({ a: undefined })).toBe(jsonDigest({}));
  });

  it('throws for values JSON cannot represent exactly', () => {
    for (const value of [1n, Number.NaN, Number.POSITIVE_INFINITY, () => 0, Symbol('x')]) {
      expect(() => canonicalJson({ value })).toThrow(TypeError);
    }
  });
});
