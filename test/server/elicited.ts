/** Server whose policy requires approval for fee plans, over a real sandbox, with clients. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { SandboxOptions } from '../../sandbox/index.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import type { ExecutionDeps } from '../../src/execution/ports.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { balanceOf } from '../../src/presentation/planFacts.ts';
import { createTokenReader } from '../../src/presentation/tokens.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import { createElicitation, type Elicitation } from '../../src/server/elicitation.ts';
import { createServer } from '../../src/server/index.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { Home, type HomeOptions } from '../execution/home.ts';
import { configRequest, launchRequest } from '../execution/requests.ts';

type Channels = PolicyFile['approval'] extends infer A
  ? A extends { channels: infer C }
    ? C
    : never
  : never;

export interface AskingOptions {
  readonly channels?: Channels;
  readonly launches?: boolean;
  /** Operations that require approval; by default configs and launches. */
  readonly prompts?: readonly string[];
  readonly sandbox?: SandboxOptions;
  readonly clock?: NonNullable<HomeOptions['clock']>;
  /** Plain address of an approval page. */
  readonly page?: string;
}

export class Asking {
  readonly home: Home;
  readonly elicitation: Elicitation;
  private readonly closing: (() => Promise<void>)[] = [];

  static async start({
    channels = ['elicitation'],
    launches = false,
    prompts: asks = ['config', 'launch'],
    sandbox = {},
    clock = (time) => time,
    page,
  }: AskingOptions = {}): Promise<Asking> {
    const policy = (file: PolicyFile): PolicyFile => ({
      ...file,
      rules: file.rules.map((rule) =>
        asks.includes(rule.operation) ? { ...rule, effect: 'require_approval' } : rule,
      ),
      approval: { ttlSeconds: 600, channels },
    });
    // The execution layer uses the elicitation, which needs its ledger first.
    let elicitation: Elicitation | undefined;
    const deps: Partial<ExecutionDeps> = {
      answerHolds: answerCheck({
        mode: 'live',
        ownerPublicKey: async () => undefined,
        elicited: (row) => elicitation?.elicited(row) ?? false,
        now: () => Date.now(),
      }),
    };
    const home = await Home.start({ policy, deps, sandbox, clock });
    const template = embeddedPolicy({ wallet: home.wallet, network: home.sandbox.genesisHash });
    const loaded = parsePolicy(JSON.stringify(policy(template)));
    if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
    elicitation = createElicitation({
      ledger: home.ledger,
      policy: async () => loaded,
      launches,
      page: async () => page,
    });
    return new Asking(home, elicitation);
  }

  private constructor(home: Home, elicitation: Elicitation) {
    this.home = home;
    this.elicitation = elicitation;
  }

  /** Builds a plan that requires approval. */
  async plan(operation: 'config' | 'launch' = 'config'): Promise<string> {
    const { home } = this;
    const { plan } =
      operation === 'config'
        ? await home.build('feeShareConfig', await configRequest(home, 2))
        : await home.build('dammLaunch', await launchRequest(home));
    return plan?.planId ?? '';
  }

  async row(planId: string): Promise<ApprovalRow | undefined> {
    return (await this.home.ledger.rows('approvals', { planId }))[0];
  }

  /** Opens a connection as over stdio, protocol revision included. Returns the client's end. */
  connect(): InMemoryTransport {
    const { home, elicitation } = this;
    const [here, there] = InMemoryTransport.createLinkedPair();
    const { chain } = home.deps;
    const tokens = createTokenReader(chain);
    const nothing = () => Promise.reject(new Error('not part of this test'));
    const server = createServer({
      version: '0.0.0',
      mode: 'sandbox',
      log: () => undefined,
      openHost: async () => ({
        elicitation,
        redact: (value) => value,
        stop: async () => undefined,
        context: ({ signal, progress }): ToolContext => ({
          mode: 'sandbox',
          signal,
          progress,
          plans: home.plans,
          service: home.service,
          wallet: {
            address: async () => home.wallet,
            overview: nothing,
            balance: (mint) => balanceOf(chain, home.wallet, mint === WSOL_MINT ? 'SOL' : mint),
          },
          tokens: { facts: tokens.facts, amounts: tokens.amounts, mint: nothing, ownerOf: nothing },
          account: { createKey: nothing, status: nothing },
          policy: { view: nothing, permitIncorporation: nothing },
          decisions: { list: nothing, count: nothing },
          images: { read: nothing },
        }),
      }),
    });
    const handle = serveStdio(() => server.connection(), { transport: there });
    this.closing.push(() => handle.close());
    return here;
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
    await this.home.close();
    await this.home.sandbox.close();
    rmSync(dirname(this.home.file), { recursive: true, force: true });
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
};

/** Client of revision 2026-07-28 that sends only the test's messages. */
export class BareClient {
  private readonly transport: InMemoryTransport;
  private readonly waiting = new Map<number, (message: JSONRPCMessage) => void>();
  private next = 1;

  constructor(transport: InMemoryTransport) {
    this.transport = transport;
    transport.onmessage = (message) => {
      if ('id' in message && typeof message.id === 'number') this.waiting.get(message.id)?.(message);
    };
  }

  /** Calls `submit_plan` with extra parameters, such as a response and a state. */
  async submit(
    planId: string,
    more: Record<string, unknown> = {},
    canElicit = true,
  ): Promise<Record<string, unknown>> {
    const id = this.next++;
    const answer = new Promise<JSONRPCMessage>((resolve) => this.waiting.set(id, resolve));
    const capabilities = canElicit ? { elicitation: { form: {} } } : {};
    const params = {
      name: 'submit_plan',
      arguments: { planId, waitSeconds: 30 },
      _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities },
      ...more,
    };
    await this.transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const message = await answer;
    if (!('result' in message)) throw new Error(JSON.stringify(message));
    return { ...message.result };
  }

  async start(): Promise<this> {
    await this.transport.start();
    return this;
  }
}
