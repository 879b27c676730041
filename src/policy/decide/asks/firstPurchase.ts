/** The first purchase of a token (T183). Tokens that were received, or bought by another wallet, do not count as held. */
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Rule } from '../../file/schema.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { Matched } from '../operations/operation.ts';
import { isLocalChain } from '../unsupported/entries.ts';

/** Asks about a swap that buys a token which is not in the policy's list and was never bought or launched by this home. */
export function askAboutPurchase(
  { inputs, policy }: DecisionContext,
  { trade }: Matched,
  rule: Rule | undefined,
  list: Checklist,
): void {
  const mint = trade?.outputMint;
  if (mint === undefined || mint === WSOL_MINT || policy.tokens.mints?.includes(mint)) return;
  const setting = rule?.operation === 'swap' ? rule.firstPurchase : undefined;
  if ((setting ?? (isLocalChain(inputs) ? 'allow' : 'ask')) === 'allow') return;
  const params = { mint };
  if (inputs.held) list.pass('firstPurchase', { params, observed: 'bought or launched here before' });
  else list.ask('FIRST_PURCHASE', 'firstPurchase', { params });
}
