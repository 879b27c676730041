/** POST /fee-share/admin/update-config/v2: the manager changes who earns. */

import type { EndpointRequest } from '../../../contract/index.ts';
import type { ConfigRecord } from '../../../contract/stockPrograms.ts';
import { updateStages } from '../build/config.ts';
import { wirePlan } from '../build/plan.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest, forbidden } from '../http/errors.ts';
import { appliedFeeLimits } from '../real/records/feeLimits.ts';
import { completeConfig } from '../records/configs.ts';

export function updateFeeShareConfig(
  service: ServiceContext,
  request: EndpointRequest<'updateFeeShareConfig'>,
) {
  const { baseMint, payer, claimersArray, basisPointsArray } = request;
  const before = completeConfig(service, baseMint);
  if (before === undefined) throw badRequest('baseMint: has no fee share config on chain');
  if (before.admin !== payer) throw forbidden('payer: is not the manager of this config');
  const after: ConfigRecord = {
    ...before,
    claimers: claimersArray.map((address, index) => ({ address, basisPoints: basisPointsArray[index] ?? 0 })),
  };
  const asset = service.asset(before.quoteMint);
  const feeLimits = appliedFeeLimits(asset, request.feeLimits ?? undefined);
  const stages = updateStages(service, before, after, {
    baseMint,
    payer,
    format: request.transactionFormat ?? 'v0',
    tables: service.tables(request.additionalLookupTables ?? []),
  });
  if (stages.every(({ draft }) => draft.instructions.length === 0)) {
    throw badRequest('claimersArray: is what the config already says');
  }
  return wirePlan(service, {
    endpoint: 'updateFeeShareConfig',
    wallet: payer,
    operation: { kind: 'manager_update', baseMint, flow: before.flow },
    asset,
    feeLimits,
    stages,
    status: 'ready',
  });
}
