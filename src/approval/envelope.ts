/**
 * What one approval covers, and whether a stage that is about to be signed is inside it. The person saw amounts,
 * recipients and authority changes; a stage that would do anything else, or more, is asked about again.
 */
import { canonicalJson, jsonDigest, sha256Text } from '../base/canonicalJson.ts';
import { corrupt } from '../ledger/errors.ts';
import type { ApprovalRow } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import {
  boundsOf,
  type Expectation,
  isInside,
  type Opened,
  wasShown,
} from '../policy/decide/operations/expectation.ts';
import type { AssetChange, Decision } from '../policy/decide/types.ts';
import type { ApprovalEnvelope, EnvelopeAsset, EnvelopeStage } from './types.ts';

/** A stage and what the policy decided about it. */
export interface DecidedStage {
  readonly id: string;
  readonly decision: Decision;
}

/** The envelope over the stages that need a person's approval. */
export function makeEnvelope(
  plan: Plan,
  policyHash: string,
  decided: readonly DecidedStage[],
): ApprovalEnvelope {
  const stages = decided.map(
    ({ id, decision }): EnvelopeStage => ({
      id,
      instructionsDigest: decision.envelopeDigest,
      messageSha256: decision.messageSha256,
      decisionDigest: jsonDigest(decision),
      staticOnly: decision.staticOnly,
      assets: bounds(decision.changes),
      authorityChanges: decision.authorityChanges,
    }),
  );
  const shown = total(stages.flatMap((stage) => stage.assets));
  const shared = sharedExpectation(decided);
  const expectation = shared && holding(shared, shown);
  return {
    network: plan.network,
    wallet: plan.wallet,
    policyHash,
    intentKey: plan.intentKey,
    requestDigest: plan.request.digest,
    stages,
    ...(expectation === undefined ? {} : { expectation, opened: openedIn(decided) }),
    assets: expectation === undefined ? shown : boundsOf(expectation),
    authorityChanges: [...new Set(stages.flatMap((stage) => stage.authorityChanges))],
  };
}

/** An expectation that holds what the stages were shown to bring: how much a claim brings, only the simulation knew. */
function holding(expectation: Expectation, shown: readonly EnvelopeAsset[]): Expectation {
  const least = new Map(expectation.leastIn.map(({ asset, amount }) => [asset, BigInt(amount)]));
  for (const { asset, leastIn } of shown) {
    if (BigInt(leastIn) > (least.get(asset) ?? 0n)) least.set(asset, BigInt(leastIn));
  }
  return { ...expectation, leastIn: [...least].map(([asset, amount]) => ({ asset, amount: `${amount}` })) };
}

/** What the stages fix beyond the expectation, each once. */
function openedIn(decided: readonly DecidedStage[]): readonly Opened[] {
  const all = decided.flatMap(({ decision }) => decision.opened ?? []);
  return [...new Map(all.map((each) => [canonicalJson(each), each])).values()];
}

/** The expectation all stages share: an approval of it covers the whole run, stages that are not built yet among it. */
function sharedExpectation(decided: readonly DecidedStage[]): Expectation | undefined {
  const [first] = decided;
  const expectation = first?.decision.expectation;
  if (expectation === undefined) return undefined;
  const digest = jsonDigest(expectation);
  const same = decided.every(
    ({ decision }) => decision.expectation !== undefined && jsonDigest(decision.expectation) === digest,
  );
  return same ? expectation : undefined;
}

const bounds = (changes: readonly AssetChange[]): EnvelopeAsset[] =>
  changes.map((change) => ({ asset: change.asset, mostOut: change.out, leastIn: change.in }));

function total(assets: readonly EnvelopeAsset[]): EnvelopeAsset[] {
  const sums = new Map<string, { out: bigint; in: bigint }>();
  for (const { asset, mostOut, leastIn } of assets) {
    const sum = sums.get(asset) ?? { out: 0n, in: 0n };
    sums.set(asset, { out: sum.out + BigInt(mostOut), in: sum.in + BigInt(leastIn) });
  }
  return [...sums].map(([asset, sum]) => ({ asset, mostOut: `${sum.out}`, leastIn: `${sum.in}` }));
}

/** The text a person's answer is about, and its hex SHA-256. */
export function sealEnvelope(envelope: ApprovalEnvelope): { text: string; digest: string } {
  const text = canonicalJson(envelope);
  return { text, digest: sha256Text(text) };
}

/**
 * The envelope a person was shown. The owner key signs its digest, so text that has another digest was put there by
 * something that writes the ledger, and was asked of no person (T133).
 * @throws LedgerError LEDGER_CORRUPT
 */
export function envelopeOf({ envelope, envelopeDigest }: ApprovalRow): ApprovalEnvelope {
  if (sha256Text(envelope) !== envelopeDigest)
    throw corrupt('A question of the ledger is not the one that was asked.');
  return JSON.parse(envelope);
}

/** Why a stage is not covered by an approval. */
export type Outside = 'other_plan' | 'other_policy' | 'other_stage' | 'other_instructions' | 'other_effects';

/**
 * Whether a stage about to be signed is inside an envelope: same intent, policy and instructions, no more leaves, no
 * less arrives, no authority changes that were not shown. `undefined` when it is.
 */
export function outside(
  envelope: ApprovalEnvelope,
  plan: Plan,
  policyHash: string,
  stage: DecidedStage,
): Outside | undefined {
  const { id, decision } = stage;
  const sameIntent =
    envelope.network === plan.network &&
    envelope.wallet === plan.wallet &&
    envelope.intentKey === plan.intentKey;
  if (!sameIntent) return 'other_plan';
  if (envelope.policyHash !== policyHash) return 'other_policy';
  if (envelope.expectation !== undefined) return outsideRun(envelope, envelope.expectation, plan, stage);
  if (envelope.requestDigest !== plan.request.digest) return 'other_plan';
  const shown = envelope.stages.find((known) => known.id === id);
  if (shown === undefined) return 'other_stage';
  if (shown.instructionsDigest !== decision.envelopeDigest) return 'other_instructions';
  return effectsInside(shown, decision) ? undefined : 'other_effects';
}

/**
 * Whether a stage is inside an approval of a whole run. Its bytes fit the expectation, or there were no decision to
 * look at; what they fix beyond it must be what was shown, and what arrives of the whole run no less. How much is left
 * of the budget the ledger knows.
 */
function outsideRun(
  envelope: ApprovalEnvelope,
  approved: Expectation,
  plan: Plan,
  { id, decision }: DecidedStage,
): Outside | undefined {
  const { stages, opened: shown = [], authorityChanges: known } = envelope;
  const { envelopeDigest, expectation, opened = [], authorityChanges, changes } = decision;
  const isSame = stages.every(({ instructionsDigest }) => instructionsDigest === envelopeDigest);
  const arrives = total([...bounds(changes), ...othersBring(envelope, plan, id)]);
  const fits = isSame && expectation !== undefined && isInside(approved, holding(expectation, arrives));
  if (!fits || !opened.every((each) => wasShown(shown, each))) return 'other_instructions';
  return authorityChanges.every((change) => known.includes(change)) ? undefined : 'other_effects';
}

/** What was shown to arrive by the other stages of an approved run, as far as they are still part of the plan. */
function othersBring(
  { stages }: ApprovalEnvelope,
  { stages: now }: Pick<Plan, 'stages'>,
  stageId: string,
): EnvelopeAsset[] {
  return stages
    .filter(({ id }) => id !== stageId && now.some((stage) => stage.id === id))
    .flatMap(({ assets }) => assets);
}

/**
 * The least a stage of an approved run has to bring, by asset: all that was shown to arrive, without what its other
 * stages were shown to bring. What a stage was to bring that is gone from the plan has to come from those that are left.
 */
export function leastOf(
  envelope: ApprovalEnvelope,
  plan: Pick<Plan, 'stages'>,
  stageId: string,
): ReadonlyMap<string, bigint> {
  const others = new Map(
    total(othersBring(envelope, plan, stageId)).map(({ asset, leastIn }) => [asset, BigInt(leastIn)]),
  );
  return new Map(
    envelope.assets.map(({ asset, leastIn }) => {
      const left = BigInt(leastIn) - (others.get(asset) ?? 0n);
      return [asset, left > 0n ? left : 0n];
    }),
  );
}

function effectsInside(stage: EnvelopeStage, decision: Decision): boolean {
  const shown = new Map(stage.assets.map((asset) => [asset.asset, asset]));
  for (const change of decision.changes) {
    if (BigInt(change.out) > BigInt(shown.get(change.asset)?.mostOut ?? '0')) return false;
  }
  const arrives = new Map(decision.changes.map((change) => [change.asset, BigInt(change.in)]));
  for (const { asset, leastIn } of stage.assets) {
    if ((arrives.get(asset) ?? 0n) < BigInt(leastIn)) return false;
  }
  return decision.authorityChanges.every((change) => stage.authorityChanges.includes(change));
}
