/**
 * Ports behind the tools, provided by the code that starts the server and opened by the first call that needs them.
 */
import type { ProgressUpdate, ToolContext } from '../../tools/tool.ts';
import type { Elicitation } from './elicitation.ts';

/** The client's side of one call. */
export interface ToolCall {
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Forwards progress if the client requested it; otherwise a no-op. */
  progress(update: ProgressUpdate): void;
}

/** A parsed resource URI of this server. */
export type ResourceName =
  | { readonly kind: 'policy' }
  | { readonly kind: 'stage'; readonly planId: string; readonly stageId: string };

/** The ports behind the tools. */
export interface ToolHost {
  /** Returns the context of one call. */
  context(call: ToolCall): ToolContext;
  /** Asks through the client's own dialog, if the policy permits it. */
  readonly elicitation?: Elicitation;
  /** Removes secrets from results, errors and log lines; the last step before sending. */
  redact(value: unknown): unknown;
  /**
   * Stops work at the next journaled state: no new stage is started. Once `answered` has settled, no further requests
   * are made, and resources are closed. Called once, before the process ends.
   */
  stop(answered?: Promise<unknown>): Promise<void>;
}

/** Opens the host. Called once; the next call retries a failed opening. */
export type OpenHost = () => Promise<ToolHost>;
