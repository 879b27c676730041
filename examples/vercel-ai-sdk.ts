/**
 * Countersign's tools for the Vercel AI SDK, in process.
 *
 * ```ts
 * import { generateText, jsonSchema, stepCountIs } from 'ai';
 * import { createCountersign } from 'countersign';
 *
 * const countersign = createCountersign({ mode: 'sandbox' });
 * const { text } = await generateText({
 *   model,
 *   tools: vercelTools(countersign, jsonSchema),
 *   stopWhen: stepCountIs(20),
 *   prompt: 'Register a token called Lighthouse, give me all its fees, and land it.',
 * });
 * await countersign.close();
 * ```
 */
import type { Countersign, ToolDefinition } from 'countersign';

/** Second argument of a tool function in this SDK. */
interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

export interface VercelTool<Schema> {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  /** The structured result, errors included: the model reads `code`, `message` and `hint` and goes on. */
  execute(input: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
}

/** Returns the tools by name. `jsonSchema` is the SDK's helper. */
export function vercelTools<Schema>(
  countersign: Countersign,
  jsonSchema: (schema: ToolDefinition['inputSchema']) => Schema,
): Record<string, VercelTool<Schema>> {
  const entries = countersign.listTools().map(({ name, title, description, inputSchema }) => {
    const tool: VercelTool<Schema> = {
      title,
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input, options) =>
        (await countersign.callTool(name, input, { signal: options?.abortSignal })).structuredContent,
    };
    return [name, tool] as const;
  });
  return Object.fromEntries(entries);
}
