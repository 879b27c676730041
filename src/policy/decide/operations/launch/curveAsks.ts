/**
 * What is refused of the terms of a curve, and what a person is asked about whatever the rule allows: at the config that
 * writes them, and again at the launch that takes them for good (T63).
 */

import type { Address } from '../../../../transaction/types.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { isLocalChain } from '../../unread/entries.ts';
import { type Condition, exactly } from '../clauses.ts';
import { type CurveTerms, curveGives, mayMintMore, NO_UPDATE, updateAuthorityOf } from './curveGives.ts';

/** Why a person is asked about these terms whatever the rule allows; empty where they are neutral. */
export function curveAsks(c: DecisionContext, { terms, leftoverReceiver }: CurveTerms): readonly string[] {
  const says = curveGives(terms).map((each) => each.replace(/\.$/, ''));
  return mayReceive(c, leftoverReceiver)
    ? says
    : [`What is left of the supply goes to ${leftoverReceiver}, which is not known`, ...says];
}

/** Why a person is asked about the curves whose terms this stage writes. */
export const curvesMade = (c: DecisionContext): readonly string[] =>
  c.acts.flatMap((act) => (act.act === 'createPoolConfig' ? curveAsks(c, act) : []));

/** A curve after whose launch a key could make more of the token is refused. */
export const noMoreTokens = (terms: CurveTerms['terms']): Condition =>
  exactly(
    'key that can make more of the token, by its number',
    updateAuthorityOf(terms),
    !mayMintMore(terms),
    NO_UPDATE,
  );

/**
 * Whether what is left over may go to an address without a question: it is ours, the policy names it, or the service's
 * profile does. A profile that names no treasury knows no receiver; then only a local chain goes without a question.
 */
function mayReceive({ facts, own, policy }: DecisionContext, address: Address): boolean {
  const { serviceAddresses } = facts;
  if (own.has(address) || policy.addressBook.some((each) => each.address === address)) return true;
  if (serviceAddresses.some((each) => each.address === address)) return true;
  return isLocalChain(facts) && !serviceAddresses.some(({ label }) => label === 'treasury');
}
