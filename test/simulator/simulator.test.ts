import { beforeAll, describe, expect, it } from 'vitest';
import { PAIRS } from '../execution/visited.ts';
import { KINDS } from './modelService.ts';
import { type Outcome, simulate } from './simulation.ts';

/** Lives that together contain every kind of plan; some are regressions. */
const SEEDS = [53, 58, 117, 118, 142, 892, 2201, 6342, 8721];

describe('simulated lives', () => {
  const outcomes: Outcome[] = [];
  beforeAll(async () => {
    for (const seed of SEEDS) outcomes.push(await simulate(seed));
  });

  it('execute every intent once, lose no row, and neither lose nor leak reservations', () => {
    for (const { seed, violations } of outcomes)
      expect({ seed, violations }).toEqual({ seed, violations: [] });
  });

  it('cover every kind of plan and more than one process each', () => {
    expect(new Set(outcomes.flatMap(({ kinds }) => kinds))).toEqual(new Set(KINDS));
    expect(outcomes.every(({ processes }) => processes >= 2)).toBe(true);
  });

  it('choose the next action only as in the table of a run', () => {
    const visited = new Set(outcomes.flatMap((each) => each.visited));
    expect(visited.size).toBeGreaterThan(50);
    expect([...visited].filter((pair) => !PAIRS.has(pair))).toEqual([]);
  });

  it('execute every plan on a chain twice as fast with an owner who takes twenty seconds, as on one of 400 ms', async () => {
    const person = { personMs: 20_000 };
    for (const seed of SEEDS.slice(0, 4)) {
      for (const slotMs of [400, 200]) {
        // Every intent that did not fail on chain must be complete, by the final invariants.
        const { violations, questions, statuses } = await simulate(seed, false, { ...person, slotMs });
        expect({ seed, slotMs, violations }).toEqual({ seed, slotMs, violations: [] });
        expect(questions).toBeGreaterThan(0);
        expect(statuses).toContain('complete');
      }
    }
  });

  it('replay to the last event from their seed alone', async () => {
    const [first] = outcomes;
    const again = await simulate(SEEDS[0] ?? 0);
    expect(again.events).toBeGreaterThan(100);
    expect(again).toEqual(first);
  });
});
