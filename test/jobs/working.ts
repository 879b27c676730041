/** A day's jobs, done by one form of results: which were finished, and what each cost in tokens. */
import type { Form } from './agent.ts';
import { startDay } from './day.ts';
import { FURTHER } from './further.ts';
import { JOBS, type Job, type Known } from './jobs.ts';

/** The most tokens of results the jobs of a day may cost together, in either form. */
export const BUDGET = 12_000;

export interface Done {
  /** The letter of the job, and what was asked for. */
  readonly what: string;
  /** Tokens (o200k) of the results the agent was shown. */
  readonly tokens: number;
  /** Tools it called. */
  readonly calls: number;
  /** Why it was not finished. */
  readonly failure?: string;
}

export async function workADay(form: Form): Promise<{ day: readonly Done[]; further: readonly Done[] }> {
  const day = await startDay(form);
  const known: Known = { wallet: '', ada: '', shared: '', half: '', curve: '', three: {}, many: {} };
  const all = async (jobs: readonly Job[]): Promise<readonly Done[]> => {
    const done: Done[] = [];
    for (const { what, run } of jobs) {
      const [tokens, calls] = [day.agent.spent(), day.agent.calls()];
      const failure = await run(day, known).then(
        () => undefined,
        (error: Error) => error.message,
      );
      const cost = { tokens: day.agent.spent() - tokens, calls: day.agent.calls() - calls };
      done.push({ what, ...cost, ...(failure === undefined ? {} : { failure }) });
    }
    return done;
  };
  try {
    return { day: await all(JOBS), further: await all(FURTHER) };
  } finally {
    await day.close();
  }
}
