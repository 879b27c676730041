/** Rehearsals of plans built by a home over a sandbox, and the actual effects of the same plans. */
import { resolve } from 'node:path';
import type { SandboxOptions } from '../../sandbox/index.ts';
import { movesOf } from '../../src/execution/readback/balances.ts';
import type { Plan } from '../../src/plan/types.ts';
import { assetOf } from '../../src/policy/decide/decisionContext.ts';
import { createPlayer } from '../../src/rehearsal/player.ts';
import { createProgramCache } from '../../src/rehearsal/programCache.ts';
import { createRehearsal, type RehearsalParts, type Rehearse } from '../../src/rehearsal/rehearse.ts';
import { createTurn } from '../../src/rehearsal/turn.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';

/**
 * One process for all rehearsals of a worker; it exits on its own. Its file is named, since bundles do not contain it.
 */
export const player = createPlayer(resolve('src/rehearsal/child.mjs'));

export const rehearsalOf = ({ deps }: Home, parts: Partial<RehearsalParts> = {}): Rehearse =>
  createRehearsal({
    ...{ chain: deps.chain, player, cache: createProgramCache(undefined), turn: createTurn(undefined) },
    ...parts,
  });

type Fields = Readonly<Record<string, unknown>>;

/** Builds a plan and returns it as stored. */
export async function built(
  home: Home,
  endpoint: Parameters<Home['build']>[0],
  fields: Fields,
): Promise<Plan> {
  const { plan } = await home.build(endpoint, fields);
  const stored = (await home.ledger.planRows(plan?.planId ?? ''))?.plan;
  if (stored === undefined) throw new Error(`${endpoint} has no plan: ${plan?.decision.explain}`);
  return stored;
}

export const rehearsed = (
  home: Home,
  plan: Plan,
  parts: Partial<RehearsalParts> = {},
): Promise<RehearsalFact> => rehearsalOf(home, parts)(plan, [home.wallet]);

/** Changes by stage and asset in base units, the network fee included. */
export type Changes = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function changesIn(fact: RehearsalFact): Changes {
  if (fact.status !== 'done') throw new Error(`not rehearsed: ${JSON.stringify(fact)}`);
  return Object.fromEntries(
    fact.stages.map(({ id, changes }) => [
      id,
      Object.fromEntries(changes.map(({ asset, by }) => [asset, by])),
    ]),
  );
}

/** Returns the on-chain changes of the wallet by a plan's landed stages. */
export async function movedBy(home: Home, planId: string, stages: readonly string[]): Promise<Changes> {
  const rows = await home.ledger.rows('journal', { planId });
  const all: [string, Record<string, string>][] = [];
  for (const id of stages) {
    const row = rows.findLast(({ stageId, state }) => stageId === id && state !== 'expired');
    const landed = row && (await home.deps.chain.landed(row.signature));
    if (landed === undefined) throw new Error(`${id} has not landed`);
    const { changes, feeLamports } = movesOf(landed, home.wallet);
    const sums = new Map<string, bigint>([['SOL', -feeLamports]]);
    for (const { asset, units } of changes)
      sums.set(assetOf(asset), (sums.get(assetOf(asset)) ?? 0n) + units);
    all.push([
      id,
      Object.fromEntries([...sums].filter(([, by]) => by !== 0n).map(([a, by]) => [a, `${by}`])),
    ]);
  }
  return Object.fromEntries(all);
}

/** Rehearsed and actual effects of a plan. */
export interface Executed {
  readonly status: string;
  /** Whether every required stage was rehearsed. */
  readonly isWhole: boolean;
  readonly rehearsed: Changes;
  readonly moved: Changes;
}

/** Builds, rehearses and executes a plan on a chain with these programs in place of the stand-ins. */
export async function executed(
  request: (home: Home) => Promise<readonly [Parameters<Home['build']>[0], Fields]>,
  programs: SandboxOptions['programs'],
): Promise<Executed> {
  const home = await Home.start({ sandbox: programs === undefined ? {} : { programs } });
  const on = home.again({ deps: { rehearse: rehearsalOf(home) } });
  try {
    const plan = await built(on, ...(await request(on)));
    const expected = changesIn(await rehearsed(on, plan));
    const { status } = await on.submit(plan.planId, 50);
    const ids = Object.keys(expected);
    return {
      ...{ status, rehearsed: expected, moved: await movedBy(on, plan.planId, ids) },
      isWhole: ids.length === plan.stages.filter(({ optional }) => !optional).length,
    };
  } finally {
    await on.close();
    await ended(home);
  }
}
