/**
 * Policy files to start from, each with its reasons in it. A template is a plain file: a person edits what it says.
 */

import { OPERATIONS } from '../../plan/types.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_V3_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { isPublicNetwork } from './networks.ts';
import { DENIED_EXTENSIONS, type PolicyFile, type UnreadProgram } from './schema.ts';

export const TEMPLATE_NAMES = ['observer', 'creator', 'trader', 'sandbox'] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** What a template is filled in with. */
export interface TemplateInput {
  /** The agent's wallet. */
  readonly wallet: Address;
  /** Genesis hash, or `mainnet-beta`, `devnet`, `testnet`. */
  readonly network: string;
  /** Programs of the service that are not read: which of their instructions may be called for what. */
  readonly servicePrograms?: readonly Omit<UnreadProgram, 'binding'>[];
}

/** A policy file by template name. */
export function policyTemplate(name: TemplateName, input: TemplateInput): PolicyFile {
  return TEMPLATES[name](input);
}

type Rules = PolicyFile['rules'];
type Limits = PolicyFile['limits'];

const READ_EXACTLY: PolicyFile['programs'] = [
  { address: SYSTEM_PROGRAM, binding: 'exact', label: 'System' },
  { address: TOKEN_PROGRAM, binding: 'exact', label: 'Token' },
  { address: TOKEN_2022_PROGRAM, binding: 'exact', label: 'Token-2022' },
  { address: ASSOCIATED_TOKEN_PROGRAM, binding: 'exact', label: 'Associated Token' },
  { address: COMPUTE_BUDGET_PROGRAM, binding: 'exact', label: 'Compute Budget' },
  { address: MEMO_V3_PROGRAM, binding: 'exact', label: 'Memo' },
  { address: LOOKUP_TABLE_PROGRAM, binding: 'exact', label: 'Address Lookup Table' },
];

const DAY = { rolling: '24h' } as const;

function file(id: string, input: TemplateInput, rules: Rules, limits: Limits): PolicyFile {
  return {
    version: 2,
    id,
    network: input.network,
    wallets: [{ label: 'agent', address: input.wallet }],
    addressBook: [],
    transaction: { formats: ['legacy', 'v0', 'v1'], maxFeeLamports: '2000000', maxComputeUnits: 1_400_000 },
    programs: [
      ...READ_EXACTLY,
      ...(input.servicePrograms ?? []).map((entry) => ({ ...entry, binding: 'effects' as const })),
    ],
    tokens: { extensions: { deny: [...DENIED_EXTENSIONS] } },
    limits,
    rules,
    simulation: { required: true },
    approval: { ttlSeconds: 600, channels: ['page', 'command'] },
    freeze: { afterDenials: { count: 5, windowSeconds: 600 } },
  };
}

const claims: Rules = [
  {
    id: 'claim-holding',
    operation: 'holding_claim',
    effect: 'allow',
    why: 'brings earned fees to the wallet',
  },
  {
    id: 'claim-position',
    operation: 'position_claim',
    effect: 'allow',
    why: 'brings earned fees to the wallet',
  },
  { id: 'claim-vault', operation: 'vault_claim', effect: 'allow', why: 'brings earned fees to the wallet' },
  {
    id: 'claim-deployer',
    operation: 'deployer_claim',
    effect: 'allow',
    why: 'brings earned fees to the wallet',
  },
];

const tables: Rules = [
  {
    id: 'close-tables',
    operation: 'lookup_table_close',
    effect: 'allow',
    why: 'gives the rent of a used lookup table back to the wallet',
  },
  {
    id: 'deactivate-tables',
    operation: 'lookup_table_deactivate',
    effect: 'allow',
    why: 'the step before closing a lookup table',
  },
];

/** Payments: a person is asked about each, and only who is in the address book can be paid. */
const sending: Rules = [
  {
    id: 'send',
    operation: 'send',
    effect: 'require_approval',
    why: 'what is sent does not come back; only to the address book',
  },
];

const pace: Limits[number] = {
  id: 'pace',
  count: 'any',
  window: { rolling: '1m' },
  max: 6,
  why: 'a loop must not turn into a storm',
};

/** Reads and builds, signs nothing. */
const observer = (input: TemplateInput): PolicyFile =>
  file(
    'observer',
    input,
    OPERATIONS.map((operation): Rules[number] => ({
      id: `no-${operation.replaceAll('_', '-')}`,
      operation,
      effect: 'deny',
      why: 'this agent only looks',
    })),
    [],
  );

/** Sets up fee shares and claims; launches and changes of a split are asked about. */
const creator = (input: TemplateInput): PolicyFile =>
  file(
    'creator',
    input,
    [
      {
        id: 'fee-plans',
        operation: 'config',
        effect: 'allow',
        claimers: 'any',
        admin: 'own',
        why: 'fee plans asked for here, managed by this wallet',
      },
      {
        id: 'fee-plans-managed-elsewhere',
        operation: 'config',
        effect: 'require_approval',
        claimers: 'any',
        admin: 'any',
        why: 'another key could change who earns',
      },
      {
        id: 'launch',
        operation: 'launch',
        effect: 'require_approval',
        feeClaimer: 'addressBook',
        claimers: 'any',
        admin: 'addressBook',
        why: 'a launch cannot be undone',
      },
      {
        id: 'new-split',
        operation: 'manager_update',
        effect: 'require_approval',
        claimers: 'any',
        why: 'changes who earns',
      },
      ...claims,
      ...tables,
      ...sending,
    ],
    [
      {
        id: 'sol-tx',
        asset: 'SOL',
        window: 'transaction',
        max: '500000000',
        why: 'no single step may cost more',
      },
      { id: 'sol-day', asset: 'SOL', window: DAY, max: '2000000000', why: 'what a bad day may cost' },
      {
        id: 'launches',
        count: 'launch',
        window: { calendar: 'day', timeZone: 'UTC' },
        max: 3,
        why: 'launches are rare',
      },
      pace,
    ],
  );

/** Trades SOL within limits and claims; sells of a token need a limit that names it. */
const trader = (input: TemplateInput): PolicyFile =>
  file(
    'trader',
    input,
    [
      {
        id: 'trade',
        operation: 'swap',
        effect: 'allow',
        minOutOfQuoteBps: 9900,
        maxServiceFeeBps: 100,
        why: 'ordinary trading, at most 1 % below the quote',
      },
      ...claims,
      ...tables,
      ...sending,
    ],
    [
      {
        id: 'sol-tx',
        asset: 'SOL',
        window: 'transaction',
        max: '500000000',
        why: 'no single trade may be larger',
      },
      { id: 'sol-day', asset: 'SOL', window: DAY, max: '2000000000', why: 'what a bad day may cost' },
      {
        id: 'swaps',
        count: 'swap',
        window: { rolling: '1h' },
        max: 30,
        why: 'more trades than this is a loop, not a plan',
      },
      pace,
    ],
  );

/**
 * For the embedded chain, whose money is worth nothing: everything the service offers, within wide limits. Trades and
 * claims do not ask about programs that are not read, so that a loop can be watched at work; who earns is asked about
 * here too, since no simulation shows it.
 */
const sandbox = (input: TemplateInput): PolicyFile => {
  const unread = isPublicNetwork(input.network) ? {} : { unread: 'allow' as const };
  return file(
    'sandbox',
    input,
    [
      {
        id: 'fee-plans',
        operation: 'config',
        effect: 'allow',
        claimers: 'any',
        admin: 'any',
        partner: 'any',
        tip: 'any',
        why: 'any split may be tried here',
      },
      {
        id: 'new-split',
        operation: 'manager_update',
        effect: 'allow',
        claimers: 'any',
        why: 'any split may be tried here',
      },
      {
        id: 'launch',
        operation: 'launch',
        effect: 'allow',
        feeClaimer: 'any',
        claimers: 'any',
        admin: 'any',
        partner: 'any',
        tip: 'any',
        maxFirstBuyValue: [{ quote: 'SOL', max: '60000000000' }],
        why: 'any launch may be tried here, at a price like that of the embedded market',
      },
      {
        id: 'trade',
        operation: 'swap',
        effect: 'allow',
        maxServiceFeeBps: 100,
        ...unread,
        why: 'trades with play money, so a program that is not read may be tried without a question',
      },
      ...claims.map((rule) => ({
        ...rule,
        ...unread,
        why: `${rule.why}; what is not read costs nothing here`,
      })),
      ...tables,
      {
        id: 'setup-tables',
        operation: 'lookup_table_setup',
        effect: 'allow',
        why: 'lookup tables may be made here',
      },
      ...sending,
    ],
    [
      {
        id: 'sol-tx',
        asset: 'SOL',
        window: 'transaction',
        max: '10000000000',
        why: 'a bound to see at work',
      },
      { id: 'sol-day', asset: 'SOL', window: DAY, max: '100000000000', why: 'a bound to see at work' },
      {
        id: 'tokens-tx',
        asset: 'any',
        window: 'transaction',
        max: '18446744073709551615',
        why: 'tokens of the embedded chain are worth nothing',
      },
      {
        id: 'pace',
        count: 'any',
        window: { rolling: '1m' },
        max: 120,
        why: 'a loop must not turn into a storm',
      },
    ],
  );
};

const TEMPLATES: Readonly<Record<TemplateName, (input: TemplateInput) => PolicyFile>> = {
  observer,
  creator,
  trader,
  sandbox,
};
