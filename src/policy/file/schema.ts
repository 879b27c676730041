/**
 * The policy file, as a schema. Strict everywhere: an unknown key is refused, an amount is a decimal text in base
 * units, a rule says why it is there. There is no expression language on purpose: a file means what it says.
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
    error: 'must be 1 to 280 characters without control or invisible ones',
  })
  .describe('Why this is in the policy, for its next reader.');
const amount = z
  .string()
  .refine((text) => /^(0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) <= MAX_U64, {
    error: 'must be a whole number of base units as decimal text, such as "500000000"',
  })
  .describe('Base units, decimal text.');
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

/** Who may be named: a wallet of the policy, also an address of its address book, or any address. */
export const RECIPIENT_CLASSES = ['own', 'addressBook', 'any'] as const;
const recipient = z
  .enum(RECIPIENT_CLASSES)
  .describe(
    'own: wallets of this policy; addressBook: those and the address book (default); any: any address.',
  );

/** Operations that never hold anything unsupported: all their programs are read whole. */
const READ_WHOLE = [
  'send',
  'unwrap',
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
] as const;
type ReadWhole = (typeof READ_WHOLE)[number];
/** Operations in which an unsupported instruction may stand, where the file names it. */
export const UNSUPPORTED_OPERATIONS = OPERATIONS.filter(
  (operation): operation is Exclude<Operation, ReadWhole> => !READ_WHOLE.some((each) => each === operation),
);

/** What the data of an instruction begins with. */
const discriminator = z
  .string()
  .regex(/^([0-9a-f]{2}){1,16}$/, {
    error: 'must be 1 to 16 bytes in lower-case hex, such as "f8c69e91e17587c8"',
  })
  .describe('First bytes of the data of an instruction, in hex; usually 8 bytes.');

const readProgram = z.strictObject({
  address,
  binding: z.literal('exact'),
  label: label.optional(),
  deployedSlot: z
    .int()
    .min(0)
    .describe(
      'Slot the code was deployed in when this was written. Where it is another one, a person is asked.',
    )
    .optional(),
});
const unsupportedProgram = z.strictObject({
  address,
  binding: z.literal('effects'),
  label: label.optional(),
  operations: z
    .array(z.enum(UNSUPPORTED_OPERATIONS))
    .max(UNSUPPORTED_OPERATIONS.length)
    .describe('Operations these instructions may stand in. Empty: none.'),
  instructions: z
    .array(discriminator)
    .max(64)
    .describe(
      'Instructions that may be called without being read. Every other one of the program is refused.',
    ),
  atMost: z.int().min(1).max(64).describe('Most such instructions in one transaction.'),
  deployedSlot: z
    .int()
    .min(0)
    .describe('Only the code deployed in this slot. Absent: any, which no public network accepts.')
    .optional(),
  reader: z
    .literal('off')
    .describe('Instructions of this program are not read, though there is a reader for them.')
    .optional(),
});

/** A rule may let unsupported instructions pass without a question where a chain has nothing to lose. */
const unsupported = z
  .literal('allow')
  .describe('Unsupported instructions do not ask. Only on a local chain; on a public network they always do.')
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
    'Basis points that claimers outside the wallets and the address book may earn together. Absent: 10000.',
  )
  .optional();

/** Fields of rules by operation: what a person may say about it beyond allow, deny or ask. */
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
        .describe('At the price a first buy pays in quote, the whole supply costs at most max base units.'),
      64,
    ).optional(),
    unsupported,
  }),
  rule('holding_claim', { unsupported }),
  rule('position_claim', { unsupported }),
  rule('vault_claim', { unsupported }),
  rule('deployer_claim', { unsupported }),
  rule('swap', {
    minOutOfQuoteBps: bps
      .describe('Least that must arrive, in basis points of the quoted output.')
      .optional(),
    maxServiceFeeBps: bps.describe('Most the service may take of a swap. Default 100.').optional(),
    maxPriceDeviationBps: bps
      .describe(
        'Basis points a swap may bring less than the token’s own curve or known pool would, before it asks. Default 500.',
      )
      .optional(),
    firstPurchase: z
      .enum(['ask', 'allow'])
      .describe(
        'A first purchase of a token that tokens.mints does not list. Default ask; allow on a local chain.',
      )
      .optional(),
    minRates: nonEmpty(
      z
        .strictObject({ input: asset, output: asset, perInput: amount, minOutput: amount })
        .describe('At least minOutput base units of output for every perInput base units of input.'),
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
/** Extensions denied by default: with them another key could take, freeze or hide what was received. */
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
    .describe('The chain: its genesis hash, or mainnet-beta, devnet, testnet.'),
  wallets: nonEmpty(named, 32),
  addressBook: z.array(named).max(1000).default([]),
  transaction: z.strictObject({
    formats: nonEmpty(z.enum(FORMATS), 3),
    maxFeeLamports: amount.describe('Most a transaction may pay the chain, priority included.'),
    maxServiceRefundLamports: amount
      .describe(
        'Most the wallet may refund, once a transaction, to the key of the service that pays its network fee. Default 25000.',
      )
      .default('25000'),
    maxComputeUnits: z.int().min(1).max(1_400_000),
    guards: z
      .enum(['on', 'off', 'required'])
      .describe(
        'Whether transactions that only the wallet signs get instructions that let them fail unless what was promised holds; required: everything else asks. Default on.',
      )
      .default('on'),
  }),
  programs: z.array(z.discriminatedUnion('binding', [readProgram, unsupportedProgram])).max(256),
  tokens: z
    .strictObject({
      mints: nonEmpty(asset, 1000).describe('Only these may come or go. Absent: any.').optional(),
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
    .describe(
      'Tokens whose incorporation the agent may start, which cannot be taken back; any: all. Absent: none.',
    )
    .default([]),
  simulation: z
    .strictObject({
      required: z.boolean(),
      secondRpcAbove: amount.describe('Above this many lamports a second RPC must agree.').optional(),
    })
    .default({ required: true }),
  rehearsal: z
    .enum(['require', 'when_possible', 'off'])
    .describe(
      'Whether a plan of several transactions, or with an unsupported instruction, is played on a private copy of the chain before its first signature. require: a plan with an unsupported instruction asks where that is not possible. Default when_possible.',
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

/** A policy file as read, defaults filled in. */
export type Policy = z.output<typeof policySchema>;
/** A policy file as written. */
export type PolicyFile = z.input<typeof policySchema>;
export type Rule = Policy['rules'][number];
export type ProgramEntry = Policy['programs'][number];
/** An entry of a program whose instructions are not read. */
export type UnsupportedProgram = Extract<ProgramEntry, { binding: 'effects' }>;
export type Limit = Policy['limits'][number];
export type RecipientClass = (typeof RECIPIENT_CLASSES)[number];

/** JSON Schema of the policy file, for editors. */
export function policyJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(policySchema, { io: 'input' }), title: 'Countersign policy' };
}
