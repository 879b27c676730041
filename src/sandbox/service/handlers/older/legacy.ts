/** The two oldest endpoints: a config as one bare transaction. Nothing launches from these configs here. */
import { DEFAULT_CONFIG_TYPE, type EndpointRequest } from '../../../../contract/index.ts';
import type { EncodedInstruction } from '../../../../programs/instructions.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { createCurveConfig } from '../../../programs/dbc.ts';
import { createFeeVaults, feeAuthority } from '../../../programs/feeShareV1.ts';
import { budgetOf } from '../../build/compile.ts';
import { curveTerms } from '../../build/curveTerms.ts';
import type { ServiceContext } from '../../context.ts';
import type { Handlers } from '../../http/app.ts';
import { badRequest } from '../../http/errors.ts';
import type { Keypair } from '../../keys.ts';

const UNITS = 200_000;

export const legacyHandlers = {
  /** One wallet earns by itself: the terms of a curve are the whole config. */
  createLaunchConfig: (service, { launchWallet }) => {
    const config = service.keys.legacyConfig(`launch ${launchWallet}`);
    return built(service, 'createLaunchConfig', launchWallet, config, [
      terms(service, { payer: launchWallet, config, feeClaimer: launchWallet, quoteMint: WSOL_MINT }),
    ]);
  },
  legacyFeeShareConfig: (service, request) => shared(service, request),
} satisfies Handlers;

/** Two wallets share by the retired program, which earns at the curve for them. */
function shared(service: ServiceContext, request: EndpointRequest<'legacyFeeShareConfig'>) {
  const { walletA, walletB, walletABps, walletBBps, payer, baseMint, quoteMint } = request;
  const quote = service.asset(quoteMint);
  const [one, other] = [
    { wallet: walletA, bps: walletABps },
    { wallet: walletB, bps: walletBBps },
  ];
  const config = service.keys.legacyConfig(`legacy ${baseMint}`);
  const authority = service.keys.feeShareAuthority.address;
  return built(service, 'legacyFeeShareConfig', payer, config, [
    createFeeVaults({ payer, authority }, one, other, baseMint, quote),
    terms(service, { payer, config, feeClaimer: feeAuthority(one, other, baseMint), quoteMint }),
  ]);
}

function terms(
  service: ServiceContext,
  accounts: {
    readonly payer: Address;
    readonly config: Keypair;
    readonly feeClaimer: Address;
    readonly quoteMint: Address;
  },
): EncodedInstruction {
  const thresholds = service.quotes.get(accounts.quoteMint)?.configs;
  const threshold = thresholds?.get(DEFAULT_CONFIG_TYPE);
  if (threshold === undefined) throw badRequest('quoteMint: is not a supported quote token');
  return createCurveConfig(
    { ...accounts, config: accounts.config.address, leftoverReceiver: service.keys.treasury.address },
    curveTerms(DEFAULT_CONFIG_TYPE, BigInt(threshold), false),
  );
}

function built(
  service: ServiceContext,
  endpoint: 'createLaunchConfig' | 'legacyFeeShareConfig',
  feePayer: Address,
  config: Keypair,
  instructions: readonly EncodedInstruction[],
) {
  const configKey = config.address;
  if (service.onchain.account(configKey) !== null) return { tx: null, configKey };
  const draft = {
    format: 'legacy',
    feePayer,
    instructions,
    budget: budgetOf(UNITS),
    signers: [config],
  } as const;
  const { bytes } = service.compile(draft, endpoint, 'config', feePayer);
  return { tx: service.encode(endpoint, bytes), configKey };
}
