/** Runs a day's jobs with one form of results: completed jobs and their token cost. */
import type { Form } from './agent.ts';
import { startDay } from './day.ts';
import { FURTHER } from './further.ts';
import { JOBS, type Job, type Known } from './jobs.ts';

/** Token budget of a day's results, in either form. */
export const BUDGET = 12_000;

export interface Done {
  /** Letter and description of the job. */
  readonly label: string;
  /** Tokens (o200k) of the results. */
  readonly tokens: number;
  /** Number of tool calls. */
  readonly calls: number;
  /** Failure, if not finished. */
  readonly failure?: string;
}

export async function playWorkday(form: Form): Promise<{ day: readonly Done[]; further: readonly Done[] }> {
  const day = await startDay(form);
  const known: Known = { wallet: '', ada: '', shared: '', half: '', curve: '', three: {}, many: {} };
  const all = async (jobs: readonly Job[]): Promise<readonly Done[]> => {
    const done: Done[] = [];
    for (const { label, run } of jobs) {
      const [tokens, calls] = [day.agent.spent(), day.agent.calls()];
      const failure = await run(day, known).then(
        () => undefined,
        (error: Error) => error.message,
      );
      const cost = { tokens: day.agent.spent() - tokens, calls: day.agent.calls() - calls };
      done.push({ label, ...cost, ...(failure === undefined ? {} : { failure }) });
    }
    return done;
  };
  try {
    return { day: await all(JOBS), further: await all(FURTHER) };
  } finally {
    await day.close();
  }
}
