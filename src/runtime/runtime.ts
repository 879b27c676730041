/**
 * Wires the program together: backend, service, chain, ledger, and the tenants of callers. Opened by the first call
 * that needs it; nothing runs at start-up.
 */
import { acceptedPolicy, acceptedPrincipals } from '../approval/trustedState.ts';
import { traced } from '../base/telemetry.ts';
import { systemClock } from '../clock.ts';
import { type HomeLedger, openLedger } from '../ledger/sqlite/sqlite.ts';
import type { Ledger } from '../ledger/types.ts';
import type { Plans } from '../presentation/plans.ts';
import type { Rehearsal } from '../rehearsal/open.ts';
import type { Rehearse } from '../rehearsal/rehearse.ts';
import { createChain } from '../rpc/chain.ts';
import { ownerPublicKey } from '../secrets/keys/ownerKey.ts';
import { createRedactor, type Redactor } from '../secrets/redaction/redact.ts';
import type { HomeWallet } from '../secrets/wallets/wallets.ts';
import type { ToolHost } from '../server/host.ts';
import { createMemoryBudget, createServiceClient, type ServiceClient } from '../service/index.ts';
import type { Address } from '../transaction/types.ts';
import { createAccountKeys } from './account.ts';
import { createApprovalChannels } from './approvalChannels.ts';
import type { Backend, Own } from './backends/backend.ts';
import { keeperOf } from './backends/checkpointKeeper.ts';
import { openLiveBackend } from './backends/liveBackend.ts';
import { openSandboxBackend } from './backends/sandboxBackend.ts';
import { createReadiness } from './host/readiness.ts';
import { ledgerPlace } from './ledgerPlace.ts';
import type { Settings } from './settings.ts';
import { createSharedBudget } from './sharedBudget.ts';
import { type OpenTenant, openTenant, type ServerContext } from './tenant.ts';
import { registerWebhooks } from './webhooks/webhooks.ts';

/** Parts a caller may supply. */
export interface RuntimeOptions {
  readonly log?: (line: string) => void;
  /** An embedding program's own secrets, policy and signer. */
  readonly own?: Own;
  /** An embedding program's own ledger; the runtime closes it. */
  readonly ledger?: Ledger;
}

/** The runtime's parts, for approval channels and the library entry. */
export interface RuntimeParts {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly ledger: Ledger;
  readonly redactor: Redactor;
}

export interface Runtime extends ToolHost {
  readonly parts: RuntimeParts;
  readonly plans: Plans;
  /** Returns the tools of one principal: its own plans, policy, wallets and images. */
  forPrincipal(principal: TenantOfPrincipal): Promise<ToolHost>;
  /** Returns the wallets this server can sign for. */
  wallets(): Promise<readonly HomeWallet[]>;
  /** Returns why no work can be done now, or `undefined`. Never rejects. */
  unready(): Promise<string | undefined>;
  /** Returns the digest of the principals file the owner accepted since this process began. */
  acceptedPrincipals(): Promise<string | undefined>;
}

/** The properties of a principal that determine its tenant. */
export interface TenantOfPrincipal {
  readonly name: string;
  readonly wallets: 'all' | readonly Address[];
  /** Its policy file, and the hash in force. */
  readonly policy: string;
  readonly policyHash?: string | undefined;
  /** Folder for local images; absent: none. */
  readonly images?: string | undefined;
}

/** Opens the runtime. Rejects with errors that name the command that fixes them. */
export async function openRuntime(settings: Settings, options: RuntimeOptions = {}): Promise<Runtime> {
  const redactor = createRedactor();
  registerWebhooks(redactor, settings.webhook);
  if (settings.ledger !== undefined) redactor.registerUrl(settings.ledger);
  const { log } = options;
  const backend: Backend =
    settings.mode === 'sandbox'
      ? await openSandboxBackend(settings, redactor, {}, options.own)
      : openLiveBackend(settings, redactor, () => accepted(), options.own);
  const homeLedger = () =>
    openLedger({
      ...ledgerPlace(settings.home, settings.ledger),
      clock: systemClock,
      // Sandbox signatures are worthless, so its ledger needs no checkpoint.
      ...(backend.mode === 'sandbox' ? {} : { keeper: keeperOf(backend.secrets) }),
    });
  const ledger: Ledger & Partial<HomeLedger> = options.ledger ?? homeLedger();
  const { mode } = backend;
  const trusted = { mode, ledger, ownerPublicKey: () => ownerPublicKey(backend.secrets) };
  const accepted = acceptedPolicy(trusted);
  const parts: RuntimeParts = { settings, backend, ledger, redactor };
  const keys = createAccountKeys(backend, redactor, systemClock.now);
  const client = createServiceClient({
    profile: backend.profile,
    rootUrl: backend.rootUrl,
    apiKey: keys.apiKey,
    // Registers wallet keys with the redactor before any text of the service can be shown.
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
  const service: ServiceClient = {
    ...client,
    call: (endpoint, request, options) =>
      traced(
        { name: `service ${endpoint}`, kind: 'client', attributes: { 'countersign.endpoint': endpoint } },
        () => client.call(endpoint, request, options),
      ),
  };
  const chain = createChain({ rpcUrl: backend.rpcUrl });
  // Requested ahead, so that the first plan need not wait; a failed request is retried.
  chain.genesisHash().catch(() => undefined);
  const second =
    backend.secondRpcUrl === undefined ? {} : { secondChain: createChain({ rpcUrl: backend.secondRpcUrl }) };
  // Loaded with the first rehearsed plan; a sandbox leaves no files in the home.
  let rehearsal: Promise<Rehearsal> | undefined;
  const rehearse: Rehearse = async (plan, own) => {
    rehearsal ??= import('../rehearsal/open.ts').then(({ openRehearsal }) =>
      openRehearsal(chain, backend.mode === 'sandbox' ? undefined : settings.home),
    );
    return (await rehearsal).rehearse(plan, own);
  };
  const approvals = createApprovalChannels({ settings, backend, ledger, log: options.log });
  const shared: ServerContext = {
    backend,
    ledger,
    service,
    chain,
    second,
    rehearse,
    approvals,
    keys,
    redactor,
    log,
  };
  const own = openTenant(shared, {
    wallets: backend.wallets,
    policy: backend.policy,
    ...(settings.images === undefined ? {} : { images: settings.images }),
  });
  const tenants = new Map<string | undefined, OpenTenant>([[undefined, own]]);
  /** Rights each principal's tenant was opened with: a principal whose rights change gets a new tenant. */
  const openedFor = new Map<string, string>();
  // An approval on the page continues the plan at once; errors appear in the plan's status.
  approvals.onApproved(({ planId }) => {
    const continuePlan = async () => {
      const tenant = tenants.get((await ledger.rows('plans', { planId }))[0]?.principal);
      await tenant?.plans.submit(planId, 0, () => undefined, new AbortController().signal);
    };
    continuePlan().catch(() => undefined);
  });
  return {
    ...own,
    parts,
    wallets: backend.wallets,
    forPrincipal: async (principal) => {
      const serialized = JSON.stringify(principal);
      const known = tenants.get(principal.name);
      if (known !== undefined && openedFor.get(principal.name) === serialized) return known;
      const { name, wallets, policy, policyHash, images } = principal;
      const source = await backend.policyOf(policy, policyHash);
      const opened = openTenant(shared, {
        name,
        wallets: async () =>
          (await backend.wallets()).filter(({ address }) => wallets === 'all' || wallets.includes(address)),
        policy: source,
        ...(images === undefined ? {} : { images }),
      });
      const tenant: OpenTenant = {
        ...opened,
        stop: async () => {
          // A changed principal may have a newer tenant by now.
          if (tenants.get(name) === tenant) tenants.delete(name);
          await opened.stop();
        },
      };
      tenants.set(name, tenant);
      openedFor.set(name, serialized);
      return tenant;
    },
    acceptedPrincipals: acceptedPrincipals(trusted),
    unready: createReadiness({
      ledger,
      chain,
      wallets: async () => (await backend.wallets()).map(({ address }) => address),
      signer: backend.signer,
      clock: systemClock,
    }),
    stop: async (answered) => {
      await Promise.all([...tenants.values()].map(({ plans }) => plans.stop()));
      (await rehearsal)?.close();
      await answered;
      await approvals.close();
      await backend.close();
      await ledger.close();
    },
  };
}
