/** Test environment of a tool: the real service client over loopback, and recording ports. */
import { onTestFinished } from 'vitest';
import type { EndpointName } from '../../src/contract/index.ts';
import { catalogue } from '../../tools/index.ts';
import type { PlanView, Tool, ToolContext } from '../../tools/tool.ts';
import { WALLET } from '../contract/validRequests.ts';
import { clientFor, ok, type SeenRequest, startServer } from '../service/localServer.ts';

export const ONLY_WALLET = WALLET;

export const planView: PlanView = {
  planId: 'plan-1',
  operation: 'config',
  status: 'ready',
  intentKey: 'ab'.repeat(32),
  stages: [
    {
      id: 'config-1',
      kind: 'config',
      format: 'v0',
      dependsOn: [],
      status: 'ready',
      requiredSigners: [WALLET],
      missingSigners: [],
      feePayer: WALLET,
      messageSha256: 'cd'.repeat(32),
    },
  ],
  decision: { effect: 'allow', reasonCodes: [], explain: 'Rule fees allows this config.' },
};

export interface World {
  readonly context: ToolContext;
  /** Requests to the service. */
  readonly requests: SeenRequest[];
  /** Opened plans: endpoint and request. */
  readonly opened: {
    endpoint: EndpointName;
    request: unknown;
    answer: unknown;
    again: boolean | undefined;
  }[];
  readonly quotes: { requestId: string; request: unknown }[];
}

/** Starts a service on loopback that answers every call with `payload`, or with a function of the request. */
export async function world(payload: unknown, more: Partial<ToolContext> = {}): Promise<World> {
  const server = await startServer((request, response) =>
    ok(response, typeof payload === 'function' ? payload(request) : payload),
  );
  onTestFinished(() => server.close());
  const opened: World['opened'] = [];
  const quotes: World['quotes'] = [];
  const refuse = () => Promise.reject(new Error('this test does not need it'));
  const { client } = clientFor(server.origin);
  const context: ToolContext = {
    mode: 'sandbox',
    signal: new AbortController().signal,
    progress: () => undefined,
    service: client,
    plans: {
      begin: async () => ({}),
      open: async (endpoint, request, answer, how) => {
        opened.push({ endpoint, request, answer, again: how?.again });
        return { plan: planView };
      },
      build: async (plan, request, again) => {
        // Tools decide which plans are built locally; tests look at the request.
        opened.push({ endpoint: plan as EndpointName, request, answer: null, again });
        return { plan: planView };
      },
      beginClaims: async () => ({}),
      openClaims: async (wallet, claims, how) => {
        for (const { endpoint, fields, answer } of claims)
          opened.push({ endpoint, request: { wallet, ...fields }, answer, again: how?.again });
        return { plan: planView };
      },
      review: async () => planView,
      submit: async () => planView,
      get: async () => planView,
      list: async () => [planView],
      count: async () => 1,
      activity: refuse,
      cancel: async () => planView,
      stated: async () => ({}),
      stageBytes: async () => 'AQID',
      rememberQuote: async (requestId, request) => {
        quotes.push({ requestId, request });
      },
      quoted: async () => (typeof payload === 'object' ? { ...payload } : {}),
      rememberToken: async () => undefined,
    },
    wallet: { address: async () => ONLY_WALLET, overview: refuse, balance: async () => 10n ** 18n },
    tokens: {
      facts: async () => new Map(),
      amounts: async (assets) => [...assets].map(([asset, units]) => ({ asset, raw: `${units}` })),
      mint: async (mint) => ({
        mint,
        tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
        decimals: 6,
        supply: '1000',
        supplyRaw: '1000000000',
        mintAuthority: null,
        freezeAuthority: null,
        extensions: [],
      }),
      ownerOf: async () => 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    },
    account: { createKey: refuse, status: refuse },
    policy: { view: refuse, permitIncorporation: async () => undefined },
    decisions: { list: refuse, count: refuse },
    images: { read: refuse },
    ...more,
  };
  return { context, requests: server.requests, opened, quotes };
}

/** Returns a tool of the catalogue by name. */
export function toolNamed(name: string): Tool {
  const found = catalogue.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

/** Runs a tool like the server: parses the arguments with its schema, then calls it. */
export async function run(
  name: string,
  given: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const tool = toolNamed(name);
  const result = await tool.run(tool.input.parse(given), context);
  if (typeof result !== 'object' || result === null) throw new Error('a result is an object');
  return { ...result };
}
