/** What the agent gets to see of a refusal: the decision, its record, and that nothing was signed. */

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

/** Stages that only clean up: no attack is about them. */
export const TIDYING: readonly string[] = ['lookup_table_deactivate', 'lookup_table_close'];
const WAIT_SECONDS = 20;

/** Submits what was built, and reads back what became of it. */
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
 * The only check behind every refusal of a plan, if there is one. Every check is recorded with its own verdict, so leaving one out
 * leaves those of the others; only where more than one failed is the attack still caught without it.
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

/** That a part is missing: it is no finding of its own where another part was there and wrong. */
const isMissing = ({ id }: Record<string, unknown>) => id === 'partThere';
const isWrong = ({ id }: Record<string, unknown>) => id === 'matchesRequest';

/** What an honest plan landed, in the order of its stages. */
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

/** The newest decision about each stage; the record begins with the newest. */
function latest(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const byStage = new Map<unknown, Record<string, unknown>>();
  for (const row of rows) if (!byStage.has(row.stageId)) byStage.set(row.stageId, asRecord(row.decision));
  return [...byStage.values()];
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const hasSignature = (plan: Record<string, unknown>): boolean =>
  records(plan.stages).some(({ signature }) => signature !== undefined);

/** Whether the message of one of these stages has landed since there were so many transactions of the wallet. */
function isOnChain({ sandbox, wallet }: World, stages: readonly Uint8Array[], before: number): boolean {
  const refused = stages.map(messageText);
  const all = sandbox.chain.transactionsFor(wallet);
  return all.slice(0, all.length - before).some(({ bytes }) => refused.includes(messageText(bytes)));
}

/** The signed part of v0 and legacy bytes, which is at their end; all of it where it comes first. */
function messageText(bytes: Uint8Array): string {
  const start = bytes[0] === 0x81 ? 0 : 1 + 64 * (bytes[0] ?? 0);
  const end = bytes[0] === 0x81 ? bytes.length - 64 * (bytes[1] ?? 0) : bytes.length;
  return Buffer.from(bytes.subarray(start, end)).toString('base64');
}
