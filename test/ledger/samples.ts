/** Sample rows for ledger tests. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DecidedStage, runPartsOf } from '../../src/approval/run.ts';
import { jsonDigest, sha256Text } from '../../src/base/canonicalJson.ts';
import type { Clock } from '../../src/clock.ts';
import type {
  ApprovalRow,
  DecisionInput,
  JournalRow,
  Lease,
  Ledger,
  LimitSpec,
  ReserveRequest,
  StageOf,
} from '../../src/ledger/types.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Plan } from '../../src/plan/types.ts';
import { freezeKey } from '../../src/policy/decide/reasons.ts';
import type { AssetChange, Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { approvalOf, approvalText } from '../../src/statement/aggregate.ts';
import { runOf } from '../../src/statement/run.ts';
import type { Line, Why } from '../../src/statement/types.ts';
import { withoutBigints } from '../../src/statement/view.ts';

export const WALLET = 'So11111111111111111111111111111111111111112';
export const NETWORK = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
export const HOUR = 3_600_000;

/** Returns the system clock and a monotonic clock, both driven by hand. */
export function twoClocks(start = 1_800_000_000_000) {
  const clock = {
    at: start,
    counted: 5_000,
    now: () => clock.at,
    passed: () => clock.counted,
    sleep: async () => {},
    /** Advances both. */
    pass: (ms: number) => {
      clock.at += ms;
      clock.counted += ms;
    },
  };
  return clock;
}

/** Returns a clock driven by hand. */
export function handClock(start = 1_800_000_000_000): Clock & { at: number } {
  const clock = {
    at: start,
    now: () => clock.at,
    sleep: async (ms: number) => {
      clock.at += ms;
    },
  };
  return clock;
}

export const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'ledger-')), 'ledger.db');

export function samplePlan(more: Partial<Plan> = {}): Plan {
  return {
    planId: 'plan-1',
    revision: 0,
    operation: 'swap',
    mode: 'sandbox',
    network: NETWORK,
    wallet: WALLET,
    intentKey: `intent of ${more.planId ?? 'plan-1'}`,
    request: { endpoint: 'tradeSwap', fields: { requestId: 'q' }, digest: 'd'.repeat(64) },
    answer: {},
    stages: [],
    createdAt: 1_800_000_000_000,
    ...more,
  };
}

/** Returns the statement of a trade with these balance changes, besides its network fee. `more`: other lines. */
export function sampleStatement(
  changes: readonly AssetChange[],
  feeLamports: string,
  more: readonly Line[] = [],
): unknown {
  const pays = (asset: string, atMost: string, to: 'validators' | 'market', why: Why): Line => ({
    ...{ id: 'pays', source: 'transaction', asset, atMost: BigInt(atMost) },
    ...{ to, owner: to, why, returns: 'never' },
  });
  const receives = (asset: string, atLeast: string): Line => ({
    ...{ id: 'receives', source: 'transaction', asset, atLeast: BigInt(atLeast) },
    ...{ from: 'market', into: WALLET, enforcedBy: 'program' },
  });
  const lines = [
    pays('SOL', feeLamports, 'validators', 'networkFee'),
    ...changes.flatMap(({ asset, out, in: arrives }) => [
      ...(out === '0' ? [] : [pays(asset, out, 'market', 'trade')]),
      ...(arrives === '0' ? [] : [receives(asset, arrives)]),
    ]),
    ...more,
  ];
  return withoutBigints({ lines, made: {} });
}

export function sampleDecision(more: Partial<Decision> = {}): Decision {
  const { changes = [], feeLamports = '5000', messageSha256 = 'a'.repeat(64) } = more;
  return {
    effect: 'allow',
    reasonCodes: [],
    operation: 'swap',
    class: 'allowed',
    binding: 'exact',
    messageSha256: 'a'.repeat(64),
    checks: [],
    changes: [],
    recipients: [],
    feeLamports: '5000',
    limits: [],
    statement: sampleStatement(changes, feeLamports),
    bytesDigest: jsonDigest(messageSha256),
    policyId: 'test',
    policyHash: 'p'.repeat(64),
    inputsDigest: 'f'.repeat(64),
    staticOnly: false,
    ...more,
  };
}

export function sampleInput(plan: Plan, stageId: string, decision: Decision): DecisionInput {
  const inputs: DecisionInputs = {
    time: 0,
    mode: plan.mode,
    purpose: 'sign',
    network: plan.network,
    plan: {
      planId: plan.planId,
      operation: plan.operation === 'claim_all' ? 'position_claim' : plan.operation,
      intentKey: plan.intentKey,
      network: plan.network,
      mode: plan.mode,
      wallet: plan.wallet,
      endpoint: plan.request.endpoint,
      request: plan.request.fields,
      answer: plan.answer,
    },
    stage: {
      id: stageId,
      kind: 'swap',
      format: 'v0',
      dependsOn: [],
      transaction: new DecodedStage('AA=='),
      declared: {},
      optional: false,
      refresh: 'never',
      waitSlots: 0,
    },
    siblings: [],
    ourWallets: [plan.wallet],
    blockhashValid: true,
    slot: 1,
    tables: [],
    accounts: [],
    simulation: { status: 'not_yet' },
    serviceAddresses: [],
    rent: { lamportsPerByteYearTimesExemption: '6960', overheadBytes: 128 },
  };
  return {
    planId: plan.planId,
    stageId,
    intentKey: plan.intentKey,
    wallet: plan.wallet,
    purpose: 'sign',
    decision,
    inputs,
    view: { used: {} },
  };
}

export const solPerDay = (max: bigint): LimitSpec => ({
  id: 'sol-day',
  kind: 'asset',
  of: 'SOL',
  window: { rollingMs: 24 * HOUR },
  max,
});

/** Returns a stage that trades the given lamports away. */
/** Returns a stage without a plan, with limits. */
export const sampleStage = (limits: readonly LimitSpec[]): StageOf => ({
  planId: 'plan',
  intentKey: 'intent',
  stageId: 'stage',
  wallet: WALLET,
  network: NETWORK,
  limits,
});

export const spending = (id: string, amount: bigint, more: Partial<Decision> = {}): DecidedStage => ({
  id,
  decision: sampleDecision({ changes: [{ asset: 'SOL', out: `${amount}`, in: '0' }], ...more }),
});

/** Returns the stored question about unsigned stages of a plan. Two stages pay at most two fees. */
export function sampleQuestion(
  plan: Plan,
  stages: readonly DecidedStage[],
  more: Partial<ApprovalRow> = {},
): Parameters<Ledger['askApproval']>[0] {
  const { id = 'approval-1', createdAt = 1_800_000_000_000, expiresAt = createdAt + HOUR } = more;
  const policyHash = sampleDecision().policyHash;
  const digests = stages.map(({ decision }) => jsonDigest(decision));
  const run = runOf(runPartsOf(plan, policyHash, stages), [], createdAt);
  const scopeText = approvalText(approvalOf(run, expiresAt, digests));
  const { planId, intentKey, wallet, network } = plan;
  return {
    ...{ id, planId, intentKey, wallet, network, scopeText, approvalDigest: sha256Text(scopeText) },
    ...{ policyHash, stages: stages.map((stage) => stage.id), createdAt, expiresAt, ...more },
  };
}

/** Returns used amounts by limit id, those of `planId` excluded. */
export const usedIn = async (
  ledger: Pick<Ledger, 'view'> | undefined,
  limits: readonly LimitSpec[],
  wallet: string,
  network: string,
  planId = 'none',
) => (await ledger?.view({ ...sampleStage(limits), wallet, network, planId }))?.used ?? {};

/** Returns the number of distinct security denials in a ledger. */
export async function securityDenials(ledger: Pick<Ledger, 'rows'>): Promise<number> {
  const denied = (await ledger.rows('decisions', { effect: 'deny', limit: 500 })).filter(
    ({ purpose, decision }) => purpose === 'sign' && decision.class === 'security',
  );
  return new Set(denied.map(({ decision }) => freezeKey(decision))).size;
}

let counter = 0;

/**
 * Returns a reservation of `amount` lamports by a new plan and message. `announced`: the other open stages of its run.
 */
export function sampleReserve(
  lease: Lease,
  amount: bigint,
  limits: readonly LimitSpec[],
  more: {
    plan?: Plan;
    stageId?: string;
    messageSha256?: string;
    approvalId?: string;
    decision?: Partial<Decision>;
    announced?: readonly DecidedStage[];
  } = {},
): ReserveRequest {
  counter += 1;
  const name = `${process.pid}-${counter}`;
  const plan = more.plan ?? samplePlan({ planId: `plan-${name}`, intentKey: `intent-${name}` });
  const stageId = more.stageId ?? 'swap';
  const { decision } = spending(stageId, amount, {
    messageSha256: more.messageSha256 ?? `message-${name}`,
    ...more.decision,
  });
  const run = runPartsOf(
    plan,
    decision.policyHash,
    [{ id: stageId, decision }, ...(more.announced ?? [])],
    stageId,
  );
  return {
    lease,
    decision: sampleInput(plan, stageId, decision),
    limits,
    uses: limits.map((limit) => ({ limitId: limit.id, amount: limit.kind === 'asset' ? amount : 1n })),
    ...(more.approvalId === undefined ? {} : { approval: { id: more.approvalId, run } }),
  };
}

/** Returns the journal row of a reservation. */
export function sampleRow(
  request: ReserveRequest,
  signature: string,
): Omit<JournalRow, 'state' | 'createdAt' | 'updatedAt'> {
  const { planId, stageId, intentKey, wallet, decision, inputs } = request.decision;
  return {
    signature,
    planId,
    revision: 0,
    stageId,
    intentKey,
    wallet,
    network: inputs.network,
    mode: inputs.mode,
    transaction: 'AA==',
    messageSha256: decision.messageSha256,
    blockhash: '11111111111111111111111111111111',
    deadHeight: 200,
    policyHash: decision.policyHash,
    decisionId: 'decision-1',
  };
}

/** Fills a ledger with decisions, plans and signed transactions, a second apart, and closes it. */
export async function fill(ledger: Ledger, clock: { at: number }, rows = 5): Promise<void> {
  const lease = await ledger.lease({ wallet: WALLET, holder: 'filler' }, 1e9);
  if (lease === undefined) throw new Error('no lease');
  for (let i = 0; i < rows; i++) {
    const request = sampleReserve(lease, 5n, [solPerDay(10_000n)]);
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) throw new Error(outcome.code);
    await ledger.storePlan(samplePlan({ planId: request.decision.planId }));
    await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, `signature-${i}`));
    clock.at += 1000;
  }
  await ledger.close();
}
