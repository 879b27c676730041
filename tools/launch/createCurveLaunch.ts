import { z } from 'zod';
import { InputError } from '../../src/base/inputError.ts';
import { curveLaunchV2Fields, refusing, safeAmount, WRAPPED_SOL } from '../../src/contract/index.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { again, build } from '../build.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Fields of the custom-quote endpoint only. */
const CUSTOM_ONLY = [
  'feeShareConfig',
  'quoteTokenProgram',
  'initialBuyQuoteRaw',
  'transactionFormat',
  'feeLimits',
  'additionalLookupTables',
] as const;

const fields = {
  ...curveLaunchV2Fields,
  again,
  wallet: curveLaunchV2Fields.wallet.describe('Launch wallet. Default: yours.').nullish(),
  quoteMint: curveLaunchV2Fields.quoteMint.describe("The config's quote mint. Default: SOL.").nullish(),
  feeShareConfig: curveLaunchV2Fields.feeShareConfig.describe('Needed for a custom quote.').nullish(),
  initialBuyLamports: safeAmount('First buy in lamports, SOL quote only. Default 0.').nullish(),
  initialBuyQuoteRaw: curveLaunchV2Fields.initialBuyQuoteRaw
    .unwrap()
    .unwrap()
    .describe('First buy in base units, custom quote only.')
    .nullish(),
};

type CurveLaunchInput = z.infer<z.ZodObject<typeof fields, z.core.$strict>>;

const isCustom = ({ quoteMint }: Pick<CurveLaunchInput, 'quoteMint'>): boolean =>
  (quoteMint ?? WRAPPED_SOL) !== WRAPPED_SOL;

/** The quote selects the endpoint and thereby the fields. */
function checkQuote(input: CurveLaunchInput, context: z.RefinementCtx): void {
  const refuse = refusing(input, context);
  if (isCustom(input)) {
    if (typeof input.feeShareConfig !== 'string') refuse('feeShareConfig', 'is required for a custom quote');
    if (typeof input.initialBuyLamports === 'number')
      refuse('initialBuyLamports', 'is for SOL quotes: use initialBuyQuoteRaw');
    return;
  }
  for (const field of CUSTOM_ONLY) {
    if (field === 'feeShareConfig' || input[field] === undefined || input[field] === null) continue;
    const instead = field === 'initialBuyQuoteRaw' ? 'use initialBuyLamports' : 'leave it out';
    refuse(field, `is for quotes other than SOL: ${instead}`);
  }
}

/** One tool for both bonding-curve endpoints: the older one for SOL quotes, v2 for a custom quote (C-CURVE). */
export const createCurveLaunch = defineTool({
  name: 'create_curve_launch',
  title: 'Create bonding curve launch',
  domain: 'launch',
  effect: 'build',
  description:
    "Builds the bonding-curve launch of a token whose fee share config of flow dbc is on chain; venueConfigKey is that config's.",
  input: z.strictObject(fields).superRefine(checkQuote),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, context) {
    const { ipfs, tokenMint, configKey, tipWallet, tipLamports } = input;
    const owner = await context.tokens.ownerOf(configKey).catch(() => undefined);
    if (owner === FEE_SHARE_PROGRAM)
      throw new InputError(
        'venueConfigKey: this is the address of a fee share config, not of the terms of a curve.',
        'Give venueConfigKey of the same create_fee_share_config result; nothing was sent.',
      );
    const payer = input.wallet ?? (await context.wallet.address());
    const { quoteMint, feeShareConfig } = input;
    if (isCustom(input) && typeof quoteMint === 'string' && typeof feeShareConfig === 'string') {
      const { initialBuyLamports: _, ...rest } = input;
      const request = { ...rest, wallet: payer, quoteMint, feeShareConfig };
      return (await build(context, 'curveLaunchV2', request, repeat)).opened;
    }
    const request = {
      ipfs,
      tokenMint,
      wallet: payer,
      configKey,
      initialBuyLamports: input.initialBuyLamports ?? 0,
      ...(typeof tipWallet === 'string' ? { tipWallet } : {}),
      ...(typeof tipLamports === 'number' ? { tipLamports } : {}),
    };
    return (await build(context, 'curveLaunch', request, repeat)).opened;
  },
  text: builtText,
});
