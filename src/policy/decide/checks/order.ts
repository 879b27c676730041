/** Stage order, replays and the freeze (T37, T38, T39, T53). */

import { GENESIS } from '../../file/networks.ts';
import type { Policy } from '../../file/schema.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionInputs, LedgerView } from '../types.ts';

const LANDED: readonly string[] = ['confirmed', 'finalized'];

/** Checks that the plan, the policy and our RPC name the same network (T53, F36, F55). */
export function checkNetwork({ plan, network, mode }: DecisionInputs, policy: Policy, list: Checklist): void {
  const allowed = GENESIS[policy.network] ?? policy.network;
  list.expect(network === allowed, 'POLICY_INVALID', 'policyNetwork', { observed: network, allowed });
  list.expect(plan.network === network && plan.mode === mode, 'REQUEST_MISMATCH', 'planNetwork', {
    observed: plan.network,
    allowed: network,
  });
}

/** Checks that the home is not frozen. */
export function checkNotFrozen(view: LedgerView, list: Checklist): void {
  list.expect(view.frozen === undefined, 'FROZEN', 'notFrozen');
}

/** Checks that all stages this one depends on have landed (T39). A preview only records the open ones. */
export function checkOrder({ stage, siblings, purpose }: DecisionInputs, list: Checklist): void {
  const statusOf = (id: string) => siblings.find((sibling) => sibling.stage.id === id)?.status ?? 'unknown';
  const open = stage.dependsOn.filter((id) => !LANDED.includes(statusOf(id)));
  const observed = open.length === 0 ? undefined : `${open.length} earlier stages have not landed`;
  const held = open.length === 0 || purpose === 'preview';
  list.expect(held, 'STAGE_ORDER', 'stagesLanded', { observed });
}

/** Checks that no earlier message of the same intent and stage has landed or may still land (T37, T38). */
export function checkFirstTime(view: LedgerView, messageSha256: string, list: Checklist): void {
  const { earlier } = view;
  if (earlier === undefined || earlier.status === 'expired') {
    list.pass('stageUnsigned');
    return;
  }
  const landed = LANDED.includes(earlier.status) || earlier.status === 'failed';
  const same = earlier.messageSha256 === messageSha256;
  const observed = earlier.messageSha256;
  list.fail(same || landed ? 'REPLAY' : 'IN_DOUBT', 'stageUnsigned', { observed });
}
