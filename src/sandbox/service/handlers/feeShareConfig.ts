/**
 * POST /fee-share/config/v2: a plan that creates a fee share config, or the answer that it exists. Every step is read
 * from the chain, so that asking again gives exactly what is missing.
 */
import {
  type EndpointRequest,
  effectiveFeeShareConfig,
  LOCKED_85_CONFIG_TYPE,
} from '../../../contract/index.ts';
import {
  type Claimer,
  type ConfigReading,
  type ConfigRecord,
  configFields,
  type FeeLimitText,
  type Field,
  feeLimitsText,
  headFields,
} from '../../../contract/stockPrograms.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type ConfigBuild, configStages } from '../build/config.ts';
import { planTable, tableStages } from '../build/lookupTable.ts';
import { type StageDraft, wireAsset, wirePlan } from '../build/plan.ts';
import type { TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
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

/** Checks quote, type and asset profile against what an administrator saved (C-CONFIG-13 to 16). */
export function reviewedQuote(service: ServiceContext, request: Request): TokenAsset {
  const { quoteMint, serviceConfigType } = effectiveFeeShareConfig(request);
  const quote = service.quotes.get(quoteMint);
  if (quote === undefined) throw badRequest('quote_not_reviewed');
  if (!quote.profileEligible)
    throw badRequest('unsupported asset profile: the quote mint has extensions that are not taken');
  if (request.quoteTokenProgram && request.quoteTokenProgram !== quote.tokenProgram) {
    throw badRequest('quoteTokenProgram: is not the program that owns quoteMint');
  }
  if (quoteMint !== WSOL_MINT) {
    if (serviceConfigType === LOCKED_85_CONFIG_TYPE) {
      throw badRequest(
        'serviceConfigType: the 85%-locked type is unavailable for quotes other than wrapped SOL',
      );
    }
    const known = [...quote.configs.keys()].some((type) => type === serviceConfigType);
    // An issued config keeps what it was issued with, whatever was edited since.
    const issued = service.state.configs.get(request.baseMint);
    const same = issued?.quoteMint === quoteMint && issued.configType === serviceConfigType;
    if (!known && !same) throw badRequest('quote_not_reviewed');
  }
  return service.asset(quoteMint);
}

/**
 * The config of the token as it is issued by this request: unchangeable in quote and flow from the first call on,
 * and in everything once it is complete on chain (C-CONFIG-06, C-CONFIG-16).
 */
export function issuedFor(
  service: ServiceContext,
  request: Request,
  asset: TokenAsset,
  complete: boolean,
): IssuedConfig {
  const { quoteMint, serviceConfigType, admin } = effectiveFeeShareConfig(request);
  const known = service.state.configs.get(request.baseMint);
  if (known !== undefined && known.quoteMint !== quoteMint) {
    throw badRequest('quoteMint: cannot be changed once the config is issued');
  }
  if (known !== undefined && known.flow !== request.flow) {
    throw badRequest('flow: cannot be changed once the config is issued');
  }
  if (known !== undefined && complete) return known;
  const launch = service.state.launches.get(request.baseMint);
  if (launch !== undefined && service.state.launchStatusOf(launch) !== 'PRE_LAUNCH' && known === undefined) {
    throw badRequest('baseMint: the token is already launched');
  }
  const thresholds = service.quotes.get(quoteMint)?.configs;
  const threshold = [...(thresholds ?? [])].find(([type]) => type === serviceConfigType)?.[1] ?? '0';
  return {
    baseMint: request.baseMint,
    configKey: service.keys.config(request.baseMint).address,
    flow: request.flow,
    quoteMint,
    quoteTokenProgram: asset.tokenProgram,
    configType: serviceConfigType,
    graduationThresholdRaw:
      known?.configType === serviceConfigType ? known.graduationThresholdRaw : threshold,
    venueConfigKey: request.flow === 'dbc' ? service.keys.venueConfig(request.baseMint).address : null,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    claimers: claimersOf(request),
    admin: admin ?? request.payer,
    deployer: request.payer,
    ...(request.partner ? { partner: request.partner } : {}),
    ...(known?.lookupTable === undefined ? {} : { lookupTable: known.lookupTable }),
  };
}

/** The limits a plan is built under: those asked for, or the schedule in force. Throws 400 when it is over them. */
export function appliedFeeLimits(
  asset: TokenAsset,
  asked: readonly FeeLimitText[] | undefined,
): readonly FeeLimitText[] {
  const { mint, tokenProgram, fee } = asset;
  if (asked === undefined) {
    if (fee === undefined) return [];
    const maximumFeeRaw = fee.maximumFee.toString();
    return [{ asset: { mint, tokenProgram }, basisPoints: fee.basisPoints, maximumFeeRaw }];
  }
  for (const limit of asked) {
    if (limit.asset.mint !== mint || fee === undefined) continue;
    if (fee.basisPoints > limit.basisPoints || fee.maximumFee > BigInt(limit.maximumFeeRaw)) {
      throw badRequest('feeLimits: the transfer fee in force is above the limit');
    }
  }
  return asked;
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
