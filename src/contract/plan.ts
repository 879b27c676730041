/**
 * Answers that lead to signatures: staged plans, their stages, and the custody launch bundle. They are parsed exactly: an unknown
 * kind, format, encoding or version is rejected and never signed.
 * Unknown extra fields are ignored. Endpoint answers carry plans opaquely (`planAnswer`), so that a read still
 * shows an answer whose plan this refuses. Rows: docs/contract.md C-PLAN-01 … 15, C-BUNDLE-02, C-BUNDLE-08.
 */
import { z } from 'zod';
import { CONTRACT_VERSION, LIMITS } from './constants.ts';
import { building } from './endpoint.ts';
import { isPublicKey } from './keys.ts';
import { numbers } from './nullishFields.ts';

const key = z.string().refine(isPublicKey, { error: 'is not a base58 public key of 32 bytes' });
const decimalText = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,19})$/, { error: 'is not a plain decimal number written as text' });
const flow = z.enum(['dbc', 'damm_v2_direct']);

/** A plan in an answer, opaque until `planSchema` parses it. */
export const planAnswer = z.looseObject({});

/** Declares a build whose whole answer is a staged plan. */
export const planning = <Request extends z.ZodType>(path: string, request: Request) =>
  building(path, {
    request,
    response: planAnswer,
    transactions: { path: 'transactions[].transaction', encoding: 'base64' },
    plan: 'response',
  });

export const assetSchema = z.looseObject({
  mint: key,
  tokenProgram: key,
  decimals: z.number().nullish(),
});

export const feeLimitSchema = z.looseObject({
  /** Informative: the limits of the request apply. */
  asset: z.unknown(),
  basisPoints: z.int().min(0).max(10_000),
  maximumFeeRaw: decimalText,
});

/** `operation` of a plan, by kind (C-PLAN-04). */
export const operationSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('config'), baseMint: key, flow }),
  z.looseObject({ kind: z.literal('manager_update'), baseMint: key, flow }),
  z.looseObject({ kind: z.literal('launch'), baseMint: key, flow }),
  z.looseObject({ kind: z.literal('holding_claim'), baseMint: key, wallet: key, authority: key }),
  z.looseObject({ kind: z.literal('position_claim'), baseMint: key, wallet: key }),
]);

/** Stage kinds of the contract (C-PLAN-06). */
export const PLAN_STAGE_KINDS = [
  'config',
  'claim',
  'manager_update',
  'launch',
  'lookup_table_setup',
] as const;

/** One transaction of a plan (C-PLAN-05 … 13). The bytes of `transaction` are checked by the policy. */
export const stageSchema = z.looseObject({
  id: z.string().min(1).max(128),
  kind: z.enum(PLAN_STAGE_KINDS),
  dependsOn: z.array(z.string()),
  format: z.enum(['v0', 'v1']),
  encoding: z.literal('base64'),
  transaction: z.string().min(1),
  /** Hex in either case: the length is fixed here, the comparison with the bytes ignores case (B64). */
  messageSha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, { error: 'is not a SHA-256 in 64 hexadecimal digits' }),
  requiredSigners: z.array(key).min(1),
  lifetime: z.looseObject({
    blockhash: z.string().refine(isPublicKey, { error: 'is not a base58 blockhash of 32 bytes' }),
    lastValidBlockHeight: decimalText,
  }),
});

/** A staged transaction plan (C-PLAN-01 … 15). Ids and dependencies are checked by the plan model. */
export const planSchema = z.looseObject({
  contractVersion: z.literal(CONTRACT_VERSION),
  operation: operationSchema,
  asset: assetSchema,
  feeLimits: z.array(feeLimitSchema),
  transactions: z.array(stageSchema),
  /** Statuses other than `setup_required` are unknown and recorded, never trusted (F19). */
  readiness: z.looseObject({ status: z.string() }),
});

export const SETUP_REQUIRED = 'setup_required';

/** Transactions of a custody launch, in the order they are submitted (C-BUNDLE-02). */
export const BUNDLE_TYPES = ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH', 'LUT_DEACTIVATE', 'LUT_CLOSE'] as const;

export const bundleTransactionSchema = z.looseObject({
  type: z.enum(BUNDLE_TYPES),
  transaction: z.string().min(1),
});

/** `launch` of a custody bundle (C-BUNDLE-08). */
export const bundleLaunchSchema = z.looseObject({
  tokenMint: key,
  quoteMint: key,
  quoteTokenProgram: key,
  pool: key,
  treasuryPositionNftMint: key,
  feeClaimerPositionNftMint: key,
  feeClaimerWallet: key,
  lookupTable: key,
  positionCustody: key,
  custodyAuthority: key,
  ...numbers('launchPriceQuotePerToken', 'impliedLaunchFdvUsd'),
});

/** A custody launch bundle: at most five transactions, each type at most once, always a LAUNCH (B70). */
export const bundleSchema = z.looseObject({
  transactions: z
    .array(bundleTransactionSchema)
    .max(LIMITS.bundleTransactions, { error: `holds more than ${LIMITS.bundleTransactions} transactions` })
    .superRefine((transactions, context) => {
      const seen = new Set<string>();
      transactions.forEach(({ type }, index) => {
        if (seen.has(type)) {
          context.addIssue({
            code: 'custom',
            path: [index, 'type'],
            message: 'occurs twice in the bundle',
            input: type,
          });
        }
        seen.add(type);
      });
      if (!seen.has('LAUNCH')) {
        context.addIssue({ code: 'custom', message: 'holds no LAUNCH transaction', input: transactions });
      }
    }),
  launch: bundleLaunchSchema,
});

export type WirePlan = z.infer<typeof planSchema>;
export type WireStage = z.infer<typeof stageSchema>;
export type WireBundleType = (typeof BUNDLE_TYPES)[number];
