/**
 * Honest plans of every kind under a policy that asks about everything, with the number of questions each needs.
 * Between question and signature the blockhash expires and the service rebuilds the plan; a swap takes a new quote.
 */

import { keepQuote } from '../../src/execution/deciding/quotes.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { PlanView } from '../../src/presentation/planPort.ts';
import { Home } from '../execution/home.ts';
import { LEGITIMATE_KINDS, legitimate, type Request } from '../policy/legitimate.ts';
import { World } from '../policy/world.ts';
import { randomSource } from '../transaction/fuzz.ts';

export interface QuestionResult {
  /** Number of plans, of questions, and of plans by number of questions. */
  readonly counts: Record<string, number>;
  /** Plans with more than one question, or that did not complete. */
  readonly examples: unknown[];
}

/** A plan played to its end. */
export interface Played {
  readonly kind: string;
  /** The view before the first signature. */
  readonly built: PlanView;
  /** The view beside the question. */
  readonly submitted: PlanView;
  readonly answer: PlanView;
  readonly questions: readonly ApprovalRow[];
}

/** Additional observers, and a policy other than the one that asks about everything. */
export interface Playing {
  readonly watch?: (played: Played, home: Home) => Promise<void> | void;
  readonly policy?: (file: PolicyFile) => PolicyFile;
}

/** Exceeded only by a plan that hangs. */
const PATIENCE_S = 3_600;

const askAlways = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
});

/** Plays `count` requests, cycling through the kinds, on a fresh chain for every forty. */
export async function playApproved(
  seed: number,
  count: number,
  { watch, policy = askAlways }: Playing = {},
): Promise<QuestionResult> {
  const found: QuestionResult = { counts: { plans: 0, questions: 0 }, examples: [] };
  for (let done = 0; done < count; done += 40) {
    const home = await Home.start({ sandbox: { seed: `asks once ${seed} ${done}` }, policy });
    try {
      const [world, random] = [World.over(home.sandbox), randomSource(seed + done)];
      for (let i = done; i < Math.min(count, done + 40); i++) {
        const kind = LEGITIMATE_KINDS[i % LEGITIMATE_KINDS.length] ?? '';
        const request = { kind, ...(await legitimate(world, kind, random)) };
        const played = await playOne(home, world, request, random(3), found);
        await watch?.(played, home);
      }
    } finally {
      await home.close();
      await home.sandbox.close();
    }
  }
  return found;
}

async function playOne(
  home: Home,
  world: World,
  { kind, ...request }: Request & { readonly kind: string },
  age: number,
  { counts, examples }: QuestionResult,
): Promise<Played> {
  const count = (key: string, by = 1) => {
    counts[key] = (counts[key] ?? 0) + by;
  };
  const first = await built(home, world, request);
  const { planId } = first;
  const submitted = await home.submit(planId, PATIENCE_S);
  let answer = submitted;
  for (let rounds = 0; rounds < 4 && !hasLanded(answer); rounds++) {
    for (const { id } of await home.ledger.rows('approvals', { planId, state: 'pending' }))
      await home.ledger.answerApproval(id, { state: 'approved', channel: 'page' });
    // The transaction of the question stays valid, ages, or expires while the owner thinks.
    if (rounds === 0) home.sandbox.advanceSlots([0, 40, 200][age] ?? 0);
    answer = await home.submit(planId, PATIENCE_S);
    if (request.endpoint === 'tradeSwap' && !hasLanded(answer)) {
      const { request: quoted } = world.quoteOf(String(request.fields.requestId));
      await built(home, world, { endpoint: 'tradeSwap', fields: await world.quoted(quoted) });
      answer = await home.submit(planId, PATIENCE_S);
    }
  }
  const rows = await home.ledger.rows('approvals', { planId });
  count('plans');
  count('questions', rows.length);
  count(`${kind} asked ${rows.length}`);
  const played = { kind, built: first, submitted, answer, questions: rows };
  if (rows.length === 1 && hasLanded(answer)) return played;
  const { status, decision } = answer;
  examples.push({ kind, age, status, explain: decision.explain, questions: rows.length, request });
  return played;
}

const hasLanded = ({ status, stages }: PlanView): boolean =>
  status === 'complete' ||
  (status !== 'waiting_setup' &&
    stages.every((stage) => ['confirmed', 'finalized', 'skipped'].includes(stage.status)));

/** Builds a plan in the home, which stores the quote of a swap. */
async function built(home: Home, world: World, { endpoint, fields }: Request): Promise<PlanView> {
  if (endpoint === 'tradeSwap') {
    const requestId = String(fields.requestId);
    const { expiresAt, ...quote } = world.quoteOf(requestId);
    const { request, quote: made } = quote;
    await keepQuote(home.ledger, requestId, undefined, { request, quote: made, expiresAt });
  }
  const { plan } = await home.build(endpoint, fields);
  if (plan == null) throw new Error('nothing to sign');
  return plan;
}
