/** mcp-use: its client's tools as its adapter hands them to LangChain. */
import type { StructuredToolInterface } from '@langchain/core/tools';
import { LangChainAdapter } from 'mcp-use/adapters';
import { MCPClient } from 'mcp-use/client';
import type { Framework } from './framework.ts';
import { ofLangChainTools } from './langchain.ts';

export const mcpUse: Framework = {
  name: 'mcp-use',
  shows: ['text', 'structure'],
  async connect(server) {
    const client = new MCPClient({ mcpServers: { countersign: server } });
    const tools = await LangChainAdapter.createTools<StructuredToolInterface, LangChainAdapter>(client);
    return ofLangChainTools(tools, () => client.closeAllSessions());
  },
};
