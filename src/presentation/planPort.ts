/**
 * The execution layer as the tools use it: plans are opened, reviewed, submitted and read, and results show a plan in
 * one shape. Contains no transaction string and no signature that has not landed.
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

/** A stage in results. Our signature appears only after the stage has landed. */
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
 * A plan in results, without transaction strings and the service's plan object. Facts are present if they could be
 * read.
 */
export interface PlanView extends Partial<PlanFacts> {
  planId: string;
  operation: string;
  status: ShownStatus;
  /** For a plan whose signatures may still land: their number, and the time of the first (ISO 8601). */
  attempts?: { signed: number; since: string };
  intentKey: string;
  stages: StageView[];
  decision: { effect: PolicyEffect; reasonCodes: ReasonCode[]; explain: string; remedy?: string };
  readiness?: { status: string };
  expiresAt?: string;
  /** The completed earlier plan of the same intent. */
  repeats?: string;
  /** The next step, for a person or a model. */
  next?: string;
}

/** Plans as available to tools. */
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
  /** Finds earlier claim-everything plans before the service is asked; the result is passed to `openClaims`. */
  beginClaims(wallet: Address): Promise<Begun>;
  /** Joins individually built claims into one plan, and stores and previews it. */
  openClaims(
    wallet: Address,
    claims: readonly AnsweredClaim[],
    how?: { readonly begun?: Begun; readonly again?: boolean },
  ): Promise<{ plan: PlanView | null; note?: string }>;
  /** Builds a plan without the service, and stores and previews it. */
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
  /**
   * Returns informational fields of the service's answer: its asset, fee limits, lifetimes, compute budget. Decisions
   * do not use them.
   */
  stated(planId: string): Promise<Record<string, unknown>>;
  /** Lists plans with one summary line each; reads nothing from the chain. */
  list(filter: { limit: number; offset: number }): Promise<PlanView[]>;
  /** Returns the number of plans. */
  count(): Promise<number>;
  /** Returns the activity of the last hours and pending plans; at most `most` lines of each, from the offset on. */
  activity(of: { hours: number; most: number; offset: number }): Promise<ShownPeriod>;
  /** Cancels a plan: no further stage is signed. Transactions already signed are followed to their outcome. */
  cancel(planId: string): Promise<PlanView>;
  /** Returns the service's bytes of one stage, for the `plan://` resource. */
  stageBytes(planId: string, stageId: string): Promise<string>;
  /** Returns the service's answer to a quote of this home; empty if there is none. */
  quoted(requestId: string): Promise<Record<string, unknown>>;
  /** Stores the agent's name for a registered token, so that questions can show it. */
  rememberToken(mint: string, words: { readonly name: string; readonly symbol: string }): Promise<void>;
}
