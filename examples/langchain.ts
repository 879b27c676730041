/**
 * Countersign's tools for LangChain, in process.
 *
 * ```ts
 * import { tool } from '@langchain/core/tools';
 * import { createAgent } from 'langchain';
 * import { createCountersign } from 'countersign';
 *
 * const countersign = createCountersign({ mode: 'sandbox' });
 * const agent = createAgent({ model, tools: langchainTools(countersign, tool) });
 * ```
 *
 * Over MCP instead, with `@langchain/mcp-adapters`:
 *
 * ```ts
 * const client = new MultiServerMCPClient({
 *   countersign: { transport: 'stdio', command: 'countersign', args: ['serve', '--sandbox'] },
 * });
 * const agent = createAgent({ model, tools: await client.getTools() });
 * ```
 */
import type { Countersign, ToolDefinition } from 'countersign';

/** Second argument of a tool function in LangChain. */
interface CallConfig {
  readonly signal?: AbortSignal;
}

/** LangChain's helper `tool`: takes a function and its description. */
export type MakeTool<Tool> = (
  run: (input: Record<string, unknown>, config?: CallConfig) => Promise<[string, unknown]>,
  fields: {
    name: string;
    description: string;
    schema: ToolDefinition['inputSchema'];
    responseFormat: 'content_and_artifact';
  },
) => Tool;

/** Returns the tools. The model reads a result's text; its artifact is the structured result. `tool` is LangChain's helper. */
export function langchainTools<Tool>(countersign: Countersign, tool: MakeTool<Tool>): Tool[] {
  return countersign.listTools().map(({ name, description, inputSchema }) =>
    tool(
      async (input, config) => {
        const { content, structuredContent } = await countersign.callTool(name, input, {
          signal: config?.signal,
        });
        return [content.map((part) => part.text).join('\n'), structuredContent];
      },
      { name, description, schema: inputSchema, responseFormat: 'content_and_artifact' },
    ),
  );
}
