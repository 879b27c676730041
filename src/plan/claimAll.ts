/**
 * A plan of all claims of a wallet, joined from claims that the service builds one by one. Each claim keeps its own request
 * and answer, and its stage ids start with its key, so that each stage is checked against its own request. Pure.
 */
import { jsonDigest } from '../base/canonicalJson.ts';
import { isRecord } from '../base/record.ts';
import type { Fields } from './readAnswer.ts';
import { PlanError } from './readAnswer.ts';
import type { JudgedPlan, Operation, Plan, Stage } from './types.ts';

/** Endpoint name of joined claim plans. */
export const CLAIM_ALL = 'claimAll';

/** Maximum number of claims in a plan; the next plan contains the rest. */
export const MAX_CLAIMS = 16;

/** Claim endpoints, with the request field that names the wallet. */
const WALLET_FIELDS = { claimTxs: 'feeClaimer', claimVault: 'wallet', deployerClaimTxs: 'wallet' } as const;
export type ClaimEndpoint = keyof typeof WALLET_FIELDS;

/** A claim request. */
export interface Claim {
  readonly endpoint: ClaimEndpoint;
  readonly fields: Fields;
}

const isClaimEndpoint = (name: unknown): name is ClaimEndpoint =>
  typeof name === 'string' && Object.hasOwn(WALLET_FIELDS, name);

/** Returns the prefix of a claim's stage ids, derived from its request. */
export const claimKey = ({ endpoint, fields }: Claim): string => jsonDigest([endpoint, fields]).slice(0, 10);

const isOf = (claim: Claim, stageId: string): boolean => stageId.startsWith(`${claimKey(claim)}:`);

/** Returns the claims of a joined request. Throws `PlanError` for too many claims, another endpoint or another wallet. */
export function claimsIn(request: Fields): readonly Claim[] {
  const { claims, wallet } = request;
  const given: readonly unknown[] = Array.isArray(claims) ? claims : [];
  if (given.length > MAX_CLAIMS) throw new PlanError('The plan has too many claims.');
  return given.map((claim) => {
    const { endpoint, fields } = isRecord(claim) ? claim : {};
    if (!isClaimEndpoint(endpoint) || !isRecord(fields))
      throw new PlanError('The plan contains an invalid claim.');
    if (fields[WALLET_FIELDS[endpoint]] !== wallet)
      throw new PlanError('The plan claims for another wallet.');
    return { endpoint, fields };
  });
}

/** Returns the operation of a claim request: a holding claim if its source is a holding, else a position claim (C-CLAIM). */
export function claimOperation(request: Fields): Operation {
  const { source } = request;
  return isRecord(source) && source.kind === 'holding' ? 'holding_claim' : 'position_claim';
}

/** Returns the operation of a claim. */
export function operationOfClaim({ endpoint, fields }: Claim): Operation {
  if (endpoint === 'claimTxs') return claimOperation(fields);
  return endpoint === 'claimVault' ? 'vault_claim' : 'deployer_claim';
}

/** The plan of one operation that a stage belongs to. */
export interface Judged {
  readonly plan: JudgedPlan;
  /** Whether a stage of the run belongs to `plan`. */
  has(stageId: string): boolean;
}

/** Returns the plan of a stage; in a joined plan, the plan of its claim. Throws `PlanError` if no claim has the stage. */
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

/** Returns the part of a joined answer for one claim; empty if there is none. */
function answerTo({ claims }: Fields, claim: Claim): Fields {
  const found = (Array.isArray(claims) ? claims : []).find(
    (each) => isRecord(each) && each.key === claimKey(claim),
  );
  return isRecord(found) && isRecord(found.answer) ? found.answer : {};
}

/** Returns the claims that still have to be built: those without claim stages, or with one that has not landed. */
export const openClaims = (plan: Plan, landed: ReadonlySet<string>): readonly Claim[] =>
  claimsIn(plan.request.fields).filter((claim) => {
    const own = plan.stages.filter(({ id, kind }) => kind === 'claim' && isOf(claim, id));
    return own.length === 0 || !own.every(({ id }) => landed.has(id));
  });

/** Groups stages by claim, in the order of the request; empty for other plans. */
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
