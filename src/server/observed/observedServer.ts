/**
 * The SDK's server, each of whose requests is watched as the OpenTelemetry conventions for MCP say: one span and one
 * duration for each. Of what a client sends only names go in that this server has itself; not its request ids, resource
 * addresses, arguments or results, nor messages of errors, which may repeat them.
 */
import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Facts, Observer, Watched } from '../../base/observer.ts';
import { asRecord, isRecord } from '../../base/record.ts';
import { currentScope } from '../scope.ts';

/** The conventions' histogram, in seconds. */
const DURATION = 'mcp.server.operation.duration';
/** What a duration is told apart by. */
const BY = [
  'mcp.method.name',
  'gen_ai.tool.name',
  'gen_ai.operation.name',
  'network.transport',
  'error.type',
  'rpc.response.status_code',
  'countersign.code',
];
const INTERNAL_ERROR = -32603;

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

export interface Watching {
  readonly observer: Observer;
  /** Whether a tool of this name is served. */
  readonly hasTool: (name: string) => boolean;
}

export class ObservedServer extends Server {
  #watching: Watching | undefined;

  /** From now on requests are watched. */
  watch(watching: Watching): this {
    this.#watching = watching;
    return this;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return (request, context) => {
      const watching = this.#watching;
      if (watching === undefined) return wrapped(request, context);
      const revision = this.getNegotiatedProtocolVersion();
      return watching.observer.around(watched(method, request, context, revision, watching), async (note) => {
        try {
          const result = await wrapped(request, context);
          note(context.mcpReq.signal.aborted ? { 'error.type': 'cancelled' } : outcomeOf(result));
          return result;
        } catch (error) {
          note(failureOf(error));
          throw error;
        }
      });
    };
  }
}

function watched(
  method: string,
  request: JSONRPCRequest,
  { sessionId }: ServerContext,
  revision: string | undefined,
  { hasTool }: Watching,
): Watched {
  const params = asRecord(request.params ?? {});
  const tool =
    method === 'tools/call' && typeof params.name === 'string' && hasTool(params.name)
      ? params.name
      : undefined;
  const scope = currentScope();
  return {
    name: tool === undefined ? method : `${method} ${tool}`,
    kind: 'server',
    facts: {
      'mcp.method.name': method,
      'mcp.protocol.version': revision,
      'mcp.session.id': sessionId,
      'gen_ai.tool.name': tool,
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
      'network.transport': scope === undefined ? 'pipe' : 'tcp',
      'network.protocol.name': scope === undefined ? undefined : 'http',
      'countersign.request': scope?.request,
    },
    parents: [asRecord(params._meta ?? {}).traceparent, scope?.traceparent],
    duration: { metric: DURATION, by: BY },
  };
}

/** A tool that failed answers like one that did not; its code says why. */
function outcomeOf(result: Result): Facts {
  if (result.isError !== true) return {};
  const { structuredContent } = result;
  const code = isRecord(structuredContent) ? structuredContent.code : undefined;
  return { 'error.type': 'tool_error', 'countersign.code': typeof code === 'string' ? code : undefined };
}

function failureOf(error: unknown): Facts {
  const code = isRecord(error) || error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const shown = String(Number.isSafeInteger(code) ? code : INTERNAL_ERROR);
  return { 'error.type': shown, 'rpc.response.status_code': shown };
}
