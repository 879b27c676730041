/**
 * Tools, prompts and resources with the fixed names required by the official conformance suite. Added to the product's
 * own server, so that the suite runs against its transport, handlers and capabilities, and finds its own names among
 * the product's.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CallToolResult,
  type ElicitRequestFormParams,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { callTool } from '../../src/server/call.ts';
import { select } from '../../src/server/catalogue.ts';
import { completeArgument, listedPrompts, renderPrompt } from '../../src/server/guidance/prompts.ts';
import type { ToolHost } from '../../src/server/host.ts';
import { readResource } from '../../src/server/resources/resources.ts';
import { ROUND_PROMPT, ROUND_TOOLS, takeTurn } from './rounds.ts';

/** One red pixel, and a wave file without samples. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const nothing = { type: 'object' } as const;

type Work = (
  context: ServerContext,
  args: Record<string, unknown>,
) => CallToolResult | Promise<CallToolResult>;

/**
 * Sends a question on the event stream of the call. By default the SDK uses the client's standing stream, and drops the
 * question if that stream is not open yet.
 */
const callSpan = ({ mcpReq }: ServerContext) => ({ relatedRequestId: mcpReq.id });

/** Elicits a form from the client and returns the response as text. */
const elicit =
  (label: string, requestedSchema: ElicitRequestFormParams['requestedSchema']): Work =>
  async (context, { message }) => {
    const prompt = typeof message === 'string' ? message : 'Please fill this in.';
    const { action, content } = await context.mcpReq.elicitInput(
      { message: prompt, requestedSchema },
      callSpan(context),
    );
    return text(`${label}: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };

const options = (...names: string[]) => names.map((title, index) => ({ const: `value${index + 1}`, title }));

const TOOLS: Readonly<Record<string, Work>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await pause(50);
    }
    return text('logged');
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'said');
    return text('logged, if the client wanted it');
  },
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause(50);
    }
    return text('done');
  },
  test_sampling: async (context, { prompt }) => {
    const { content } = await context.mcpReq.requestSampling(
      { messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }], maxTokens: 100 },
      callSpan(context),
    );
    return text(`LLM response: ${'text' in content ? content.text : ''}`);
  },
  test_elicitation: elicit('User response', {
    type: 'object',
    properties: {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    required: ['username', 'email'],
  }),
  test_elicitation_sep1034_defaults: elicit('Elicitation completed', {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  }),
  test_elicitation_sep1330_enums: elicit('Elicitation completed', {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: options('First Option', 'Second Option', 'Third Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: {
        type: 'array',
        items: { anyOf: options('First Choice', 'Second Choice', 'Third Choice') },
      },
    },
  }),
};

const JSON_SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
    if: { required: ['address'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['name'] },
    else: {},
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
} as const;

const PROMPTS: Readonly<Record<string, (args: Record<string, string>) => Record<string, unknown>[]>> = {
  test_simple_prompt: () => [{ type: 'text', text: 'This is a simple prompt for testing.' }],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    {
      type: 'resource',
      resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    },
    { type: 'text', text: 'Please process the embedded resource above.' },
  ],
  test_prompt_with_image: () => [image, { type: 'text', text: 'Please analyze the image above.' }],
};

function extraResource(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return {
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  if (uri === 'test://static-binary') return { mimeType: 'image/png', blob: PNG };
  if (uri === 'test://static-text' || uri === 'test://watched-resource')
    return { mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  return undefined;
}

/** Adds everything above to a connection of the product's server; other names are passed through. */
export function addExtras(server: Server, open: () => Promise<ToolHost>): Server {
  server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  const listed = select({}).map(({ tool }) => structuredClone(tool));
  const described = [...Object.keys(TOOLS), ...ROUND_TOOLS].map((name) => ({
    name,
    description: 'For conformance.',
    inputSchema: nothing,
  }));
  server.setRequestHandler('tools/list', () => ({
    tools: [...listed, ...described, structuredClone(JSON_SCHEMA_TOOL)].map((tool) => ({
      ...tool,
      inputSchema: { ...tool.inputSchema },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const work = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined;
    if (work !== undefined) return work(context, params.arguments ?? {});
    if (ROUND_TOOLS.includes(params.name)) {
      const turn = await takeTurn(params.name, context);
      return typeof turn === 'string' ? text(turn) : turn;
    }
    if (!listed.some(({ name }) => name === params.name)) throw new ProtocolError(-32602, 'Unknown tool.');
    const call = { signal: context.mcpReq.signal, progress: () => undefined };
    const { name, arguments: given } = params;
    return callTool({
      mode: 'sandbox',
      name,
      arguments: given,
      opened: undefined,
      open,
      call,
      log: () => undefined,
    });
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      ...listedPrompts(),
      ...[...Object.keys(PROMPTS), ROUND_PROMPT].map((name) => ({ name, description: 'For conformance.' })),
    ],
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    if (params.name === ROUND_PROMPT) {
      const turn = await takeTurn(params.name, context);
      if (typeof turn !== 'string') return turn;
      return { messages: [{ role: 'user', content: { type: 'text', text: turn } }] };
    }
    const make = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined;
    if (make === undefined) return renderPrompt(params.name, params.arguments);
    const messages = make(params.arguments ?? {}).map((content) => ({ role: 'user', content }));
    // The content has the specification's types, written out above.
    return { messages } as unknown as ReturnType<typeof renderPrompt>;
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/prompt' || Object.hasOwn(PROMPTS, ref.name)) return { completion: { values: [] } };
    return {
      completion: { values: await completeArgument(ref.name, argument.name, argument.value, async () => []) },
    };
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    const extra = extraResource(uri);
    if (extra !== undefined) return { contents: [{ uri, ...extra }] };
    return readResource(uri, open, { signal: context.mcpReq.signal, progress: () => undefined });
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}
