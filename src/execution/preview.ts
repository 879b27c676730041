/** Previews a plan: decides every unsigned stage and records the decisions, without reserving or signing. */
import { jsonDigest } from '../base/canonicalJson.ts';
import { remember } from '../base/remember.ts';
import type { Address } from '../transaction/types.ts';
import { type Decided, decideOpenStages, inForce } from './deciding/decide.ts';
import { sha256Base64 } from './deciding/secondRpc.ts';
import type { ExecutionDeps } from './ports.ts';
import type { PlanSnapshot } from './status.ts';

/** Milliseconds a preview remains valid. */
const RELIED_ON_MS = 60_000;

/** A preview in which every stage was allowed, with digests of its inputs. */
interface Look {
  readonly at: number;
  readonly ledger: string;
  readonly accounts: ReadonlyMap<Address, string>;
  /** Digests of the data of lookup tables on chain. */
  readonly tables: ReadonlyMap<Address, string>;
}

/**
 * Previews of whole plans in one process. Nothing is signed on a preview: each stage is decided again for its
 * signature.
 */
export class Previews {
  private readonly deps: ExecutionDeps;
  private readonly looks = new Map<string, Look>();

  constructor(deps: ExecutionDeps) {
    this.deps = deps;
  }

  /** Decides every open stage and records each decision. */
  async look(snapshot: PlanSnapshot): Promise<Decided[]> {
    const { deps, looks } = this;
    const { planId } = snapshot.plan;
    const at = deps.clock.now();
    // A plan of one stage needs no digest: its preview is never reused.
    const ledger = snapshot.states.length === 1 ? undefined : await decisionBasisDigest(deps, snapshot);
    const decided = await decideOpenStages(deps, snapshot);
    for (const { input } of decided) await deps.ledger.recordDecision(input);
    looks.delete(planId);
    if (ledger !== undefined && decided.every(({ decision }) => decision.effect === 'allow')) {
      const read = decided.flatMap(({ input }) => input.inputs.accounts);
      const kept = read.filter(({ executable }) => !executable);
      const accounts = new Map(kept.map((account) => [account.address, jsonDigest(account)]));
      const tables = new Map(
        decided
          .flatMap(({ input }) => input.inputs.tables)
          .filter(({ source }) => source === 'chain')
          .map(({ table, dataSha256 }) => [table, dataSha256]),
      );
      remember(looks, planId, { at, ledger, accounts, tables }, 16);
    }
    return decided;
  }

  /**
   * Returns whether the last preview of a plan allowed every stage and is still valid: at most a minute old, with
   * unchanged policy, freeze, limits, approvals, accounts and lookup tables. Each preview is used once. Rejects with `ChainError`.
   */
  async stands(snapshot: PlanSnapshot): Promise<boolean> {
    const { deps, looks } = this;
    const look = looks.get(snapshot.plan.planId);
    looks.delete(snapshot.plan.planId);
    if (look === undefined || deps.clock.now() - look.at > RELIED_ON_MS) return false;
    if ((await decisionBasisDigest(deps, snapshot)) !== look.ledger) return false;
    const { accounts, tables } = look;
    const { value } = await deps.chain.accounts([...accounts.keys(), ...tables.keys()], 'confirmed');
    return value.every((account, i) =>
      i < accounts.size
        ? accounts.get(account.address) === jsonDigest(account)
        : tables.get(account.address) === sha256Base64(account.data),
    );
  }
}

/** Returns a digest of the policy and ledger state that affects a plan. */
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
