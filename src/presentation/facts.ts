/**
 * What a result says of a plan beside its status: what was asked, what would leave and arrive, what moved, what it cost,
 * who earns. Facts come from the ledger and from our own RPC; an RPC that is down takes
 * amounts away and never a result.
 */

import { decimalText, SOL_DECIMALS } from '../base/words.ts';
import { storedQuote } from '../landing/deciding/decide.ts';
import type { LandingDeps } from '../landing/ports.ts';
import { configAddressOf } from '../landing/readback/configOnChain.ts';
import { readFact } from '../landing/readback/findings.ts';
import {
  isLanded,
  isOnChain,
  type PlanSnapshot,
  type StageState,
  type Standing,
  strictestOf,
} from '../landing/status.ts';
import type { JournalRow } from '../ledger/types.ts';
import { operationOfClaim, stagesByClaim } from '../plan/claimAll.ts';
import type { Plan } from '../plan/types.ts';
import { feeShareConfig } from '../programs/feeShare/accounts.ts';
import { readTokenAccount } from '../programs/token/accounts.ts';
import type { Chain } from '../rpc/types.ts';
import type { Statement } from '../statement/types.ts';
import { stageFrom } from '../statement/view.ts';
import type { Address } from '../transaction/types.ts';
import { type Asked, askedOf, type ShownEarners, shownEarners } from './asked.ts';
import { createMoveReader, type Moved, type MoveReader, movedTogether } from './moves.ts';
import { earnersFact } from './question/earners.ts';
import { cleanName, type Evidence } from './question/evidence.ts';
import type { EarnersFact } from './question/facts.ts';
import { namesIn, peopleOf } from './question/people.ts';
import { wasRead } from './question/question.ts';
import type { ShownQuestion } from './question.ts';
import { plannedOf } from './statement/planned.ts';
import { boundsOf, shortener, summaryOf, toldToAgent } from './statement/summary.ts';
import {
  createTokenReader,
  type ShownAmount,
  shownAmount,
  type TokenFacts,
  type TokenReader,
} from './tokens.ts';

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
export interface PlanFacts {
  /** The wallet of ours it concerns. */
  wallet: string;
  createdAt: string;
  /** What was asked for, in one line of our own words. */
  asked: string;
  tokenMint?: string;
  /** Bounds of the whole run as its owner reads them. `returns`: SOL of it that comes back when accounts are closed. */
  expected?: { leavesAtMost: ShownAmount[]; arrivesAtLeast: ShownAmount[]; returns?: string };
  /** Who else gains, what is final, and warnings: sentences that its owner reads. */
  says?: string[];
  /** What the landed stages moved, the network fee apart. */
  changes?: ShownAmount[];
  cost?: ShownCost;
  earners?: { before?: ShownEarners; after: ShownEarners };
  /** Where each claim stands, of a plan that claims everything. */
  claims?: ShownClaim[];
  /** Where the chain would refuse it: what it takes and what the wallet has, where the wallet has too little. */
  lacks?: { needs: ShownAmount; has: ShownAmount }[];
  /** The question that holds it back, open or over. */
  approval?: ShownQuestion;
  /** True for a swap that was never signed and whose quote is too old: it is built again from a new quote. */
  expired?: true;
}

/** What facts are made from. */
type Known = Standing & Pick<PlanSnapshot, 'rows' | 'approvals'>;

/** Reads facts of plans; one for a server, so that tokens and landed transactions are read once. */
export interface FactsReader {
  readonly tokens: TokenReader;
  readonly moves: MoveReader;
  of(known: Known): Promise<PlanFacts>;
  /** One line for a list, without asking the chain what moved. */
  brief(known: Pick<Known, 'plan' | 'rows'>): Promise<PlanFacts>;
}

export function createFactsReader(deps: LandingDeps): FactsReader {
  const tokens = createTokenReader(deps.chain);
  const moves = createMoveReader(deps.chain);

  const asks = async (plan: Plan): Promise<Asked> =>
    askedOf(plan, await storedQuote(deps.ledger, plan.request.endpoint, plan.request.fields));

  async function lineOf({ plan, rows }: Pick<Known, 'plan' | 'rows'>, asked: Asked): Promise<PlanFacts> {
    const spent = asked.out === undefined || asked.out[0] === 'SOL' ? [] : [asked.out[0]];
    const facts = await tokens.facts(spent).catch(() => new Map());
    const isOld = plan.expiresAt !== undefined && plan.expiresAt <= (await deps.ledger.time());
    return {
      wallet: plan.wallet,
      createdAt: new Date(plan.createdAt).toISOString(),
      asked: asked.words(facts),
      ...(asked.tokenMint === undefined ? {} : { tokenMint: asked.tokenMint }),
      ...(plan.operation === 'swap' && isOld && rows.length === 0 ? { expired: true } : {}),
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
        ...(await statedOf(deps, tokens, known)),
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
  { changes, fee, newAccounts }: Moved,
): Promise<{ changes: ShownAmount[]; cost: ShownCost }> {
  return {
    changes: await tokens.amounts(changes, 'signed'),
    cost: {
      networkFee: decimalText(fee, SOL_DECIMALS),
      ...(newAccounts === 0n ? {} : { newAccounts: decimalText(newAccounts, SOL_DECIMALS) }),
    },
  };
}

/** What its owner reads of a plan: the bounds of the whole run, who earns and gains, what is final, warnings. */
async function statedOf(
  { ledger, chain, policy }: LandingDeps,
  tokens: TokenReader,
  known: Known,
): Promise<Pick<PlanFacts, 'expected' | 'says' | 'earners'>> {
  const { plan, states } = known;
  const planned = await plannedOf(ledger, known);
  if (planned === undefined) return {};
  const { statement, decided } = planned;
  const units = await unitsOf(tokens, statement);
  const recorded = decided.flatMap(({ recipients }) => recipients);
  const people = peopleOf(plan, (await policy()).policy, recorded);
  const names = namesIn(plan, units, people);
  const { operation, wallet } = plan;
  const isRead = decided.every(wasRead);
  const summary = summaryOf({ statement, operation, wallet, names, isRead });
  const amounts = (of: ReadonlyMap<string, bigint>) =>
    [...of].map(([asset, amount]) => shownAmount(asset, amount, units));
  const isDone = states.every(({ stage, status }) => stage.optional || isLanded(status));
  const before = isDone || operation !== 'manager_update' ? new Map() : await earnedBefore(chain, plan);
  const earners = earnersFact(statement, before, plan, people);
  const short = shortener();
  return {
    expected: {
      leavesAtMost: amounts(summary.leaves),
      arrivesAtLeast: amounts(summary.arrives),
      ...(summary.returns === 0n ? {} : { returns: decimalText(summary.returns, SOL_DECIMALS) }),
    },
    says: [...toldToAgent(summary), ...(earners?.lines ?? [])].map(({ text }) => short(text)),
    ...(earners === undefined ? {} : { earners: sharesOf(earners) }),
  };
}

/** Decimals and symbols of the tokens of a statement: those it makes itself, else as the chain has them. */
async function unitsOf(tokens: TokenReader, { lines }: Statement): Promise<ReadonlyMap<Address, TokenFacts>> {
  const mints = lines.flatMap((line) =>
    'asset' in line && typeof line.asset === 'string' && line.asset !== 'SOL' ? [line.asset] : [],
  );
  const units = new Map(await tokens.facts(mints).catch(() => new Map<Address, TokenFacts>()));
  for (const line of lines)
    if (line.id === 'makes' && typeof line.mint === 'string' && line.decimals !== null) {
      const named = lines.find((each) => each.id === 'names' && each.mint === line.mint);
      const symbol = named?.id === 'names' ? cleanName(named.symbol, 'symbol') : undefined;
      units.set(line.mint, { decimals: line.decimals, ...(symbol === undefined ? {} : { symbol }) });
    }
  return units;
}

/** Shares before and after; who earned before is left out where nothing changes. */
function sharesOf({ rows, more, folded }: EarnersFact): NonNullable<PlanFacts['earners']> {
  const all = [...rows, ...more, ...folded];
  const by = (of: 'bps' | 'before') =>
    all.flatMap(({ address: wallet, [of]: bps = 0 }) => (bps === 0 ? [] : { wallet, bps }));
  const before = by('before');
  return { ...(before.length === 0 ? {} : { before: shownEarners(before) }), after: shownEarners(by('bps')) };
}

/** Who earns now by the config that a change is about, as the chain has it. */
async function earnedBefore(chain: Pick<Chain, 'accounts'>, { request }: Plan): Promise<Evidence['configs']> {
  const configs: Evidence['configs'] = new Map();
  const address = configAddressOf(request.fields);
  if (address === undefined) return configs;
  const found = await chain.accounts([address], 'confirmed').catch(() => undefined);
  const read = readFact(found?.value[0], feeShareConfig);
  if ('fields' in read) configs.set(read.fields.baseMint, read.fields);
  return configs;
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
  { chain }: LandingDeps,
  tokens: TokenReader,
  { plan, states, decisions }: Known,
  out: Asked['out'],
): Promise<Pick<PlanFacts, 'lacks'>> {
  const open = states.filter(({ stage, status }) => !stage.optional && !isLanded(status));
  const decided = open.flatMap(
    ({ stage }) => decisions.find(({ stageId }) => stageId === stage.id)?.decision ?? [],
  );
  if (!decided.some(({ reasonCodes }) => reasonCodes.includes('SIMULATION_FAILED'))) return {};
  const needs = new Map(out === undefined ? [] : [out]);
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
