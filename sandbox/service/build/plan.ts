/** Staged plans: packing of items into transactions, and the wire form of plan and stages. */

import type { FeeLimitText } from '../../../src/contract/claimers.ts';
import type { EndpointName } from '../../../src/contract/index.ts';
import type { Address, TransactionFormat } from '../../../src/transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import { type Draft, MAX_BYTES, MAX_UNITS, sizeOf } from './compile.ts';
import type { TokenAsset } from './tokens.ts';

/** A stage before it is compiled. */
export interface StageDraft {
  readonly id: string;
  readonly kind: 'config' | 'claim' | 'manager_update' | 'launch' | 'lookup_table_setup';
  readonly dependsOn: readonly string[];
  readonly draft: Draft;
}

/** The `operation` of a plan. */
export type PlanOperation =
  | {
      readonly kind: 'config' | 'manager_update' | 'launch';
      readonly baseMint: Address;
      readonly flow: string;
    }
  | {
      readonly kind: 'holding_claim';
      readonly baseMint: Address;
      readonly wallet: Address;
      readonly authority: Address;
    }
  | { readonly kind: 'position_claim'; readonly baseMint: Address; readonly wallet: Address };

export interface PlanInput {
  readonly endpoint: EndpointName;
  readonly wallet: Address;
  readonly operation: PlanOperation;
  readonly asset: TokenAsset;
  readonly feeLimits: readonly FeeLimitText[];
  readonly stages: readonly StageDraft[];
  readonly status: 'ready' | 'setup_required';
}

/** Returns a plan in wire form. `budget` and the status `ready` are the sandbox's own. */
export function wirePlan(service: ServiceContext, input: PlanInput) {
  const { endpoint, wallet, operation, asset, feeLimits, stages, status } = input;
  return {
    contractVersion: 1,
    operation,
    asset: wireAsset(asset),
    feeLimits,
    transactions: stages.map((stage) => wireStage(service, endpoint, wallet, stage)),
    readiness: { status },
  };
}

export function wireAsset({ mint, tokenProgram, decimals }: TokenAsset) {
  return { mint, tokenProgram, decimals };
}

function wireStage(service: ServiceContext, endpoint: EndpointName, wallet: Address, stage: StageDraft) {
  const { id, kind, dependsOn, draft } = stage;
  const compiled = service.compile(draft, endpoint, id, wallet);
  return {
    id,
    kind,
    dependsOn,
    format: compiled.format,
    encoding: 'base64',
    transaction: Buffer.from(compiled.bytes).toString('base64'),
    messageSha256: compiled.messageSha256,
    requiredSigners: compiled.requiredSigners,
    lifetime: {
      blockhash: compiled.lifetime.blockhash,
      lastValidBlockHeight: String(compiled.lifetime.lastValidBlockHeight),
    },
    budget: {
      computeUnitLimit: compiled.budget.computeUnits,
      priorityFeeLamports: String(priorityFee(compiled.format, compiled.budget)),
    },
  };
}

/** The priority fee of a budget in lamports. */
export function priorityFee(format: TransactionFormat, budget: Draft['budget']): bigint {
  if (format === 'v1') return budget.priorityFeeLamports;
  return (budget.microLamportsPerUnit * BigInt(budget.computeUnits) + 999_999n) / 1_000_000n;
}

/** Placeholder lifetime for size measurement. */
const ANY_LIFETIME = { blockhash: '11111111111111111111111111111111', lastValidBlockHeight: 0 };

/** Whether a draft fits its format and may use the units it asks for. */
export function fits(draft: Draft): boolean {
  if (draft.budget.computeUnits > MAX_UNITS) return false;
  return sizeOf(draft, ANY_LIFETIME) <= MAX_BYTES[draft.format];
}

/**
 * Packs items into as few drafts as possible. `first` may differ from `rest` and may take no item. Throws RangeError if a
 * single item does not fit.
 */
export function pack<T>(
  items: readonly T[],
  first: (items: readonly T[]) => Draft,
  rest: (items: readonly T[]) => Draft = first,
  /** Changes a draft before it is compiled. */
  served: (draft: Draft) => Draft = (draft) => draft,
): { readonly draft: Draft; readonly items: readonly T[] }[] {
  const packed: { draft: Draft; items: readonly T[] }[] = [];
  let at = 0;
  let guess = 4;
  do {
    const make = packed.length === 0 ? first : rest;
    const left = items.length - at;
    let count = Math.min(guess, left);
    const ok = (n: number) => fits(served(make(items.slice(at, at + n))));
    if (ok(count)) while (count < left && ok(count + 1)) count += 1;
    else while (count > 0 && !ok(count)) count -= 1;
    if (count === 0 && left > 0 && (packed.length > 0 || !ok(0))) {
      throw new RangeError('one item does not fit a transaction');
    }
    const taken = items.slice(at, at + count);
    packed.push({ draft: make(taken), items: taken });
    at += count;
    guess = Math.max(count, 4);
  } while (at < items.length);
  return packed;
}
