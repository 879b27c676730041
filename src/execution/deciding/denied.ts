/** Denials as they are recorded when a stage was to be signed. */
import type { Decision } from '../../policy/decide/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import type { Decided } from './decide.ts';

/** Records a denial at submit; enough of them for security freeze signing. */
export async function deny(
  deps: ExecutionDeps,
  { input, decision, policy }: Pick<Decided, 'input' | 'decision' | 'policy'>,
): Promise<{ readonly outcome: 'denied'; readonly decision: Decision }> {
  await deps.ledger.recordDecision(input, policy.freezeAfter);
  return { outcome: 'denied', decision };
}
