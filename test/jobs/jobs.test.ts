/**
 * Agents without a model do a day's jobs through the built command: one reads nothing but the text of a result, one nothing
 * but its structure. What the results cost in tokens is counted.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMS } from './agent.ts';
import { JOBS } from './jobs.ts';
import { BUDGET, type Done, workADay } from './working.ts';

describe.each(FORMS)('an agent that is shown only the %s of results', (form) => {
  let done: readonly Done[] = [];
  beforeAll(async () => {
    done = await workADay(form);
  });

  it.each(JOBS.map(({ what }) => what))('finishes %s', (what) => {
    expect(done.find((each) => each.what === what)).toEqual({ what, tokens: expect.any(Number) });
  });

  it(`does all of it for ${BUDGET} tokens of results`, () => {
    expect(done.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(BUDGET);
  });
});
