/** LangChain: tools of its MCP adapter, or of mcp-use's, in the tool node of a graph. */
import { AIMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { type Connection, type Framework, read } from './framework.ts';

/** A connection made of LangChain tools. */
export function ofLangChainTools(tools: StructuredToolInterface[], close: () => Promise<void>): Connection {
  const node = new ToolNode(tools);
  return {
    tools: async () =>
      tools.map((tool) => {
        const { name, parameters } = convertToOpenAITool(tool).function;
        return { name, parameters };
      }),
    call: async (name, args) => {
      const asked = new AIMessage({
        content: '',
        tool_calls: [{ id: 'call-1', name, args, type: 'tool_call' }],
      });
      const { messages } = await node.invoke({ messages: [asked] });
      return read(messages[0]?.content);
    },
    close,
  };
}

export const langchain: Framework = {
  name: '@langchain/mcp-adapters',
  shows: ['text', 'structure'],
  async connect(server) {
    const client = new MultiServerMCPClient({
      mcpServers: { countersign: { ...server, transport: 'stdio' } },
    });
    return ofLangChainTools(await client.getTools(), () => client.close());
  },
};
