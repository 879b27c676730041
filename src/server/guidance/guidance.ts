/**
 * Guidance beside the tools: prompts and completions. Every handler loads its text on first use, so that it does not
 * delay the start.
 */
import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import type { ToolCall, ToolHost } from '../host.ts';

/** Capabilities of these handlers. */
export const GUIDANCE_CAPABILITIES = { prompts: {}, completions: {} } as const;

const INVALID_PARAMS = -32602;
/** Number of newest plans offered as completions of a plan id. */
const OFFERED_PLANS = 50;

/** Reports an error in a prompt's arguments as the client's error. */
function asProtocolError(error: unknown): never {
  if (error instanceof Error && error.name === 'PromptError')
    throw new ProtocolError(INVALID_PARAMS, error.message);
  throw error;
}

/** Adds the handlers to a connection's server. `open` opens the host, needed only to complete plan ids. */
export function addGuidance(server: Server, open: () => Promise<ToolHost>): void {
  server.setRequestHandler('prompts/list', async () => {
    const { listedPrompts } = await import('./prompts.ts');
    return { prompts: listedPrompts() };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const { renderPrompt } = await import('./prompts.ts');
    try {
      return renderPrompt(params.name, params.arguments);
    } catch (error) {
      return asProtocolError(error);
    }
  });
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const { completeArgument } = await import('./prompts.ts');
    const plans = async (): Promise<string[]> => {
      const call: ToolCall = { signal: context.mcpReq.signal, progress: () => undefined };
      const listed = await (await open()).context(call).plans.list({ limit: OFFERED_PLANS, offset: 0 });
      return listed.map(({ planId }) => planId);
    };
    const { ref, argument } = params;
    if (ref.type !== 'ref/prompt') {
      const values = argument.name === 'planId' ? await plans() : [];
      return { completion: { values: values.filter((each) => each.startsWith(argument.value)) } };
    }
    try {
      return {
        completion: { values: await completeArgument(ref.name, argument.name, argument.value, plans) },
      };
    } catch (error) {
      return asProtocolError(error);
    }
  });
}
