/**
 * The execution layer as the tools see it: plans are opened, reviewed, submitted and read, and results show a plan
 * in one shape. No transaction string and no signature that has not landed is part of it.
 */
import type { OwnRequests } from '../builders/builders.ts';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../contract/index.ts';
import type { AnsweredClaim } from '../execution/claims.ts';
import type { Execution } from '../execution/execution.ts';
import type { Begun } from '../execution/open.ts';
import type { ProgressUpdate } from '../execution/run/driver.ts';
import type { OwnPlan } from '../plan/ownPlans.ts';
import type { StageStatus } from '../plan/types.ts';
import type { Effect as PolicyEffect, ReasonCode } from '../policy/decide/types.ts';
import type { Address } from '../transaction/types.ts';
import type { ShownPeriod } from './history/periodShape.ts';
import type { PlanFacts } from './planFacts.ts';
import type { ShownStatus } from './statusWords.ts';

/** A stage as results show it. A signature of ours appears only after its stage has landed. */
export interface StageView {
  id: string;
  kind: string;
  format: string;
  dependsOn: string[];
  status: StageStatus;
  requiredSigners: Address[];
  missingSigners: Address[];
  feePayer: Address;
  messageSha256: string;
  signature?: string;
  /** What is known or comes next, in a sentence without untrusted text. */
  note?: string;
}

/**
 * A plan as results show it: no transaction strings, no service plan object. Its facts (what was asked, what moved, what
 * it cost) are there where they could be read.
 */
export interface PlanView extends Partial<PlanFacts> {
  planId: string;
  operation: string;
  status: ShownStatus;
  /** Of a plan whose signatures may still land: how many there were, and since when (ISO 8601). */
  attempts?: { signed: number; since: string };
  intentKey: string;
  stages: StageView[];
  decision: { effect: PolicyEffect; reasonCodes: ReasonCode[]; explain: string; remedy?: string };
  readiness?: { status: string };
  expiresAt?: string;
  /** The earlier plan of the same intent that already completed, when this one repeats it. */
  repeats?: string;
  /** What happens next, for a person or a model. */
  next?: string;
}

/** Plans, as far as a tool may touch them. */
export interface PlanPort extends Pick<Execution, 'rememberQuote'> {
  /** Finds earlier plans of an intent before the service is asked; the result is passed to `open`. */
  begin<N extends EndpointName>(endpoint: N, request: EndpointRequest<N>): Promise<Begun>;
  /**
   * Turns an endpoint's answer into a stored, previewed plan; `null` when nothing needs signing. Builds of one intent
   * that began at the same time get one plan. `again` begins a new run although the earlier one is not complete.
   */
  open<N extends EndpointName>(
    endpoint: N,
    request: EndpointRequest<N>,
    answer: EndpointResponse<N>,
    how?: { readonly begun?: Begun; readonly again?: boolean },
  ): Promise<{ plan: PlanView | null; note?: string }>;
  /** Finds earlier plans that claim everything, before the service is asked; the result is passed to `openClaims`. */
  beginClaims(wallet: Address): Promise<Begun>;
  /** Joins claims that the service built one by one into one plan, and stores and previews it like any other. */
  openClaims(
    wallet: Address,
    claims: readonly AnsweredClaim[],
    how?: { readonly begun?: Begun; readonly again?: boolean },
  ): Promise<{ plan: PlanView | null; note?: string }>;
  /** Builds a plan that no service is asked for, and stores and previews it like any other. */
  build<P extends OwnPlan>(
    plan: P,
    request: OwnRequests[P],
    again?: boolean,
  ): Promise<{ plan: PlanView | null; note?: string }>;
  review(planId: string): Promise<PlanView>;
  submit(
    planId: string,
    waitSeconds: number,
    progress: (u: ProgressUpdate) => void,
    signal: AbortSignal,
  ): Promise<PlanView>;
  get(planId: string): Promise<PlanView>;
  /** Fields of the service's answer that decide nothing here: its asset, fee limits, lifetimes, compute budget. */
  stated(planId: string): Promise<Record<string, unknown>>;
  /** Lists plans with one summary line each; reads nothing from the chain. */
  list(filter: { limit: number; offset: number }): Promise<PlanView[]>;
  /** How many plans there are to list. */
  count(): Promise<number>;
  /** What happened within the last hours, and what waits; at most `most` lines of each, from the offset on. */
  activity(of: { hours: number; most: number; offset: number }): Promise<ShownPeriod>;
  /** Stops a plan for good: nothing more of it is signed. What was signed is followed to its end. */
  cancel(planId: string): Promise<PlanView>;
  /** The service's bytes of one stage, for the `plan://` resource. */
  stageBytes(planId: string, stageId: string): Promise<string>;
  /** The service's answer to a quote of this home; empty where there is none. */
  quoted(requestId: string): Promise<Record<string, unknown>>;
  /** Keeps what the agent called a token when it registered it, so that a question about it can say so. */
  rememberToken(mint: string, words: { readonly name: string; readonly symbol: string }): Promise<void>;
}
