/** Replays a recorded decision: the same inputs, policy and ledger view must give an identical decision. */
import { canonicalJson } from '../base/canonicalJson.ts';
import { decide, type NoPolicy } from '../policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';

export type Replay =
  | { readonly outcome: 'identical' }
  /** Parts of the decision that differ. */
  | { readonly outcome: 'different'; readonly parts: readonly string[]; readonly now: Decision }
  /** No available policy has the recorded hash. */
  | { readonly outcome: 'other_policy' };

/** Decides recorded inputs again under the policy whose hash the decision names. */
export function replay(
  decision: Decision,
  inputs: DecisionInputs,
  view: LedgerView,
  policies: readonly LoadedPolicy[],
): Replay {
  const policy = policyOf(decision, policies);
  if (policy === 'unknown') return { outcome: 'other_policy' };
  const now = decide(inputs, policy, view);
  const parts = differentParts(decision, now);
  return parts.length === 0 ? { outcome: 'identical' } : { outcome: 'different', parts, now };
}

/**
 * Returns the policy of a decision. A denial without a policy has a reason and no hash; every other decision has a
 * hash.
 */
function policyOf(
  decision: Decision,
  policies: readonly LoadedPolicy[],
): LoadedPolicy | NoPolicy | undefined | 'unknown' {
  if (decision.policyHash !== '') {
    return policies.find((loaded) => loaded.hash === decision.policyHash) ?? 'unknown';
  }
  const [code] = decision.reasonCodes;
  if (code === 'POLICY_CHANGED') return { error: 'the file changed', changed: true };
  return code === 'POLICY_INVALID' ? { error: 'the file is not valid' } : undefined;
}

function differentParts(recorded: Decision, now: Decision): string[] {
  const [was, is] = [new Map(Object.entries(recorded)), new Map(Object.entries(now))];
  const text = (value: unknown) => (value === undefined ? '' : canonicalJson(value));
  return [...new Set([...was.keys(), ...is.keys()])].filter(
    (part) => text(was.get(part)) !== text(is.get(part)),
  );
}
