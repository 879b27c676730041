/** Mastra: an agent of `@mastra/core` with the tools of its MCP client. */
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { MCPClient } from '@mastra/mcp';
import { type Framework, read } from './framework.ts';
import { type ScriptedModel, scriptedModel } from './scriptedModel.ts';

/** Mastra puts the server's name before a tool's. */
const PREFIX = 'countersign_';

export const mastra: Framework = {
  name: '@mastra/mcp',
  shows: ['text'],
  async connect(server) {
    const client = new MCPClient({ id: server.env.COUNTERSIGN_HOME, servers: { countersign: server } });
    const tools = await client.listTools();
    const run = async (scripted: ScriptedModel) => {
      const agent = new Agent({
        id: 'scripted',
        name: 'scripted',
        instructions: 'make the call',
        // Mastra's type of a model wants streams of both its methods; it reads an answer just as well.
        model: scripted.model as unknown as MastraModelConfig,
        tools,
      });
      await agent.generate('make the call', { maxSteps: 2 });
      return scripted;
    };
    return {
      tools: async () =>
        (await run(scriptedModel()))
          .tools()
          .map((tool) => ({ ...tool, name: tool.name.replace(PREFIX, '') })),
      call: async (name, args) =>
        read((await run(scriptedModel({ name: `${PREFIX}${name}`, args }))).shown()),
      close: () => client.disconnect(),
    };
  },
};
