/** Rehearsals of plans before their first signature, and how each ended: every decision about that build knows it. */
import { remember } from '../base/remember.ts';
import type { Plan } from '../plan/types.ts';
import { isUnsupported, readInstruction } from '../programs/read.ts';
import type { RehearsalFact } from '../rpc/types.ts';
import type { ExecutionDeps, GatherInput } from './ports.ts';

/** Whether a stage has an instruction that no reader supports, by its program and first bytes. */
export const hasUnsupported = ({ stages }: Plan): boolean =>
  stages.some(({ transaction: { decoded } }) =>
    decoded?.instructions.some(({ programIndex, data }, index) =>
      isUnsupported(
        readInstruction({ index, program: decoded.staticAccounts[programIndex] ?? '', accounts: [], data }),
      ),
    ),
  );

const keyOf = ({ planId, revision }: Pick<Plan, 'planId' | 'revision'>): string => `${planId} ${revision}`;

/** The rehearsals of one process. */
export class Rehearsals {
  private readonly deps: Pick<ExecutionDeps, 'rehearse' | 'policy' | 'wallets'>;
  private readonly known = new Map<string, RehearsalFact>();

  constructor(deps: Pick<ExecutionDeps, 'rehearse' | 'policy' | 'wallets'>) {
    this.deps = deps;
  }

  /** Whether plans are rehearsed here, by the policy as it is now. */
  async isOn(): Promise<boolean> {
    if (this.deps.rehearse === undefined) return false;
    const { policy } = await this.deps.policy();
    return policy !== undefined && policy.rehearsal !== 'off';
  }

  /** Rehearses a plan as it is built now. */
  async play(plan: Plan): Promise<RehearsalFact | undefined> {
    const fact = await this.deps.rehearse?.(plan, await this.deps.wallets.addresses());
    return fact && remember(this.known, keyOf(plan), fact, 16);
  }

  /** Forgets how a build ended: one that failed is rehearsed again when it is submitted again. */
  forget(plan: Plan): void {
    this.known.delete(keyOf(plan));
  }

  /** Adds how the plan ended when it was rehearsed. */
  into(input: GatherInput): GatherInput {
    const rehearsal = this.known.get(keyOf(input.plan));
    return rehearsal === undefined ? input : { ...input, rehearsal };
  }
}
