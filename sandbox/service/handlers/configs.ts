/** POST /fee-share/config/v2 and /fee-share/admin/update-config/v2: fee share configs. */

import type { Claimer } from '../../../src/contract/claimers.ts';
import type { EndpointRequest } from '../../../src/contract/index.ts';
import { isWallet } from '../../../src/contract/keys.ts';
import type { Address } from '../../../src/transaction/types.ts';
import {
  claimUserToVault,
  createPartnerConfig,
  type FeePair,
  feeShareAuthority,
  partnerConfig,
} from '../../programs/feeShare.ts';
import { type ConfigBuild, configStages, updateStages } from '../build/config.ts';
import { planTable, tableStages } from '../build/lookupTable.ts';
import { type StageDraft, wireAsset, wirePlan } from '../build/plan.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, forbidden } from '../http/errors.ts';
import { type ConfigAccount, configAccount, landedConfig, pairOf } from '../records/configAccount.ts';
import { appliedFeeLimits } from '../records/feeLimits.ts';
import { collectShared, earningTokens } from '../records/fees.ts';
import { issuedFor, reviewedQuote } from '../records/issuedConfig.ts';
import { tipOf } from '../records/wallet.ts';
import type { IssuedConfig } from '../state.ts';

/** A partner's share of each launch that names it; the sandbox's own value. */
export const PARTNER_BPS = 2_500;
/** Slots for which the recent slot of a planned table stays usable. */
const TABLE_SLOTS = 300;
/** Maximum config transactions of a v0 plan without a lookup table. */
const MAX_STAGES_WITHOUT_TABLE = 2;

export const configHandlers = {
  feeShareConfig: (service, request) => create(service, request),
  updateFeeShareConfig: (service, request) => update(service, request),
} satisfies Handlers;

/** Returns the plan of a config. */
function create(service: ServiceContext, request: EndpointRequest<'feeShareConfig'>) {
  const asset = reviewedQuote(service, request);
  const landed = landedConfig(service, request.baseMint) !== undefined;
  const known = service.state.configs.get(request.baseMint);
  const issued = issuedFor(service, request, asset, landed);
  const pair = pairOf(issued);
  const answer = (plan: unknown) => ({
    contractVersion: 1,
    needsCreation: plan !== null,
    feeShareConfig: issued.configKey,
    feeShareAuthority: feeShareAuthority(pair),
    asset: wireAsset(asset),
    flow: issued.flow,
    venueConfigKey: issued.venueConfigKey,
    plan,
  });
  if (landed) return answer(null);

  const found = configAccount(service, pair);
  checkBeginning(issued, known, found);
  checkPartner(service, request, pair);
  service.state.configs.set(request.baseMint, issued);
  const build: ConfigBuild = {
    payer: request.payer,
    format: request.transactionFormat ?? 'v0',
    tables: service.tables(request.additionalLookupTables ?? []),
    tip: tipOf(request),
  };
  const { stages, status } = stagesOf(
    service,
    issued,
    request.enableFirstSwapWithMinFee === true,
    found,
    build,
  );
  return answer(
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

/** Throws 400 unless the claimers on chain are the first of the requested ones. */
function checkBeginning(
  issued: IssuedConfig,
  known: IssuedConfig | undefined,
  found: ConfigAccount | undefined,
): void {
  if (found === undefined) return;
  const begins = found.claimers.every(
    ({ address, basisPoints }, i) =>
      issued.claimers[i]?.address === address && issued.claimers[i]?.basisPoints === basisPoints,
  );
  const whole = !found.finished || found.claimers.length === issued.claimers.length;
  const partner = (found.partner ?? undefined) === issued.partner;
  const manager = found.finished ? found.manager === issued.admin : known?.admin === issued.admin;
  if (begins && whole && partner && manager) return;
  throw badRequest('another config of this token is partly on chain');
}

/** Checks the requested partner config and creates it if missing. */
function checkPartner(
  service: ServiceContext,
  { partner, partnerConfig: named }: EndpointRequest<'feeShareConfig'>,
  pair: FeePair,
): void {
  if (!partner) return;
  const address = partnerConfig(partner, pair);
  if (named && named !== address) throw badRequest('partnerConfig: is not the config of this partner');
  ensurePartner(service, partner, pair);
}

/** Creates a partner's config if missing. Throws 400 if the partner is not a wallet. */
export function ensurePartner(service: ServiceContext, partner: Address, pair: FeePair): void {
  if (!isWallet(partner)) throw badRequest('partner: must be a wallet that can sign');
  const address = partnerConfig(partner, pair);
  if (service.onchain.account(address) !== null) return;
  const { sponsor, feeShareAuthority: admin } = service.keys;
  const allowed = { payer: sponsor.address, admin: admin.address };
  service.onchain.landBy(sponsor, [createPartnerConfig(allowed, partner, PARTNER_BPS, pair)], admin);
}

/** Returns the missing stages; many stages need a lookup table, which is set up first. */
function stagesOf(
  service: ServiceContext,
  issued: IssuedConfig,
  minFee: boolean,
  found: ConfigAccount | undefined,
  build: ConfigBuild,
): { stages: StageDraft[]; status: 'ready' | 'setup_required' } {
  const state = {
    present: found?.claimers.length ?? 0,
    exists: found !== undefined,
    finished: found?.finished === true,
  };
  const plain = configStages(service, issued, minFee, state, build);
  if (build.format === 'v1' || plain.length <= MAX_STAGES_WITHOUT_TABLE)
    return { stages: plain, status: 'ready' };
  const table = tableOf(service, issued, build.payer, plain);
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
  return { stages: configStages(service, issued, minFee, state, { ...build, tables }), status: 'ready' };
}

/** Returns the table planned before if it is usable, or plans a new one. */
function tableOf(
  service: ServiceContext,
  issued: IssuedConfig,
  payer: Address,
  stages: readonly StageDraft[],
) {
  const accounts = stages.flatMap(({ draft }) => draft.instructions.flatMap((each) => each.accounts));
  const signing = new Set(accounts.filter(({ signer }) => signer).map(({ address }) => address));
  const others = new Set(accounts.map(({ address }) => address).filter((address) => !signing.has(address)));
  const known = issued.lookupTable;
  const slot = service.onchain.chain.slotAt('confirmed');
  if (known !== undefined && [...others].every((address) => known.addresses.includes(address))) {
    const landed = service.onchain.lookupTable(known.table);
    const usable = landed === undefined && slot - Number(known.recentSlot) < TABLE_SLOTS;
    if (usable || (landed !== undefined && landed.authority === payer)) return known;
  }
  const planned = planTable(payer, slot, [...others]);
  issued.lookupTable = planned;
  return planned;
}

/** Returns the plan of a changed split. Earlier fees are divided among the previous claimers first. */
async function update(service: ServiceContext, request: EndpointRequest<'updateFeeShareConfig'>) {
  const { baseMint, payer, claimersArray, basisPointsArray } = request;
  const landed = landedConfig(service, baseMint);
  if (landed === undefined) throw badRequest('baseMint: has no fee share config on chain');
  const { issued, config } = landed;
  if (config.manager !== payer) throw forbidden('payer: is not the manager of this config');
  const after = claimersArray.map((address, i) => ({ address, basisPoints: basisPointsArray[i] ?? 0 }));
  const isSame = (each: Claimer, i: number) =>
    config.claimers[i]?.address === each.address && config.claimers[i]?.basisPoints === each.basisPoints;
  if (after.length === config.claimers.length && after.every(isSame)) {
    throw badRequest('claimersArray: is what the config already says');
  }
  const asset = service.asset(issued.quoteMint);
  const feeLimits = appliedFeeLimits(asset, request.feeLimits ?? undefined);
  await settle(service, issued, config, after);
  const stages = updateStages(pairOf(issued), payer, config.claimers, after, {
    payer,
    format: request.transactionFormat ?? 'v0',
    tables: service.tables(request.additionalLookupTables ?? []),
  });
  return wirePlan(service, {
    endpoint: 'updateFeeShareConfig',
    wallet: payer,
    operation: { kind: 'manager_update', baseMint, flow: issued.flow },
    asset,
    feeLimits,
    stages,
    status: 'ready',
  });
}

/**
 * Divides uncollected fees among the current claimers. A claimer with unclaimed fees cannot be replaced, so the service
 * moves those fees to the claimer's vault.
 */
async function settle(
  service: ServiceContext,
  issued: IssuedConfig,
  config: ConfigAccount,
  after: readonly Claimer[],
): Promise<void> {
  const { sponsor, feeShareAuthority: admin } = service.keys;
  const pair = pairOf(issued);
  const token = earningTokens(service).find((each) => each.pair.baseMint === pair.baseMint);
  const uncollected = token?.uncollected ?? 0n;
  if (token !== undefined) collectShared(service, token);
  const owed = configAccount(service, pair)?.owed ?? [];
  const sameLength = after.length === config.claimers.length;
  const leaving = config.claimers
    .map(({ address }, index) => ({ address, index }))
    .filter(({ address, index }) => !(sameLength && after[index]?.address === address))
    .filter(({ index }) => (owed[index] ?? 0n) > 0n);
  for (const { address, index } of leaving) {
    const claim = claimUserToVault(sponsor.address, admin.address, address, pair, index);
    service.onchain.landBy(sponsor, [claim], admin);
  }
  if (uncollected > 0n || leaving.length > 0) await service.onchain.confirmed();
}
