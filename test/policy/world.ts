/**
 * A real sandbox behind a real chain port, and the policy between them: the service builds plans, inputs are gathered
 * from the chain, and decisions use the same inputs as a home. Attacks change the service's drafts before they are
 * signed, so that every co-signature is valid.
 */

import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { keypairFromSeed } from '../../sandbox/keypair.ts';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { type EndpointName, endpoints } from '../../src/contract/index.ts';
import { freshStage } from '../../src/execution/deciding/candidate.ts';
import { gatherInputs } from '../../src/execution/deciding/gather.ts';
import { type CLAIM_ALL, judgedWith } from '../../src/plan/claimAll.ts';
import { planFromAnswer } from '../../src/plan/fromAnswer.ts';
import { type RequestedConfig, requestedConfig } from '../../src/plan/notes.ts';
import type { Plan, Stage, StageStatus } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { SANDBOX_PROGRAMS } from '../../src/review/templates/embedded.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { createChain } from '../../src/rpc/chain.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { encodeTransaction } from '../../src/transaction/read.ts';
import { signSlot } from '../../src/transaction/signatures.ts';
import { keyNamed, load, NOTHING_USED } from './people.ts';

export { keyNamed, load, NOTHING_USED } from './people.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** Changes the draft of a stage before the service compiles it. */
export type Tamper = (draft: Draft, stage: string) => Draft;

export class World {
  readonly sandbox: Sandbox;
  readonly chain: Chain;
  readonly wallet: string;
  readonly policy: LoadedPolicy;
  /** The same, with the embedded service's unsupported programs. */
  readonly listing: LoadedPolicy;
  readonly #named = new Map<string, { name: string; symbol: string }>();
  readonly #asked = new Map<string, RequestedConfig>();
  readonly #quotes = new Map<string, { request: Fields; quote: Fields; expiresAt: number }>();
  readonly #statuses = new Map<string, Map<string, StageStatus>>();

  static async start(seed = 'policy tests'): Promise<World> {
    const sandbox = await startSandbox({ seed, clock: 'manual' });
    return new World(sandbox);
  }

  /** A world over a running sandbox. */
  static over(sandbox: Sandbox): World {
    return new World(sandbox);
  }

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.wallet = sandbox.wallet.address;
    this.chain = createChain({ rpcUrl: sandbox.rpcUrl, fetch });
    const unsupported = SANDBOX_PROGRAMS.map((entry) => ({ ...entry, binding: 'effects' as const }));
    this.policy = this.policyWith((file) => file);
    this.listing = this.policyWith((file) => ({ ...file, programs: [...file.programs, ...unsupported] }));
    sandbox.advanceSlots(4);
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  /** The sandbox template with changes. */
  policyWith(change: (file: PolicyFile) => PolicyFile): LoadedPolicy {
    const file = policyTemplate('sandbox', { wallet: this.wallet, network: this.sandbox.genesisHash });
    return load(change(file));
  }

  /** Calls the service. Returns the response payload, or an error with its message. */
  async call(endpoint: EndpointName, fields: Fields): Promise<unknown> {
    const { method, path } = endpoints[endpoint];
    const url = new URL(`${this.sandbox.rootUrl}/api/v1${path}`);
    const query = Object.entries(fields).map(([key, value]) => [key, String(value)]);
    if (method === 'GET') url.search = new URLSearchParams(Object.fromEntries(query)).toString();
    const form = endpoint === 'createTokenInfo' ? new FormData() : undefined;
    for (const [key, value] of Object.entries(fields)) form?.set(key, String(value));
    const response = await fetch(url, {
      method,
      headers: { 'x-api-key': this.sandbox.apiKey, ...(form ? {} : { 'content-type': 'application/json' }) },
      ...(method === 'GET' ? {} : { body: form ?? JSON.stringify(fields) }),
    });
    const body: unknown = await response.json();
    if (!isObject(body) || body.success !== true) throw new Error(`${endpoint}: ${JSON.stringify(body)}`);
    const { response: answer } = body;
    if (endpoint === 'createTokenInfo' && isObject(answer))
      this.#named.set(String(answer.tokenMint), { name: String(fields.name), symbol: String(fields.symbol) });
    return answer;
  }

  /** A registered token: mint and metadata link. */
  async token(name = 'Token'): Promise<{ mint: string; uri: string }> {
    const info = await this.call('createTokenInfo', {
      name,
      symbol: 'TKN',
      description: 'a token',
      imageUrl: 'https://example.com/token.png',
    });
    if (!isObject(info)) throw new Error('no token');
    return { mint: String(info.tokenMint), uri: String(info.tokenMetadata) };
  }

  /** Fetches and stores a quote. Returns the swap request. */
  async quoted(fields: Fields): Promise<Fields> {
    const request = { taker: this.wallet, slippageMode: 'auto', ...fields };
    const quote = await this.call('tradeQuote', request);
    if (!isObject(quote)) throw new Error('no quote');
    const requestId = String(quote.requestId);
    this.#quotes.set(requestId, { request, quote, expiresAt: Date.parse('2100-01-01') });
    return { requestId, userPublicKey: this.wallet };
  }

  /** A stored quote with its request. */
  quoteOf(requestId: string): { request: Fields; quote: Fields; expiresAt: number } {
    const known = this.#quotes.get(requestId);
    if (known === undefined) throw new Error('no such quote');
    return known;
  }

  /** Builds a plan; `tamper` changes the service's drafts before they are signed. */
  async plan(endpoint: EndpointName, fields: Fields, tamper?: Tamper): Promise<Plan> {
    const { service } = this.sandbox;
    const honest = service.compile;
    if (tamper !== undefined) {
      service.compile = (draft, _endpoint, stage) =>
        compileDraft(tamper(draft, stage), service.onchain.lifetime());
    }
    try {
      return this.read(endpoint, fields, await this.call(endpoint, fields));
    } finally {
      service.compile = honest;
      // The simulating view must be past the recent slot of a table, also of one the service just created.
      this.sandbox.advanceSlots(2);
    }
  }

  /** Parses an answer as a plan. */
  read(endpoint: EndpointName | typeof CLAIM_ALL, fields: Fields, answer: unknown): Plan {
    const quote = this.#quotes.get(String(fields.requestId));
    const { baseMint } = fields;
    if (endpoint === 'feeShareConfig' && isObject(answer))
      this.#asked.set(String(baseMint), requestedConfig(fields, answer));
    const plan = planFromAnswer({
      endpoint,
      request: fields,
      answer,
      mode: 'sandbox',
      network: this.sandbox.genesisHash,
      wallet: this.wallet,
      now: 1,
      ...(quote === undefined ? {} : { quote }),
    });
    if (plan === null) throw new Error('nothing to sign');
    return plan;
  }

  /** Gathers the inputs of a stage for a signature now. */
  async inputs(
    plan: Plan,
    stageId: string,
    more: Partial<Parameters<typeof gatherInputs>[1]> = {},
  ): Promise<DecisionInputs> {
    const stage = await freshStage(stageOf(plan, stageId), this.chain);
    const quote = this.#quotes.get(String(plan.request.fields.requestId));
    const statuses = this.#statuses.get(plan.planId);
    const requestedConfig = this.#asked.get(String(plan.request.fields.tokenMint));
    const named = this.#named.get(String(plan.request.fields.tokenMint));
    return gatherInputs(this.chain, {
      plan: judgedWith(plan, stage).plan,
      stage,
      siblings: plan.stages.map((each) => ({ stage: each, status: statuses?.get(each.id) ?? 'ready' })),
      purpose: 'sign',
      mode: 'sandbox',
      time: this.sandbox.service.now(),
      ourWallets: [this.wallet],
      ...(quote === undefined ? {} : { quote }),
      ...(named === undefined || plan.operation !== 'launch' ? {} : { named }),
      ...(requestedConfig === undefined || plan.operation !== 'launch' ? {} : { asked: requestedConfig }),
      ...more,
    });
  }

  /** Decides inputs under the world's own policy. */
  decided(inputs: DecisionInputs): Decision {
    return evaluate(inputs, this.policy, NOTHING_USED);
  }

  /** Decides a stage now. */
  async decide(plan: Plan, stageId: string, policy = this.policy): Promise<Decision> {
    return evaluate(await this.inputs(plan, stageId), policy, NOTHING_USED);
  }

  /** Signs a stage with the wallet and lands it, for decisions on later stages. */
  async land(plan: Plan, stageId: string): Promise<void> {
    const stage = await freshStage(stageOf(plan, stageId), this.chain);
    const wallet = keypairFromSeed(this.sandbox.wallet.secretKey.slice(0, 32));
    const signed = await signSlot(stage.transaction.read(), wallet);
    const outcome = this.sandbox.chain.submit(encodeTransaction(signed));
    const failed = outcome.landed ? outcome.record.err : outcome.err;
    if (failed !== null) {
      const logs = outcome.landed ? outcome.record.logs.slice(-4).join('\n') : '';
      throw new Error(`${stageId}: ${JSON.stringify(failed)}\n${logs}`);
    }
    this.sandbox.advanceSlots(4);
    const statuses = this.#statuses.get(plan.planId) ?? new Map<string, StageStatus>();
    this.#statuses.set(plan.planId, statuses.set(stageId, 'finalized'));
  }

  /** Decides and lands every stage in order. Returns the decisions by stage. */
  async run(
    plan: Plan,
    stages: readonly string[] = plan.stages.map((stage) => stage.id),
    policy = this.policy,
  ): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (const id of stages) {
      decisions.push(await this.decide(plan, id, policy));
      await this.land(plan, id);
    }
    return decisions;
  }

  /** Mint of a quote token by its symbol. */
  quote(symbol: string): string {
    for (const token of this.sandbox.service.quotes.values()) if (token.symbol === symbol) return token.mint;
    throw new Error(`no quote token ${symbol}`);
  }

  /** A landed fee share config over a new token; the wallet is the only claimer by default. */
  async landedConfig(extra: Fields = {}): Promise<{ mint: string; uri: string; config: string }> {
    const token = await this.token();
    const plan = await this.plan('feeShareConfig', this.configRequest(token.mint, [10_000], extra));
    for (const stage of plan.stages) await this.land(plan, stage.id);
    return { ...token, config: String(plan.answer.feeShareConfig) };
  }

  /** A config request with these shares; the wallet is the first claimer. */
  configRequest(baseMint: string, shares: readonly number[], extra: Fields = {}): Fields {
    return {
      baseMint,
      payer: this.wallet,
      flow: 'damm_v2_direct',
      claimersArray: shares.map((_, i) => (i === 0 ? this.wallet : keyNamed(`claimer ${i}`).address)),
      basisPointsArray: shares,
      ...extra,
    };
  }

  /** A tradable token, launched by the wallet with a direct pool. */
  async launched(extra: Fields = {}): Promise<{ mint: string; uri: string; config: string }> {
    const token = await this.landedConfig();
    const plan = await this.plan('dammLaunchV2', {
      tokenMint: token.mint,
      wallet: this.wallet,
      feeShareConfig: token.config,
      quoteMint: WSOL_MINT,
      ipfs: token.uri,
      ...extra,
    });
    for (const stage of plan.stages) await this.land(plan, stage.id);
    return token;
  }
}

export function stageOf(plan: Plan, id: string): Stage {
  const stage = plan.stages.find((each) => each.id === id);
  if (stage === undefined)
    throw new Error(`no stage ${id} among ${plan.stages.map((each) => each.id).join()}`);
  return stage;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
