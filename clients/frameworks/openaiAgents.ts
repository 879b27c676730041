/** The OpenAI Agents SDK: a run of its agent, with every schema converted to OpenAI's strict form where it can be. */
import {
  Agent,
  MCPServerStdio,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  Usage,
} from '@openai/agents';
import { type Framework, read, type ShownTool } from './framework.ts';

/** A model that makes one call and then ends, and keeps what it was shown. */
class OneCall implements Model {
  tools: readonly ShownTool[] = [];
  shown: unknown;
  readonly #call: { name: string; args: unknown } | undefined;

  constructor(call?: { name: string; args: unknown }) {
    this.#call = call;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.tools = request.tools.flatMap((tool) =>
      tool.type === 'function' ? [{ name: tool.name, parameters: tool.parameters, strict: tool.strict }] : [],
    );
    const results = Array.isArray(request.input)
      ? request.input.filter((item) => item.type === 'function_call_result')
      : [];
    const usage = new Usage();
    if (this.#call !== undefined && results.length === 0) {
      const { name, args } = this.#call;
      const made = { callId: 'call-1', name, arguments: JSON.stringify(args), status: 'completed' } as const;
      return { usage, output: [{ type: 'function_call', ...made }] };
    }
    this.shown = results[0]?.output;
    const content = [{ type: 'output_text', text: 'done' } as const];
    return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
  }

  async *getStreamedResponse(): AsyncGenerator<never> {}
}

const agents = (name: string, shows: 'text' | 'structure'): Framework => ({
  name,
  shows: [shows],
  strict: true,
  async connect({ command, args, env }) {
    const server = new MCPServerStdio({
      name: 'countersign',
      command,
      args,
      env,
      cacheToolsList: true,
      useStructuredContent: shows === 'structure',
    });
    await server.connect();
    const run = async (model: OneCall) => {
      const agent = new Agent({
        name: 'scripted',
        model,
        mcpServers: [server],
        mcpConfig: { convertSchemasToStrict: true },
      });
      await new Runner({ tracingDisabled: true }).run(agent, 'make the call');
      return model;
    };
    return {
      tools: async () => (await run(new OneCall())).tools,
      call: async (name, callArgs) => read((await run(new OneCall({ name, args: callArgs }))).shown),
      close: () => server.close(),
    };
  },
});

export const openaiAgents = agents('@openai/agents', 'text');

/** The same, told to show the structure of a result in the place of its text. */
export const openaiAgentsStructured = agents('@openai/agents (useStructuredContent)', 'structure');
