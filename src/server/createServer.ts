/**
 * The MCP server: lists tools from the generated catalogue, runs one on demand, and reads resources. It opens
 * nothing until a call needs it, so a client may spawn it only to look (design principle: start-up does nothing).
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
/** How long a list may be kept by clients of the newest revision: it changes with the version only. */
const LIST_CACHE = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

export interface CreateServerOptions extends Selection {
  readonly version: string;
  readonly mode: Mode;
  /** Opens what the tools need: secrets, ledger, chain, service. Called by the first call that gets past its arguments. */
  readonly openHost: OpenHost;
  /** One line for stderr. */
  readonly log: (line: string) => void;
  /**
   * Whether a person may be asked through the client's own dialog. Default true. Over HTTP the bearer of the token is the
   * client, so its answer would be the agent's own.
   */
  readonly asksThroughClient?: boolean | undefined;
  /** Most calls at work at a time; further ones wait. Default 64. */
  readonly callsAtOnce?: number | undefined;
}

/** A server that can be connected to any number of connections, one at a time per SDK server. */
export interface CountersignServer {
  /** A fresh SDK server for a connection, whatever revision it speaks. */
  connection(): Server;
  /** Stops the host's work at the next journaled state, if it was ever opened, and closes it once calls are `answered`. */
  stop(answered?: Promise<unknown>): Promise<void>;
}

/** Makes the server. Throws `ToolsetError` for an unknown toolset; does nothing else. */
export function createServer(options: CreateServerOptions): CountersignServer {
  const chosen = select(options);
  const names = new Set(chosen.map((each) => each.tool.name));
  const list = { tools: chosen.map((each) => each.tool) };
  const withCards = { tools: chosen.map(withCard) };
  const working = createSlots(options.callsAtOnce ?? MAX_IN_FLIGHT);
  let opened: ToolHost | undefined;
  let opening: Promise<ToolHost> | undefined;

  /** Opens once; calls that come meanwhile wait for the same opening; a failed one is forgotten. */
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
    // The generated list is already in wire form; the SDK's types want it mutable.
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
          ...(options.asksThroughClient === false
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

/** The error for a tool that is not served; it says whether the tool exists. */
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

/** The client's side of one call, for a tool. */
function toolCall({ mcpReq }: ServerContext): ToolCall {
  // The token is whatever the client chose; without one it did not ask for progress.
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    progress({ done, total, message }: ProgressUpdate) {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      const params = { progressToken, progress: done, total, message };
      // A client that went away in the meantime is not told.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
