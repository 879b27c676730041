/** Data of the read-only ports: the wallet, the policy in force, and the server's status. Contains no secrets. */

import { capital, decimalText, SOL_DECIMALS } from '../base/format.ts';
import { systemClock } from '../clock.ts';
import { frozenFor } from '../ledger/frozen.ts';
import type { Ledger } from '../ledger/types.ts';
import { windowLimits } from '../policy/decide/checks/limits.ts';
import { grantsOf } from '../presentation/grants.ts';
import { ofLimit, usedOf } from '../presentation/history/limitUse.ts';
import { shownAmount, type TokenReader } from '../presentation/tokens.ts';
import { readTokenAccount } from '../programs/token/accounts.ts';
import { limitWords } from '../review/policyFormat.ts';
import type { Chain } from '../rpc/types.ts';
import { displayUrl } from '../secrets/redaction/urlSecrets.ts';
import type { HomeWallet } from '../secrets/wallets/wallets.ts';
import type { ServiceClient } from '../service/index.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { decodeWire } from '../transaction/wire.ts';
import type { Backend } from './backends/backend.ts';
import type { PolicyState } from './policyFile.ts';

/**
 * Returns SOL and a page of token balances at `confirmed`: base units as decimal strings, and whole units if decimals
 * are known. Reads only the mints of the page.
 */
export async function walletView(
  chain: Chain,
  tokens: Pick<TokenReader, 'facts'>,
  address: Address,
  { offset, most }: { readonly offset: number; readonly most: number },
): Promise<Record<string, unknown>> {
  const [account, held] = await Promise.all([
    chain.accounts([address], 'confirmed'),
    chain.tokenAccounts(address, 'confirmed'),
  ]);
  const lamports = account.value[0]?.lamports ?? '0';
  const ordered = held.value.toSorted((one, other) => (one.address < other.address ? -1 : 1));
  const accounts = ordered.slice(offset, offset + most).map((each) => ({
    account: each.address,
    tokenProgram: each.owner,
    ...readTokenAccount(decodeWire(each.data, 'base64')),
  }));
  const known = await tokens.facts(accounts.map(({ mint }) => mint)).catch(() => new Map<string, never>());
  return {
    address,
    sol: decimalText(BigInt(lamports), SOL_DECIMALS),
    lamports,
    tokens: accounts.map(({ mint, amount, delegate, state, account: at, tokenProgram }) => {
      const shown = shownAmount(mint, amount, known);
      return {
        mint,
        ...(mint === WSOL_MINT
          ? { symbol: 'wSOL' }
          : shown.symbol === undefined
            ? {}
            : { symbol: shown.symbol }),
        ...(shown.amount === undefined ? {} : { amount: shown.amount }),
        amountRaw: amount.toString(),
        decimals: mint === WSOL_MINT ? SOL_DECIMALS : (known.get(mint)?.decimals ?? null),
        account: at,
        tokenProgram,
        ...(state === 'frozen' ? { frozen: true } : {}),
        ...(delegate === undefined ? {} : { delegate }),
      };
    }),
    held: ordered.length,
    slot: account.slot,
  };
}

/** Lists the wallets, if there are several: addresses and labels, without balances. */
export const walletsView = (wallets: readonly HomeWallet[]): Record<string, unknown> =>
  wallets.length < 2
    ? {}
    : {
        wallets: wallets.map(({ address, label, isDefault }) => ({
          address,
          ...(label === undefined ? {} : { label }),
          ...(isDefault ? { default: true } : {}),
        })),
      };

/** Returns the policy file's content with the remainder of each limit, or why there is no policy. */
export async function policyView(
  state: PolicyState,
  ledger: Ledger,
  wallet: Address | undefined,
  network: string,
  principal?: string,
): Promise<Record<string, unknown>> {
  const frozen = await frozenFor(ledger, principal);
  const shown = {
    frozen:
      frozen === undefined ? null : { since: new Date(frozen.since).toISOString(), reason: frozen.reason },
  };
  if (state.status !== 'ok')
    return { policyId: null, status: state.status, remedy: REMEDY[state.status], ...shown };
  const { policy, hash } = state;
  const used: Record<string, bigint> = {};
  if (wallet !== undefined)
    for (const limit of windowLimits(policy))
      used[limit.id] = usedOf(await ledger.rows('uses', { limit, wallet, network }));
  const grants = await grantsOf(ledger, { hash, wallet });
  return {
    policyId: policy.id,
    policyHash: hash,
    status: 'in_force',
    // Limits count per wallet.
    ...(wallet === undefined || policy.wallets.length < 2 ? {} : { limitsOf: wallet }),
    network: policy.network,
    wallets: policy.wallets,
    addressBook: policy.addressBook,
    transaction: policy.transaction,
    tokens: policy.tokens,
    limits: policy.limits.map((limit) => {
      const taken = used[limit.id];
      const max = BigInt(limit.max);
      if (taken === undefined) return { ...limit, says: limitWords(limit) };
      const left = taken > max ? 0n : max - taken;
      const kind = 'asset' in limit ? 'asset' : 'count';
      const words = (units: bigint) =>
        ofLimit(units, { kind, of: 'asset' in limit ? limit.asset : limit.count });
      const says = `${limitWords(limit)} ${capital(words(taken))} used, ${words(left)} left.`;
      return { ...limit, used: taken.toString(), left: left.toString(), says };
    }),
    rules: policy.rules,
    approval: policy.approval,
    ...(grants.length === 0 ? {} : { grants }),
    ...shown,
  };
}

const REMEDY = {
  missing:
    'Nothing can be signed. The user creates a policy with `countersign policy init` and passes it with `--policy FILE`.',
  invalid:
    'Nothing can be signed. The user runs `countersign policy check FILE` and corrects the reported errors.',
  changed:
    'Nothing is signed until the owner accepts the changed file with `countersign policy accept FILE` or restarts the server.',
} as const;

/** Returns the service's ping and the home's state. An unavailable service is reported in the result. */
export async function statusView(options: {
  backend: Backend;
  service: ServiceClient;
  chain: Chain;
  ledger: Ledger;
  principal: string | undefined;
  policy: PolicyState;
  wallets(): Promise<readonly HomeWallet[]>;
  /** Returns why the ledger is not writable, if so. */
  damage(): Promise<{ readonly code: string; readonly message: string } | undefined>;
}): Promise<Record<string, unknown>> {
  const { backend, service, chain, ledger, policy } = options;
  const orProblem = async <T>(work: Promise<T>): Promise<T | { problem: string }> =>
    work.catch((error: unknown) => ({ problem: codeOf(error) }));
  const [ping, network, wallets, damage] = await Promise.all([
    orProblem(service.call('ping', {})),
    orProblem(chain.genesisHash()),
    orProblem(options.wallets()),
    options.damage().catch((error: unknown) => ({ code: codeOf(error), message: '' })),
  ]);
  const frozen = await frozenFor(ledger, options.principal).catch((error: unknown) => {
    if (damage === undefined) throw error;
    return undefined;
  });
  const rate = service.rate();
  return {
    now: new Date(await ledger.time().catch(systemClock.now)).toISOString(),
    service:
      typeof ping === 'object' && ping !== null && 'problem' in ping
        ? `not answering (${ping.problem})`
        : 'answering',
    profile: backend.profile.name,
    rootUrl: backend.rootUrl,
    rpcUrl: backend.shown.rpcUrl ?? displayUrl(backend.rpcUrl),
    ...(backend.shown.wsUrl === undefined ? {} : { wsUrl: backend.shown.wsUrl }),
    network: typeof network === 'string' ? network : `not answering (${network.problem})`,
    ...('problem' in wallets
      ? { wallet: `not readable (${wallets.problem})` }
      : { wallet: wallets[0]?.address ?? null, ...walletsView(wallets) }),
    secretStore: backend.secrets.kind,
    keyState: service.keyState(),
    policy: policy.status === 'ok' ? policy.policy.id : policy.status,
    frozen: frozen !== undefined,
    ledger: damage === undefined ? 'whole' : `${damage.code}: nothing is signed. ${damage.message}`.trim(),
    rateLimit:
      rate === undefined
        ? null
        : {
            ...rate,
            ...(rate.resetAt === undefined ? {} : { resetAt: new Date(rate.resetAt).toISOString() }),
          },
  };
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'failed';
