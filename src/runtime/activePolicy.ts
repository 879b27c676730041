/** The policy as landing uses it: with an unusable policy file a policy that denies everything takes its place. */
import { activePolicy } from '../landing/activePolicy.ts';
import type { ActivePolicy } from '../landing/ports.ts';
import type { PolicyState } from './policyFile.ts';

/** Without a usable policy every decision is a denial that says why. */
export function policyInForce(state: PolicyState): ActivePolicy {
  if (state.status === 'ok') return activePolicy(state);
  if (state.status === 'missing') return activePolicy(undefined);
  if (state.status === 'changed')
    return activePolicy({ error: 'the policy file changed while it was in use', changed: true });
  return activePolicy({ error: state.problem });
}
