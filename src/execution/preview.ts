/** What the policy would say about each stage that is not signed, recorded and without reserving or signing anything. */
import { jsonDigest } from '../base/canonicalJson.ts';
import { remember } from '../base/remember.ts';
import type { Address } from '../transaction/types.ts';
import { type Decided, decideOpenStages, inForce } from './deciding/decide.ts';
import type { ExecutionDeps } from './ports.ts';
import type { PlanSnapshot } from './status.ts';

/** Milliseconds for which a look at a plan is relied on at most. */
const RELIED_ON_MS = 60_000;

/** A look at a plan of which every stage was allowed, with digests of what it rested on. */
interface Look {
  readonly at: number;
  readonly ledger: string;
  readonly accounts: ReadonlyMap<Address, string>;
}

/** The looks of one process at whole plans. Nothing is signed on them: each stage is decided anew for its signature. */
export class Previews {
  private readonly deps: ExecutionDeps;
  private readonly looks = new Map<string, Look>();

  constructor(deps: ExecutionDeps) {
    this.deps = deps;
  }

  /** Decides every open stage, and records each decision. */
  async look(snapshot: PlanSnapshot): Promise<Decided[]> {
    const { deps, looks } = this;
    const { planId } = snapshot.plan;
    const at = deps.clock.now();
    // A plan of one stage is looked at once.
    const ledger = snapshot.states.length === 1 ? undefined : await decisionBasisDigest(deps, snapshot);
    const decided = await decideOpenStages(deps, snapshot);
    for (const { input } of decided) await deps.ledger.recordDecision(input);
    looks.delete(planId);
    if (ledger !== undefined && decided.every(({ decision }) => decision.effect === 'allow')) {
      const read = decided.flatMap(({ input }) => input.inputs.accounts);
      const kept = read.filter(({ executable }) => !executable);
      const accounts = new Map(kept.map((account) => [account.address, jsonDigest(account)]));
      remember(looks, planId, { at, ledger, accounts }, 16);
    }
    return decided;
  }

  /**
   * Whether the last look at a plan allowed all of it and is relied on: it is not older than a minute, and policy, freeze,
   * limits, approvals and the accounts it read are as they were. Each look is relied on once. Rejects with `ChainError`.
   */
  async stands(snapshot: PlanSnapshot): Promise<boolean> {
    const { deps, looks } = this;
    const look = looks.get(snapshot.plan.planId);
    looks.delete(snapshot.plan.planId);
    if (look === undefined || deps.clock.now() - look.at > RELIED_ON_MS) return false;
    if ((await decisionBasisDigest(deps, snapshot)) !== look.ledger) return false;
    const { value } = await deps.chain.accounts([...look.accounts.keys()], 'confirmed');
    return value.every((account) => look.accounts.get(account.address) === jsonDigest(account));
  }
}

/** A digest of what the policy and the ledger say that bears on a plan. */
async function decisionBasisDigest(
  deps: ExecutionDeps,
  { plan, states, approvals }: PlanSnapshot,
): Promise<string> {
  const [first] = plan.stages;
  const { policy, view } = await inForce(deps, plan, first?.id ?? '');
  const { used, exhausted, frozen = null } = view;
  return jsonDigest([
    [plan.revision, policy.hash, exhausted, frozen],
    Object.entries(used).map(([id, amount]) => [id, `${amount}`]),
    states.map(({ status }) => status),
    approvals.map(({ id, state }) => [id, state]),
  ]);
}
