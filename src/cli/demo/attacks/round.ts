/** One round: a request to the service gone bad, which must be refused, and the same one to the honest service. */
import type { TransactionRecord } from '../../../sandbox/chain/types.ts';
import { ATTACKS } from '../../../sandbox/hostile/index.ts';
import { record, records, text } from '../session.ts';
import type { Step } from '../transcript.ts';
import { landHonestly, type Prepare } from './asks.ts';
import type { AttackedServer } from './server.ts';
import { type Loss, whatIf } from './whatIf.ts';
import { planIdOf, type World, worked } from './world.ts';

/** A line of the table. `codes` are the reasons the policy gave. */
export interface Row extends Step {
  /** Row of docs/threat-model.md. */
  readonly row: string;
  readonly does: string;
  /** Whether the bytes were landed on a copy of the chain to see what they do. */
  readonly executed: boolean;
  /** Whether anything of this attack was signed. Must be false. */
  readonly signed: boolean;
  readonly codes: readonly string[];
  readonly expectedCode: string;
  readonly explain: string;
  /** The only check that catches it, or `null` when removing any single one would not let it through. */
  readonly singleCheck: string | null;
  readonly takes: string;
  readonly lostIfSigned?: Loss;
  /** The signature under which the honest answer to the same request landed. */
  readonly twinSignature?: string;
}

export interface Round {
  /** Name in the registry of attacks. */
  readonly attack: string;
  readonly ask: Prepare;
  /** Why the bytes cannot be shown on a copy: the chain itself would refuse them, or nothing could be seen. */
  readonly notExecuted?: string;
  /** They land and fail: only the fee is lost. */
  readonly fails?: true;
}

/** Stages that only tidy up: they are never what an attack is about. */
const TIDYING: readonly string[] = ['lookup_table_deactivate', 'lookup_table_close'];

/** Plays a round. Never throws: what goes wrong is in the row. */
export async function playRound(world: World, { attack: name, ask, ...round }: Round): Promise<Row> {
  const attack = ATTACKS.get(name);
  if (attack === undefined) throw new RangeError(`no attack is called ${name}`);
  const { row, does, takes, code } = attack;
  const common = { step: name, row, does, takes, expectedCode: code };
  const { hostile } = world.sandbox.service;
  try {
    const request = await ask(world);
    let refused: Refusal;
    let shown: Awaited<ReturnType<typeof whatIf>> | undefined;
    try {
      hostile.use(name);
      hostile.begin();
      world.sandbox.advanceSlots(2);
      const built = await request();
      // What the attacker put on the chain meanwhile is there for everybody to see.
      world.sandbox.advanceSlots(2);
      refused = await refusalOf(world, world.server, built);
      if (round.notExecuted === undefined) shown = await whatIf(world, refused.stages, attack);
    } finally {
      hostile.use(undefined);
      world.sandbox.advanceSlots(2);
    }
    const twin = shown && twinOf(world, await landHonestly(world, request));
    const records = twin && (await twin);
    const lost = shown?.lossAgainst(records);
    const ranAsTold = shown === undefined || shown.failed === (round.fails === true);
    return {
      ...common,
      ok:
        !refused.signed &&
        refused.codes.includes(code) &&
        ranAsTold &&
        (shown === undefined || (isLoss(lost) && records !== undefined)),
      executed: shown !== undefined,
      ...(round.notExecuted === undefined ? {} : { notExecuted: round.notExecuted }),
      signed: refused.signed,
      codes: refused.codes,
      explain: refused.explain,
      singleCheck: refused.singleCheck,
      ...(lost === undefined ? {} : { lostIfSigned: lost }),
      ...(records === undefined ? {} : { twinSignature: records.at(-1)?.signature ?? '' }),
    };
  } catch (error) {
    return {
      ...common,
      ok: false,
      executed: false,
      signed: false,
      codes: [],
      explain: error instanceof Error ? error.message : String(error),
      singleCheck: null,
    };
  }
}

/** Something to show: an amount, a power, or a landing at a time somebody else chose. */
const isLoss = (lost: Loss | undefined): boolean => lost !== undefined;

/** A refusal as the agent sees it. */
export interface Refusal {
  readonly planId: string;
  readonly status: string;
  readonly codes: readonly string[];
  readonly explain: string;
  readonly signed: boolean;
  readonly singleCheck: string | null;
  /** The refused bytes, in the order of the plan. */
  readonly stages: readonly Uint8Array[];
}

/** Submits what was built and reads back what became of it: decision, record, signatures. */
export async function refusalOf(
  world: World,
  server: AttackedServer,
  built: Record<string, unknown>,
): Promise<Refusal> {
  const planId = planIdOf(built);
  const signedBefore = signaturesOf(world);
  const answer = await server.call('submit_plan', { planId, waitSeconds: 20 });
  const plan = record(worked('submit_plan', answer).plan);
  const decision = record(plan.decision);
  const recorded = worked('list_decisions', await server.call('list_decisions', { planId, limit: 50 }));
  const decisions = records(recorded.decisions).map((each) => record(each.decision));
  const stages: Uint8Array[] = [];
  for (const stage of records(plan.stages)) {
    if (!TIDYING.includes(text(stage, 'kind')))
      stages.push(await server.stageBytes(planId, text(stage, 'id')));
  }
  return {
    planId,
    status: String(plan.status),
    codes: Array.isArray(decision.reasonCodes) ? decision.reasonCodes.map(String) : [],
    explain: String(decision.explain),
    signed:
      records(plan.stages).some(({ signature }) => signature !== undefined) ||
      signaturesOf(world) !== signedBefore ||
      plan.status === 'complete',
    singleCheck: singleCheck(decisions),
    stages,
  };
}

/**
 * The one check all refusals of a plan hang on. Every check is recorded with its own verdict, so leaving one out
 * leaves those of the others; only where more than one failed is the attack still caught without it.
 */
export function singleCheck(decisions: readonly Record<string, unknown>[]): string | null {
  const failed = new Set<string>();
  for (const decision of decisions) {
    for (const check of records(decision.checks)) if (check.ok === false) failed.add(String(check.check));
  }
  const [only, ...others] = failed;
  return only === undefined || others.length > 0 ? null : only;
}

/** How many transactions on the chain carry a signature of the wallet. */
function signaturesOf({ sandbox: { chain }, wallet }: World): number {
  return chain
    .transactionsFor(wallet)
    .filter(({ bytes, staticAccounts }) => staticAccounts.indexOf(wallet) < (bytes[0] ?? 0)).length;
}

/** What an honest plan landed, in the order of its stages. */
export async function twinOf(world: World, planId: string): Promise<TransactionRecord[]> {
  const answer = worked('get_plan', await world.server.call('get_plan', { planId }));
  return records(record(answer.plan).stages).flatMap(({ signature }) => {
    const landed = typeof signature === 'string' ? world.sandbox.chain.transaction(signature) : undefined;
    return landed === undefined || landed.err !== null ? [] : [landed];
  });
}
