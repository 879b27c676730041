/**
 * Facts of a plan beside its status: request, bounds, balance changes, cost, and claimers. Read from the ledger and
 * our own RPC; without the RPC amounts are left out, and the result remains.
 */

import { decimalText, SOL_DECIMALS } from '../base/format.ts';
import { storedQuote } from '../execution/deciding/quotes.ts';
import type { ExecutionDeps } from '../execution/ports.ts';
import {
  type DecidedPlan,
  isLanded,
  isOnChain,
  type PlanSnapshot,
  type StageState,
  strictestOf,
} from '../execution/status.ts';
import type { JournalRow } from '../ledger/types.ts';
import { operationOfClaim, stagesByClaim } from '../plan/claimAll.ts';
import type { Plan } from '../plan/types.ts';
import { readTokenAccount } from '../programs/token/accounts.ts';
import type { Chain } from '../rpc/types.ts';
import { stageFrom } from '../statement/view.ts';
import { createMoveReader, type Moved, type MoveReader, movedTogether } from './moves.ts';
import { type AgentSummary, agentSummaryOf } from './question/agentSummary.ts';
import type { ShownQuestion } from './question.ts';
import { type RequestSummary, summarizeRequest } from './requestSummary.ts';
import { boundsOf } from './statement/summary.ts';
import { createTokenReader, type ShownAmount, type TokenReader } from './tokens.ts';

/** Costs of landed transactions in SOL, not included in the moved amounts. */
export interface ShownCost {
  networkFee: string;
  /** Part of the SOL change that is rent in new accounts; most of it is refunded when they are closed. */
  newAccounts?: string;
}

/** One claim of a batch in results. */
export interface ShownClaim {
  /** Description in our own words. */
  asked: string;
  /** `open`, or the policy's decision while nothing is signed; otherwise the state of its transactions. */
  status: 'open' | 'denied' | 'approval_required' | 'sent' | 'landed' | 'failed';
  /** Minimum amounts it brings by the latest decision, or the amounts it moved. */
  arrives?: ShownAmount[];
}

/** Facts of a plan in results. */
export interface PlanFacts extends AgentSummary {
  /** The wallet of this home. */
  wallet: string;
  createdAt: string;
  /** One-line description of the request in our own words. */
  asked: string;
  tokenMint?: string;
  /** Balance changes by landed stages, without network fees. */
  changes?: ShownAmount[];
  cost?: ShownCost;
  /** SOL received as wrapped SOL, included in the changes: not spendable lamports until unwrapped. */
  wrapped?: string;
  /** State of each claim, for a plan that claims everything. */
  claims?: ShownClaim[];
  /** Missing balances of a transaction the chain would refuse: amount needed and amount held. */
  lacks?: { needs: ShownAmount; has: ShownAmount }[];
  /** The question that blocks the plan, open or closed. */
  approval?: ShownQuestion;
}

/** Input of facts. */
type Known = DecidedPlan & Pick<PlanSnapshot, 'rows' | 'approvals'>;

/** Reads facts of plans. One per server, so that tokens and landed transactions are read once. */
export interface FactsReader {
  readonly tokens: TokenReader;
  readonly moves: MoveReader;
  of(known: Known): Promise<PlanFacts>;
  /** Returns the facts of a list entry without asking the chain. */
  brief(known: Pick<Known, 'plan'>): Promise<PlanFacts>;
}

export function createFactsReader(deps: ExecutionDeps): FactsReader {
  const tokens = createTokenReader(deps.chain);
  const moves = createMoveReader(deps.chain);

  const summarize = async (plan: Plan): Promise<RequestSummary> =>
    summarizeRequest(plan, await storedQuote(deps.ledger, plan));

  async function lineOf({ plan }: Pick<Known, 'plan'>, request: RequestSummary): Promise<PlanFacts> {
    const spent = (request.out ?? []).flatMap(([asset]) => (asset === 'SOL' ? [] : [asset]));
    const facts = await tokens.facts(spent).catch(() => new Map());
    return {
      wallet: plan.wallet,
      createdAt: new Date(plan.createdAt).toISOString(),
      asked: request.words(facts),
      ...(request.tokenMint === undefined ? {} : { tokenMint: request.tokenMint }),
    };
  }

  return {
    tokens,
    moves,
    brief: async (known) => lineOf(known, await summarize(known.plan)),
    of: async (known) => {
      const { plan, rows } = known;
      const request = await summarize(plan);
      const moved = await movedSoFar(moves, rows);
      return {
        ...(await lineOf(known, request)),
        ...(await agentSummaryOf(deps, tokens, known)),
        ...(moved === undefined ? {} : await shownMoved(tokens, moved)),
        ...(await lacksOf(deps, tokens, known, request.out)),
        ...(await claimsOf(tokens, moves, known)),
      };
    },
  };
}

/** Returns the moves of all landed rows; `undefined` if nothing landed or the chain has no data. */
async function movedSoFar(moves: MoveReader, rows: readonly JournalRow[]): Promise<Moved | undefined> {
  const landed = rows.filter(({ state }) => isOnChain(state));
  if (landed.length === 0) return undefined;
  const each = await Promise.all(landed.map((row) => moves.of(row)));
  const known = each.filter((moved) => moved !== undefined);
  return known.length === each.length ? movedTogether(known) : undefined;
}

/** Formats moves with decimals and symbols. */
export async function shownMoved(
  tokens: TokenReader,
  { changes, fee, newAccounts, wrapped }: Moved,
): Promise<{ changes: ShownAmount[]; cost: ShownCost; wrapped?: string }> {
  return {
    changes: await tokens.amounts(changes, 'signed'),
    ...(wrapped <= 0n ? {} : { wrapped: decimalText(wrapped, SOL_DECIMALS) }),
    cost: {
      networkFee: decimalText(fee, SOL_DECIMALS),
      ...(newAccounts === 0n ? {} : { newAccounts: decimalText(newAccounts, SOL_DECIMALS) }),
    },
  };
}

/** Returns the state of each claim of a batch; absent for every other plan. */
async function claimsOf(
  tokens: TokenReader,
  moves: MoveReader,
  { plan, states, decisions, rows }: Known,
): Promise<Pick<PlanFacts, 'claims'>> {
  const claims = stagesByClaim(plan, states);
  if (claims.length === 0) return {};
  const shown = claims.map(async ({ claim, states: own }): Promise<ShownClaim> => {
    const asked = summarizeRequest(
      { operation: operationOfClaim(claim), request: { ...plan.request, fields: claim.fields } },
      undefined,
    ).words(new Map());
    const status = statusOfClaim(own, decisions);
    const ids = own.map(({ stage }) => stage.id);
    const moved = await movedSoFar(
      moves,
      rows.filter(({ stageId }) => ids.includes(stageId)),
    );
    const brought = moved && (await tokens.amounts(moved.changes, 'signed'));
    const arrives = brought ?? (await tokens.amounts(leastOf(own, decisions)));
    return { asked, status, ...(arrives.length === 0 ? {} : { arrives }) };
  });
  return { claims: await Promise.all(shown) };
}

function statusOfClaim(states: readonly StageState[], decisions: Known['decisions']): ShownClaim['status'] {
  const of = (...wanted: readonly StageState['status'][]) =>
    states.some(({ status }) => wanted.includes(status));
  if (of('failed')) return 'failed';
  if (states.length > 0 && states.every(({ status }) => isLanded(status))) return 'landed';
  if (of('signed', 'sent', 'unknown')) return 'sent';
  const decision = strictestOf({ states, decisions });
  if (decision?.effect === 'deny') return decision.class === 'availability' ? 'open' : 'denied';
  return decision?.effect === 'require_approval' ? 'approval_required' : 'open';
}

/** Returns the minimum amounts stages bring, by their latest decisions. */
function leastOf(states: readonly StageState[], decisions: Known['decisions']): ReadonlyMap<string, bigint> {
  const lines = states.flatMap(({ stage }) => {
    const found = decisions.find(({ stageId }) => stageId === stage.id)?.decision.statement;
    return found === undefined ? [] : stageFrom(found).lines;
  });
  return boundsOf(lines).arrives;
}

/**
 * Returns assets the wallet lacks: the requested outgoing amounts, and SOL for fees and deposits. Read only after a
 * failed simulation.
 */
async function lacksOf(
  { chain }: ExecutionDeps,
  tokens: TokenReader,
  { plan, states, decisions }: Known,
  out: RequestSummary['out'] = [],
): Promise<Pick<PlanFacts, 'lacks'>> {
  const open = states.filter(({ stage, status }) => !stage.optional && !isLanded(status));
  const decided = open.flatMap(
    ({ stage }) => decisions.find(({ stageId }) => stageId === stage.id)?.decision ?? [],
  );
  const lacking = ['SIMULATION_FAILED', 'REHEARSAL_FAILED'];
  if (!decided.some(({ reasonCodes }) => reasonCodes.some((code) => lacking.includes(code)))) return {};
  const needs = new Map(out);
  const taken = decided
    .flatMap(({ changes }) => changes)
    .reduce((sum, change) => (change.asset === 'SOL' ? sum + BigInt(change.out) : sum), 0n);
  if (taken > (needs.get('SOL') ?? 0n)) needs.set('SOL', taken);
  const lacks: NonNullable<PlanFacts['lacks']> = [];
  for (const [asset, units] of needs) {
    const has = await balanceOf(chain, plan.wallet, asset).catch(() => undefined);
    if (has === undefined || has >= units) continue;
    const [needed, held] = await tokens.amounts([
      [asset, units],
      [asset, has],
    ]);
    if (needed !== undefined && held !== undefined) lacks.push({ needs: needed, has: held });
  }
  return lacks.length === 0 ? {} : { lacks };
}

/** Returns a wallet's balance of an asset in base units. Rejects with `ChainError`. */
export async function balanceOf(
  chain: Pick<Chain, 'accounts' | 'tokenAccounts'>,
  wallet: string,
  asset: string,
): Promise<bigint> {
  if (asset === 'SOL') {
    const { value } = await chain.accounts([wallet], 'confirmed');
    return BigInt(value[0]?.lamports ?? '0');
  }
  const { value } = await chain.tokenAccounts(wallet, 'confirmed');
  return value
    .map(({ data }) => readTokenAccount(Buffer.from(data, 'base64')))
    .reduce((sum, { mint, amount }) => (mint === asset ? sum + amount : sum), 0n);
}
