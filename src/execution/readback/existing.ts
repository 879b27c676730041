/**
 * What can be said of a config that exists already: what our own RPC shows of it, against what was asked for (T63). The
 * account is the one that belongs to the token and its quote, whatever account the answer names; only in another quote than
 * SOL is the named one looked at.
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

/** A request for a config, and the answer that says that nothing needs signing. */
export interface ExistingConfig {
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
  readonly wallet: Address;
}

/** The sentence for the caller. */
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
    return 'The service says that the config exists, but our own RPC could not be asked: its split was not verified.';
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

/** A config that is on the chain. */
async function realConfig(
  deps: ExecutionDeps,
  { request, wallet, answer }: ExistingConfig,
  config: Address,
): Promise<string> {
  const began = await begins(deps, config);
  const { venueConfigKey } = asRecord(answer);
  const asked = { request, wallet, venueConfigKey, feeShareConfig: config, touched: [] };
  const { differs, unread, unsupported, says } = await checkConfig(deps.chain, asked);
  if (differs.length > 0) return different(began, differs);
  const missing = [...unread, ...unsupported];
  if (missing.length > 0) {
    return `${began}, but it was not verified on chain. Could not be read: ${missing.join('; ')}. A person looks at these accounts before anything is launched with it.`;
  }
  return `${began}. Its split was verified on chain: every claimer, share and admin is as asked. Read back: ${says.join('; ')}.`;
}

const different = (began: string, differs: readonly string[]): string =>
  `${began}, and it is NOT what was asked for. On chain it differs in: ${differs.join('; ')}.`;

async function begins(deps: ExecutionDeps, config: Address): Promise<string> {
  const own = await landedHere(deps, config);
  return own === undefined
    ? 'The config exists on chain, but this home did not land it'
    : `The config exists on chain; plan ${own} of this home landed it`;
}

/** How many plans are read at a time when one is looked for. */
const PLANS_AT_A_TIME = 100;

/** The plan of this home that landed a config, whatever was asked for then. */
async function landedHere({ ledger, mode }: ExecutionDeps, config: Address): Promise<string | undefined> {
  for (let offset = 0; ; offset += PLANS_AT_A_TIME) {
    const plans = await ledger.plans({ limit: PLANS_AT_A_TIME, offset });
    for (const plan of plans) {
      if (plan.mode !== mode || plan.answer.feeShareConfig !== config) continue;
      const snapshot = await readSnapshot(ledger, plan.planId);
      if (snapshot?.rows.some(({ state }) => isLanded(state))) return plan.planId;
    }
    if (plans.length < PLANS_AT_A_TIME) return undefined;
  }
}
