/**
 * The view a person approves or denies: facts of the question, limits before and after, stages in order and the hash
 * of each message. Built from the stored statement and the policy's decisions about the exact transactions of the
 * question; unverified values are marked (T73), and the agent's request is shown separately.
 */

import type { Grantable } from '../../answering/grantTerms.ts';
import { decimal, SOL_DECIMALS } from '../../base/format.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { ApprovalRow } from '../../ledger/types.ts';
import { operationWords, stageWords } from '../../plan/operationNames.ts';
import type { Plan, Stage } from '../../plan/types.ts';
import { windowLimits } from '../../policy/decide/checks/limits.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { grantedAsset, paidBy } from '../../statement/grant.ts';
import type { Approval, Statement } from '../../statement/types.ts';
import type { Address } from '../../transaction/types.ts';
import { encodeWire } from '../../transaction/wire.ts';
import { grantWords } from '../grants.ts';
import { amountParts, amountWords, type TokenUnit } from '../statement/amounts.ts';
import { boundsOf } from '../statement/summary.ts';
import { type Evidence, noEvidence } from './evidence.ts';
import { UNVERIFIED } from './marks.ts';
import { peopleOf } from './people.ts';
import { questionFacts, wasRead } from './question.ts';
import type { Marked, QuestionFact } from './questionFacts.ts';
import { requestRows } from './requestRows.ts';

/** A limit before and after. Shares are fractions of the limit, 0 to 1. */
export interface ShownLimit {
  readonly id: string;
  readonly before: string;
  readonly adds: string;
  readonly after: string;
  readonly max: string;
  readonly beforeShare: number;
  readonly addsShare: number;
}

/** A stage, in execution order. */
export interface ShownStage {
  readonly id: string;
  readonly words: string;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  /** Whether the approval covers this stage. */
  readonly covered: boolean;
  /** False if its effects could not be simulated yet: its amounts are upper bounds. */
  readonly simulated: boolean;
  /** Label of a stage whose transaction could not be fully decoded: its effect is only the requested one. */
  readonly mark?: Marked['mark'];
  /** SHA-256 of the message; hardware wallets show base58. Absent if the stage was never decided. */
  readonly messageSha256?: { readonly hex: string; readonly base58: string };
}

/** Everything shown for one question. Plain data. */
export interface ApprovalView {
  readonly id: string;
  readonly planId: string;
  readonly mode: Plan['mode'];
  readonly network: string;
  readonly state: ApprovalRow['state'];
  readonly title: string;
  /** The agent that asks, on a server for several. */
  readonly principal?: string;
  readonly wallet: { readonly address: Address; readonly label?: string };
  /** The reason given in the policy file's rule. */
  readonly rule?: { readonly id: string; readonly why: string };
  /** Facts a person must know, in reading order. */
  readonly facts: readonly QuestionFact[];
  /** Whether every instruction of the question's stages was decoded; otherwise requested values are marked. */
  readonly read: boolean;
  readonly limits: readonly ShownLimit[];
  readonly stages: readonly ShownStage[];
  /** The agent's request: untrusted data, cleaned. */
  readonly asked: readonly { readonly name: string; readonly value: string }[];
  /** Digest of the scope the answer covers. */
  readonly approvalDigest: string;
  readonly policyHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Expiry of a swap's quote, if earlier: a new quote within the same bounds is accepted afterwards. */
  readonly quoteUntil?: number;
  readonly answeredAt?: number;
  readonly channel?: ApprovalRow['channel'];
  /** The scope of a possible grant, and the granted one. */
  readonly again?: Grantable & { readonly unit: string; readonly number: string; readonly isTrade: boolean };
  readonly granted?: { readonly words: string; readonly ended: boolean };
}

/** Input of a view. */
export interface ApprovalViewInput {
  readonly row: ApprovalRow;
  readonly plan: Plan;
  /** Decisions of the question by stage id. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** Evidence from our own RPC and this home's records. */
  readonly evidence?: Evidence;
  /** Names limits and rules; ignored unless it is the policy of the question. */
  readonly policy?: LoadedPolicy | undefined;
}

/** Builds the view. Pure: the same rows give the same view. */
export function approvalView(input: ApprovalViewInput): ApprovalView {
  const { row, plan, decisions } = input;
  const evidence = input.evidence ?? noEvidence();
  const policy = input.policy?.hash === row.policyHash ? input.policy.policy : undefined;
  const covered = new Set(row.stages);
  const decided = plan.stages.flatMap(({ id }) => {
    const decision = decisions.get(id);
    return covered.has(id) && decision !== undefined ? [decision] : [];
  });
  const first = decided.find(({ effect }) => effect === 'require_approval') ?? decided[0];
  const rule = policy?.rules.find((known) => known.id === first?.ruleId);
  const label = policy?.wallets.find(({ address }) => address === row.wallet)?.label;
  const named = decided.flatMap(({ recipients }) => recipients);
  const people = peopleOf(plan, policy, named);
  const approved = approvalOfRow(row);
  const { statement, scope } = approved;
  const facts = questionFacts({ plan, statement, decided, evidence, people });
  const quoteUntil = evidence.quote?.expiresAt;
  return {
    id: row.id,
    planId: row.planId,
    mode: plan.mode,
    network: row.network,
    state: row.state,
    title: operationWords(plan.operation),
    ...(scope.principal === undefined ? {} : { principal: scope.principal }),
    wallet: { address: row.wallet, ...(label === undefined ? {} : { label }) },
    ...(rule === undefined ? {} : { rule: { id: rule.id, why: rule.why } }),
    facts,
    // Values count as verified only if every instruction of every stage was decoded.
    read: decided.length > 0 && decided.every(wasRead),
    limits: limitsOf(decided, policy === undefined ? [] : windowLimits(policy), statement, evidence.tokens),
    stages: plan.stages.map((stage) =>
      // The approval of a run covers all its stages, including those not built yet.
      stageOf(stage, covered.has(stage.id) || !stage.optional, decisions.get(stage.id)),
    ),
    asked: requestRows(plan.request.fields),
    approvalDigest: row.approvalDigest,
    policyHash: row.policyHash,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    ...(quoteUntil !== undefined && quoteUntil < row.expiresAt ? { quoteUntil } : {}),
    ...(row.answeredAt === undefined ? {} : { answeredAt: row.answeredAt }),
    ...(row.channel === undefined ? {} : { channel: row.channel }),
    ...againOf(approved, evidence.tokens),
    ...(row.grant === undefined
      ? {}
      : {
          granted: {
            words: grantWords(row.grant, evidence.tokens, isTrade(approved)),
            ended: row.revokedAt !== undefined,
          },
        }),
  };
}

const isTrade = ({ statement }: Approval): boolean =>
  statement.lines.some((line) => line.id === 'pays' && line.why === 'trade');

/** Returns the scope of a possible grant. */
function againOf(approved: Approval, tokens: ReadonlyMap<string, TokenUnit>): Pick<ApprovalView, 'again'> {
  const asset = grantedAsset(approved);
  if (asset === undefined) return {};
  const each = paidBy(approved).get(asset) ?? 0n;
  const decimals = asset === 'SOL' ? SOL_DECIMALS : tokens.get(asset)?.decimals;
  const about = {
    asset,
    each: `${each}`,
    isTrade: isTrade(approved),
    ...(decimals === undefined ? {} : { decimals }),
  };
  return { again: { ...about, ...amountParts(each, asset, tokens) } };
}

const markOf = (isRead: boolean): Marked => (isRead ? {} : { mark: UNVERIFIED });

/** Returns limits before and after the whole run: a plan counts once, and assets count by the statement's amounts. */
function limitsOf(
  decided: readonly Decision[],
  specs: readonly { readonly id: string; readonly kind: 'asset' | 'count'; readonly of: string }[],
  { lines }: Statement,
  tokens: ReadonlyMap<string, TokenUnit>,
): ShownLimit[] {
  const uses = decided.flatMap((decision) => decision.limits);
  const { leaves } = boundsOf(lines);
  return [...new Set(uses.map(({ limitId }) => limitId))].flatMap((id) => {
    const mine = uses.filter(({ limitId }) => limitId === id);
    const [first] = mine;
    if (first === undefined) return [];
    const spec = specs.find((known) => known.id === id);
    const asset = first.asset ?? (spec?.kind === 'asset' ? spec.of : undefined);
    const amounts = mine.map(({ amount }) => BigInt(amount));
    const built = asset === undefined ? (amounts[0] ?? 0n) : amounts.reduce((sum, each) => sum + each, 0n);
    const run = leaves.get(asset ?? '') ?? 0n;
    const [before, adds, max] = [BigInt(first.usedBefore), run > built ? run : built, BigInt(first.max)];
    const { decimals } = first;
    const units = decimals === undefined || asset === undefined ? tokens : new Map([[asset, { decimals }]]);
    const words = (amount: bigint) =>
      asset === undefined || asset === 'any' ? decimal(amount, 0) : amountWords(amount, asset, units);
    return [
      {
        id,
        before: words(before),
        adds: words(adds),
        after: words(before + adds),
        max: words(max),
        beforeShare: share(before, max),
        addsShare: share(before + adds, max) - share(before, max),
      },
    ];
  });
}

/** Returns `part / whole` between 0 and 1, with four decimal places. */
const share = (part: bigint, whole: bigint): number =>
  whole <= 0n || part >= whole ? 1 : Number((part * 10_000n) / whole) / 10_000;

function stageOf(stage: Stage, covered: boolean, decision: Decision | undefined): ShownStage {
  const hex = decision?.messageSha256;
  return {
    id: stage.id,
    words: stageWords(stage.kind),
    dependsOn: stage.dependsOn,
    optional: stage.optional,
    covered,
    simulated: decision !== undefined && !decision.staticOnly,
    ...markOf(decision !== undefined && wasRead(decision)),
    ...(hex === undefined
      ? {}
      : { messageSha256: { hex, base58: encodeWire(Buffer.from(hex, 'hex'), 'base58') } }),
  };
}
