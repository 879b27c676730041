/** Complete home over a real sandbox: ledger, chain port, service client, policy and execution, without mocks. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import { withBuilders } from '../../src/builders/builders.ts';
import { unsignedTransaction } from '../../src/builders/compile.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type EndpointName, endpoints } from '../../src/contract/index.ts';
import { contractProfile } from '../../src/contract/profiles/index.ts';
import { gatherInputs } from '../../src/execution/deciding/gather.ts';
import { createExecution } from '../../src/execution/execution.ts';
import { openPlan } from '../../src/execution/open.ts';
import type { ExecutionDeps } from '../../src/execution/ports.ts';
import { Previews } from '../../src/execution/preview.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { createPlans, type Plans } from '../../src/presentation/plans.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import { createChain } from '../../src/rpc/chain.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { activePolicy } from '../../src/runtime/activePolicy.ts';
import { createSigner } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createMemoryBudget } from '../../src/service/budget.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/index.ts';
import { createWaitedTime } from './waitedTime.ts';

export interface HomeOptions {
  readonly sandbox?: SandboxOptions;
  /** Changes the sandbox's policy. */
  readonly policy?: (file: PolicyFile) => PolicyFile;
  /** Wraps the chain port with lies, lag or failures. */
  readonly chain?: (chain: Chain) => Chain;
  readonly deps?: Partial<ExecutionDeps>;
  /** Principal that builds plans, if the home serves several; limits the home to that part of the ledger. */
  readonly principal?: string;
  /**
   * Wraps the clock of the home; time then passes only during waits. Also used by the chain, unless the sandbox has its
   * own clock.
   */
  readonly clock?: (time: Clock) => Clock;
}

export const SLOT_MS = 40;

/** Requests about tokens created by the test. Any other request first launches the market. */
const OF_OWN_TOKENS: ReadonlySet<EndpointName> = new Set([
  'createTokenInfo',
  'feeShareConfig',
  'updateFeeShareConfig',
  'curveLaunch',
  'curveLaunchV2',
  'dammLaunch',
  'dammLaunchV2',
]);

/** Addresses and keys of a sandbox in another process. */
export type Place = Pick<Sandbox, 'rootUrl' | 'rpcUrl' | 'apiKey' | 'wallet' | 'genesisHash'>;

export class Home {
  readonly place: Place;
  private readonly own: Sandbox | undefined;
  readonly ledger: HomeLedger;
  readonly file: string;
  readonly service: ServiceClient;
  readonly deps: ExecutionDeps;
  readonly plans: Plans;
  readonly wallet: string;
  /** Transactions sent to the RPC by this home's port. */
  readonly sends: Uint8Array[] = [];
  /** Number of uses of the wallet's key. */
  signatures = 0;

  static async start(options: HomeOptions = {}): Promise<Home> {
    const slotMs = options.sandbox?.slotMs ?? SLOT_MS;
    const sandbox = await startSandbox({
      seed: 'execution tests',
      clock: 'manual',
      slotMs,
      ...options.sandbox,
    });
    // Without a market launch, the airdrop is confirmed here.
    if (options.sandbox?.market === false) sandbox.advanceSlots(4);
    const time = createWaitedTime();
    let slots = 0;
    if (options.sandbox?.clock === undefined)
      time.onPassed((passed) => {
        const due = Math.floor(passed / slotMs) - slots;
        slots += due;
        if (due > 0) sandbox.advanceSlots(due);
      });
    const file = join(mkdtempSync(join(tmpdir(), 'home-')), 'ledger.db');
    return new Home(sandbox, sandbox, file, options, time);
  }

  /** Starts a home whose market is launched on demand, since seeding takes longer than most plans. */
  static withoutMarket(options: HomeOptions = {}): Promise<Home> {
    return Home.start({ ...options, sandbox: { market: false, ...options.sandbox } });
  }

  /**
   * Opens another process of the same home: a separate ledger connection and execution over the same file and chain.
   */
  again(options: HomeOptions = {}): Home {
    return new Home(this.place, this.own, this.file, options, this.deps.clock);
  }

  /** Opens a home in a process without the sandbox. */
  static over(place: Place, file: string, options: HomeOptions = {}): Home {
    return new Home(place, undefined, file, options, systemClock);
  }

  get sandbox(): Sandbox {
    if (this.own === undefined) throw new Error('the sandbox is in another process');
    return this.own;
  }

  private constructor(
    place: Place,
    own: Sandbox | undefined,
    file: string,
    options: HomeOptions,
    time: Clock,
  ) {
    const clock = options.clock?.(time) ?? time;
    this.place = place;
    this.own = own;
    this.file = file;
    this.wallet = place.wallet.address;
    this.ledger = openLedger({ file, clock });
    const port = createChain({ rpcUrl: place.rpcUrl, fetch });
    const counted: Chain = {
      ...port,
      send: (bytes) => {
        this.sends.push(bytes);
        return port.send(bytes);
      },
    };
    const chain = options.chain?.(counted) ?? counted;
    this.service = createServiceClient({
      profile: contractProfile,
      rootUrl: place.rootUrl,
      apiKey: async () => place.apiKey,
      fetch,
      clock,
      budget: createMemoryBudget({ now: () => clock.now() }),
    });
    const signer = createSigner(Secret.fromBytes(place.wallet.secretKey.slice()));
    const template = embeddedPolicy({ wallet: this.wallet, network: place.genesisHash });
    const loaded = parsePolicy(JSON.stringify(options.policy?.(template) ?? template));
    if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
    this.deps = {
      mode: 'sandbox',
      ledger:
        options.principal === undefined
          ? this.ledger
          : tenantLedger(this.ledger, { principal: options.principal }),
      ...(options.principal === undefined ? {} : { principal: options.principal }),
      chain,
      clock,
      wallets: {
        addresses: async () => [this.wallet],
        signer: async (address) => ({
          address,
          sign: (message, permit) => {
            this.signatures += 1;
            return signer.sign(message, permit);
          },
        }),
      },
      policy: async () => activePolicy(loaded),
      gather: (input) => gatherInputs(chain, input),
      service: withBuilders(chain, { call: (endpoint, fields) => this.call(endpoint, fields) }),
      encodingOf: () => 'base64',
      holder: `test-${Math.random()}`,
      ...options.deps,
    };
    this.plans = createPlans(this.deps, createExecution(this.deps));
  }

  /** Calls an endpoint of the service by name. */
  async call(endpoint: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> {
    const isEndpoint = (name: string): name is EndpointName => Object.hasOwn(endpoints, name);
    if (!isEndpoint(endpoint)) throw new Error(`no endpoint ${endpoint}`);
    if (!OF_OWN_TOKENS.has(endpoint)) await this.own?.service.ready();
    return this.service.call(endpoint, endpoints[endpoint].request.parse(fields));
  }

  /** Requests a build from the service and opens the plan, like the build tools. `meanwhile` runs in between. */
  async build(
    endpoint: EndpointName,
    fields: Readonly<Record<string, unknown>>,
    { again, meanwhile }: { again?: boolean; meanwhile?: () => Promise<unknown> } = {},
  ) {
    const request = endpoints[endpoint].request.parse(fields);
    const begun = await this.plans.begin(endpoint, request);
    const answer = endpoints[endpoint].response.parse(await this.call(endpoint, fields));
    await meanwhile?.();
    return this.plans.open(endpoint, request, answer, { begun, ...(again === undefined ? {} : { again }) });
  }

  submit(planId: string, waitSeconds = 30) {
    return this.plans.submit(planId, waitSeconds, () => {}, new AbortController().signal);
  }

  /** Submits these instructions to the policy in place of those that this program builds for the request. */
  async submitInstructions(
    endpoint: Parameters<typeof openPlan>[1],
    request: Readonly<Record<string, unknown>>,
    instructions: readonly EncodedInstruction[],
  ) {
    const { value } = await this.deps.chain.latestBlockhash('confirmed');
    const bytes = unsignedTransaction(this.wallet, instructions, value.blockhash);
    const transaction = Buffer.from(bytes).toString('base64');
    const context = { isRunning: () => false, previews: new Previews(this.deps) };
    const { plan } = await openPlan(this.deps, endpoint, request, { transaction }, context);
    return this.submit(plan?.planId ?? '', 5);
  }

  async close(): Promise<void> {
    await this.plans.stop();
    await this.ledger.close();
  }
}
