/**
 * Whether a plan's effect is really there, read back from our own RPC. A plan is complete when its stages landed
 * and this says so, not before.
 */

import { PlanError } from '../../plan/errors.ts';
import type { Operation, Plan } from '../../plan/types.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { storedQuote } from '../deciding/decide.ts';
import type { LandingDeps } from '../ports.ts';
import type { StageState } from '../status.ts';
import {
  type ConfigCheck,
  checkConfig,
  checkLegacyConfig,
  checkSplit,
  configRecordOf,
} from './configOnChain.ts';

/**
 * Whether the effect is there. `problem` says what is wrong with an effect that is there, `doubt` what
 * could not be determined so far; without them the effect is not visible yet.
 */
export type Effect =
  | { readonly seen: true }
  | { readonly seen: false; readonly problem?: string; readonly doubt?: string };

const SEEN: Effect = { seen: true };
const NOT_YET: Effect = { seen: false };

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

/**
 * Whether every account the plan makes exists and says what was asked for, every required stage is known to have
 * succeeded, and what it was for arrived. Rejects with `ChainError` when the RPC cannot be asked.
 */
export async function effectOf(
  deps: LandingDeps,
  plan: Plan,
  states: readonly StageState[],
): Promise<Effect> {
  const { chain } = deps;
  const accounts = accountsOf(plan);
  if (accounts.length === 0 && plan.operation === 'config') return NOT_READ;
  if (accounts.length > 0) {
    const { value } = await chain.accounts(accounts, 'confirmed');
    if (value.some(({ exists }) => !exists)) return NOT_YET;
    const [config] = value;
    if (plan.operation === 'config' && config !== undefined) {
      const { endpoint, fields } = plan.request;
      const said = told(
        endpoint === 'feeShareConfig'
          ? checkConfig(config, { request: fields, wallet: plan.wallet })
          : checkLegacyConfig(config, fields),
      );
      if (!said.seen) return said;
    }
  }
  const landed: LandedTransaction[] = [];
  for (const { stage, row } of states) {
    if (stage.optional || row === undefined) continue;
    const transaction = await chain.landed(row.signature);
    if (transaction === undefined || transaction.error !== null) return NOT_YET;
    if (stage.kind !== 'lookup_table_setup') landed.push(transaction);
  }
  return OF_OPERATION[plan.operation]?.(deps, plan, landed) ?? SEEN;
}

type ReadBack = (deps: LandingDeps, plan: Plan, landed: readonly LandedTransaction[]) => Promise<Effect>;

const OF_OPERATION: Partial<Record<Operation, ReadBack>> = {
  manager_update: updated,
  holding_claim: claimed,
  position_claim: claimed,
  vault_claim: claimed,
  deployer_claim: claimed,
  swap: swapped,
};

/** Only a config that was read counts: that the account exists does not show who earns (T63). */
function told(check: ConfigCheck): Effect {
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
    'Every stage landed, but no config of this token could be read on chain: its split was not verified.',
};

/** The changed config, found among the accounts of what landed by the token it is for, has the split asked for. */
async function updated(
  { chain }: LandingDeps,
  plan: Plan,
  landed: readonly LandedTransaction[],
): Promise<Effect> {
  const touched = [...new Set(landed.flatMap(({ accounts }) => accounts))];
  const { value } = await chain.accounts(touched, 'confirmed');
  const { fields } = plan.request;
  const config = value.find((account) => configRecordOf(account)?.baseMint === fields.baseMint);
  return config === undefined ? NOT_READ : told(checkSplit(config, fields));
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
  const total = new Map<string, bigint>();
  for (const transaction of landed) {
    for (const [asset, change] of changesOf(transaction, plan.wallet)) {
      total.set(asset, (total.get(asset) ?? 0n) + change);
    }
  }
  const moved = (mint: unknown, sign: bigint): boolean =>
    typeof mint !== 'string' || mint === WSOL_MINT || sign * (total.get(mint) ?? 0n) > 0n;
  const done =
    quote === undefined
      ? [...total].some(([asset, change]) => asset !== 'SOL' && change !== 0n)
      : moved(quote.request.outputMint, 1n) && moved(quote.request.inputMint, -1n);
  return done ? SEEN : { seen: false, problem: 'The swap landed, but its tokens did not move.' };
}

/** Base units by which a wallet's assets changed, the network fee it paid apart; wrapped SOL counts as SOL. */
function changesOf(landed: LandedTransaction, wallet: Address): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => changes.set(asset, (changes.get(asset) ?? 0n) + amount);
  landed.accounts.forEach((address, i) => {
    if (address !== wallet) return;
    const fee = i === 0 ? landed.feeLamports : 0n;
    add('SOL', (landed.lamportsAfter[i] ?? 0n) - (landed.lamportsBefore[i] ?? 0n) + fee);
  });
  for (const [balances, sign] of [
    [landed.tokensBefore, -1n],
    [landed.tokensAfter, 1n],
  ] as const) {
    for (const { owner, mint, amount } of balances) {
      if (owner === wallet) add(mint === WSOL_MINT ? 'SOL' : mint, sign * amount);
    }
  }
  return changes;
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
