/** Records denials of stages that were due to be signed. */
import type { Decision } from '../../policy/decide/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import type { Decided } from './decide.ts';

/** Records a denial at submit; freezes signing after too many security denials. */
export async function deny(
  deps: ExecutionDeps,
  { input, decision, policy }: Pick<Decided, 'input' | 'decision' | 'policy'>,
): Promise<{ readonly outcome: 'denied'; readonly decision: Decision }> {
  await deps.ledger.recordDecision(input, policy.freezeAfter);
  return { outcome: 'denied', decision };
}
