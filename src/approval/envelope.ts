/**
 * What one approval covers, and whether a stage that is about to be signed is inside it. The person saw amounts,
 * recipients and authority changes; a stage that would do anything else, or more, is asked about again.
 */
import { canonicalJson, sha256Text } from '../base/canonicalJson.ts';
import type { Plan } from '../plan/types.ts';
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
      staticOnly: decision.staticOnly,
      assets: bounds(decision.changes),
      authorityChanges: decision.authorityChanges,
    }),
  );
  return {
    network: plan.network,
    wallet: plan.wallet,
    policyHash,
    intentKey: plan.intentKey,
    requestDigest: plan.request.digest,
    stages,
    assets: total(stages.flatMap((stage) => stage.assets)),
    authorityChanges: [...new Set(stages.flatMap((stage) => stage.authorityChanges))],
  };
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
  { id, decision }: DecidedStage,
): Outside | undefined {
  const samePlan =
    envelope.network === plan.network &&
    envelope.wallet === plan.wallet &&
    envelope.intentKey === plan.intentKey &&
    envelope.requestDigest === plan.request.digest;
  if (!samePlan) return 'other_plan';
  if (envelope.policyHash !== policyHash) return 'other_policy';
  const stage = envelope.stages.find((known) => known.id === id);
  if (stage === undefined) return 'other_stage';
  if (stage.instructionsDigest !== decision.envelopeDigest) return 'other_instructions';
  return effectsInside(stage, decision) ? undefined : 'other_effects';
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
