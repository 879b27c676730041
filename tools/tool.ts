/**
 * What a tool is: one object that reads as a spec. Its MCP hints follow from its declared effect,
 * so they cannot lie, and its context is a set of ports, so it cannot reach a key.
 */
import type { z } from 'zod';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../src/contract/index.ts';
import type { DecisionRecord } from '../src/ledger/types.ts';
import type { Mode, PlanStatus, StageStatus } from '../src/plan/types.ts';
import type { Effect as PolicyEffect, ReasonCode } from '../src/policy/types.ts';
import type { Address } from '../src/transaction/types.ts';

/**
 * read: changes nothing · write: a record at the service, nothing on chain ·
 * build: the service returns transactions, a plan is stored, nothing is signed · submit: signs and sends.
 */
export type ToolEffect = 'read' | 'write' | 'build' | 'submit';

export const DOMAINS = [
  'account',
  'launch',
  'fees',
  'trade',
  'evm',
  'incorporation',
  'plan',
  'wallet',
  'legacy',
] as const;
export type Domain = (typeof DOMAINS)[number];

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

/** A plan as results show it: no transaction strings, no service plan object. */
export interface PlanView {
  planId: string;
  operation: string;
  status: PlanStatus;
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

/** Progress of long work, forwarded to the client when it asked for it. */
export interface ProgressUpdate {
  done: number;
  total: number;
  message: string;
}

/** What a tool may use. Each port opens what it needs on first use; building the context does nothing. */
export interface ToolContext {
  readonly mode: Mode;
  readonly signal: AbortSignal;
  progress(update: ProgressUpdate): void;
  readonly service: {
    call<N extends EndpointName>(name: N, request: EndpointRequest<N>): Promise<EndpointResponse<N>>;
  };
  readonly plans: PlanPort;
  readonly wallet: WalletPort;
  readonly account: AccountPort;
  readonly policy: { view(): Promise<Record<string, unknown>> };
  readonly decisions: {
    list(filter: { planId?: string; limit?: number; before?: number }): Promise<DecisionRecord[]>;
  };
  /** Reads a local image from under the folder a person configured; rejects anything else. */
  readonly images: { read(path: string): Promise<{ bytes: Uint8Array; type: string; name: string }> };
}

export interface PlanPort {
  /** Turns an endpoint's answer into a stored, previewed plan; `null` when nothing needs signing. */
  open<N extends EndpointName>(
    endpoint: N,
    request: EndpointRequest<N>,
    answer: EndpointResponse<N>,
  ): Promise<{ plan: PlanView | null; note?: string }>;
  review(planId: string): Promise<PlanView>;
  submit(
    planId: string,
    waitSeconds: number,
    progress: (u: ProgressUpdate) => void,
    signal: AbortSignal,
  ): Promise<PlanView>;
  get(planId: string): Promise<PlanView>;
  list(filter: { limit: number; offset: number }): Promise<PlanView[]>;
  /** The service's bytes of one stage, for the `plan://` resource. */
  stageBytes(planId: string, stageId: string): Promise<string>;
  /** Keeps a quote this home fetched, so that a swap can be bound to it. */
  rememberQuote(requestId: string, request: unknown, quote: unknown): Promise<void>;
}

export interface WalletPort {
  /** The only wallet's address; rejects with a sentence that says how to make one. */
  address(): Promise<Address>;
  overview(): Promise<Record<string, unknown>>;
}

export interface AccountPort {
  /** Exchanges a login JWT for an API key, which goes to the secret store and never to the result. */
  createKey(name: string, token?: string): Promise<Record<string, unknown>>;
  status(): Promise<Record<string, unknown>>;
}

/** One tool. `I` and `O` are the zod schemas of its arguments and its result. */
export interface Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly domain: Domain;
  readonly effect: ToolEffect;
  /** What it does, when to use it, when not, what comes next. */
  readonly description: string;
  /** True when a repeated call with the same arguments changes nothing more. Reads always are. */
  readonly idempotent?: boolean;
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, context: ToolContext): Promise<z.input<O>>;
  /** The same facts as the result, short, for the text block. */
  text(result: z.input<O>): string;
}

/** Declares a tool; only pins its types. */
export const defineTool = <I extends z.ZodType, O extends z.ZodType>(tool: Tool<I, O>): Tool<I, O> => tool;

/** The four MCP hints, from the effect. */
export function hints(tool: Pick<Tool, 'effect' | 'idempotent'>): {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
} {
  const read = tool.effect === 'read';
  return {
    readOnlyHint: read,
    destructiveHint: tool.effect === 'submit',
    idempotentHint: read || tool.idempotent === true,
    openWorldHint: true,
  };
}
