/** Shorthands for plans parsed from answers. */
import { expect } from 'vitest';
import { type PlanInput, planFromAnswer } from '../../src/plan/fromAnswer.ts';
import { PlanError } from '../../src/plan/readAnswer.ts';
import type { Plan } from '../../src/plan/types.ts';
import { configAnswer, configRequest, NETWORK, WALLET } from './answers.ts';

/** Parses an answer as the plan of a request. */
export const read = (
  endpoint: string,
  request: PlanInput['request'],
  answer: unknown,
  more: Partial<PlanInput> = {},
) =>
  planFromAnswer({
    endpoint,
    request,
    answer,
    mode: 'live',
    network: NETWORK,
    wallet: WALLET,
    now: 1000,
    ...more,
  });

/** Parses an answer that must contain a plan. */
export function plan(...args: Parameters<typeof read>): Plan {
  const result = read(...args);
  if (result === null) throw new Error('no plan');
  return result;
}
/** The plan of a config answer. */
export const config = (answerPlan: unknown, more = {}) =>
  plan('feeShareConfig', configRequest, configAnswer(answerPlan, more));
/** Expects that parsing fails. */
export const refuses = (make: () => unknown, message: RegExp) => {
  expect(make).toThrow(PlanError);
  expect(make).toThrow(message);
};
