/** What the code that starts the server must provide: the ports behind the tools, opened by the first call that needs them. */
import type { ProgressUpdate, ToolContext } from '../../tools/tool.ts';
import type { Elicitation } from './elicitation.ts';

/** One call: what the client can still do about it. */
export interface ToolCall {
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Forwarded when the client asked for progress; otherwise it does nothing. */
  progress(update: ProgressUpdate): void;
}

/** What a resource URI of ours names. */
export type ResourceName =
  | { readonly kind: 'policy' }
  | { readonly kind: 'stage'; readonly planId: string; readonly stageId: string };

/** Everything behind the tools. */
export interface ToolHost {
  /** The context of one call. */
  context(call: ToolCall): ToolContext;
  /** Asks a person through the client's own dialog, where the policy lets it. */
  readonly elicitation?: Elicitation;
  /** Removes secrets from results, errors and log lines; the last step before they are sent. */
  redact(value: unknown): unknown;
  /**
   * Work stops at the next journaled state: no new stage is started. Once `answered` has settled nothing is asked
   * any more, and what calls use is closed. Called once, before the process ends.
   */
  stop(answered?: Promise<unknown>): Promise<void>;
}

/** Opens the host. Called at most once; a failed opening is tried again by the next call. */
export type OpenHost = () => Promise<ToolHost>;
