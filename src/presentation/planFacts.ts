/**
 * What a result says of a plan beside its status: what was asked, what would leave and arrive, what moved, what it cost,
 * who earns. Facts come from the ledger and from our own RPC; an RPC that is down takes
 * amounts away and never a result.
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
import { type Asked, askedOf } from './requestSummary.ts';
import { boundsOf } from './statement/summary.ts';
import { createTokenReader, type ShownAmount, type TokenReader } from './tokens.ts';

/** What landed transactions took beside what they moved, in SOL. */
export interface ShownCost {
  networkFee: string;
  /** Part of the change in SOL that lies in accounts that were made; most of it comes back when they are closed. */
  newAccounts?: string;
}

/** One claim of several, as results show it. */
export interface ShownClaim {
  /** In our own words. */
  asked: string;
  /** `open`, or what the policy says of it while nothing of it is signed; else how its transactions stand. */
  status: 'open' | 'denied' | 'approval_required' | 'sent' | 'landed' | 'failed';
  /** What it brings at least, by what was decided so far, or what it moved. */
  arrives?: ShownAmount[];
}

/** What results show of a plan beside its stages. */
export interface PlanFacts extends AgentSummary {
  /** The wallet of ours it concerns. */
  wallet: string;
  createdAt: string;
  /** What was asked for, in one line of our own words. */
  asked: string;
  tokenMint?: string;
  /** What the landed stages moved, the network fee apart. */
  changes?: ShownAmount[];
  cost?: ShownCost;
  /** SOL that arrived wrapped, part of the changes: it is no lamports of the wallet until it is unwrapped. */
  wrapped?: string;
  /** Where each claim stands, of a plan that claims everything. */
  claims?: ShownClaim[];
  /** Where the chain would refuse it: what it takes and what the wallet has, where the wallet has too little. */
  lacks?: { needs: ShownAmount; has: ShownAmount }[];
  /** The question that holds it back, open or over. */
  approval?: ShownQuestion;
}

/** What facts are made from. */
type Known = DecidedPlan & Pick<PlanSnapshot, 'rows' | 'approvals'>;

/** Reads facts of plans; one for a server, so that tokens and landed transactions are read once. */
export interface FactsReader {
  readonly tokens: TokenReader;
  readonly moves: MoveReader;
  of(known: Known): Promise<PlanFacts>;
  /** One line for a list, without asking the chain what moved. */
  brief(known: Pick<Known, 'plan'>): Promise<PlanFacts>;
}

export function createFactsReader(deps: ExecutionDeps): FactsReader {
  const tokens = createTokenReader(deps.chain);
  const moves = createMoveReader(deps.chain);

  const asks = async (plan: Plan): Promise<Asked> => askedOf(plan, await storedQuote(deps.ledger, plan));

  async function lineOf({ plan }: Pick<Known, 'plan'>, asked: Asked): Promise<PlanFacts> {
    const spent = (asked.out ?? []).flatMap(([asset]) => (asset === 'SOL' ? [] : [asset]));
    const facts = await tokens.facts(spent).catch(() => new Map());
    return {
      wallet: plan.wallet,
      createdAt: new Date(plan.createdAt).toISOString(),
      asked: asked.words(facts),
      ...(asked.tokenMint === undefined ? {} : { tokenMint: asked.tokenMint }),
    };
  }

  return {
    tokens,
    moves,
    brief: async (known) => lineOf(known, await asks(known.plan)),
    of: async (known) => {
      const { plan, rows } = known;
      const asked = await asks(plan);
      const moved = await movedSoFar(moves, rows);
      return {
        ...(await lineOf(known, asked)),
        ...(await agentSummaryOf(deps, tokens, known)),
        ...(moved === undefined ? {} : await shownMoved(tokens, moved)),
        ...(await lacksOf(deps, tokens, known, asked.out)),
        ...(await claimsOf(tokens, moves, known)),
      };
    },
  };
}

/** What all landed rows moved; `undefined` where nothing landed or the chain does not tell. */
async function movedSoFar(moves: MoveReader, rows: readonly JournalRow[]): Promise<Moved | undefined> {
  const landed = rows.filter(({ state }) => isOnChain(state));
  if (landed.length === 0) return undefined;
  const each = await Promise.all(landed.map((row) => moves.of(row)));
  const known = each.filter((moved) => moved !== undefined);
  return known.length === each.length ? movedTogether(known) : undefined;
}

/** Moves with decimals and symbols. */
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

/** Where each claim of several stands; absent for every other plan. */
async function claimsOf(
  tokens: TokenReader,
  moves: MoveReader,
  { plan, states, decisions, rows }: Known,
): Promise<Pick<PlanFacts, 'claims'>> {
  const claims = stagesByClaim(plan, states);
  if (claims.length === 0) return {};
  const shown = claims.map(async ({ claim, states: own }): Promise<ShownClaim> => {
    const asked = askedOf(
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

/** The least that stages bring, as they were decided last. */
function leastOf(states: readonly StageState[], decisions: Known['decisions']): ReadonlyMap<string, bigint> {
  const lines = states.flatMap(({ stage }) => {
    const found = decisions.find(({ stageId }) => stageId === stage.id)?.decision.statement;
    return found === undefined ? [] : stageFrom(found).lines;
  });
  return boundsOf(lines).arrives;
}

/**
 * Whether the wallet holds what was asked to leave, and the SOL that the bytes may take beside it (fees, deposits);
 * looked up only where a simulation failed.
 */
async function lacksOf(
  { chain }: ExecutionDeps,
  tokens: TokenReader,
  { plan, states, decisions }: Known,
  out: Asked['out'] = [],
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

/** What a wallet holds of an asset, base units. Rejects with `ChainError`. */
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
