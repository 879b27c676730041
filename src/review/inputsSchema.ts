/**
 * Schema of inputs and ledger views in files written by a person. Recorded inputs come from this program and need no
 * validation.
 */
import { z } from 'zod';
import { OPERATIONS, STAGE_KINDS } from '../plan/types.ts';
import type { DecisionInputsJson, LedgerView } from '../policy/decide/types.ts';
import { FORMATS } from '../policy/file/schema.ts';

const fields = z.record(z.string(), z.unknown());
const mode = z.enum(['sandbox', 'live']);
const stageStatus = z.enum([
  'waiting',
  'ready',
  'signed',
  'sent',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
  'skipped',
]);

const account = z.strictObject({
  address: z.string(),
  exists: z.boolean(),
  lamports: z.string(),
  owner: z.string(),
  executable: z.boolean(),
  data: z.string(),
});

const stage = z.strictObject({
  id: z.string(),
  kind: z.enum(STAGE_KINDS),
  format: z.enum(FORMATS),
  dependsOn: z.array(z.string()),
  transaction: z.string(),
  declared: z.strictObject({
    messageSha256: z.string().optional(),
    requiredSigners: z.array(z.string()).optional(),
    blockhash: z.string().optional(),
    lastValidBlockHeight: z.string().optional(),
  }),
  optional: z.boolean(),
  refresh: z.enum(['never', 'blockhash']),
  waitSlots: z.number(),
});

const simulation = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('done'),
    slot: z.number(),
    error: z.string().nullable(),
    unitsConsumed: z.number().optional(),
    before: z.array(account),
    after: z.array(account),
  }),
  z.strictObject({ status: z.literal('not_yet') }),
  z.strictObject({ status: z.literal('unavailable'), reason: z.string() }),
]);

const rehearsal = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('done'),
    slot: z.number(),
    stages: z.array(
      z.strictObject({
        id: z.string(),
        units: z.number(),
        changes: z.array(z.strictObject({ asset: z.string(), by: z.string() })),
        rights: z.array(
          z.strictObject({
            account: z.string(),
            right: z.string(),
            before: z.string().nullable(),
            after: z.string().nullable(),
          }),
        ),
      }),
    ),
    programs: z.record(z.string(), z.number()),
  }),
  z.strictObject({
    status: z.literal('failed'),
    slot: z.number(),
    stageId: z.string(),
    place: z.number(),
    program: z.string().optional(),
    error: z.string(),
  }),
  z.strictObject({
    status: z.literal('impossible'),
    reason: z.enum(['runtime', 'rpc', 'views', 'size', 'time', 'broken']),
  }),
]);

export const inputsSchema = z.strictObject({
  time: z.number(),
  mode,
  purpose: z.enum(['preview', 'sign']),
  network: z.string(),
  plan: z.strictObject({
    planId: z.string(),
    operation: z.enum(OPERATIONS),
    intentKey: z.string(),
    network: z.string(),
    mode,
    wallet: z.string(),
    endpoint: z.string(),
    request: fields,
    answer: fields,
  }),
  stage,
  siblings: z.array(z.strictObject({ stage, status: stageStatus })),
  localRpc: z.literal(true).optional(),
  ourWallets: z.array(z.string()),
  blockhashValid: z.boolean().nullable(),
  blockhashSlot: z.number().optional(),
  slot: z.number(),
  tables: z.array(
    z.strictObject({
      table: z.string(),
      addresses: z.array(z.string()),
      dataSha256: z.string(),
      slot: z.number(),
      lastExtendedSlot: z.number(),
      deactivationSlot: z.string().optional(),
      source: z.enum(['chain', 'setup']),
    }),
  ),
  accounts: z.array(account),
  simulation,
  earlierSetups: z.array(z.string()).optional(),
  earlierStages: z.array(z.string()).optional(),
  programs: z
    .array(
      z.strictObject({
        address: z.string(),
        deployedSlot: z.number().optional(),
        upgradeAuthority: z.string().optional(),
      }),
    )
    .optional(),
  quote: z.strictObject({ request: fields, quote: fields, expiresAt: z.number() }).optional(),
  held: z.literal(true).optional(),
  named: z.strictObject({ name: z.string(), symbol: z.string() }).optional(),
  asked: z
    .strictObject({
      type: z.string().optional(),
      isFirstSwapCheap: z.boolean(),
      configKey: z.string().nullable(),
    })
    .optional(),
  serviceAddresses: z.array(z.strictObject({ label: z.string(), address: z.string() })),
  rent: z.strictObject({ lamportsPerByteYearTimesExemption: z.string(), overheadBytes: z.number() }),
  guards: z.strictObject({ count: z.int(), second: z.array(account).optional() }).optional(),
  rehearsal: rehearsal.optional(),
  secondRpc: z.strictObject({ agrees: z.boolean() }).optional(),
}) satisfies z.ZodType<DecisionInputsJson>;

const amount = z.string().regex(/^(0|[1-9][0-9]*)$/, { error: 'must be base units as decimal text' });

export const viewSchema = z.strictObject({
  used: z.record(z.string(), amount),
  earlier: z.strictObject({ messageSha256: z.string(), status: stageStatus }).optional(),
  frozen: z.strictObject({ since: z.number(), reason: z.string() }).optional(),
  enforced: z.array(z.string()).optional(),
  approval: z.strictObject({ id: z.string(), messageSha256: z.string(), expiresAt: z.number() }).optional(),
  approvalExpired: z.boolean().optional(),
}) satisfies z.ZodType<LedgerView>;
