/**
 * Describes an existing config: the on-chain state against the request (T63). The account is derived from the token
 * and its quote, whatever account the answer names; the named account is read only for quotes other than SOL.
 */
import { asRecord } from '../../base/record.ts';
import { feeShareConfigAddress } from '../../programs/feeShare/addresses.ts';
import type { AccountFact } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { isLanded, readSnapshot } from '../status.ts';
import { checkConfig, pairOf } from './configOnChain.ts';

/** A config request and the answer that nothing needs signing. */
export interface ExistingConfig {
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
  readonly wallet: Address;
}

/** Returns the message for the caller. */
export async function existingConfig(deps: ExecutionDeps, about: ExistingConfig): Promise<string> {
  const answer: Readonly<Record<string, unknown>> = Object(about.answer);
  const named =
    typeof answer.feeShareConfig === 'string' && isAddress(answer.feeShareConfig)
      ? answer.feeShareConfig
      : undefined;
  const pair = pairOf(about.request);
  const own = pair && feeShareConfigAddress(pair.mint, pair.quoteMint);
  const isElsewhere = pair !== undefined && pair.quoteMint !== WSOL_MINT && named !== undefined;
  const wanted = [...(own === undefined ? [] : [own]), ...(isElsewhere ? [named] : [])];
  let accounts: readonly AccountFact[];
  try {
    accounts = (await deps.chain.accounts(wanted, 'confirmed')).value;
  } catch {
    return 'The service says that the config exists, but our own RPC is unavailable: its split was not verified.';
  }
  const shown = accounts.find(({ exists }) => exists)?.address;
  if (shown !== undefined) {
    const other = shown === named ? '' : ` The service names another account (${named ?? 'none'}) for it.`;
    return `${await realConfig(deps, about, shown)}${other}`;
  }
  if (named === undefined) {
    return 'The service says that the config exists, but names no account for it: its split was not verified.';
  }
  return 'The service says that the config exists, but our own RPC does not show it: its split was not verified.';
}

/** Describes a config that is on chain. */
async function realConfig(
  deps: ExecutionDeps,
  { request, wallet, answer }: ExistingConfig,
  config: Address,
): Promise<string> {
  const origin = await originOf(deps, config);
  const { venueConfigKey } = asRecord(answer);
  const requested = { request, wallet, venueConfigKey, feeShareConfig: config, touched: [] };
  const { differs, unread, unsupported, verified } = await checkConfig(deps.chain, requested);
  if (differs.length > 0) return different(origin, differs);
  const missing = [...unread, ...unsupported];
  if (missing.length > 0) {
    return `${origin}, but it was not verified on chain. Could not be read: ${missing.join('; ')}. The owner has to check these accounts before anything is launched with it.`;
  }
  return `${origin}. Its split was verified on chain: every claimer, share and admin matches the request. Read back: ${verified.join('; ')}.`;
}

const different = (origin: string, differs: readonly string[]): string =>
  `${origin}, and it does NOT match the request. Differences on chain: ${differs.join('; ')}.`;

async function originOf(deps: ExecutionDeps, config: Address): Promise<string> {
  const own = await creatingPlanId(deps, config);
  return own === undefined
    ? 'The config exists on chain, but was not created by this home'
    : `The config exists on chain; plan ${own} of this home created it`;
}

/** Page size of the search for a plan. */
const PLANS_AT_A_TIME = 100;

/** Returns the id of this home's plan that created a config, for any request. */
async function creatingPlanId({ ledger, mode }: ExecutionDeps, config: Address): Promise<string | undefined> {
  for (let offset = 0; ; offset += PLANS_AT_A_TIME) {
    const plans = await ledger.rows('plans', { limit: PLANS_AT_A_TIME, offset });
    for (const plan of plans) {
      if (plan.mode !== mode || plan.answer.feeShareConfig !== config) continue;
      const snapshot = await readSnapshot(ledger, plan.planId);
      if (snapshot?.rows.some(({ state }) => isLanded(state))) return plan.planId;
    }
    if (plans.length < PLANS_AT_A_TIME) return undefined;
  }
}
