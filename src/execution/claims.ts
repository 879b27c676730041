/** Batched claims: joins several claims into one plan, and re-requests those that have not landed. */
import { CLAIM_ALL, type Claim, claimKey, openClaims } from '../plan/claimAll.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../transaction/types.ts';
import type { ExecutionDeps } from './ports.ts';

/** A claim and the service's answer to it. */
export type AnsweredClaim = Claim & { readonly answer: unknown };

/** Returns endpoint, request and answer of the plan that joins the claims of a wallet. */
export const joinedClaims = (
  deps: Pick<ExecutionDeps, 'encodingOf'>,
  wallet: Address,
  claims: readonly AnsweredClaim[],
) => ({
  endpoint: CLAIM_ALL,
  request: { wallet, claims: claims.map(({ endpoint, fields }) => ({ endpoint, fields })) },
  answer: joined(deps, claims),
});

const joined = ({ encodingOf }: Pick<ExecutionDeps, 'encodingOf'>, claims: readonly AnsweredClaim[]) => ({
  claims: claims.map(({ answer, ...claim }) => ({
    key: claimKey(claim),
    encoding: encodingOf(claim.endpoint),
    answer,
  })),
});

/**
 * Requests the claims of a plan that have not landed again, sequentially to respect the service's rate limit. Rejects
 * with the service's error.
 */
export async function requestOpenClaims(
  deps: Pick<ExecutionDeps, 'service' | 'encodingOf'>,
  plan: Plan,
  landed: ReadonlySet<string>,
): Promise<unknown> {
  const answered: AnsweredClaim[] = [];
  for (const claim of openClaims(plan, landed)) {
    answered.push({ ...claim, answer: await deps.service.call(claim.endpoint, claim.fields) });
  }
  return joined(deps, answered);
}
