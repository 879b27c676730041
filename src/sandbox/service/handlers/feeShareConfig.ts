/**
 * POST /fee-share/config/v2: a plan that creates a fee share config, or the answer that it exists. Every step is read
 * from the chain, so that asking again gives exactly what is missing.
 */

import type { EndpointRequest } from '../../../contract/index.ts';
import {
  type Claimer,
  type ConfigReading,
  type ConfigRecord,
  configFields,
  type Field,
  feeLimitsText,
  headFields,
} from '../../../contract/stockPrograms.ts';
import type { Address } from '../../../transaction/types.ts';
import { type ConfigBuild, configStages } from '../build/config.ts';
import { planTable, tableStages } from '../build/lookupTable.ts';
import { type StageDraft, wireAsset, wirePlan } from '../build/plan.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import { issuedFor, reviewedQuote } from '../real/records/issuedConfig.ts';
import { configOnChain } from '../records/configs.ts';
import type { IssuedConfig } from '../state.ts';

type Request = EndpointRequest<'feeShareConfig'>;

/** Slots a planned table's recent slot stays usable with room to land. */
const TABLE_SLOTS = 300;
/** v0 plans of more config transactions than this get a lookup table. */
const MOST_STAGES_WITHOUT_TABLE = 2;

export function feeShareConfig(service: ServiceContext, request: Request) {
  const asset = reviewedQuote(service, request);
  const { key, reading } = configOnChain(service, request.baseMint);
  const issued = issuedFor(service, request, asset, reading?.complete === true);
  const answer = (needsCreation: boolean, plan: unknown) => ({
    contractVersion: 1,
    needsCreation,
    feeShareConfig: key,
    feeShareAuthority: service.keys.feeShareAuthority.address,
    asset: wireAsset(asset),
    flow: issued.flow,
    venueConfigKey: issued.venueConfigKey,
    plan,
  });
  if (reading?.complete) return answer(false, null);

  const record = recordOf(request, issued);
  const missing = missingFields(record, reading);
  service.state.configs.set(request.baseMint, issued);
  const build: ConfigBuild = {
    baseMint: request.baseMint,
    payer: request.payer,
    format: request.transactionFormat ?? 'v0',
    tables: service.tables(request.additionalLookupTables ?? []),
    ...(request.tipWallet && request.tipLamports
      ? { tip: { wallet: request.tipWallet, lamports: BigInt(request.tipLamports) } }
      : {}),
  };
  const { stages, status } = stagesOf(service, record, missing, reading !== undefined, build, issued);
  return answer(
    true,
    wirePlan(service, {
      endpoint: 'feeShareConfig',
      wallet: request.payer,
      operation: { kind: 'config', baseMint: request.baseMint, flow: issued.flow },
      asset,
      feeLimits: issued.feeLimits,
      stages,
      status,
    }),
  );
}

function claimersOf({ claimersArray, basisPointsArray }: Request): Claimer[] {
  return claimersArray.map((address, index) => ({ address, basisPoints: basisPointsArray[index] ?? 0 }));
}

function recordOf(request: Request, issued: IssuedConfig): ConfigRecord {
  return {
    baseMint: request.baseMint,
    flow: request.flow,
    quoteMint: issued.quoteMint,
    admin: issued.admin,
    deployer: request.payer,
    configType: issued.configType,
    firstSwapMinFee: request.enableFirstSwapWithMinFee ?? false,
    ...(request.partner ? { partner: request.partner } : {}),
    ...(request.partnerConfig && request.partner ? { partnerConfig: request.partnerConfig } : {}),
    ...(request.feeLimits ? { feeLimits: feeLimitsText(request.feeLimits) } : {}),
    claimers: claimersOf(request),
  };
}

/** Fields not on chain yet. Throws 400 when what is there belongs to another request. */
function missingFields(record: ConfigRecord, reading: ConfigReading | undefined): Field[] {
  const fields = configFields(record);
  if (reading === undefined) return fields;
  const present = reading.complete || 'problem' in reading ? undefined : reading.present;
  if (present === undefined) throw badRequest('the config account on chain cannot be read');
  const wanted = new Map(fields);
  for (const [key, value] of present) {
    if (wanted.get(key) !== value) {
      throw badRequest(`another config of this token is partly on chain: ${key} differs from it`);
    }
  }
  const head = headFields(record).map(([key]) => key);
  const last = head.findLastIndex((key) => present.has(key));
  const skipped = head.slice(0, Math.max(last, 0)).find((key) => !present.has(key));
  if (skipped !== undefined) {
    throw badRequest(`another config of this token is partly on chain: it has no ${skipped}`);
  }
  return fields.filter(([key]) => !present.has(key));
}

function stagesOf(
  service: ServiceContext,
  record: ConfigRecord,
  missing: readonly Field[],
  exists: boolean,
  build: ConfigBuild,
  issued: IssuedConfig,
): { stages: StageDraft[]; status: 'ready' | 'setup_required' } {
  const plain = configStages(service, record, missing, exists, build);
  if (build.format === 'v1' || plain.length <= MOST_STAGES_WITHOUT_TABLE) {
    return { stages: plain, status: 'ready' };
  }
  const table = tableOf(service, record, build.payer, issued);
  const now = service.onchain.lookupTable(table.table);
  const settled = service.onchain.lookupTable(table.table, 'confirmed');
  const all = table.addresses.length;
  if (now === undefined || now.addresses.length < all) {
    return { stages: tableStages(table, build.payer, now?.addresses.length), status: 'setup_required' };
  }
  const warm =
    settled !== undefined &&
    settled.addresses.length >= all &&
    settled.lastExtendedSlot < BigInt(service.onchain.chain.slotAt('confirmed'));
  if (!warm) return { stages: [], status: 'setup_required' };
  const tables = [...build.tables, { table: table.table, addresses: table.addresses }];
  return { stages: configStages(service, record, missing, exists, { ...build, tables }), status: 'ready' };
}

/** The table of this config: the one planned before while it can still land or has landed, else a new one. */
function tableOf(service: ServiceContext, record: ConfigRecord, payer: Address, issued: IssuedConfig) {
  const addresses = [issued.configKey, ...record.claimers.map(({ address }) => address)];
  const known = issued.lookupTable;
  const slot = service.onchain.chain.slotAt('confirmed');
  if (known !== undefined && known.addresses.join() === addresses.join()) {
    const landed = service.onchain.lookupTable(known.table);
    const usable = landed === undefined && slot - Number(known.recentSlot) < TABLE_SLOTS;
    if (usable || (landed !== undefined && landed.authority === payer)) return known;
  }
  const planned = planTable(payer, slot, addresses);
  issued.lookupTable = planned;
  return planned;
}
