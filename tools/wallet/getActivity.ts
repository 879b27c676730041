import { z } from 'zod';
import { integer, WRAPPED_SOL } from '../../src/contract/index.ts';
import { amountLine, moved } from '../amounts.ts';
import { ParamOffset } from '../rows.ts';
import { line, say, whole } from '../say.ts';
import { defineTool } from '../tool.ts';
import { worthOf } from './worth.ts';

/** Lines of each list, unless more are asked for. */
const FEW = 5;
const MANY = 100;

const amount = z.object({
  asset: z.string(),
  symbol: z.string().optional(),
  amount: z.string().optional(),
  raw: z.string(),
});
const plan = z.object({
  planId: z.string(),
  at: z.string(),
  outcome: z.string(),
  asked: z.string(),
  why: z.string().optional(),
});

/** A period in one answer, from the journal and the chain; what the wallet is worth by quotes of the service. */
export const getActivity = defineTool({
  name: 'get_activity',
  title: 'Get activity',
  domain: 'wallet',
  effect: 'read',
  description:
    'A period: plans by outcome, what moved, costs, what is pending, and the worth of the wallet in SOL by quotes. One plan: get_plan.',
  input: z.strictObject({
    hours: integer(1, 8760, 'Period up to now. Default 24.').nullish(),
    offset: ParamOffset,
    worth: z.boolean().describe('Quote every token held. Default true.').nullish(),
    detail: z.boolean().describe('Up to 100 plans instead of 5.').nullish(),
  }),
  output: z.looseObject({
    from: z.string(),
    to: z.string(),
    outcomes: z.record(z.string(), z.number()),
    changes: z.array(amount),
    cost: z.object({
      networkFee: z.string(),
      newAccounts: z.string().optional(),
      serviceFees: z.array(amount),
    }),
    nextOffset: z.number().optional(),
    more: z.object({ happened: z.number(), pending: z.number() }).optional(),
    happened: z.array(plan),
    pending: z.array(plan),
    unknown: z.number().optional(),
    worth: z
      .object({
        sol: z.string(),
        total: z.string(),
        tokens: z.array(
          z.object({
            mint: z.string(),
            symbol: z.unknown().optional(),
            amount: z.unknown().optional(),
            worth: z.string().nullable(),
          }),
        ),
        unpriced: z.number().optional(),
      })
      .optional(),
  }),
  async run({ hours, offset, worth, detail }, context) {
    const period = await context.plans.activity({
      hours: hours ?? 24,
      most: detail === true ? MANY : FEW,
      offset: offset ?? 0,
    });
    return worth === false ? { ...period } : { ...period, worth: await worthOf(context, WRAPPED_SOL) };
  },
  text: ({ from, to, outcomes, changes, cost, nextOffset, more, happened, pending, unknown, worth }) =>
    say(
      nextOffset !== undefined && whole({ nextOffset, more }),
      `From ${from} to ${to}: ${Object.keys(outcomes).length === 0 ? 'no plans' : line(outcomes)}.`,
      moved(changes, cost),
      cost.serviceFees.length > 0 &&
        `Of it, fees of the service as it stated them: ${amountLine(cost.serviceFees)}.`,
      unknown !== undefined &&
        `Of ${unknown} more landed transactions the chain does not tell (any more) what they moved.`,
      whole({ happened }),
      whole({ pending }),
      worth && `Worth, in SOL by what a sale would bring now: ${whole(worth)}`,
    ),
});
