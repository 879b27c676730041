/**
 * How much more than the honest stage a simulation may show leaving: to the lamport and to the base unit, as it was read and
 * approved in approved/margins.json.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decided, type Most, marginsOf } from './margins.ts';
import { STAGES, stage } from './stages.ts';

const approved: Record<string, Record<string, Most>> = JSON.parse(
  readFileSync('test/policy/recorded/approved/margins.json', 'utf8'),
);

describe('a recorded stage that costs more than it did', () => {
  it.each(STAGES)('is refused from the approved amount on: %s', (name) => {
    const known = { ...approved[name] };
    for (const margin of marginsOf(stage(name))) {
      const { most = '', reasons = [] } = known[margin.what] ?? {};
      expect([margin.what, decided(name, margin, BigInt(most)).effect]).not.toContain('deny');
      if (reasons.length > 0)
        expect([margin.what, ...decided(name, margin, BigInt(most) + 1n).reasonCodes]).toEqual([
          margin.what,
          ...reasons,
        ]);
      delete known[margin.what];
    }
    expect(known).toEqual({});
  });
});
