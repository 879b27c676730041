/**
 * Verifies a plan's effect from our own RPC. A plan is complete only when its stages landed and its effect is
 * verified. Configs, splits and launches are read from their programs' accounts.
 */

import { asRecord } from '../../base/record.ts';
import type { JournalRow } from '../../ledger/types.ts';
import { judgedWith } from '../../plan/claimAll.ts';
import { PlanError } from '../../plan/readAnswer.ts';
import type { Plan, PlanOperation, Stage } from '../../plan/types.ts';
import { assetOf } from '../../policy/decide/decisionContext.ts';
import { TOKEN_ACCOUNT_BYTES } from '../../policy/decide/operations/deposits.ts';
import type { Asset } from '../../policy/decide/types.ts';
import { type LandedTransaction, rentFor } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import { registeredAs } from '../deciding/decide.ts';
import { storedQuote } from '../deciding/quotes.ts';
import type { ExecutionDeps } from '../ports.ts';
import type { StageState } from '../status.ts';
import { changesOf, simulatedChanges } from './balances.ts';
import { checkConfig, checkSplit } from './configOnChain.ts';
import { type Effect, NOT_YET, SEEN } from './findings.ts';
import { checkLaunch } from './launchOnChain.ts';

/**
 * Returns whether every required stage succeeded, every account the plan creates matches the request, and the
 * expected assets arrived. Rejects with `ChainError` when the RPC is unavailable.
 */
export async function effectOf(
  deps: ExecutionDeps,
  plan: Plan,
  states: readonly StageState[],
): Promise<Effect> {
  const read = OF_ENDPOINT[plan.request.endpoint] ?? OF_OPERATION[plan.operation];
  const landed = await landedOf(deps, states);
  if (landed === undefined) return NOT_YET;
  return (await read?.(deps, plan, landed)) ?? SEEN;
}

/** A landed transaction, with the ids of its stage and of the decision it was signed under. */
type LandedStage = LandedTransaction & Pick<Stage, 'id'> & Pick<JournalRow, 'decisionId'>;

/**
 * Returns the landed transactions of a plan without setup; `undefined` while a required stage is not known to have
 * succeeded.
 */
async function landedOf(
  { chain }: ExecutionDeps,
  states: readonly StageState[],
): Promise<LandedStage[] | undefined> {
  const landed: LandedStage[] = [];
  for (const { stage, row } of states) {
    if (stage.optional || row === undefined) continue;
    const transaction = await chain.landed(row.signature);
    if (transaction === undefined || transaction.error !== null) return undefined;
    if (stage.kind !== 'lookup_table_setup')
      landed.push({ ...transaction, id: stage.id, decisionId: row.decisionId });
  }
  return landed;
}

type ReadBack = (deps: ExecutionDeps, plan: Plan, landed: readonly LandedStage[]) => Promise<Effect>;

/** Endpoints whose plans create accounts of supported programs. */
const OF_ENDPOINT: Readonly<Record<string, ReadBack>> = {
  feeShareConfig: async ({ chain }, { request, wallet, answer }, landed) => {
    const touched = landed.flatMap(({ accounts }) => accounts);
    const { venueConfigKey, feeShareConfig } = answer;
    // An account that no transaction of the plan touched was not created by it.
    const named = touched.some((address) => address === feeShareConfig) ? { feeShareConfig } : {};
    const requested = { request: request.fields, wallet, venueConfigKey, ...named, touched };
    return (await checkConfig(chain, requested)).effect('config');
  },
  updateFeeShareConfig: async ({ chain }, { request }, landed) => {
    const touched = landed.flatMap(({ accounts }) => accounts);
    return (await checkSplit(chain, request.fields, touched)).effect('config');
  },
  curveLaunch: launched,
  curveLaunchV2: launched,
  dammLaunch: launched,
  dammLaunchV2: launched,
};

async function launched({ chain, ledger }: ExecutionDeps, plan: Plan, landed: readonly LandedStage[]) {
  return (await checkLaunch(chain, plan, landed, await registeredAs(ledger, plan))).effect('launch');
}

/** Operations that change the wallet's balances. */
const OF_OPERATION: Partial<Record<PlanOperation, ReadBack>> = {
  holding_claim: claimed,
  position_claim: claimed,
  vault_claim: claimed,
  deployer_claim: claimed,
  claim_all: claimed,
  swap: swapped,
};

/**
 * Checks that each claim increased an asset of the wallet, network fee aside, and brought the amounts claimable when
 * it was signed: those of its simulation and, for a vault, the amount the service stated.
 */
async function claimed(
  { chain, ledger }: ExecutionDeps,
  plan: Plan,
  landed: readonly LandedStage[],
): Promise<Effect> {
  for (const transaction of landed) {
    const changes = changesOf(plan.wallet, transaction);
    if (![...changes.values()].some((change) => change > 0n))
      return { seen: false, problem: 'A claim landed, but nothing arrived in the wallet.' };
    const inputs = (await ledger.rows('decisions', { id: transaction.decisionId, inputs: true }))[0]?.made
      ?.inputs;
    const simulated = inputs && simulatedChanges(plan.wallet, inputs.simulation, transaction);
    for (const [asset, amount] of simulated ?? []) {
      const short = shortOf(asset, changes.get(asset) ?? 0n, amount);
      if (short !== undefined) return short;
    }
    const vault = claimableOf(plan, transaction);
    if (vault === undefined) continue;
    const { asset, amount } = vault;
    const opened = await openedIn(chain, transaction, asset);
    const short = shortOf(asset, (changes.get(asset) ?? 0n) + opened, amount);
    if (short !== undefined) return short;
  }
  return SEEN;
}

/** Returns the effect of a claim that brought too little of an asset, in base units. */
const shortOf = (asset: Asset, arrived: bigint, claimable: bigint): Effect | undefined =>
  claimable > 0n && arrived * 100n < claimable * MIN_CLAIMED_PERCENT
    ? {
        seen: false,
        problem: `A claim landed, but brought less than was claimable: ${arrived} of ${claimable} base units of ${asset}.`,
        lasting: true,
      }
    : undefined;

/** Percentage of a claimable amount that must arrive; allows for rounding. */
const MIN_CLAIMED_PERCENT = 99n;

/** Returns the amount the service stated as claimable for a vault claim; `undefined` for other claims. */
function claimableOf(plan: Plan, { id }: LandedStage): { asset: Asset; amount: bigint } | undefined {
  const { request, answer } = judgedWith(plan, { id }).plan;
  const { claimableAmountRaw } = asRecord(answer.claimable);
  if (typeof claimableAmountRaw !== 'string' || !/^\d{1,20}$/.test(claimableAmountRaw)) return undefined;
  const mint = String(request.fields.quoteMint);
  return { asset: assetOf(mint), amount: BigInt(claimableAmountRaw) };
}

/**
 * Returns the maximum lamports the wallet may have paid into token accounts created in a transaction; 0 for other
 * assets.
 */
async function openedIn(
  chain: ExecutionDeps['chain'],
  { lamportsBefore, lamportsAfter }: LandedStage,
  asset: string,
): Promise<bigint> {
  const opened = lamportsBefore.filter((before, i) => before === 0n && (lamportsAfter[i] ?? 0n) > 0n).length;
  return asset === 'SOL' && opened > 0
    ? BigInt(opened) * rentFor(await chain.rent(), TOKEN_ACCOUNT_BYTES)
    : 0n;
}

/**
 * Checks that the bought token arrived and the sold one left. SOL is not checked, since its change includes fees and
 * rent.
 */
async function swapped(
  { ledger }: ExecutionDeps,
  plan: Plan,
  landed: readonly LandedStage[],
): Promise<Effect> {
  const quote = await storedQuote(ledger, plan);
  const total = changesOf(plan.wallet, ...landed);
  const moved = (mint: unknown, sign: bigint): boolean =>
    typeof mint !== 'string' || mint === WSOL_MINT || sign * (total.get(mint) ?? 0n) > 0n;
  const done =
    quote === undefined
      ? [...total].some(([asset, change]) => asset !== 'SOL' && change !== 0n)
      : moved(quote.request.outputMint, 1n) && moved(quote.request.inputMint, -1n);
  return done ? SEEN : { seen: false, problem: 'The swap landed, but the token balances did not change.' };
}

/** Throws if a bundle without CREATE_TOKEN is for a token that is not on chain (C-BUNDLE). */
export async function requireToken({ chain }: ExecutionDeps, plan: Plan): Promise<void> {
  const { endpoint, fields } = plan.request;
  if (endpoint !== 'dammLaunch' || plan.stages.some(({ kind }) => kind === 'create_token')) return;
  const { tokenMint } = fields;
  if (typeof tokenMint !== 'string') return;
  const { value } = await chain.accounts([tokenMint], 'confirmed');
  if (!value.every(({ exists }) => exists)) {
    throw new PlanError('The bundle does not create the token, and the token is not on chain.');
  }
}
