import { z } from 'zod';
import { amountOfAsset } from '../../src/base/format.ts';
import { integer } from '../../src/contract/index.ts';
import { checkName } from '../../src/policy/decide/words/names.ts';
import { explained } from '../../src/presentation/decisions/explain.ts';
import { ParamPlanId } from '../plan/planId.ts';
import { heading, joinLines, line } from '../resultText.ts';
import { fitting } from '../rows.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;

const check = z.object({
  id: z.string(),
  check: z.string(),
  ok: z.boolean(),
  observed: z.string().optional(),
  allowed: z.string().optional(),
});

const limit = z.object({
  limitId: z.string(),
  asset: z.string().optional(),
  decimals: z.number().optional(),
  amount: z.string(),
  usedBefore: z.string(),
  max: z.string(),
});

const row = z.object({
  sequence: z.number(),
  time: z.string(),
  planId: z.string(),
  stageId: z.string(),
  purpose: z.string(),
  decision: z.object({
    effect: z.string(),
    binding: z.string(),
    reasonCodes: z.array(z.string()).readonly(),
    explain: z.string(),
    remedy: z.string().optional(),
    checks: z.array(check).readonly().optional(),
    limits: z.array(limit).readonly().optional(),
  }),
});

/** Rows of the hash-chained decision record, newest first; with `detail` all checks and limits. */
export const listDecisions = defineTool({
  name: 'list_decisions',
  title: 'List decisions',
  domain: 'wallet',
  effect: 'read',
  description:
    'Recorded policy decisions, newest first: what was allowed, asked or refused, and why. For detail name a planId.',
  input: z.strictObject({
    planId: ParamPlanId.describe('Only this plan.').nullish(),
    effect: z.enum(['allow', 'require_approval', 'deny']).describe('Only this outcome.').nullish(),
    limit: integer(1, 100, 'Default 20, with detail 3.').nullish(),
    before: integer(1, Number.MAX_SAFE_INTEGER, 'Only rows below this sequence.').nullish(),
    detail: z.boolean().describe('Checks and limits too.').nullish(),
  }),
  output: z.looseObject({
    nextBefore: z.number().nullable(),
    more: z.number().optional(),
    decisions: z.array(row),
  }),
  async run(input, { decisions }) {
    const most = input.limit ?? (input.detail === true ? 3 : DEFAULT_LIMIT);
    const filter = {
      ...(typeof input.planId === 'string' ? { planId: input.planId } : {}),
      ...(input.effect == null ? {} : { effect: input.effect }),
    };
    const rows = await decisions.list({
      ...filter,
      limit: most,
      ...(typeof input.before === 'number' ? { before: input.before } : {}),
    });
    const shown = rows.map(({ sequence, time, planId, stageId, purpose, decision }) => {
      const { effect, binding, reasonCodes, checks, limits } = decision;
      return {
        sequence,
        time: new Date(time).toISOString(),
        planId,
        stageId,
        purpose,
        decision: {
          effect,
          binding,
          reasonCodes,
          ...explained(decision),
          ...(input.detail === true
            ? { checks: failedFirst(checks).map((each) => ({ ...each, check: checkName(each) })), limits }
            : {}),
        },
      };
    });
    const page = shown.slice(0, fitting(shown));
    const isLast = page.length === rows.length && rows.length < most;
    const before = page.at(-1)?.sequence;
    const more = isLast || before === undefined ? 0 : await decisions.count({ ...filter, before });
    return {
      nextBefore: more === 0 ? null : (before ?? null),
      ...(more === 0 ? {} : { more }),
      decisions: page,
    };
  },
  text: ({ decisions, nextBefore, more }) =>
    joinLines(
      nextBefore !== null && line({ nextBefore, more }),
      heading(decisions.length, 'decision'),
      ...decisions.flatMap(({ sequence, time, planId, stageId, purpose, decision }) => [
        `- #${sequence} ${time} ${planId}/${stageId} (${purpose}): ${decision.effect}, ${decision.binding}${decision.reasonCodes.length > 0 ? ` [${decision.reasonCodes.join(', ')}]` : ''} ${decision.explain}`,
        decision.remedy === undefined ? undefined : `  ${decision.remedy}`,
        ...(decision.checks ?? []).map(checkLine),
        ...(decision.limits ?? []).map(({ limitId, amount, usedBefore, max, asset, decimals }) => {
          const words = (units: string) =>
            asset === undefined ? units : amountOfAsset(BigInt(units), asset, decimals);
          return `  limit ${limitId}: takes ${words(amount)}, used before ${words(usedBefore)}, at most ${words(max)}`;
        }),
      ]),
    ),
});

const failedFirst = <T extends { readonly ok: boolean }>(checks: readonly T[]): T[] =>
  checks.toSorted((one, other) => Number(one.ok) - Number(other.ok));

const checkLine = ({ check: name, ok, observed, allowed }: z.input<typeof check>): string =>
  `  ${ok ? 'holds' : 'FAILS'}: ${name}${observed === undefined ? '' : ` (${observed})`}${allowed === undefined ? '' : `; allowed: ${allowed}`}`;
