/**
 * Wires the program together: one backend, its service and chain, the ledger and landing, and the ports tools see.
 * Opened by the first call that needs it; nothing here runs at start-up.
 */
import type { ToolContext } from '../../tools/tool.ts';
import { acceptedPolicy } from '../approval/trustedState.ts';
import { systemClock } from '../clock.ts';
import { ENDPOINT_NAMES, type EndpointName } from '../contract/index.ts';
import { transactionEncoding } from '../contract/profiles/index.ts';
import { createGather } from '../landing/deciding/gather.ts';
import { createLanding, type Landing } from '../landing/landing.ts';
import { LIVE_TIMING, SANDBOX_TIMING } from '../landing/ports.ts';
import { balanceOf } from '../landing/shown/facts.ts';
import { readMintFacts } from '../landing/shown/mintFacts.ts';
import { createTokenReader } from '../landing/shown/tokens.ts';
import { keeperOf } from '../ledger/mark/keeper.ts';
import { type HomeLedger, openLedger } from '../ledger/sqlite/sqlite.ts';
import type { Ledger } from '../ledger/types.ts';
import { createChain } from '../rpc/chain.ts';
import { ownerPublicKey } from '../secrets/keys/ownerKey.ts';
import { createRedactor, type Redactor } from '../secrets/redaction/redact.ts';
import type { ToolHost } from '../server/host.ts';
import { createMemoryBudget, createServiceClient, type ServiceClient } from '../service/index.ts';
import { isLoopback } from '../service/rootUrl.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import { createAccountKeys } from './account.ts';
import { policyInForce } from './activePolicy.ts';
import { createApprovalChannels } from './approvalChannels.ts';
import { type Backend, type Own, SetupError } from './backends/backend.ts';
import { openLiveBackend } from './backends/liveBackend.ts';
import { openSandboxBackend } from './backends/sandboxBackend.ts';
import { readImage } from './images.ts';
import { guardSecretLeaks } from './secretLeakGuard.ts';
import type { Settings } from './settings.ts';
import { createSharedBudget } from './sharedBudget.ts';
import { standingOf } from './standing.ts';
import { policyView, statusView, walletView } from './views.ts';

/** What a caller may bring along. */
export interface RuntimeOptions {
  readonly log?: (line: string) => void;
  /** An embedding program's own secrets, policy and signer. */
  readonly own?: Own;
  /** An embedding program's own durable store; the runtime closes it. */
  readonly ledger?: Ledger;
}

/** The parts, for those that build on them (approval channels, the library entry). */
export interface RuntimeParts {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly ledger: Ledger;
  readonly redactor: Redactor;
}

export interface Runtime extends ToolHost {
  readonly parts: RuntimeParts;
  readonly landing: Landing;
}

/** Opens the runtime. Rejects with errors that name the command that fixes them. */
export async function openRuntime(settings: Settings, options: RuntimeOptions = {}): Promise<Runtime> {
  const redactor = createRedactor();
  const { log } = options;
  const backend: Backend =
    settings.mode === 'sandbox'
      ? await openSandboxBackend(settings, redactor, {}, options.own)
      : openLiveBackend(settings, redactor, () => accepted(), options.own);
  const homeLedger = () =>
    openLedger({
      home: settings.home,
      clock: systemClock,
      ...(log === undefined ? {} : { log }),
      // What is signed in the sandbox is worth nothing: its ledger may go at any time.
      ...(backend.mode === 'sandbox' ? {} : { keeper: keeperOf(backend.secrets) }),
    });
  const ledger: Ledger & Partial<HomeLedger> = options.ledger ?? homeLedger();
  const { mode } = backend;
  const accepted = acceptedPolicy({ mode, ledger, ownerPublicKey: () => ownerPublicKey(backend.secrets) });
  const parts: RuntimeParts = { settings, backend, ledger, redactor };
  const keys = createAccountKeys(backend, redactor, systemClock.now);
  const service = createServiceClient({
    profile: backend.profile,
    rootUrl: backend.rootUrl,
    apiKey: keys.apiKey,
    // Before any text of the service can be shown, the redactor knows what must not be in it: the wallets' keys too.
    fetch: async (url, init) => {
      await backend.wallets().catch(() => []);
      return fetch(url, init);
    },
    clock: systemClock,
    withoutSecrets: keys.sent.withoutRegistered,
    budget:
      backend.mode === 'sandbox'
        ? createMemoryBudget({ now: systemClock.now })
        : createSharedBudget(ledger, backend.rootUrl, { now: systemClock.now }),
  });
  const rpcFetch = (url: string, init: RequestInit) => fetch(url, init);
  const chain = createChain({ rpcUrl: backend.rpcUrl, fetch: rpcFetch });
  const second =
    backend.secondRpcUrl === undefined
      ? {}
      : { secondChain: createChain({ rpcUrl: backend.secondRpcUrl, fetch: rpcFetch }) };
  const approvals = createApprovalChannels({ settings, backend, ledger, log: options.log });
  const localRpc = isLoopback(new URL(backend.rpcUrl).hostname);
  const landing = createLanding({
    mode,
    ledger: guardSecretLeaks(approvals.ledger, keys.sent),
    chain,
    ...second,
    clock: systemClock,
    wallets: {
      addresses: backend.wallets,
      signer: async (address) => {
        const signer = await backend.signer(address);
        return { address, sign: async (message, permit) => signer.sign(message, permit) };
      },
    },
    policy: async () => policyInForce(await backend.policy.current()),
    gather: createGather({
      chain,
      serviceAddresses: Object.entries(backend.profile.addresses).map(([label, address]) => ({
        label,
        address,
      })),
      localRpc,
      ...second,
    }),
    service: { call: (endpoint, fields) => askAgain(service, endpoint, fields) },
    encodingOf: (endpoint) => transactionEncoding(backend.profile, endpointName(endpoint)) ?? 'base64',
    channels: approvals.channels,
    answerHolds: approvals.answerHolds,
    answerAt: approvals.answerAt,
    // An RPC on this machine costs nothing to ask often.
    timing: localRpc ? SANDBOX_TIMING : LIVE_TIMING,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  // An approval on the page continues the plan at once; errors are shown in the plan's status.
  approvals.onApproved(({ planId }) => {
    landing.submit(planId, 0, () => undefined, new AbortController().signal).catch(() => undefined);
  });
  const tokens = createTokenReader(chain);
  const walletAddress = async () => {
    const [first, ...others] = await backend.wallets();
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined)
      throw new SetupError('This home has more than one wallet.', 'Name the wallet in the call.');
    throw new SetupError(
      'There is no wallet yet.',
      'A person runs `countersign wallet create`, or `countersign wallet import FILE`.',
    );
  };
  return {
    parts,
    landing,
    redact: (value) => redactor.redactValue(value),
    elicitation: approvals.elicitation,
    standing: (name) => standingOf(name, { policy: backend.policy, ledger, landing }),
    stop: async (answered) => {
      await landing.stop();
      await answered;
      await approvals.close();
      await backend.close();
      await ledger.close();
    },
    context: ({ signal, progress }): ToolContext => ({
      mode: backend.mode,
      signal,
      progress,
      service: { call: (name, request) => service.call(name, request, { signal }) },
      plans: landing,
      wallet: {
        address: walletAddress,
        balance: async (mint) => balanceOf(chain, await walletAddress(), mint === WSOL_MINT ? 'SOL' : mint),
        overview: async () => walletView(chain, tokens, await walletAddress()),
      },
      tokens: {
        facts: tokens.facts,
        amounts: tokens.amounts,
        mint: (mint) => readMintFacts(chain, mint),
        ownerOf: async (address) => {
          const [found] = (await chain.accounts([address], 'confirmed', 0)).value;
          return found?.exists === true ? found.owner : undefined;
        },
      },
      account: {
        createKey: (name, token) => keys.create(service, name, token),
        status: async () =>
          statusView({
            backend,
            service,
            chain,
            ledger,
            policy: await backend.policy.current(),
            wallets: backend.wallets,
            damage: async () => ledger.damage?.(),
          }),
      },
      policy: {
        view: async () => {
          const [state, wallets, network] = await Promise.all([
            backend.policy.current(),
            backend.wallets(),
            chain.genesisHash(),
          ]);
          return policyView(state, ledger, wallets[0], network);
        },
      },
      decisions: { list: (filter) => ledger.decisions(filter) },
      images: { read: (path) => readImage(settings.images, path) },
    }),
  };
}

function endpointName(stored: string): EndpointName {
  const name = ENDPOINT_NAMES.find((each) => each === stored);
  if (name === undefined) throw new TypeError('a stored plan names an endpoint this version does not have');
  return name;
}

/** The stored request once more. The client checks it against the endpoint's schema before it is sent. */
function askAgain(
  service: ServiceClient,
  endpoint: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const name = endpointName(endpoint);
  const request = fields as Parameters<typeof service.call<typeof name>>[1];
  // Finishing what was begun may use the requests that are kept for it (F56).
  return service.call(name, request, { purpose: 'reconcile' });
}
