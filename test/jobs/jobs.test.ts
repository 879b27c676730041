/**
 * Scripted agents do jobs through the built command, one from the text of results only, one from their structure only.
 * Counts the tokens of a day's results.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMS } from './agent.ts';
import { FURTHER } from './further.ts';
import { JOBS } from './jobs.ts';
import { BUDGET, type Done, playWorkday } from './working.ts';

it('there are 36 jobs with unique names', () => {
  expect(new Set([...JOBS, ...FURTHER].map(({ label }) => label)).size).toBe(36);
});

describe.each(FORMS)('an agent that sees only the %s of results', (form) => {
  let done: Awaited<ReturnType<typeof playWorkday>> = { day: [], further: [] };
  beforeAll(async () => {
    done = await playWorkday(form);
  });
  const of = (label: string): Done | undefined =>
    [...done.day, ...done.further].find((each) => each.label === label);

  it.each([...JOBS, ...FURTHER].map(({ label }) => label))('finishes %s', (label) => {
    expect(of(label)).toEqual({ label, tokens: expect.any(Number), calls: expect.any(Number) });
  });

  it('claims everything in at most three calls', () => {
    expect(of('f: claim everything')?.calls).toBeLessThanOrEqual(3);
  });

  it(`does all of a day for ${BUDGET} tokens of results`, () => {
    expect(done.day.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(BUDGET);
  });
});
