/** A language model of the AI SDK's kind that makes one call and then ends, and keeps what it was shown. */
import { MockLanguageModelV4 } from 'ai/test';
import type { ShownTool } from './framework.ts';

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const ended = (content: Result['content'], unified: 'tool-calls' | 'stop'): Result => ({
  content,
  finishReason: { unified, raw: undefined },
  usage: { inputTokens: tokens, outputTokens: tokens },
  warnings: [],
});

export interface ScriptedModel {
  readonly model: MockLanguageModelV4;
  /** The tools of its last call. */
  tools(): readonly ShownTool[];
  /** The result it was shown, undefined when it was shown none. */
  shown(): unknown;
}

export function scriptedModel(call?: { name: string; args: unknown }): ScriptedModel {
  let shown: unknown;
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap((message) =>
        message.role === 'tool' ? message.content.filter((part) => part.type === 'tool-result') : [],
      );
      if (call !== undefined && results.length === 0) {
        const { name: toolName, args } = call;
        const made = {
          type: 'tool-call',
          toolCallId: 'call-1',
          toolName,
          input: JSON.stringify(args),
        } as const;
        return ended([made], 'tool-calls');
      }
      shown = results[0]?.output;
      return ended([{ type: 'text', text: 'done' }], 'stop');
    },
  });
  return {
    model,
    shown: () => shown,
    tools: () =>
      (model.doGenerateCalls.at(-1)?.tools ?? []).flatMap((tool) =>
        tool.type === 'function' ? [{ name: tool.name, parameters: tool.inputSchema }] : [],
      ),
  };
}
