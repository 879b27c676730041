/**
 * Several claims as one plan: the answers of the service joined into one, and asked for again where something of them has
 * not landed.
 */
import { CLAIM_ALL, type Claim, claimKey, openClaims } from '../plan/claimAll.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../transaction/types.ts';
import type { ExecutionDeps } from './ports.ts';

/** A claim with what the service answered to it. */
export type AnsweredClaim = Claim & { readonly answer: unknown };

/** What the claims of a wallet are opened with: endpoint, request and answer. */
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
 * What the service answers now to the claims of a plan that have not landed; there is nothing left to build of the others.
 * One after the other, since a service counts requests. Rejects as the service does.
 */
export async function askedAgain(
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
