/**
 * What a resource holds now, to detect a change. Read every second while a client is subscribed, so
 * it looks at files and rows only: neither the chain nor the service nor a secret store is asked.
 */
import { ACCEPTED_POLICY } from '../approval/answering.ts';
import type { Ledger } from '../ledger/types.ts';
import type { PlanPort } from '../presentation/planPort.ts';
import type { ResourceName } from '../server/host.ts';
import type { PolicySource } from './policyFile.ts';

export interface StandingParts {
  readonly policy: PolicySource;
  readonly ledger: Pick<Ledger, 'frozen' | 'note'>;
  readonly plans: Pick<PlanPort, 'stageBytes'>;
}

/**
 * A text that differs when the resource does. The policy in force changes with its file, with a file a person accepts,
 * and with a freeze; what its limits have left is as of the reading. A stage changes when its plan is built again.
 */
export async function standingOf(name: ResourceName, parts: StandingParts): Promise<string> {
  if (name.kind === 'stage') return parts.plans.stageBytes(name.planId, name.stageId);
  const { policy, ledger } = parts;
  return JSON.stringify(
    await Promise.all([policy.standing(), ledger.note(ACCEPTED_POLICY), ledger.frozen()]),
  );
}
