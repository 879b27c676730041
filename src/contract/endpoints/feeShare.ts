/** Fee share configs: create, update, and the wallet behind a handle. docs/contract.md C-CONFIG-01 … 19, C-UPDATE-01 … 02, C-WALLET-01 … 04. */
import { z } from 'zod';
import {
  CONFIG_TYPE_IDS,
  CONFIG_TYPE_LABELS,
  DEFAULT_CONFIG_TYPE,
  LOCKED_85_CONFIG_TYPE,
} from '../configTypes.ts';
import { LIMITS, TOTAL_BASIS_POINTS, WRAPPED_SOL } from '../constants.ts';
import { building, reading } from '../endpoint.ts';
import { texts } from '../nullishFields.ts';
import {
  checkSplit,
  ParamBasisPoints,
  ParamClaimers,
  ParamFeeLimits,
  ParamFlow,
  ParamLookupTables,
  ParamQuoteMint,
  ParamTipLamports,
  ParamTipWallet,
  ParamTokenProgram,
  ParamTransactionFormat,
  publicKey,
  refusing,
  text,
  wallet,
} from '../params.ts';
import { planAnswer, planning } from '../plan.ts';

/** One of seven ids in exact spelling (B24). Tools accept labels too (`tools/names.ts`). */
export const ParamConfigType = z
  .enum(CONFIG_TYPE_IDS, {
    error: `must be the label of a launch configuration or its id in lower case; labels: ${CONFIG_TYPE_LABELS}`,
  })
  .describe(`Label or id: ${CONFIG_TYPE_LABELS}.`);

/** Fields of `POST /fee-share/config/v2`; null means the same as absent (B19). */
export const feeShareConfigFields = {
  baseMint: publicKey('Mint being launched.'),
  payer: wallet('Wallet that pays; on SOL quotes it becomes the deployer and earns 25%.'),
  flow: ParamFlow,
  claimersArray: ParamClaimers,
  basisPointsArray: ParamBasisPoints,
  quoteMint: ParamQuoteMint.nullish(),
  quoteTokenProgram: ParamTokenProgram.nullish(),
  partner: publicKey('Partner wallet.').nullish(),
  partnerConfig: publicKey('Its config PDA; required.').nullish(),
  admin: publicKey('Config manager. Default: the claimer holding 10000.').nullish(),
  serviceConfigType: ParamConfigType.nullish(),
  enableFirstSwapWithMinFee: z.boolean().describe('First swap at the lowest fee.').nullish(),
  tipWallet: ParamTipWallet.nullish(),
  tipLamports: ParamTipLamports.nullish(),
  transactionFormat: ParamTransactionFormat.nullish(),
  feeLimits: ParamFeeLimits.nullish(),
  additionalLookupTables: ParamLookupTables.nullish(),
};

const feeShareConfigShape = z.strictObject(feeShareConfigFields);
type FeeShareConfigRequest = z.infer<typeof feeShareConfigShape>;

/** The rules between fields of a fee share config (B13, B14, B20, B23, B25). */
export function checkFeeShareConfig(
  value: Omit<FeeShareConfigRequest, 'payer'>,
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  checkSplit(value, context);
  if (typeof value.partner === 'string' && typeof value.partnerConfig !== 'string') {
    refuse('partnerConfig', 'is required when partner is given: the partner config PDA of that partner');
  }
  const quoteMint = value.quoteMint ?? WRAPPED_SOL;
  if (
    value.flow === 'dbc' &&
    quoteMint !== WRAPPED_SOL &&
    value.serviceConfigType === LOCKED_85_CONFIG_TYPE
  ) {
    refuse(
      'serviceConfigType',
      'the 85%-locked type is unavailable for quotes other than wrapped SOL: choose a type that list_supported_quote_tokens names for this quote',
    );
  }
}

/** A fee share config request with all defaults of the contract (C-CONFIG-11). */
export interface EffectiveFeeShareConfig {
  readonly quoteMint: string;
  readonly serviceConfigType: string;
  readonly transactionFormat: 'v0' | 'v1';
  /** Absent if the request has none and no claimer holds all 10,000 basis points: the contract defines no default. */
  readonly admin?: string;
  readonly enableFirstSwapWithMinFee: boolean;
}

/** Adds the contract's defaults to a config request. */
export function effectiveFeeShareConfig(request: FeeShareConfigRequest): EffectiveFeeShareConfig {
  const whole = request.basisPointsArray.indexOf(TOTAL_BASIS_POINTS);
  const admin = request.admin ?? (whole < 0 ? undefined : request.claimersArray[whole]);
  return {
    quoteMint: request.quoteMint ?? WRAPPED_SOL,
    serviceConfigType: request.serviceConfigType ?? DEFAULT_CONFIG_TYPE,
    transactionFormat: request.transactionFormat ?? 'v0',
    ...(admin === undefined ? {} : { admin }),
    enableFirstSwapWithMinFee: request.enableFirstSwapWithMinFee ?? false,
  };
}

/** Fields of a request that have no effect (B16, B23). */
export function feeShareConfigNotes(request: FeeShareConfigRequest): string[] {
  const notes: string[] = [];
  const { claimersArray, basisPointsArray } = request;
  basisPointsArray.forEach((points, index) => {
    if (points === 0) notes.push(`Claimer ${claimersArray[index]} has 0 basis points and will earn nothing.`);
  });
  if (typeof request.partnerConfig === 'string' && typeof request.partner !== 'string') {
    notes.push('partnerConfig is given without partner: it has no effect.');
  }
  return notes;
}

export const feeShareConfig = building('/fee-share/config/v2', {
  request: feeShareConfigShape.superRefine(checkFeeShareConfig),
  response: z.looseObject({
    /** Reads show whatever version there is; only version 1 is ever signed (B68). */
    contractVersion: z.unknown().optional(),
    needsCreation: z.boolean(),
    feeShareConfig: z.string(),
    feeShareAuthority: z.string(),
    asset: z
      .looseObject({ mint: z.string(), tokenProgram: z.string(), decimals: z.number().nullish() })
      .nullish(),
    ...texts('flow', 'venueConfigKey'),
    plan: planAnswer.nullable(),
  }),
  transactions: { path: 'plan.transactions[].transaction', encoding: 'base64' },
  plan: 'response.plan',
});

/** Fields of `POST /fee-share/admin/update-config/v2`. */
export const updateFeeShareConfigFields = {
  baseMint: publicKey('Mint of the launched token.'),
  payer: wallet('Manager wallet of the config; pays and signs.'),
  claimersArray: ParamClaimers,
  basisPointsArray: ParamBasisPoints,
  transactionFormat: ParamTransactionFormat.nullish(),
  feeLimits: ParamFeeLimits.nullish(),
  additionalLookupTables: ParamLookupTables.nullish(),
};

export const updateFeeShareConfig = planning(
  '/fee-share/admin/update-config/v2',
  z.strictObject(updateFeeShareConfigFields).superRefine(checkSplit),
);

/** Providers a fee share can be launched with (C-WALLET-02). */
export const FEE_SHARE_PROVIDERS = ['twitter', 'tiktok', 'kick', 'github'] as const;

export const feeShareWalletFields = {
  provider: z.enum(FEE_SHARE_PROVIDERS).describe('Platform of the handle.'),
  username: text(1, LIMITS.username, 'Handle, without @.'),
  chain: z.enum(['SOL', 'EVM']).describe('Default SOL.').nullish(),
};

/** The wallet of a handle. An EVM lookup may create a wallet, so it is not a pure read (C-WALLET-04). */
export const feeShareWallet = reading('/fee-share/wallet/v2', {
  request: z.strictObject(feeShareWalletFields),
  response: z.looseObject({
    provider: z.string().nullish(),
    platformData: z
      .looseObject({
        id: z.union([z.string(), z.number()]).nullish(),
        ...texts('username', 'display_name', 'avatar_url'),
      })
      .nullish(),
    wallet: z.string(),
    chain: z.string().nullish(),
  }),
  notFound: 'No wallet is known for this handle. Check the provider and the spelling.',
});
