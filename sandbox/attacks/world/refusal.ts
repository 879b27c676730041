/** A refusal as the agent sees it: the decision, its record, and the absence of signatures. */

import { asRecord } from '../../../src/base/record.ts';
import type { TransactionRecord } from '../../chain/types.ts';
import { records, text } from '../../demo/session.ts';
import type { AttackedServer } from './server.ts';
import { planIdOf, type World, worked } from './world.ts';

export interface Refusal {
  readonly planId: string;
  readonly codes: readonly string[];
  readonly explain: string;
  readonly signed: boolean;
  readonly singleCheck: string | null;
  /** The refused bytes, in the order of the plan. */
  readonly stages: readonly Uint8Array[];
}

/** Cleanup stages, which no attack targets. */
export const TIDYING: readonly string[] = ['lookup_table_deactivate', 'lookup_table_close'];
const WAIT_SECONDS = 20;

/** Submits a build and reads the result back. */
export async function submitted(
  world: World,
  built: Record<string, unknown>,
  options: { readonly server?: AttackedServer; readonly waitSeconds?: number } = {},
): Promise<Refusal> {
  const { server = world.server, waitSeconds = WAIT_SECONDS } = options;
  const planId = planIdOf(built);
  const before = world.sandbox.chain.transactionsFor(world.wallet).length;
  const plan = asRecord(
    worked('submit_plan', await server.call('submit_plan', { planId, waitSeconds })).plan,
  );
  const decision = asRecord(plan.decision);
  const recorded = worked(
    'list_decisions',
    await server.call('list_decisions', { planId, limit: 50, detail: true }),
  );
  const stages: Uint8Array[] = [];
  for (const stage of records(plan.stages)) {
    const id = text(stage, 'id');
    if (!TIDYING.includes(text(stage, 'kind'))) stages.push(await server.stageBytes(planId, id));
  }
  return {
    planId,
    codes: strings(decision.reasonCodes),
    explain: String(decision.explain),
    signed: plan.status === 'complete' || isOnChain(world, stages, before) || hasSignature(plan),
    singleCheck: singleCheck(latest(records(recorded.decisions))),
    stages,
  };
}

/**
 * Returns the only failed check of a plan; `null` if several failed. Each check is recorded with its own verdict, so with
 * several the attack is caught without any single one.
 */
export function singleCheck(decisions: readonly Record<string, unknown>[]): string | null {
  const names = decisions.flatMap((decision) => {
    const failed = records(decision.checks).filter(({ ok }) => ok === false);
    const independent = failed.filter((check) => !isMissing(check) || !failed.some(isWrong));
    return independent.map(({ id, params }) => `${id} ${asRecord(params).part ?? ''}`.trimEnd());
  });
  const [only, ...others] = new Set(names);
  return only === undefined || others.length > 0 ? null : only;
}

/** A missing part is not an independent finding if another part was wrong. */
const isMissing = ({ id }: Record<string, unknown>) => id === 'partThere';
const isWrong = ({ id }: Record<string, unknown>) => id === 'matchesRequest';

/** Returns the landed transactions of an honest plan in stage order. */
export async function landedBy(
  world: World,
  planId: string,
  server: AttackedServer = world.server,
): Promise<TransactionRecord[]> {
  const answer = worked('get_plan', await server.call('get_plan', { planId }));
  return records(asRecord(answer.plan).stages).flatMap(({ signature, kind }) => {
    if (TIDYING.includes(String(kind))) return [];
    const landed = typeof signature === 'string' ? world.sandbox.chain.transaction(signature) : undefined;
    return landed === undefined || landed.err !== null ? [] : [landed];
  });
}

/** Returns the newest decision of each stage; rows are sorted newest first. */
function latest(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const byStage = new Map<unknown, Record<string, unknown>>();
  for (const row of rows) if (!byStage.has(row.stageId)) byStage.set(row.stageId, asRecord(row.decision));
  return [...byStage.values()];
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const hasSignature = (plan: Record<string, unknown>): boolean =>
  records(plan.stages).some(({ signature }) => signature !== undefined);

/** Whether the message of a stage has landed after the first `before` transactions of the wallet. */
function isOnChain({ sandbox, wallet }: World, stages: readonly Uint8Array[], before: number): boolean {
  const refused = stages.map(messageText);
  const all = sandbox.chain.transactionsFor(wallet);
  return all.slice(0, all.length - before).some(({ bytes }) => refused.includes(messageText(bytes)));
}

/** Returns the message of a transaction: after the signatures, or before them in v1. */
function messageText(bytes: Uint8Array): string {
  const start = bytes[0] === 0x81 ? 0 : 1 + 64 * (bytes[0] ?? 0);
  const end = bytes[0] === 0x81 ? bytes.length - 64 * (bytes[1] ?? 0) : bytes.length;
  return Buffer.from(bytes.subarray(start, end)).toString('base64');
}
