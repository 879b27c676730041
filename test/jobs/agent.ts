/**
 * Scripted agent without a model. It receives one form of each result, the text or the structure, and has no other
 * source of information.
 */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Fields, McpProcess } from '../e2e/harness.ts';

/** Forms of a result that clients pass to their models. */
export const FORMS = ['text', 'structure'] as const;
export type Form = (typeof FORMS)[number];

/** Result in one form. */
export interface Seen {
  /** Returns the first value of a name. */
  value(name: string): string;
  /** Returns every value of a name, in order. */
  values(name: string): string[];
  /** The full content. */
  readonly shown: string;
  readonly isError: boolean;
}

/** Returns every value of a name, at any depth. */
function found(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && typeof inner !== 'object' ? [String(inner)] : found(inner, name),
  );
}

const READERS = {
  structure: (data: Fields) => ({
    shown: JSON.stringify(data),
    values: (name: string) => found(data, name),
  }),
  text: (_: Fields, text: string) => ({
    shown: text,
    values: (name: string) =>
      name === 'planId'
        ? [...text.matchAll(/\bplan-[0-9a-f]{8,}/g)].map(([id]) => id)
        : [...text.matchAll(new RegExp(`(?:^|[ .])${name} ([^\\s·]+)`, 'gm'))].map(([, value = '']) => value),
  }),
} as const;

export interface Agent {
  readonly form: Form;
  /** Returns the tokens of all results so far. */
  spent(): number;
  /** Returns the number of calls so far. */
  calls(): number;
  use(name: string, args?: Fields): Promise<Seen>;
  /** Submits a plan from its result until it has ended. */
  submit(built: Seen): Promise<Seen>;
  /** Submits a plan. Throws unless it lands. */
  land(built: Seen): Promise<Seen>;
  /** Registers a token. */
  token(symbol: string): Promise<Seen>;
}

/** Returns whether a result shows this plan status. */
export const hasStatus = (seen: Seen, status: string): boolean =>
  new RegExp(`\\bis ${status}\\b|"status":"${status}"`).test(seen.shown);

/** Random addresses differ in their number of tokens; each is replaced by `ADDRESS` before counting. */
const RANDOM_ADDRESS = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{43,44}(?![1-9A-HJ-NP-Za-km-z])/g;
const ADDRESS = '3ZPNJdbsrX5DgPPwi4954KnzUeS6QSjTE2PxMCrpyNCb';

export function agentOf(server: McpProcess, form: Form): Agent {
  let spent = 0;
  let calls = 0;
  const use = async (name: string, args: Fields = {}): Promise<Seen> => {
    const answer = await server.call(name, args);
    const { shown, values } = READERS[form](answer.data, answer.text);
    calls += 1;
    spent += encode(shown.replaceAll(RANDOM_ADDRESS, ADDRESS)).length;
    const value = (of: string) => {
      const [first] = values(of);
      if (first === undefined) throw new Error(`${name} does not say ${of}: ${shown}`);
      return first;
    };
    return { shown, values, value, isError: answer.isError };
  };
  const submit = async (built: Seen): Promise<Seen> => {
    const planId = built.value('planId');
    for (;;) {
      const seen = await use('submit_plan', { planId, waitSeconds: 30 });
      if (!hasStatus(seen, 'running') && !hasStatus(seen, 'waiting_setup')) return seen;
    }
  };
  return {
    form,
    spent: () => spent,
    calls: () => calls,
    use,
    submit,
    land: async (built) => {
      const seen = await submit(built);
      if (!hasStatus(seen, 'complete')) throw new Error(seen.shown);
      return seen;
    },
    token: (symbol) =>
      use('create_token_info', {
        name: symbol,
        symbol,
        description: 'a test',
        imageUrl: 'https://example.com/a.png',
      }),
  };
}
