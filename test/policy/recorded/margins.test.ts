/** Maximum additional outflow in a simulation, to the lamport and base unit, as approved in approved/margins.txt. */
import { describe, expect, it } from 'vitest';
import { approvedMargins, decided, marginsOf } from './margins.ts';
import { STAGES, stage } from './stages.ts';

describe('a recorded stage at a higher cost', () => {
  it.each(STAGES)('is refused from the approved amount on: %s', (name) => {
    const known = approvedMargins(name);
    for (const margin of marginsOf(stage(name))) {
      const { most = '', reasons = [] } = known.get(margin.what) ?? {};
      expect([margin.what, decided(name, margin, BigInt(most)).effect]).not.toContain('deny');
      if (reasons.length > 0)
        expect([margin.what, ...decided(name, margin, BigInt(most) + 1n).reasonCodes]).toEqual([
          margin.what,
          ...reasons,
        ]);
      known.delete(margin.what);
    }
    expect(known).toEqual(new Map());
  });
});
