/**
 * A tenant: the home itself over stdin, or one principal of a multi-principal server. Tenants share the server's
 * chain, service, keys and ledger; each has its own execution, policy and wallets.
 */

import type { ToolContext } from '../../tools/tool.ts';
import { withBuilders } from '../builders/builders.ts';
import { systemClock } from '../clock.ts';
import { ENDPOINT_NAMES, type EndpointName } from '../contract/index.ts';
import { transactionEncoding } from '../contract/profiles/index.ts';
import { createGather } from '../execution/deciding/gather.ts';
import { ExecutionError } from '../execution/errors.ts';
import { createExecution } from '../execution/execution.ts';
import { type ExecutionDeps, LIVE_TIMING, SANDBOX_TIMING } from '../execution/ports.ts';
import type { HomeLedger } from '../ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../ledger/tenantLedger.ts';
import type { Ledger } from '../ledger/types.ts';
import { CLAIM_ALL } from '../plan/claimAll.ts';
import { isOwnPlan } from '../plan/ownPlans.ts';
import { PlanError } from '../plan/readAnswer.ts';
import { readMintFacts } from '../presentation/mintFacts.ts';
import { balanceOf } from '../presentation/planFacts.ts';
import { createPlans, type Plans } from '../presentation/plans.ts';
import { createTokenReader } from '../presentation/tokens.ts';
import type { Rehearse } from '../rehearsal/rehearse.ts';
import type { createChain } from '../rpc/chain.ts';
import type { Chain } from '../rpc/types.ts';
import type { Redactor } from '../secrets/redaction/redact.ts';
import { type HomeWallet, walletCalled, walletWords } from '../secrets/wallets/wallets.ts';
import type { ToolHost } from '../server/host.ts';
import type { ServiceClient } from '../service/index.ts';
import { isLoopback } from '../service/rootUrl.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { AccountKeys } from './account.ts';
import { policyInForce } from './activePolicy.ts';
import type { ApprovalChannels } from './approvalChannels.ts';
import { type Backend, SetupError } from './backends/backend.ts';
import { readImage } from './images.ts';
import type { PolicySource } from './policyFile.ts';
import { policyView, statusView, walletsView, walletView } from './views.ts';

/** Parts shared by all tenants of a server. */
export interface ServerContext {
  readonly backend: Backend;
  readonly ledger: Ledger & Partial<HomeLedger>;
  readonly service: ServiceClient;
  readonly chain: ReturnType<typeof createChain>;
  /** A second RPC, if configured. */
  readonly second: { readonly secondChain?: Chain };
  /** Simulates a plan on a copy of the chain. */
  readonly rehearse: Rehearse;
  readonly approvals: ApprovalChannels;
  readonly keys: AccountKeys;
  readonly redactor: Redactor;
  readonly log?: ((line: string) => void) | undefined;
}

/** Parts of one tenant. */
export interface Tenant {
  /** The principal's name; absent for the home itself. */
  readonly name?: string;
  /** Returns the wallets it may sign for, with the home's default marked. */
  wallets(): Promise<readonly HomeWallet[]>;
  readonly policy: PolicySource;
  /** Folder for local images. */
  readonly images?: string | undefined;
}

export interface OpenTenant extends ToolHost {
  readonly plans: Plans;
}

/** Builds a tenant; its parts open on first use. */
export function openTenant(shared: ServerContext, tenant: Tenant): OpenTenant {
  const { backend, service, chain, second, rehearse, approvals, keys, redactor, log } = shared;
  const { name, wallets, policy } = tenant;
  const frozen = approvals.frozen(name);
  const ledger = tenantLedger(shared.ledger, {
    principal: name,
    frozen,
    // The service knows the API key and login it was sent, and may embed them in a transaction, where redaction of text
    // does not find them: the home would contain a secret in plain text.
    checkPlan: (plan) => {
      if (keys.sent.withoutRegistered(plan) !== plan)
        throw new PlanError('The service embedded one of your secrets in the plan.');
    },
  });
  const asking = approvals.open({ name, policy, ledger });
  const localRpc = isLoopback(new URL(backend.rpcUrl).hostname);
  const deps: ExecutionDeps = {
    mode: backend.mode,
    ...(name === undefined ? {} : { principal: name }),
    ledger,
    chain,
    ...second,
    clock: systemClock,
    wallets: {
      addresses: async () => (await wallets()).map(({ address }) => address),
      signer: async (address) => {
        if (!(await wallets()).some((each) => each.address === address)) throw notItsWallet();
        const signer = await backend.signer(address);
        return { address, sign: async (message, permit) => signer.sign(message, permit) };
      },
    },
    policy: async () => policyInForce(await policy.current()),
    gather: createGather({
      chain,
      serviceAddresses: Object.entries(backend.profile.addresses).map(([label, address]) => ({
        label,
        address,
      })),
      localRpc,
      ...second,
    }),
    rehearse,
    service: withBuilders(chain, { call: (endpoint, fields) => askAgain(service, endpoint, fields) }),
    encodingOf: (endpoint) =>
      isOwnPlan(endpoint) || endpoint === CLAIM_ALL
        ? 'base64'
        : (transactionEncoding(backend.profile, endpointName(endpoint)) ?? 'base64'),
    channels: asking.channels,
    answerHolds: asking.answerHolds,
    ...(backend.mode === 'sandbox'
      ? {}
      : { runBegan: asking.runBegan, recordVerifier: approvals.recordVerifier }),
    answerAt: approvals.answerAt,
    // A local RPC can be polled often.
    timing: localRpc ? SANDBOX_TIMING : LIVE_TIMING,
    ...(log === undefined ? {} : { log }),
  };
  const plans = createPlans(deps, createExecution(deps));
  const tokens = createTokenReader(chain);
  /**
   * Returns the wallet with that label or address; without a name the only one, or the home's default if it is among
   * them.
   */
  const resolveWallet = async (called?: string): Promise<Address> => {
    const mine = await wallets();
    const [first, ...others] = mine;
    if (first === undefined)
      throw new SetupError(
        'There is no wallet yet.',
        'The user runs `countersign wallet create`, or `countersign wallet import FILE`.',
      );
    const all = mine.map(walletWords).join(', ');
    if (called !== undefined) {
      const found = walletCalled(mine, called);
      if (found === undefined)
        throw new SetupError('No wallet here has that label or address.', `The wallets here: ${all}.`);
      return found.address;
    }
    const usual = others.length === 0 ? first : mine.find(({ isDefault }) => isDefault);
    if (usual === undefined)
      throw new SetupError('There is more than one wallet here.', `Name one of them in the call: ${all}.`);
    return usual.address;
  };
  return {
    plans,
    redact: (value) => redactor.redactValue(value),
    elicitation: asking.elicitation,
    stop: () => plans.stop(),
    context: ({ signal, progress }): ToolContext => ({
      mode: backend.mode,
      signal,
      progress,
      service: { call: (endpoint, request) => service.call(endpoint, request, { signal }) },
      plans,
      wallet: {
        address: () => resolveWallet(),
        balance: async (mint) => balanceOf(chain, await resolveWallet(), mint === WSOL_MINT ? 'SOL' : mint),
        overview: async ({ called, ...page }) => {
          const address = await resolveWallet(called);
          return { ...(await walletView(chain, tokens, address, page)), ...walletsView(await wallets()) };
        },
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
        createKey: async (keyName, token) => {
          // All principals share one key, so none of them may replace it.
          if (name !== undefined) throw ownersKey();
          return keys.create(service, keyName, token);
        },
        status: async () =>
          statusView({
            backend,
            service,
            chain,
            ledger,
            principal: name,
            policy: await policy.current(),
            wallets,
            damage: async () => shared.ledger.damage?.(),
          }),
      },
      policy: {
        permitIncorporation: async (token) => {
          const state = await policy.current();
          const listed = state.status === 'ok' ? state.policy.incorporations : [];
          const isListed = listed.some((each) => each === 'any' || each === token);
          if (!isListed || (await frozen()) !== undefined)
            throw new ExecutionError(
              'APPROVAL_REQUIRED',
              'The policy does not permit this incorporation now.',
            );
        },
        view: async () => {
          const [state, wallet, network] = await Promise.all([
            policy.current(),
            // If the wallet is ambiguous, limits are shown without their use.
            resolveWallet().catch(() => undefined),
            chain.genesisHash(),
          ]);
          return policyView(state, ledger, wallet, network, name);
        },
      },
      decisions: {
        list: (filter) => ledger.rows('decisions', filter),
        count: (filter) => ledger.count('decisions', filter),
      },
      images: { read: (path) => readImage(tenant.images, path) },
    }),
  };
}

const notItsWallet = (): SetupError =>
  new SetupError(
    "This wallet is not one of the caller's.",
    'The user can add the wallet to the principal in the principals file.',
  );

const ownersKey = (): SetupError =>
  new SetupError(
    'The API key of this server serves all of its principals, so none of them can make a new one.',
    'The user runs `countersign login`.',
  );

function endpointName(stored: string): EndpointName {
  const name = ENDPOINT_NAMES.find((each) => each === stored);
  if (name === undefined) throw new TypeError('a stored plan names an endpoint this version does not have');
  return name;
}

/** Repeats the stored request. The client validates it against the endpoint's schema before sending. */
function askAgain(
  service: ServiceClient,
  endpoint: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const name = endpointName(endpoint);
  const request = fields as Parameters<typeof service.call<typeof name>>[1];
  // Continuing a plan may use the reserved requests (F56).
  return service.call(name, request, { purpose: 'reconcile' });
}
