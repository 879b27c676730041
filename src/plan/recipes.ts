/**
 * Recipes that convert answers into stages, one per endpoint with transactions: its operation, the wallet field of the
 * request, and the location of the transactions.
 */
import type { WireEncoding } from '../transaction/wire.ts';
import { readBundle } from './bundle.ts';
import { type Claim, claimKey, claimOperation, claimsIn } from './claimAll.ts';
import { contractVersionOne, type Fields, list, object, PlanError } from './readAnswer.ts';
import { type ExpectedOperation, readServicePlan, type ServicePlan } from './servicePlan.ts';
import { makeStage, type StageParts } from './stage.ts';
import type { Operation, PlanOperation, StageKind } from './types.ts';

/** The recipe of an endpoint. */
export interface Recipe {
  /** Request field with our wallet. */
  readonly walletField: string;
  readonly operation: PlanOperation | ((request: Fields) => PlanOperation);
  /** Returns the stages of an answer, or `null` if nothing needs signing. */
  readonly read: (input: RecipeInput) => ServicePlan | null;
}

export interface RecipeInput {
  readonly answer: unknown;
  readonly request: Fields;
  readonly encoding: WireEncoding;
}

/** Builds the recipe of a local plan: one stage, whose blockhash is refreshed right before signing. */
const ofOwn = (id: string, kind: Operation & StageKind): Recipe => ({
  walletField: 'wallet',
  operation: kind,
  read: ({ answer, encoding }) =>
    bare(id, kind, object(answer, 'answer').transaction, encoding, { format: 'v0', refresh: 'blockhash' }),
});

/** Recipes by name in the endpoint table. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  feeShareConfig: {
    walletField: 'payer',
    operation: 'config',
    read: ({ answer, request }) => {
      const payload = object(answer, 'fee share config');
      contractVersionOne(payload);
      if (payload.needsCreation === false && payload.plan == null) return null;
      if (payload.needsCreation !== true) throw new PlanError('The answer contradicts itself.', 'upstream');
      return readServicePlan(payload.plan, expectedOperation('config', request.baseMint, request.flow));
    },
  },
  updateFeeShareConfig: {
    walletField: 'payer',
    operation: 'manager_update',
    read: ({ answer, request }) =>
      readServicePlan(answer, expectedOperation('manager_update', request.baseMint)),
  },
  dammLaunch: {
    walletField: 'wallet',
    operation: 'launch',
    read: ({ answer, request, encoding }) => {
      const payload = object(answer, 'launch bundle');
      const launch = object(payload.launch, 'launch');
      if (launch.tokenMint !== request.tokenMint) throw new PlanError('The bundle launches another token.');
      if (launch.quoteMint !== request.quoteMint) throw new PlanError('The bundle uses another quote mint.');
      return { stages: readBundle(payload, encoding) };
    },
  },
  dammLaunchV2: {
    walletField: 'wallet',
    operation: 'launch',
    read: ({ answer, request }) =>
      readServicePlan(answer, expectedOperation('launch', request.tokenMint, 'damm_v2_direct')),
  },
  curveLaunchV2: {
    walletField: 'wallet',
    operation: 'launch',
    read: ({ answer, request }) =>
      readServicePlan(answer, expectedOperation('launch', request.tokenMint, 'dbc')),
  },
  curveLaunch: {
    walletField: 'wallet',
    operation: 'launch',
    read: ({ answer, encoding }) => bare('launch', 'launch', answer, encoding),
  },
  claimTxs: {
    walletField: 'feeClaimer',
    operation: claimOperation,
    read: ({ answer, request }) =>
      readServicePlan(answer, {
        ...expectedOperation(claimOperation(request), request.tokenMint),
        ...text('wallet', request.feeClaimer),
      }),
  },
  claimVault: {
    walletField: 'wallet',
    operation: 'vault_claim',
    read: ({ answer, encoding }) =>
      bare('claim', 'claim', object(answer, 'vault claim').transaction, encoding),
  },
  deployerClaimTxs: {
    walletField: 'wallet',
    operation: 'deployer_claim',
    read: ({ answer, encoding }) => {
      const given = list(object(answer, 'deployer claims').transactions, 'list of claims');
      if (given.length > MAX_CLAIMS) throw new PlanError('The answer has too many claims.');
      if (given.length === 0) return null;
      // The contract defines an order, so each claim depends on the previous one.
      const stages = given.map((item, i) =>
        makeStage({
          id: `claim-${i + 1}`,
          kind: 'claim',
          dependsOn: i === 0 ? [] : [`claim-${i}`],
          transaction: object(item, 'claim').transaction,
          encoding,
        }),
      );
      return { stages };
    },
  },
  claimAll: {
    walletField: 'wallet',
    operation: 'claim_all',
    read: ({ answer, request }) => joinedClaims(answer, request),
  },
  tradeSwap: {
    walletField: 'userPublicKey',
    operation: 'swap',
    // By contract a swap is unsigned and v0; its blockhash is refreshed right before signing.
    read: ({ answer, encoding }) =>
      bare('swap', 'swap', object(answer, 'swap').swapTransaction, encoding, {
        format: 'v0',
        refresh: 'blockhash',
      }),
  },
  send: ofOwn('send', 'send'),
  unwrapSol: ofOwn('unwrap', 'unwrap'),
  reclaimRent: ofOwn('close', 'lookup_table_close'),
};

const MAX_CLAIMS = 64;

/** Returns the stages of all answered claims, prefixed by claim key, or `null` if none needs signing. */
function joinedClaims(answer: unknown, request: Fields): ServicePlan | null {
  const given = list(object(answer, 'answer').claims, 'list of claims').map((each) => object(each, 'claim'));
  const plans = claimsIn(request).flatMap((claim) => {
    const found = given.find(({ key }) => key === claimKey(claim));
    const plan = found && readClaim(claim, found);
    return plan == null ? [] : [plan];
  });
  if (plans.length === 0) return null;
  const waits = plans.find(({ readiness }) => readiness !== undefined && readiness.status !== 'ready');
  return {
    stages: plans.flatMap(({ stages }) => stages),
    ...(waits?.readiness === undefined ? {} : { readiness: waits.readiness }),
  };
}

function readClaim(claim: Claim, { answer, encoding }: Fields): ServicePlan | null {
  const plan = RECIPES[claim.endpoint]?.read({
    answer,
    request: claim.fields,
    encoding: encoding === 'base58' ? encoding : 'base64',
  });
  if (plan == null) return null;
  const named = (id: string): string => `${claimKey(claim)}:${id}`;
  const stages = plan.stages.map((stage) => ({
    ...stage,
    id: named(stage.id),
    dependsOn: stage.dependsOn.map(named),
  }));
  return { ...plan, stages };
}

function expectedOperation(kind: Operation, baseMint?: unknown, flow?: unknown): ExpectedOperation {
  return { kind, ...text('baseMint', baseMint), ...text('flow', flow) };
}

function text<N extends string>(name: N, value: unknown): { [K in N]?: string } {
  const part: { [K in N]?: string } = {};
  if (typeof value === 'string') part[name] = value;
  return part;
}

function bare(
  id: string,
  kind: StageKind,
  transaction: unknown,
  encoding: WireEncoding,
  more: Partial<StageParts> = {},
): ServicePlan {
  return { stages: [makeStage({ id, kind, transaction, encoding, ...more })] };
}
