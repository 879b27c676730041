/** Partners' configs and earnings, and what the managers of fee share configs ask for. */
import type { EndpointName, EndpointRequest } from '../../../src/contract/index.ts';
import type { Address } from '../../../src/transaction/types.ts';
import {
  createPartnerConfig,
  inSol,
  managerTransferFeeConfig,
  partnerConfig,
} from '../../programs/feeShare.ts';
import { budgetOf, type Draft } from '../build/compile.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, forbidden, notFound } from '../http/errors.ts';
import { landedConfig, pairOf } from '../records/configAccount.ts';
import { earningTokens, partnerAccount } from '../records/fees.ts';
import { claimDraft, NOTHING } from './claims.ts';
import { PARTNER_BPS, update } from './configs.ts';
import { fill, vaultsOf } from './vaults.ts';

const UNITS = 200_000;

export const partnerHandlers = {
  partnerStats: (service, { partner }) => stats(service, partner),
  partnerConfigTx: (service, { partnerWallet }) => ({ transaction: makePartner(service, partnerWallet) }),
  partnerClaimTxs: async (service, { partnerWallet }) => {
    fill(service, partnerWallet);
    const vaults = vaultsOf(service, partnerWallet, 'partner');
    if (vaults.length === 0) throw badRequest(NOTHING);
    await service.onchain.confirmed();
    const { sponsor } = service.keys;
    return {
      transactions: vaults.map(({ claim }) =>
        timed(service, 'partnerClaimTxs', partnerWallet, claimDraft(sponsor.address, [sponsor], [claim])),
      ),
    };
  },
  adminTokens: (service, { wallet }) => ({
    tokenMints: [...service.state.configs.keys()].filter(
      (baseMint) => landedConfig(service, baseMint)?.config.manager === wallet,
    ),
  }),
  adminTransferTx: (service, request) => ({ transaction: transfer(service, request) }),
  adminUpdateTxs: async (service, { additionalLookupTables, ...request }) => {
    const { transactions } = await update(service, { ...request, additionalLookupTables });
    return { transactions: transactions.map((stage) => bare(service, 'adminUpdateTxs', stage)) };
  },
} satisfies Handlers;

/** What a partner was paid, and what waits: collected, and its part of what the venues still hold. */
function stats(service: ServiceContext, partner: Address) {
  const config = partnerAccount(service, partner, inSol(partner));
  if (config === undefined) throw notFound('No partner config of this wallet');
  const coming = earningTokens(service)
    .filter((token) => token.config.partner === partner)
    .reduce((sum, { uncollected }) => sum + (uncollected * BigInt(config.bps)) / 10_000n, 0n);
  return {
    claimedFees: String(config.totalClaimedFees),
    unclaimedFees: String(config.totalAccumulatedFees + coming),
  };
}

function makePartner(service: ServiceContext, partner: Address) {
  const pair = inSol(partner);
  if (service.onchain.account(partnerConfig(partner, pair)) !== null) {
    throw badRequest('partnerWallet: has a partner config');
  }
  const admin = service.keys.feeShareAuthority;
  const allowed = { payer: partner, admin: admin.address };
  return timed(service, 'partnerConfigTx', partner, {
    format: 'v0',
    feePayer: partner,
    instructions: [createPartnerConfig(allowed, partner, PARTNER_BPS, pair)],
    budget: budgetOf(UNITS),
    signers: [admin],
  });
}

function transfer(
  service: ServiceContext,
  { baseMint, currentAdmin, newAdmin, payer }: EndpointRequest<'adminTransferTx'>,
) {
  const landed = landedConfig(service, baseMint);
  if (landed === undefined) throw badRequest('baseMint: has no fee share config on chain');
  if (landed.config.manager !== currentAdmin) {
    throw forbidden('currentAdmin: is not the manager of this config');
  }
  const pair = pairOf(landed.issued);
  return timed(service, 'adminTransferTx', payer, {
    format: 'v0',
    feePayer: payer,
    instructions: [managerTransferFeeConfig(payer, currentAdmin, newAdmin, pair)],
    budget: budgetOf(UNITS),
    signers: [],
  });
}

/** A draft as a bare transaction with its blockhash. */
function timed(service: ServiceContext, endpoint: EndpointName, wallet: Address, draft: Draft) {
  const { bytes, lifetime } = service.compile(draft, endpoint, 'transaction', wallet);
  return { transaction: service.encode(endpoint, bytes), blockhash: { ...lifetime } };
}

/** A stage of a plan as a bare transaction with its blockhash. */
export function bare(
  service: ServiceContext,
  endpoint: EndpointName,
  {
    transaction,
    lifetime: { blockhash, lastValidBlockHeight },
  }: {
    readonly transaction: string;
    readonly lifetime: { readonly blockhash: string; readonly lastValidBlockHeight: string };
  },
) {
  return {
    transaction: service.encode(endpoint, new Uint8Array(Buffer.from(transaction, 'base64'))),
    blockhash: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) },
  };
}
