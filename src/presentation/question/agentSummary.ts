/** The agent's summary of a plan, in the sentences and bounds of its owner's question. */

import { decimalText, percent, SOL_DECIMALS } from '../../base/format.ts';
import { asRecord } from '../../base/record.ts';
import type { ExecutionDeps } from '../../execution/ports.ts';
import { configAddressOf } from '../../execution/readback/configOnChain.ts';
import { readFact } from '../../execution/readback/findings.ts';
import { type DecidedPlan, isLanded, type PlanSnapshot } from '../../execution/status.ts';
import type { Plan } from '../../plan/types.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import type { Chain } from '../../rpc/types.ts';
import { rehearsedLines } from '../../statement/rehearsed.ts';
import type { Statement } from '../../statement/types.ts';
import type { Address } from '../../transaction/types.ts';
import { plannedOf, rehearsalOf } from '../statement/planned.ts';
import { forAgent, shortener, summaryOf } from '../statement/summary.ts';
import { type ShownAmount, shownAmount, type TokenFacts, type TokenReader } from '../tokens.ts';
import { claimersFact } from './claimers.ts';
import { cleanName, type Evidence } from './evidence.ts';
import { namesIn, peopleOf } from './people.ts';
import { wasRead } from './question.ts';
import type { ClaimersFact } from './questionFacts.ts';

/** Statement summary in results; empty if an unsigned stage was denied. */
export interface AgentSummary {
  /**
   * Bounds of the whole run as its owner reads them. `returns`: the part of SOL that is refunded when accounts are
   * closed.
   */
  expected?: { leavesAtMost: ShownAmount[]; arrivesAtLeast: ShownAmount[]; returns?: string };
  /** Other beneficiaries, finality and warnings, in the sentences the owner reads. */
  says?: string[];
  /** Rehearsed changes to the wallet, including fees; neither a promise nor a bound. */
  rehearsed?: { slot: number; changes: ShownAmount[] };
  claimers?: { before?: ShownClaimers; after: ShownClaimers };
}

/** A claimer and its share as a percentage. */
interface ShownClaimer {
  wallet: string;
  share: string;
}

/** Claimers: the largest, and the rest folded. */
interface ShownClaimers {
  count: number;
  largest: ShownClaimer[];
  /** Combined share of claimers that are not listed. */
  rest?: string;
}

/** Maximum number of claimers in a result; all of them are in the request and on the approval page. */
const LISTED_CLAIMERS = 3;

export function shownClaimers(
  claimers: readonly { readonly wallet: string; readonly bps: number }[],
): ShownClaimers {
  const sorted = [...claimers].sort((a, b) => b.bps - a.bps);
  const rest = sorted.slice(LISTED_CLAIMERS);
  return {
    count: sorted.length,
    largest: sorted.slice(0, LISTED_CLAIMERS).map(({ wallet, bps }) => ({ wallet, share: percent(bps) })),
    ...(rest.length === 0 ? {} : { rest: percent(rest.reduce((sum, { bps }) => sum + bps, 0)) }),
  };
}

/** Returns the bounds of the whole run, claimers and other beneficiaries, finality, and warnings. */
export async function agentSummaryOf(
  { ledger, chain, policy }: ExecutionDeps,
  tokens: TokenReader,
  known: DecidedPlan & Pick<PlanSnapshot, 'approvals'>,
): Promise<AgentSummary> {
  const { plan, states } = known;
  const planned = await plannedOf(ledger, known);
  if (planned === undefined) return {};
  const { decided } = planned;
  const isRead = decided.every(wasRead);
  const [rehearsed] = rehearsedLines(
    await rehearsalOf(ledger, known.decisions),
    !isRead,
    planned.statement.lines,
  );
  const lines = [...planned.statement.lines, ...(rehearsed === undefined ? [] : [rehearsed])];
  const statement = { ...planned.statement, lines };
  const units = await unitsOf(tokens, statement);
  const recorded = decided.flatMap(({ recipients }) => recipients);
  const people = peopleOf(plan, (await policy()).policy, recorded);
  const names = namesIn(plan, units, people);
  const { operation, wallet } = plan;
  const summary = summaryOf({
    statement,
    operation,
    wallet,
    names,
    isRead,
    checks: decided.flatMap((each) => each.checks),
  });
  const amounts = (of: ReadonlyMap<string, bigint>) =>
    [...of].map(([asset, amount]) => shownAmount(asset, amount, units));
  const isDone = states.every(({ stage, status }) => stage.optional || isLanded(status));
  const before = isDone || operation !== 'manager_update' ? new Map() : await currentClaimers(chain, plan);
  const claimers = claimersFact(statement, before, plan, people);
  const short = shortener();
  return {
    expected: {
      leavesAtMost: amounts(summary.leaves),
      arrivesAtLeast: amounts(summary.arrives),
      ...(summary.returns === 0n ? {} : { returns: decimalText(summary.returns, SOL_DECIMALS) }),
    },
    ...(rehearsed === undefined
      ? {}
      : {
          rehearsed: {
            slot: rehearsed.slot,
            changes: rehearsed.changes.map(({ asset, by }) => shownAmount(asset, by, units)),
          },
        }),
    says: [...forAgent(summary), ...(claimers?.lines ?? [])].map(({ text }) => short(text)),
    ...(claimers === undefined ? {} : { claimers: sharesOf(claimers) }),
  };
}

/** Returns decimals and symbols of a statement's tokens: of tokens it creates itself, otherwise from the chain. */
async function unitsOf(tokens: TokenReader, { lines }: Statement): Promise<ReadonlyMap<Address, TokenFacts>> {
  const mints = lines
    .flatMap((line) =>
      'asset' in line ? [line.asset] : line.id === 'rehearsed' ? line.changes.map(({ asset }) => asset) : [],
    )
    .filter((asset): asset is string => typeof asset === 'string' && asset !== 'SOL');
  const units = new Map(await tokens.facts(mints).catch(() => new Map<Address, TokenFacts>()));
  for (const line of lines)
    if (line.id === 'makes' && typeof line.mint === 'string') {
      const decimals = line.decimals ?? curveDecimals(lines, line.mint);
      if (decimals === undefined) continue;
      const named = lines.find((each) => each.id === 'names' && each.mint === line.mint);
      const symbol = named?.id === 'names' ? cleanName(named.symbol, 'symbol') : undefined;
      units.set(line.mint, { decimals, ...(symbol === undefined ? {} : { symbol }) });
    }
  return units;
}

/** Returns the decimals of a token created by a curve, as fixed by the curve's terms. */
function curveDecimals(lines: Statement['lines'], mint: Address): number | undefined {
  const terms = lines.find((line) => line.id === 'terms' && line.base === mint);
  const { decimals } = asRecord(asRecord(Object(terms).terms).curve);
  return typeof decimals === 'number' ? decimals : undefined;
}

/** Returns shares before and after; omits the former if nothing changes. */
function sharesOf({ rows, more, folded }: ClaimersFact): NonNullable<AgentSummary['claimers']> {
  const all = [...rows, ...more, ...folded];
  const by = (of: 'bps' | 'before') =>
    all.flatMap(({ address: wallet, [of]: bps = 0 }) => (bps === 0 ? [] : { wallet, bps }));
  const before = by('before');
  return {
    ...(before.length === 0 ? {} : { before: shownClaimers(before) }),
    after: shownClaimers(by('bps')),
  };
}

/** Returns the current claimers of the config to be changed, from the chain. */
async function currentClaimers(
  chain: Pick<Chain, 'accounts'>,
  { request }: Plan,
): Promise<Evidence['configs']> {
  const configs: Evidence['configs'] = new Map();
  const address = configAddressOf(request.fields);
  if (address === undefined) return configs;
  const found = await chain.accounts([address], 'confirmed').catch(() => undefined);
  const read = readFact(found?.value[0], feeShareConfig);
  if ('fields' in read) configs.set(read.fields.baseMint, read.fields);
  return configs;
}
