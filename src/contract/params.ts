/**
 * Request fields shared by several endpoints. Their short descriptions become the parameter documentation of the tools. Rules:
 * docs/contract.md C-FIELD-01 … 12, C-CONFIG-02 … 05.
 */
import { z } from 'zod';
import {
  LIMITS,
  MAX_U64,
  MAX_UNIX_SECONDS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOTAL_BASIS_POINTS,
} from './constants.ts';
import {
  evmAddressProblem,
  isEvmAddress,
  isPublicKey,
  isWallet,
  publicKeyProblem,
  walletProblem,
} from './keys.ts';
import { codePoints, hasInvisible, linkProblem } from './text.ts';

/** A base58 public key of 32 bytes (C-FIELD-01). */
export const publicKey = (description: string) =>
  z
    .string()
    .refine(isPublicKey, { error: (issue) => publicKeyProblem(issue.input) })
    .describe(description);

/** A public key that can sign (C-FIELD-02). */
export const wallet = (description: string) =>
  z
    .string()
    .refine(isWallet, { error: (issue) => walletProblem(issue.input) })
    .describe(description);

/** An EVM address in any casing; the client sends it in EIP-55 form (C-FIELD-03). */
export const evmAddress = (description: string) =>
  z
    .string()
    .refine(isEvmAddress, { error: (issue) => evmAddressProblem(issue.input) })
    .describe(description);

/** A whole number in a range; −0, fractions, texts and infinities are refused (B04). */
export function integer(min: number, max: number, description?: string) {
  const error = `must be a whole number from ${min} to ${max}`;
  const schema = z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .refine((value) => !Object.is(value, -0), { error });
  return description === undefined ? schema : schema.describe(description);
}

/** Text of `min` to `max` code points without invisible characters (C-FIELD-07). */
export function text(min: number, max: number, description: string, lines: 'single' | 'many' = 'single') {
  return z
    .string()
    .refine((value) => value.length <= max * 2 && codePoints(value) >= min && codePoints(value) <= max, {
      error: `must have ${min} to ${max} characters (Unicode code points)`,
    })
    .refine((value) => !hasInvisible(value, lines), {
      error: 'must not contain control, formatting or other invisible characters',
    })
    .meta({ description, minLength: min, maxLength: max });
}

/** A public https, ipfs or ar link (C-FIELD-08). */
export const link = (max: number, description: string) =>
  z
    .string()
    .refine((value) => value.length <= max * 2 && codePoints(value) <= max, {
      error: `must have at most ${max} characters (Unicode code points)`,
    })
    .refine((value) => linkProblem(value) === undefined, {
      error: (issue) => linkProblem(String(issue.input)) ?? 'is not an allowed link',
    })
    .meta({ description, maxLength: max });

/** A decimal string of an unsigned 64-bit integer in its one canonical spelling (B29, C-FIELD-04). */
export const rawAmount = (description: string) =>
  z
    .string()
    .refine((value) => /^(0|[1-9][0-9]{0,19})$/.test(value) && BigInt(value) <= MAX_U64, {
      error:
        'must be a whole number of base units as decimal text, such as "1500000": no sign, leading zero, point or exponent, at most 18446744073709551615',
    })
    .describe(description);

/** A number of base units small enough for a JSON number (B36, C-FIELD-05). */
export const safeAmount = (description: string) => integer(0, Number.MAX_SAFE_INTEGER, description);

/** Unix time in seconds (B46, C-FIELD-06). */
export function unixSeconds(description: string) {
  const error = 'must be unix time in whole seconds, not milliseconds; tools take ISO 8601 too';
  return z
    .int({ error })
    .min(0, { error })
    .max(MAX_UNIX_SECONDS, { error })
    .refine((value) => !Object.is(value, -0), { error })
    .describe(description);
}

const uniqueKeys = (
  values: readonly string[],
  context: z.RefinementCtx,
  messageFor: (first: number) => string,
): void => {
  const seen = new Map<string, number>();
  values.forEach((value, index) => {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    else context.addIssue({ code: 'custom', path: [index], message: messageFor(first), input: value });
  });
};

export const ParamMint = publicKey('Token mint.');
export const ParamQuoteMint = publicKey('Quote mint. Default: wrapped SOL.');

/** One of the two token programs (B22). */
export const ParamTokenProgram = z
  .enum([TOKEN_PROGRAM, TOKEN_2022_PROGRAM], {
    error: `must be the Token program ${TOKEN_PROGRAM} or the Token-2022 program ${TOKEN_2022_PROGRAM}`,
  })
  .describe('Its token program.');

/** `flow` of a fee share config (B18). */
export const FLOWS = ['dbc', 'damm_v2_direct'] as const;
export const ParamFlow = z
  .enum(FLOWS, { error: 'must be "dbc" (bonding curve) or "damm_v2_direct" (direct pool), in this spelling' })
  .describe('Bonding curve or direct pool.');

/** Wire formats a request can ask for (B27). */
export const TRANSACTION_FORMATS = ['v0', 'v1'] as const;
export const ParamTransactionFormat = z
  .enum(TRANSACTION_FORMATS, { error: 'must be "v0" or "v1"' })
  .describe('Default v0.');

export const ParamAssetReference = z.strictObject({
  mint: publicKey('Mint.'),
  tokenProgram: ParamTokenProgram.describe('Token program of the mint.'),
});

export const ParamFeeLimit = z.strictObject({
  asset: ParamAssetReference,
  basisPoints: integer(0, TOTAL_BASIS_POINTS, 'Highest transfer-fee rate.'),
  maximumFeeRaw: rawAmount('Highest transfer-fee cap, base units.'),
});

/** At most four ceilings on transfer fees (B28, B30, B31). */
export const ParamFeeLimits = z
  .array(ParamFeeLimit)
  .max(LIMITS.feeLimits, { error: `at most ${LIMITS.feeLimits} fee limits` })
  .describe('Transfer fee ceilings; every field needed.');

/** At most eight distinct lookup table addresses; the service checks that each is a table (B32). */
export const ParamLookupTables = z
  .array(publicKey('Lookup table.'))
  .max(LIMITS.additionalLookupTables, { error: `at most ${LIMITS.additionalLookupTables} lookup tables` })
  .superRefine((values, context) =>
    uniqueKeys(values, context, (first) => `repeats entry ${first}: name each lookup table once`),
  )
  .describe('Extra lookup tables.');

/** 1 to 100 different claimers (B11, B12). */
export const ParamClaimers = z
  .array(publicKey('Claimer wallet.'))
  .min(1, { error: 'name at least one claimer' })
  .max(LIMITS.claimers, { error: `at most ${LIMITS.claimers} claimers` })
  .superRefine((values, context) =>
    uniqueKeys(
      values,
      context,
      (first) => `repeats claimer ${first}: list each claimer once and add its basis points together`,
    ),
  )
  .describe('Wallets that earn.');

/** One whole number of basis points per claimer (B15, B17). */
export const ParamBasisPoints = z
  .array(integer(0, TOTAL_BASIS_POINTS))
  .min(1, { error: 'give one number of basis points per claimer' })
  .max(LIMITS.claimers, { error: `at most ${LIMITS.claimers} entries` })
  .describe('Their shares, same order; total 10000.');

export const ParamTipWallet = publicKey('Tip recipient.');
export const ParamTipLamports = safeAmount('Tip in lamports.');
export const ParamIpfs = link(LIMITS.ipfs, 'Metadata URI from create_token_info.');

/** Refuses fields of a value, each with a sentence. */
export const refusing =
  <T extends object>(value: T, context: z.RefinementCtx) =>
  (field: string & keyof T, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message, input: value[field] });

/** Claimers and basis points must have equal lengths, and the points must add up to 10,000 (B13, B14). */
export function checkSplit(
  value: { claimersArray: readonly string[]; basisPointsArray: readonly number[] },
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  const { claimersArray, basisPointsArray } = value;
  if (claimersArray.length !== basisPointsArray.length) {
    refuse(
      'basisPointsArray',
      `has ${basisPointsArray.length} entries for ${claimersArray.length} claimers: give one per claimer, in the same order`,
    );
    return;
  }
  const total = basisPointsArray.reduce((sum, points) => sum + points, 0);
  if (total !== TOTAL_BASIS_POINTS) {
    refuse('basisPointsArray', `adds up to ${total}: the shares must total exactly ${TOTAL_BASIS_POINTS}`);
  }
}
