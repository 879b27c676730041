/** A day's jobs by agents without a model, one by the text of results and one by their structure: what got done, for how many tokens. */
import { FORMS } from '../test/jobs/agent.ts';
import { BUDGET, workADay } from '../test/jobs/working.ts';
import type { Ratio } from './measure.ts';

/** Prints each job with its tokens; a job that was not finished makes the day over budget. */
export async function benchJobs(): Promise<Ratio[]> {
  const results: Ratio[] = [];
  for (const form of FORMS) {
    const done = await workADay(form);
    for (const { what, tokens, failure } of done) {
      console.log(`     ${form}: ${failure === undefined ? 'finished' : 'FAILED'} ${tokens} tokens, ${what}`);
    }
    const finished = done.filter(({ failure }) => failure === undefined).length;
    const total = done.reduce((sum, { tokens }) => sum + tokens, 0);
    const counted = finished === done.length ? total : Number.POSITIVE_INFINITY;
    const of = `o200k tokens of results; ${finished} of ${done.length} jobs and wrong turns finished`;
    results.push({
      name: `jobs by ${form}`,
      of,
      median: counted,
      low: total,
      high: total,
      budget: BUDGET,
      unit: 'tokens',
    });
  }
  return results;
}
