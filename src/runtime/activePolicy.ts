/** The policy as execution uses it: an unusable policy file is replaced by a policy that denies everything. */
import { traced } from '../base/telemetry.ts';
import type { ActivePolicy } from '../execution/ports.ts';
import { windowLimits } from '../policy/decide/checks/limits.ts';
import { decideStaged, type NoPolicy } from '../policy/decide/evaluate.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { PolicyState } from './policyFile.ts';

/** Returns the active policy. Without a usable policy every decision is a denial with the reason. */
export function policyInForce(state: PolicyState): ActivePolicy {
  if (state.status === 'ok') return activePolicy(state);
  if (state.status === 'missing') return activePolicy(undefined);
  if (state.status === 'changed')
    return activePolicy({ error: 'the policy file changed while it was in use', changed: true });
  return activePolicy({ error: state.problem });
}

/** A policy without a usable file: every decision is a denial with the reason. */
const NOTHING_ALLOWED = { hash: '', limits: [], approval: { ttlMs: 0, channels: [] } } as const;

/** Wraps a loaded policy. Without a policy every decision is a denial. */
export function activePolicy(loaded: LoadedPolicy | NoPolicy | undefined): ActivePolicy {
  const decide: ActivePolicy['decide'] = (inputs, view) => {
    const { planId, operation } = inputs.plan;
    const attributes = {
      'countersign.plan': planId,
      'countersign.operation': operation,
      'countersign.purpose': inputs.purpose,
    };
    return traced({ name: 'decide', attributes }, (note) => {
      const decided = decideStaged(inputs, loaded, view);
      const { effect, reasonCodes } = decided.decision;
      note({ 'countersign.verdict': effect, 'countersign.code': reasonCodes[0] });
      return decided;
    });
  };
  if (loaded === undefined || 'error' in loaded) return { ...NOTHING_ALLOWED, decide };
  const { policy, hash } = loaded;
  const { count, windowSeconds } = policy.freeze.afterDenials;
  return {
    hash,
    policy,
    hasGuards: policy.transaction.guards !== 'off',
    limits: windowLimits(policy),
    approval: { ttlMs: policy.approval.ttlSeconds * 1000, channels: policy.approval.channels },
    freezeAfter: { count, windowMs: windowSeconds * 1000 },
    decide,
  };
}
