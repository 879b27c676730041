/**
 * The two oldest endpoints: a config as one bare transaction. They fill accounts of the same kind as newer configs,
 * with the few fields they know; nothing launches from them here.
 */
import type { EndpointRequest } from '../../../contract/index.ts';
import {
  CONFIG_NAME,
  CONFIG_SYMBOL,
  CONFIG_URI,
  claimerField,
  type Field,
} from '../../../contract/stockPrograms.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { budgetOf } from '../build/compile.ts';
import { updateField } from '../build/config.ts';
import { createMetadataMint, metadataBytes, POINTER_MINT_BYTES } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import type { Keypair } from '../keys.ts';

const LEGACY_UNITS = 200_000;

export const legacyHandlers = {
  createLaunchConfig: (service, { launchWallet }) =>
    legacyConfig(service, 'createLaunchConfig', launchWallet, service.keys.config(`launch ${launchWallet}`), [
      ['quoteMint', WSOL_MINT],
      ['admin', launchWallet],
      ['claimers', '1'],
      claimerField(0, { address: launchWallet, basisPoints: 10_000 }),
    ]),
  legacyFeeShareConfig: (service, request) => sharedConfig(service, request),
} satisfies Handlers;

function sharedConfig(service: ServiceContext, request: EndpointRequest<'legacyFeeShareConfig'>) {
  const { walletA, walletB, walletABps, walletBBps, payer, baseMint, quoteMint } = request;
  service.asset(quoteMint);
  const key = service.keys.config(`legacy ${baseMint}`);
  return legacyConfig(service, 'legacyFeeShareConfig', payer, key, [
    ['baseMint', baseMint],
    ['quoteMint', quoteMint],
    ['admin', payer],
    ['claimers', '2'],
    claimerField(0, { address: walletA, basisPoints: walletABps }),
    claimerField(1, { address: walletB, basisPoints: walletBBps }),
  ]);
}

function legacyConfig(
  service: ServiceContext,
  endpoint: 'createLaunchConfig' | 'legacyFeeShareConfig',
  payer: Address,
  config: Keypair,
  fields: readonly Field[],
) {
  if (service.onchain.mint(config.address) !== undefined) return { tx: null, configKey: config.address };
  const authority = service.keys.feeShareAuthority;
  const bytes = POINTER_MINT_BYTES + metadataBytes(CONFIG_NAME, CONFIG_SYMBOL, CONFIG_URI, fields);
  const draft = {
    format: 'legacy' as const,
    feePayer: payer,
    instructions: [
      ...createMetadataMint({
        payer,
        mint: config.address,
        authority: authority.address,
        decimals: 0,
        name: CONFIG_NAME,
        symbol: CONFIG_SYMBOL,
        uri: CONFIG_URI,
        lamports: service.onchain.rent(bytes),
      }),
      ...fields.map((field) => updateField(config.address, authority.address, field)),
    ],
    budget: budgetOf(LEGACY_UNITS),
    signers: [config, authority],
  };
  return {
    tx: service.encode(endpoint, service.compile(draft, endpoint, 'config', payer).bytes),
    configKey: config.address,
  };
}
