/** Runs one tool: arguments, work, result. Loaded by the first call, so that it does not delay the start. */

import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { catalogue } from '../../tools/index.ts';
import { joinLines } from '../../tools/resultText.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { asRecord } from '../base/record.ts';
import { unreadRows } from '../contract/index.ts';
import type { Mode } from '../plan/types.ts';
import { createRedactor } from '../secrets/redaction/redact.ts';
import { parseArguments } from './arguments.ts';
import { type Decide, elicitingClient } from './elicitation.ts';
import { toToolError } from './errors.ts';
import type { ToolCall, ToolHost } from './host.ts';
import { type RenderedResult, renderError, renderResult } from './render.ts';

const tools: ReadonlyMap<string, Tool> = new Map(catalogue.map((tool) => [tool.name, tool]));

/** Before a host is open nothing is registered, and only the patterns redact. */
const patterns = createRedactor();

export interface CallOptions {
  readonly mode: Mode;
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  /** The host if already open. */
  readonly opened: ToolHost | undefined;
  readonly open: () => Promise<ToolHost>;
  readonly call: ToolCall;
  /** The SDK's request context, and the capabilities the client declared at initialization. */
  readonly request?: { readonly context: ServerContext; readonly declared: ClientCapabilities | undefined };
  /** For embedding programs: their own way to ask a person. */
  readonly decide?: Decide | undefined;
  /** Logs errors that are not this project's own; `text` is redacted. */
  readonly log: (line: string) => void;
}

/** Runs a tool of the catalogue. Never rejects: an error becomes an error result. */
export async function callTool(options: CallOptions): Promise<RenderedResult | InputRequiredResult> {
  let host = options.opened;
  const redact = (value: unknown): unknown =>
    host === undefined ? patterns.redactValue(value) : host.redact(value);
  const call: ToolCall = {
    ...options.call,
    progress: (update) => options.call.progress({ ...update, message: String(redact(update.message)) }),
  };
  try {
    const tool = tools.get(options.name);
    if (tool === undefined) throw new Error(`no tool ${options.name}`);
    const input = parseArguments(tool, options.arguments);
    const opened = await options.open();
    host = opened;
    const run = async (): Promise<RenderedResult> => {
      const context = opened.context(call);
      const unread = { rows: 0 };
      const result = await tool.run(input, { ...context, service: withUnreadCount(context.service, unread) });
      const { rows } = unread;
      const missing = rows === 0 ? {} : { unreadRows: rows };
      const unreadable = rows > 0 && `${rows} ${rows === 1 ? 'row' : 'rows'} could not be read.`;
      return renderResult(
        options.mode,
        { ...asRecord(result), ...missing },
        joinLines(tool.text(result), unreadable),
        redact,
      );
    };
    const { planId } = asRecord(input);
    const { elicitation } = opened;
    if (tool.effect !== 'submit' || typeof planId !== 'string' || elicitation === undefined)
      return await run();
    if (options.decide !== undefined) return await elicitation.within(options.decide, planId, run);
    if (options.request === undefined) return await run();
    const { context, declared } = options.request;
    return await elicitation.around(elicitingClient(context, declared), planId, run);
  } catch (error) {
    const shown = toToolError(error);
    if (shown.code === 'INTERNAL_ERROR') options.log(String(redact(describe(error))));
    return renderError(options.mode, shown, redact);
  }
}

/** Wraps the service of a call and counts rows missing from its answers. */
const withUnreadCount = (
  service: ToolContext['service'],
  unread: { rows: number },
): ToolContext['service'] => ({
  call: async (endpoint, request) => {
    const answer = await service.call(endpoint, request);
    unread.rows += unreadRows(answer);
    return answer;
  },
});

/** Formats an internal error for the log. */
const describe = (error: unknown): string =>
  `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
