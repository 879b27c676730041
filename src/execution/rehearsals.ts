/** Rehearsals of plans before their first signature. Results are passed to every decision about the same build. */
import { remember } from '../base/remember.ts';
import type { Plan } from '../plan/types.ts';
import { isUnsupported, readInstruction } from '../programs/read.ts';
import type { RehearsalFact } from '../rpc/types.ts';
import type { ExecutionDeps, GatherInput } from './ports.ts';

/** Returns whether a stage has an unsupported instruction, by its program and first bytes. */
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

  /** Returns whether the current policy has plans rehearsed. */
  async isOn(): Promise<boolean> {
    if (this.deps.rehearse === undefined) return false;
    const { policy } = await this.deps.policy();
    return policy !== undefined && policy.rehearsal !== 'off';
  }

  /** Rehearses the current build of a plan. */
  async rehearse(plan: Plan): Promise<RehearsalFact | undefined> {
    const fact = await this.deps.rehearse?.(plan, await this.deps.wallets.addresses());
    return fact && remember(this.known, keyOf(plan), fact, 16);
  }

  /** Forgets the result of a build: a failed one is rehearsed again on the next submit. */
  forget(plan: Plan): void {
    this.known.delete(keyOf(plan));
  }

  /** Adds the plan's rehearsal result to the inputs. */
  addTo(input: GatherInput): GatherInput {
    const rehearsal = this.known.get(keyOf(input.plan));
    return rehearsal === undefined ? input : { ...input, rehearsal };
  }
}
