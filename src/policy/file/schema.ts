/**
 * Schema of the policy file. Unknown keys are refused, amounts are decimal strings in base units, and every rule has a
 * `why`. There is deliberately no expression language.
 */
import { z } from 'zod';
import { OPERATIONS, type Operation } from '../../plan/types.ts';
import { isAddress } from '../../transaction/base58.ts';

const MAX_U64 = 18_446_744_073_709_551_615n;

const address = z
  .string()
  .refine(isAddress, { error: 'must be a base58 address of 32 bytes' })
  .describe('Base58 address.');
const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must be 1 to 64 lower-case letters, digits and dashes' });
const label = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._'-]{0,63}$/u, {
  error: "must be 1 to 64 letters, digits, spaces or . _ ' -",
});
const why = z
  .string()
  .refine((text) => /^[^\p{Cc}\p{Cf}]{1,280}$/u.test(text), {
    error: 'must be 1 to 280 characters without control or invisible characters',
  })
  .describe('Reason for this entry.');
const amount = z
  .string()
  .refine((text) => /^(0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) <= MAX_U64, {
    error: 'must be a whole number of base units as a decimal string, such as "500000000"',
  })
  .describe('Base units as a decimal string.');
const bps = z.int().min(0).max(10_000);
const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be a time zone such as "UTC" or "Europe/Berlin"' });
const clockTime = z
  .string()
  .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, { error: 'must be a time such as "07:00"' });
const asset = z
  .string()
  .refine((text) => text === 'SOL' || isAddress(text), { error: 'must be "SOL" or a mint address' });

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined && /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}

const nonEmpty = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item).min(1, { error: 'must not be empty' }).max(max);

const rollingWindow = z.strictObject({
  rolling: z
    .string()
    .regex(/^[1-9][0-9]{0,3}[mhd]$/, { error: 'must be a length such as "10m", "24h" or "7d"' }),
});
const calendarWindow = z.strictObject({ calendar: z.enum(['day', 'week', 'month']), timeZone });

const assetLimit = z.strictObject({
  id,
  asset: z
    .union([asset, z.literal('any')])
    .describe('"SOL" (native and wrapped), a mint, or "any" other token.'),
  window: z.union([z.literal('transaction'), rollingWindow, calendarWindow]),
  max: amount,
  why: why.optional(),
});
const countLimit = z.strictObject({
  id,
  count: z.enum([...OPERATIONS, 'any']),
  window: z.union([rollingWindow, calendarWindow]),
  max: z.int().min(0).max(1_000_000),
  why: why.optional(),
});

/** Recipient classes: wallets of the policy, these plus its address book, or any address. */
export const RECIPIENT_CLASSES = ['own', 'addressBook', 'any'] as const;
const recipient = z
  .enum(RECIPIENT_CLASSES)
  .describe(
    'own: wallets of this policy; addressBook: wallets and address book (default); any: any address.',
  );

/** Operations that use only supported programs. */
const FULLY_SUPPORTED = [
  'send',
  'unwrap',
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
] as const;
type FullySupported = (typeof FULLY_SUPPORTED)[number];
/** Operations in which a policy may allow unsupported instructions. */
export const UNSUPPORTED_OPERATIONS = OPERATIONS.filter(
  (operation): operation is Exclude<Operation, FullySupported> =>
    !FULLY_SUPPORTED.some((each) => each === operation),
);

/** First bytes of an instruction's data. */
const discriminator = z
  .string()
  .regex(/^([0-9a-f]{2}){1,16}$/, {
    error: 'must be 1 to 16 bytes in lower-case hex, such as "f8c69e91e17587c8"',
  })
  .describe("First bytes of an instruction's data, in hex; usually 8 bytes.");

const readProgram = z.strictObject({
  address,
  binding: z.literal('exact'),
  label: label.optional(),
  deployedSlot: z
    .int()
    .min(0)
    .describe('Slot in which the expected code was deployed. If the slot differs, the owner is asked.')
    .optional(),
});
const unsupportedProgram = z.strictObject({
  address,
  binding: z.literal('effects'),
  label: label.optional(),
  operations: z
    .array(z.enum(UNSUPPORTED_OPERATIONS))
    .max(UNSUPPORTED_OPERATIONS.length)
    .describe('Operations in which these instructions are allowed. Empty: none.'),
  instructions: z
    .array(discriminator)
    .max(64)
    .describe('Allowed unsupported instructions. All others of the program are refused.'),
  atMost: z.int().min(1).max(64).describe('Maximum number of these instructions in one transaction.'),
  deployedSlot: z
    .int()
    .min(0)
    .describe('Slot in which the accepted code was deployed; required on a public network. Absent: any.')
    .optional(),
  reader: z
    .literal('off')
    .describe('Treats the instructions of this supported program as unsupported.')
    .optional(),
});

/** Lets a rule allow unsupported instructions without asking, on a local chain. */
const unsupported = z
  .literal('allow')
  .describe('Unsupported instructions do not ask. Local chains only; on a public network they always ask.')
  .optional();

const common = {
  id,
  effect: z.enum(['allow', 'deny', 'require_approval']),
  hours: z.strictObject({ from: clockTime, to: clockTime, timeZone }).optional(),
  why,
};
const rule = <O extends string, S extends z.ZodRawShape>(operation: O, fields: S) =>
  z.strictObject({ ...common, operation: z.literal(operation), ...fields });

const maxOthersBps = bps
  .describe(
    'Maximum total share of claimers outside the wallets and the address book, in basis points. Absent: 10000.',
  )
  .optional();

/** Fields of rules by operation. */
const ruleSchema = z.discriminatedUnion('operation', [
  rule('config', {
    claimers: recipient.optional(),
    maxOthersBps,
    admin: recipient.optional(),
    partner: recipient.optional(),
    tip: recipient.optional(),
    unsupported,
  }),
  rule('manager_update', { claimers: recipient.optional(), maxOthersBps, unsupported }),
  rule('launch', {
    feeClaimer: recipient.optional(),
    claimers: recipient.optional(),
    admin: recipient.optional(),
    partner: recipient.optional(),
    tip: recipient.optional(),
    maxFirstBuyValue: nonEmpty(
      z
        .strictObject({ quote: asset, max: amount })
        .describe(
          'Maximum price of a first buy: at this price the whole supply costs max base units of quote.',
        ),
      64,
    ).optional(),
    unsupported,
  }),
  rule('holding_claim', { unsupported }),
  rule('position_claim', { unsupported }),
  rule('vault_claim', { unsupported }),
  rule('deployer_claim', { unsupported }),
  rule('swap', {
    minOutOfQuoteBps: bps.describe('Minimum output, in basis points of the quoted output.').optional(),
    maxServiceFeeBps: bps.describe('Maximum service fee of a swap, in basis points. Default 100.').optional(),
    maxPriceDeviationBps: bps
      .describe(
        "Maximum deviation below the output of the token's curve or known pool, in basis points, before it asks. Default 500.",
      )
      .optional(),
    firstPurchase: z
      .enum(['ask', 'allow'])
      .describe('First purchases of tokens outside tokens.mints. Default: ask; on a local chain: allow.')
      .optional(),
    minRates: nonEmpty(
      z
        .strictObject({ input: asset, output: asset, perInput: amount, minOutput: amount })
        .describe('Minimum rate: minOutput base units of output per perInput base units of input.'),
      64,
    ).optional(),
    unsupported,
  }),
  rule('send', { recipient: recipient.optional() }),
  rule('unwrap', {}),
  rule('lookup_table_setup', {}),
  rule('lookup_table_deactivate', {}),
  rule('lookup_table_close', {}),
]);

export const FORMATS = ['legacy', 'v0', 'v1'] as const;
export const CHANNELS = ['elicitation', 'page', 'command'] as const;
/** Extensions denied by default: another key could take, freeze or hide received tokens. */
export const DENIED_EXTENSIONS: readonly string[] = [
  'permanentDelegate',
  'confidentialTransfer',
  'confidentialMintBurn',
  'transferHook',
  'pausable',
  'defaultAccountState',
  'nonTransferable',
];

const named = z.strictObject({ label, address });

export const policySchema = z.strictObject({
  $schema: z.string().max(200).optional(),
  version: z.literal(
    2,
    'This release reads policy version 2 only; write a new file with `countersign policy init`',
  ),
  id,
  network: z
    .union([z.enum(['mainnet-beta', 'devnet', 'testnet']), address])
    .describe('Genesis hash, or mainnet-beta, devnet or testnet.'),
  wallets: nonEmpty(named, 32),
  addressBook: z.array(named).max(1000).default([]),
  transaction: z.strictObject({
    formats: nonEmpty(z.enum(FORMATS), 3),
    maxFeeLamports: amount.describe(
      'Maximum network fee of a transaction in lamports, including the priority fee.',
    ),
    maxServiceRefundLamports: amount
      .describe(
        'Maximum refund in lamports, once per transaction, to the service key that pays the network fee. Default 25000.',
      )
      .default('25000'),
    maxComputeUnits: z.int().min(1).max(1_400_000),
    guards: z
      .enum(['on', 'off', 'required'])
      .describe(
        'Whether transactions that only the wallet signs get guards: instructions that make them fail unless the expected balances hold. required: transactions without guards ask. Default on.',
      )
      .default('on'),
  }),
  programs: z.array(z.discriminatedUnion('binding', [readProgram, unsupportedProgram])).max(256),
  tokens: z
    .strictObject({
      mints: nonEmpty(asset, 1000).describe('Tokens that may be moved. Absent: any.').optional(),
      extensions: z
        .strictObject({ deny: z.array(z.string().regex(/^[a-z][A-Za-z]{2,40}$/)).max(64) })
        .default({ deny: [...DENIED_EXTENSIONS] }),
    })
    .default({ extensions: { deny: [...DENIED_EXTENSIONS] } }),
  limits: z.array(z.union([assetLimit, countLimit])).max(256),
  rules: nonEmpty(ruleSchema, 256),
  incorporations: z
    .array(z.union([z.literal('any'), address]))
    .max(64)
    .describe('Tokens whose irrevocable incorporation the agent may start; any: all. Absent: none.')
    .default([]),
  simulation: z
    .strictObject({
      required: z.boolean(),
      secondRpcAbove: amount.describe('Spend in lamports above which a second RPC must agree.').optional(),
    })
    .default({ required: true }),
  rehearsal: z
    .enum(['require', 'when_possible', 'off'])
    .describe(
      'Whether a plan with several transactions or an unsupported instruction is rehearsed on a private copy of the chain before its first signature. require: a plan with an unsupported instruction asks if it cannot be rehearsed. Default when_possible.',
    )
    .default('when_possible'),
  approval: z
    .strictObject({ ttlSeconds: z.int().min(10).max(86_400), channels: nonEmpty(z.enum(CHANNELS), 3) })
    .default({ ttlSeconds: 600, channels: ['page', 'command'] }),
  freeze: z
    .strictObject({
      afterDenials: z.strictObject({
        count: z.int().min(1).max(1000),
        windowSeconds: z.int().min(1).max(86_400),
      }),
    })
    .default({ afterDenials: { count: 5, windowSeconds: 600 } }),
});

/** A parsed policy file, with defaults. */
export type Policy = z.output<typeof policySchema>;
/** A policy file as written. */
export type PolicyFile = z.input<typeof policySchema>;
export type Rule = Policy['rules'][number];
export type ProgramEntry = Policy['programs'][number];
/** A policy entry of an unsupported program. */
export type UnsupportedProgram = Extract<ProgramEntry, { binding: 'effects' }>;
export type Limit = Policy['limits'][number];
export type RecipientClass = (typeof RECIPIENT_CLASSES)[number];

/** Returns the JSON Schema of the policy file, for editors. */
export function policyJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(policySchema, { io: 'input' }), title: 'Countersign policy' };
}
