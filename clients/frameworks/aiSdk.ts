/** The AI SDK: its MCP client's tools in a loop of `generateText`. */
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { generateText, isStepCount } from 'ai';
import { type Framework, read } from './framework.ts';
import { type ScriptedModel, scriptedModel } from './scriptedModel.ts';

export const aiSdk: Framework = {
  name: '@ai-sdk/mcp',
  shows: ['text'],
  async connect(server) {
    const client = await createMCPClient({ transport: new StdioTransport(server) });
    const tools = await client.tools();
    const run = async (scripted: ScriptedModel) => {
      await generateText({ model: scripted.model, tools, prompt: 'make the call', stopWhen: isStepCount(2) });
      return scripted;
    };
    return {
      tools: async () => (await run(scriptedModel())).tools(),
      call: async (name, args) => read((await run(scriptedModel({ name, args }))).shown()),
      close: () => client.close(),
    };
  },
};
