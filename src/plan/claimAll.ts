/**
 * Everything a wallet can claim, as one plan. No endpoint builds that: it is joined from the claims that the service
 * builds one by one. Each keeps its own request and its own part of the answer, and the ids of its stages begin with its
 * key, so that each stage is judged by the request it was built for. Pure.
 */
import { jsonDigest } from '../base/canonicalJson.ts';
import { isRecord } from '../base/record.ts';
import { PlanError } from './errors.ts';
import type { Fields } from './readAnswer.ts';
import type { JudgedPlan, Operation, Plan, Stage } from './types.ts';

/** Stands where other plans name an endpoint. */
export const CLAIM_ALL = 'claimAll';

/** Most claims of one plan; what is left is claimed by the next one. */
export const MAX_CLAIMS = 16;

/** Endpoints that build a claim, and the field of their request that names the wallet. */
const WALLET_FIELDS = { claimTxs: 'feeClaimer', claimVault: 'wallet', deployerClaimTxs: 'wallet' } as const;
export type ClaimEndpoint = keyof typeof WALLET_FIELDS;

/** One claim as it is asked for. */
export interface Claim {
  readonly endpoint: ClaimEndpoint;
  readonly fields: Fields;
}

const isClaimEndpoint = (name: unknown): name is ClaimEndpoint =>
  typeof name === 'string' && Object.hasOwn(WALLET_FIELDS, name);

/** What the ids of a claim's stages begin with; follows from its request alone. */
export const claimKey = ({ endpoint, fields }: Claim): string => jsonDigest([endpoint, fields]).slice(0, 10);

const isOf = (claim: Claim, stageId: string): boolean => stageId.startsWith(`${claimKey(claim)}:`);

/** The claims of a joined request. Throws `PlanError` for too many, for another endpoint and for another wallet. */
export function claimsIn(request: Fields): readonly Claim[] {
  const { claims, wallet } = request;
  const given: readonly unknown[] = Array.isArray(claims) ? claims : [];
  if (given.length > MAX_CLAIMS) throw new PlanError('The plan has too many claims.');
  return given.map((claim) => {
    const { endpoint, fields } = isRecord(claim) ? claim : {};
    if (!isClaimEndpoint(endpoint) || !isRecord(fields))
      throw new PlanError('The plan has a part that is no claim.');
    if (fields[WALLET_FIELDS[endpoint]] !== wallet)
      throw new PlanError('The plan claims for another wallet.');
    return { endpoint, fields };
  });
}

/** Claims are of a position unless the request's source says that it is a holding (C-CLAIM). */
export function claimOperation(request: Fields): Operation {
  const { source } = request;
  return isRecord(source) && source.kind === 'holding' ? 'holding_claim' : 'position_claim';
}

/** What a claim is. */
export function operationOfClaim({ endpoint, fields }: Claim): Operation {
  if (endpoint === 'claimTxs') return claimOperation(fields);
  return endpoint === 'claimVault' ? 'vault_claim' : 'deployer_claim';
}

/** What a stage is judged as a part of. */
export interface Judged {
  readonly plan: JudgedPlan;
  /** Whether a stage of the run belongs to `plan`. */
  has(stageId: string): boolean;
}

/** The plan of a stage; where it claims everything, the claim the stage belongs to. Throws `PlanError` where it has none. */
export function judgedWith({ operation, ...plan }: Plan, { id }: Pick<Stage, 'id'>): Judged {
  if (operation !== 'claim_all') return { plan: { ...plan, operation }, has: () => true };
  const claim = claimsIn(plan.request.fields).find((each) => isOf(each, id));
  if (claim === undefined) throw new PlanError('A stage belongs to no claim of its plan.');
  return {
    plan: {
      ...plan,
      operation: operationOfClaim(claim),
      request: { ...claim, digest: jsonDigest(claim.fields) },
      answer: answerTo(plan.answer, claim),
    },
    has: (stageId) => isOf(claim, stageId),
  };
}

/** The part of a joined answer that answers one claim; empty where there is none. */
function answerTo({ claims }: Fields, claim: Claim): Fields {
  const found = (Array.isArray(claims) ? claims : []).find(
    (each) => isRecord(each) && each.key === claimKey(claim),
  );
  return isRecord(found) && isRecord(found.answer) ? found.answer : {};
}

/** The claims that still have to be built: none of whose own stages has landed, a setup apart. */
export const openClaims = (plan: Plan, landed: ReadonlySet<string>): readonly Claim[] =>
  claimsIn(plan.request.fields).filter((claim) => {
    const own = plan.stages.filter(({ id, kind }) => kind === 'claim' && isOf(claim, id));
    return own.length === 0 || !own.every(({ id }) => landed.has(id));
  });

/** The stages of each claim, in the order of the request. */
export const stagesByClaim = <S extends { readonly stage: Pick<Stage, 'id'> }>(
  plan: Pick<Plan, 'request'>,
  states: readonly S[],
): readonly { readonly claim: Claim; readonly states: readonly S[] }[] =>
  plan.request.endpoint === CLAIM_ALL
    ? claimsIn(plan.request.fields).map((claim) => ({
        claim,
        states: states.filter(({ stage }) => isOf(claim, stage.id)),
      }))
    : [];
