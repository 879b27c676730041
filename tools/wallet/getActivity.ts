import { z } from 'zod';
import { integer, WRAPPED_SOL } from '../../src/contract/index.ts';
import { amountLine, moved } from '../amounts.ts';
import { joinLines, line, whole } from '../resultText.ts';
import { fitting, ParamOffset } from '../rows.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { worthOf } from './worth.ts';

/** Default rows of each list. */
const FEW = 5;
const MANY = 100;
/** Maximum assets of a period. */
const MAX_ASSETS = 30;

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

/** A period's activity from the journal and the chain, and the wallet's worth by quotes of the service. */
export const getActivity = defineTool({
  name: 'get_activity',
  title: 'Get activity',
  domain: 'wallet',
  effect: 'read',
  description:
    'A period: plans by outcome, what moved, costs, what is pending, worth in SOL by quotes. One plan: get_plan.',
  input: z.strictObject({
    hours: integer(1, 8760, 'Period up to now. Default 24.').nullish(),
    offset: ParamOffset,
    worth: z.boolean().describe('Quote tokens held. Default: without an offset.').nullish(),
    detail: z.boolean().describe('Up to 100 plans instead of 5.').nullish(),
  }),
  output: z.looseObject({
    from: z.string(),
    to: z.string(),
    outcomes: z.record(z.string(), z.number()),
    changes: z.array(amount),
    otherAssets: z.number().optional(),
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
    const isValued = worth ?? (offset ?? 0) === 0;
    return {
      ...bounded(period, offset ?? 0),
      ...(isValued ? { worth: await worthOf(context, WRAPPED_SOL) } : {}),
    };
  },
  text: ({ from, to, outcomes, changes, otherAssets, cost, nextOffset, more, unknown, worth, ...lists }) =>
    joinLines(
      nextOffset !== undefined && whole({ nextOffset, more }),
      `From ${from} to ${to}: ${Object.keys(outcomes).length === 0 ? 'no plans' : line(outcomes)}.`,
      moved(changes, cost),
      otherAssets !== undefined && `Further assets that moved: ${otherAssets}. Fewer hours show them.`,
      cost.serviceFees.length > 0 &&
        `Of it, fees of the service as it stated them: ${amountLine(cost.serviceFees)}.`,
      unknown !== undefined &&
        `Of ${unknown} more landed transactions the chain does not tell (any more) what they moved.`,
      lists.happened.length > 0 ? whole({ happened: lists.happened }) : 'Nothing happened.',
      lists.pending.length > 0 ? whole({ pending: lists.pending }) : 'Nothing is pending.',
      worth && `Worth, in SOL by what a sale would bring now: ${whole(worth)}`,
    ),
});

type Period = Awaited<ReturnType<ToolContext['plans']['activity']>>;

/** Cuts both lists of a period to one page, with a cursor. */
function bounded(period: Period, offset: number): Period & { otherAssets?: number } {
  const { happened, pending, changes, cost, nextOffset: _, more, ...rest } = period;
  const rows = Math.max(happened.length, pending.length);
  const count = fitting(
    Array.from({ length: rows }, (__, at) => ({ happened: happened[at], pending: pending[at] })),
  );
  const left = {
    happened: (more?.happened ?? 0) + Math.max(0, happened.length - count),
    pending: (more?.pending ?? 0) + Math.max(0, pending.length - count),
  };
  return {
    ...(left.happened + left.pending === 0 ? {} : { nextOffset: offset + count, more: left }),
    ...rest,
    changes: changes.slice(0, MAX_ASSETS),
    ...(changes.length > MAX_ASSETS ? { otherAssets: changes.length - MAX_ASSETS } : {}),
    cost: { ...cost, serviceFees: cost.serviceFees.slice(0, MAX_ASSETS) },
    happened: happened.slice(0, count),
    pending: pending.slice(0, count),
  };
}
