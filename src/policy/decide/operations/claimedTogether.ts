/**
 * What several claims lead to together: one expectation, so that a person is asked once about all of them. Each stage is
 * bound to its own claim; this says what the whole run may take, and what it is about.
 */
import type { DecisionContext } from '../decisionContext.ts';
import type { Facts } from '../types.ts';
import { holdingClaimRules } from './claim.ts';
import type { Expectation } from './expectation.ts';

/** The expectation of a run of claims: what each may deposit and pay, added up. */
export function claimedTogether(c: DecisionContext, claims: NonNullable<Facts['claims']>): Expectation {
  const each = claims.flatMap(({ operation, request }) => {
    const plan = { ...c.facts.plan, operation, request };
    // The wallet pays for claims of a holding, the service for all others: another payer is refused.
    const feePayer = operation === 'holding_claim' ? c.wallet : '';
    return holdingClaimRules.expected?.({ ...c, feePayer, facts: { ...c.facts, plan } }) ?? [];
  });
  const sum = (of: (one: Expectation) => string) =>
    `${each.reduce((total, one) => total + BigInt(of(one)), 0n)}`;
  return {
    version: 1,
    operation: 'claim_all',
    wallet: c.wallet,
    mostOut: [],
    leastIn: [],
    mostDeposits: sum(({ mostDeposits }) => mostDeposits),
    claims: each.map(({ operation, baseMint, quoteMint }) => ({
      operation,
      ...(baseMint === undefined ? {} : { baseMint }),
      ...(quoteMint === undefined || operation === 'deployer_claim' ? {} : { quoteMint }),
    })),
    rights: [],
    open: ['how much has been earned when each of them lands'],
  };
}
