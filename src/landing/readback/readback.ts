/**
 * Whether a plan's effect is really there, read back from our own RPC. A plan is complete when its stages landed
 * and this says so, not before. Configs, splits and launches are read from the accounts of the real programs; the
 * sandbox's older encoding in accounts of stock programs has a branch of its own.
 */

import { PlanError } from '../../plan/errors.ts';
import type { Operation, Plan, Stage } from '../../plan/types.ts';
import { readStage } from '../../policy/decide/decoded.ts';
import { VENUES } from '../../policy/decide/operations/venues.ts';
import { isPublicNetwork } from '../../policy/file/networks.ts';
import { FEE_SHARE_PROGRAM } from '../../programs/feeShare/addresses.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { storedQuote } from '../deciding/decide.ts';
import type { LandingDeps } from '../ports.ts';
import type { StageState } from '../status.ts';
import { changesOf, changesTogether } from './balances.ts';
import { checkConfig, checkSplit, configAddressOf } from './configOnChain.ts';
import { type Effect, NOT_YET, SEEN } from './findings.ts';
import { checkLaunch } from './launchOnChain.ts';
import { checkRetired } from './retiredOnChain.ts';
import {
  checkLegacyConfig,
  checkStockConfig,
  checkStockSplit,
  type StockCheck,
  stockConfigOf,
} from './stockConfig.ts';

/**
 * Whether every required stage is known to have succeeded, every account the plan makes says what was asked for, and
 * what it was for arrived. Rejects with `ChainError` when the RPC cannot be asked.
 */
export async function effectOf(
  deps: LandingDeps,
  plan: Plan,
  states: readonly StageState[],
): Promise<Effect> {
  const read = OF_ENDPOINT[plan.request.endpoint];
  if (read === undefined || (await isStock(deps, plan))) return otherEffect(deps, plan, states);
  const landed = await landedOf(deps, states);
  return landed === undefined ? NOT_YET : read(deps, plan, landed);
}

/** What landed of a plan, setup apart; `undefined` while a required stage is not known to have succeeded. */
async function landedOf(
  { chain }: LandingDeps,
  states: readonly StageState[],
): Promise<LandedTransaction[] | undefined> {
  const landed: LandedTransaction[] = [];
  for (const { stage, row } of states) {
    if (stage.optional || row === undefined) continue;
    const transaction = await chain.landed(row.signature);
    if (transaction === undefined || transaction.error !== null) return undefined;
    if (stage.kind !== 'lookup_table_setup') landed.push(transaction);
  }
  return landed;
}

type ReadBack = (deps: LandingDeps, plan: Plan, landed: readonly LandedTransaction[]) => Promise<Effect>;

/** Endpoints whose plans make accounts of programs that are read. */
const OF_ENDPOINT: Readonly<Record<string, ReadBack>> = {
  feeShareConfig: async ({ chain }, { request, wallet, answer }, landed) => {
    const touched = landed.flatMap(({ accounts }) => accounts);
    const { venueConfigKey } = answer;
    const found = await checkConfig(chain, { request: request.fields, wallet, venueConfigKey, touched });
    return found.effect('config');
  },
  updateFeeShareConfig: async ({ chain }, { request }) =>
    (await checkSplit(chain, request.fields)).effect('config'),
  createLaunchConfig: retired,
  legacyFeeShareConfig: retired,
  curveLaunch: launched,
  curveLaunchV2: launched,
  dammLaunch: launched,
  dammLaunchV2: launched,
};

async function retired({ chain }: LandingDeps, { request }: Plan, landed: readonly LandedTransaction[]) {
  const touched = landed.flatMap(({ accounts }) => accounts);
  return (await checkRetired(chain, request.fields, touched)).effect('config');
}

async function launched({ chain }: LandingDeps, plan: Plan, landed: readonly LandedTransaction[]) {
  return (await checkLaunch(chain, plan, landed)).effect('launch');
}

/** Operations whose effect is on the wallet's balances. */
const OF_OPERATION: Partial<Record<Operation, ReadBack>> = {
  holding_claim: claimed,
  position_claim: claimed,
  vault_claim: claimed,
  deployer_claim: claimed,
  swap: swapped,
};

/**
 * Whether a plan is in the older encoding, in which only stock programs are called: never on a public network, and never
 * where the real program keeps the token's config.
 */
async function isStock({ chain }: LandingDeps, plan: Plan): Promise<boolean> {
  if (isPublicNetwork(plan.network) || plan.stages.some(callsOthers)) return false;
  const address = configAddressOf(plan.request.fields);
  if (address === undefined) return true;
  const { value } = await chain.accounts([address], 'confirmed');
  return value.every(({ owner }) => owner !== FEE_SHARE_PROGRAM);
}

const isRead = (program: Address): boolean => VENUES.has(program) || QUOTES.includes(program);
/** The sandbox's own program for configs in other quotes: its accounts cannot be read, and are told so. */
const QUOTES: readonly Address[] = ['SandboxQuoteFeeShare11111111111111111111111'];

/** Whether a stage calls a program of a venue or of the fee share, or cannot be read. */
function callsOthers({ transaction }: Stage): boolean {
  try {
    const { instructions, staticAccounts } = readStage(transaction);
    return instructions.some(({ programIndex }) => isRead(staticAccounts[programIndex] ?? ''));
  } catch {
    return true;
  }
}

/** Accounts that exist once an operation took effect. */
function accountsOf({ answer, request, operation }: Plan): Address[] {
  const launch = isFields(answer.launch) ? answer.launch : {};
  const named: unknown[] = [];
  // The endpoints of before name the config `configKey`.
  if (operation === 'config') named.push(answer.feeShareConfig ?? answer.configKey);
  if (operation === 'launch') {
    named.push(request.fields.tokenMint, launch.treasuryPositionNftMint, launch.feeClaimerPositionNftMint);
  }
  return named.filter((address) => typeof address === 'string');
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The same for everything else: the older encoding, the oldest endpoints, and what is on balances. */
async function otherEffect(deps: LandingDeps, plan: Plan, states: readonly StageState[]): Promise<Effect> {
  const { chain } = deps;
  const accounts = accountsOf(plan);
  const isConfig = plan.operation === 'config';
  if (isConfig && (accounts.length === 0 || isPublicNetwork(plan.network))) return NOT_READ;
  if (accounts.length > 0) {
    const { value } = await chain.accounts(accounts, 'confirmed');
    if (value.some(({ exists }) => !exists)) return NOT_YET;
    const [config] = value;
    if (isConfig && config !== undefined) {
      const { endpoint, fields } = plan.request;
      const said = told(
        endpoint === 'feeShareConfig'
          ? checkStockConfig(config, { request: fields, wallet: plan.wallet })
          : checkLegacyConfig(config, fields),
      );
      if (!said.seen) return said;
    }
  }
  const landed = await landedOf(deps, states);
  if (landed === undefined) return NOT_YET;
  if (plan.operation === 'manager_update') return stockUpdated(deps, plan, landed);
  return (await OF_OPERATION[plan.operation]?.(deps, plan, landed)) ?? SEEN;
}

/** Only a config that was read counts: that the account exists does not show who earns (T63). */
function told(check: StockCheck): Effect {
  switch (check.state) {
    case 'verified':
      return SEEN;
    case 'different':
      return {
        seen: false,
        problem: `The config on chain is not the one asked for: ${check.differs.join('; ')}.`,
      };
    case 'unreadable':
      return NOT_READ;
  }
}

const NOT_READ: Effect = {
  seen: false,
  doubt:
    'Every stage landed, but no config of this token could be read on chain: its split was not verified. Submit the plan again to look again; if it stays so, a person compares the config with what was asked for before anything is launched with it.',
};

/** The changed config, found among the accounts of what landed by the token it is for, has the split asked for. */
async function stockUpdated(
  { chain }: LandingDeps,
  plan: Plan,
  landed: readonly LandedTransaction[],
): Promise<Effect> {
  const touched = [...new Set(landed.flatMap(({ accounts }) => accounts))];
  const { value } = await chain.accounts(touched, 'confirmed');
  const { fields } = plan.request;
  const config = value.find((account) => stockConfigOf(account)?.baseMint === fields.baseMint);
  return config === undefined ? NOT_READ : told(checkStockSplit(config, fields));
}

/** Something arrived: each claim left the wallet with more of an asset, its network fee apart. */
async function claimed(
  _deps: LandingDeps,
  { wallet }: Plan,
  landed: readonly LandedTransaction[],
): Promise<Effect> {
  const empty = landed.some((transaction) => {
    const changes = changesOf(transaction, wallet);
    return ![...changes.values()].some((change) => change > 0n);
  });
  return empty ? { seen: false, problem: 'A claim landed, but nothing arrived in the wallet.' } : SEEN;
}

/** The tokens moved: the one bought arrived, the one sold left. SOL is not judged, since fees and rent are in it. */
async function swapped(
  { ledger }: LandingDeps,
  plan: Plan,
  landed: readonly LandedTransaction[],
): Promise<Effect> {
  const quote = await storedQuote(ledger, plan.request.endpoint, plan.request.fields);
  const total = changesTogether(landed, plan.wallet);
  const moved = (mint: unknown, sign: bigint): boolean =>
    typeof mint !== 'string' || mint === WSOL_MINT || sign * (total.get(mint) ?? 0n) > 0n;
  const done =
    quote === undefined
      ? [...total].some(([asset, change]) => asset !== 'SOL' && change !== 0n)
      : moved(quote.request.outputMint, 1n) && moved(quote.request.inputMint, -1n);
  return done ? SEEN : { seen: false, problem: 'The swap landed, but its tokens did not move.' };
}

/** A bundle without CREATE_TOKEN is one for a token that is already on chain, or it is no bundle at all (C-BUNDLE). */
export async function requireToken({ chain }: LandingDeps, plan: Plan): Promise<void> {
  const { endpoint, fields } = plan.request;
  if (endpoint !== 'dammLaunch' || plan.stages.some(({ kind }) => kind === 'create_token')) return;
  const { tokenMint } = fields;
  if (typeof tokenMint !== 'string') return;
  const { value } = await chain.accounts([tokenMint], 'confirmed');
  if (!value.every(({ exists }) => exists)) {
    throw new PlanError('The bundle does not create the token, and the token is not on chain.');
  }
}
