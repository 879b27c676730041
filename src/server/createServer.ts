/**
 * The MCP server: lists tools from the generated catalogue, runs tools, and reads resources. Opens nothing until a
 * call needs it, since clients may spawn it only to list tools.
 */
import {
  type CallToolRequest,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ProgressUpdate } from '../../tools/tool.ts';
import { isRecord } from '../base/record.ts';
import { traced } from '../base/telemetry.ts';
import type { Mode } from '../plan/types.ts';
import { showsApps, withCard } from './card/apps.ts';
import { type ListedTool, listed, type Selection, select } from './catalogue.ts';
import { addGuidance, GUIDANCE_CAPABILITIES } from './guidance/guidance.ts';
import { INSTRUCTIONS } from './guidance/instructions.ts';
import type { OpenHost, ToolCall, ToolHost } from './host.ts';
import { currentScope, tracked } from './scope.ts';
import { createSlots } from './slots.ts';
import { MAX_IN_FLIGHT } from './stdio/gate.ts';

const INVALID_PARAMS = -32602;
/** How long clients of the newest revision may cache a list: it changes only with the version. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

export interface CreateServerOptions extends Selection {
  readonly version: string;
  readonly mode: Mode;
  /** Opens secrets, ledger, chain and service. Called by the first call with valid arguments. */
  readonly openHost: OpenHost;
  /** Writes one line to stderr. */
  readonly log: (line: string) => void;
  /**
   * Whether questions may be asked through the client's own dialog. Default true. Over HTTP the client is the bearer
   * of the token, so its answer would be the agent's own.
   */
  readonly approvesThroughClient?: boolean | undefined;
  /** Maximum concurrent calls; further ones wait. Default 64. */
  readonly callsAtOnce?: number | undefined;
}

/** A server for any number of connections, with one SDK server each. */
export interface CountersignServer {
  /** Creates an SDK server for a connection of any protocol revision. */
  connection(): Server;
  /**
   * Stops the host's work at the next journaled state, if it was opened, and closes it once `answered` has settled.
   */
  stop(answered?: Promise<unknown>): Promise<void>;
}

/** Creates the server. Throws `ToolsetError` for an unknown toolset; has no other effect. */
export function createServer(options: CreateServerOptions): CountersignServer {
  const chosen = select(options);
  const names = new Set(chosen.map((each) => each.tool.name));
  const list = { tools: chosen.map((each) => each.tool) };
  const withCards = { tools: chosen.map(withCard) };
  const working = createSlots(options.callsAtOnce ?? MAX_IN_FLIGHT);
  let opened: ToolHost | undefined;
  let opening: Promise<ToolHost> | undefined;

  /** Opens the host once; concurrent calls share the opening, and a failed one is retried. */
  const open = (): Promise<ToolHost> => {
    opening ??= options.openHost().then(
      (host) => {
        opened = host;
        return host;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };

  const connection = (): Server => {
    const server = new Server(
      { name: 'countersign', title: 'Countersign', version: options.version },
      {
        capabilities: { tools: {}, resources: {}, ...GUIDANCE_CAPABILITIES },
        instructions: INSTRUCTIONS,
        cacheHints: { 'tools/list': LIST_CACHE },
      },
    );
    // The generated list is in wire form; the SDK's types require it mutable.
    server.setRequestHandler('tools/list', (_, context) =>
      structuredClone(showsApps(context, server.getClientCapabilities()) ? withCards : list),
    );
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      if (!names.has(params.name)) throw unknownTool(params.name, options);
      const scope = currentScope();
      const start = {
        name: `tools/call ${params.name}`,
        kind: 'server',
        attributes: {
          'mcp.method.name': 'tools/call',
          'mcp.protocol.version': server.getNegotiatedProtocolVersion(),
          'gen_ai.tool.name': params.name,
          'gen_ai.operation.name': 'execute_tool',
          'network.transport': scope === undefined ? 'pipe' : 'tcp',
        },
        traceparents: [params._meta?.traceparent, scope?.traceparent],
      } as const;
      return traced(start, (note) =>
        tracked(called(params, context)).then((result) => {
          const { isError, structuredContent } = result;
          const code = isRecord(structuredContent) ? structuredContent.code : undefined;
          if (isError === true)
            note({
              'error.type': 'tool_error',
              ...(typeof code === 'string' ? { 'countersign.code': code } : {}),
            });
          return result;
        }),
      );
    });
    const called = async (params: CallToolRequest['params'], context: ServerContext) => {
      const { callTool } = await import('./call.ts');
      // The transport limits requests; a cancelled call keeps its slot until its work has ended.
      return working.run(context.mcpReq.signal, () =>
        callTool({
          mode: options.mode,
          name: params.name,
          arguments: params.arguments,
          opened,
          open,
          call: toolCall(context),
          ...(options.approvesThroughClient === false
            ? {}
            : { request: { context, declared: server.getClientCapabilities() } }),
          log: options.log,
        }),
      );
    };
    server.setRequestHandler('resources/list', async () => {
      const { GUIDE_RESOURCES } = await import('./guidance/guide.ts');
      return {
        resources: [
          {
            uri: 'policy://current',
            name: 'policy',
            title: 'Signing policy in force',
            mimeType: 'application/json',
          },
          ...GUIDE_RESOURCES,
        ],
      };
    });
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [
        {
          uriTemplate: 'plan://{planId}/stages/{stageId}',
          name: 'stage',
          title: 'Bytes of a stage',
          description: "The service's transaction of a stage, base64, without our signature.",
        },
      ],
    }));
    server.setRequestHandler('resources/read', async ({ params }, context) => {
      const { readResource } = await import('./resources/resources.ts');
      return readResource(params.uri, open, toolCall(context));
    });
    addGuidance(server, open);
    return server;
  };

  return {
    connection,
    stop: async (answered) => {
      const host = opened ?? (await opening?.catch(() => undefined));
      await host?.stop(answered);
    },
  };
}

/** Returns the error for a tool that is not served, and whether the tool exists. */
function unknownTool(name: string, { readOnly }: Selection): ProtocolError {
  const hidden: ListedTool | undefined = listed.find((each) => each.tool.name === name);
  const shown = JSON.stringify(name.slice(0, 64));
  if (hidden === undefined)
    return new ProtocolError(INVALID_PARAMS, `Unknown tool ${shown}: see tools/list.`);
  const why =
    readOnly === true && hidden.effect !== 'read'
      ? 'it is hidden by --read-only'
      : `its toolset "${hidden.domain}" is not served: a person can add it with --toolsets`;
  return new ProtocolError(INVALID_PARAMS, `Tool ${shown} is not available: ${why}.`);
}

/** Returns the client's side of one call, for a tool. */
function toolCall({ mcpReq }: ServerContext): ToolCall {
  // The token is chosen by the client; without one no progress was requested.
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    progress({ done, total, message }: ProgressUpdate) {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      const params = { progressToken, progress: done, total, message };
      // Ignored if the client has disconnected.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
