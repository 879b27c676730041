/** A day's jobs, done by one form of results: which were finished, and what each cost in tokens. */
import type { Form } from './agent.ts';
import { startDay } from './day.ts';
import { JOBS, type Known } from './jobs.ts';

/** The most tokens of results the jobs may cost together, in either form. */
export const BUDGET = 12_000;

export interface Done {
  /** The letter of the job, and what was asked for. */
  readonly what: string;
  /** Tokens (o200k) of the results the agent was shown. */
  readonly tokens: number;
  /** Why it was not finished. */
  readonly failure?: string;
}

export async function workADay(form: Form): Promise<readonly Done[]> {
  const day = await startDay(form);
  const known: Known = { wallet: '', ada: '', shared: '', half: '', three: {}, many: {} };
  const done: Done[] = [];
  try {
    for (const { what, run } of JOBS) {
      const before = day.agent.spent();
      const failure = await run(day, known).then(
        () => undefined,
        (error: Error) => error.message,
      );
      const tokens = day.agent.spent() - before;
      done.push({ what, tokens, ...(failure === undefined ? {} : { failure }) });
    }
  } finally {
    await day.close();
  }
  return done;
}
