/** Policy file templates, with reasons. A template is a plain file for the user to edit. */

import { OPERATIONS, type Operation } from '../../plan/types.ts';
import { isPublicNetwork } from '../../policy/file/networks.ts';
import { DENIED_EXTENSIONS, type PolicyFile, type UnsupportedProgram } from '../../policy/file/schema.ts';
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

export const TEMPLATE_NAMES = ['observer', 'creator', 'trader', 'sandbox'] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Values inserted into a template. */
export interface TemplateInput {
  /** The agent's wallet. */
  readonly wallet: Address;
  /** Genesis hash, or `mainnet-beta`, `devnet`, `testnet`. */
  readonly network: string;
  /** Unsupported programs of the service, with permitted instructions by operation. */
  readonly servicePrograms?: readonly Omit<UnsupportedProgram, 'binding'>[];
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

/** Rules that allow, and rules that require approval, in file order. */
const allow = <O extends Operation, const F extends object>(
  id: string,
  operation: O,
  fields: F,
  why: string,
) => ({ id, operation, effect: 'allow', ...fields, why }) as const;
const ask = <O extends Operation, const F extends object>(id: string, operation: O, fields: F, why: string) =>
  ({ id, operation, effect: 'require_approval', ...fields, why }) as const;

const BRINGS_FEES = 'brings earned fees to the wallet';
const claims: Rules = [
  allow('claim-holding', 'holding_claim', {}, BRINGS_FEES),
  allow('claim-position', 'position_claim', {}, BRINGS_FEES),
  allow('claim-vault', 'vault_claim', {}, BRINGS_FEES),
  allow('claim-deployer', 'deployer_claim', {}, BRINGS_FEES),
];

const GIVES_RENT = 'gives the rent of a used lookup table back to the wallet';
const tables: Rules = [
  allow('unwrap', 'unwrap', {}, 'turns wrapped SOL of the wallet into SOL of the wallet'),
  allow('close-tables', 'lookup_table_close', {}, GIVES_RENT),
  allow('deactivate-tables', 'lookup_table_deactivate', {}, 'the step before closing a lookup table'),
];

/** Payments: each requires approval, and only to the address book. */
const sending: Rules = [ask('send', 'send', {}, 'payments cannot be undone; only to the address book')];

/** Returns SOL limits in lamports, per transaction and per 24 hours. */
const sol = (once: readonly [max: string, why: string], day: readonly [max: string, why: string]): Limits => [
  { id: 'sol-tx', asset: 'SOL', window: 'transaction', max: once[0], why: once[1] },
  { id: 'sol-day', asset: 'SOL', window: { rolling: '24h' }, max: day[0], why: day[1] },
];
const BAD_DAY = ['2000000000', 'what a bad day may cost'] as const;

const pace = (max: number): Limits[number] => ({
  id: 'pace',
  count: 'any',
  window: { rolling: '1m' },
  max,
  why: 'stops an agent in a loop',
});

const LOOKS = 'this agent only reads';

const TEMPLATES: Readonly<Record<TemplateName, (input: TemplateInput) => readonly [Rules, Limits]>> = {
  /** Reads and builds, signs nothing. */
  observer: () => [
    OPERATIONS.map((operation): Rules[number] => {
      const id = `no-${operation.replaceAll('_', '-')}`;
      return { id, operation, effect: 'deny', why: LOOKS };
    }),
    [],
  ],

  /** Sets up fee shares and claims; launches and changed splits require approval. */
  creator: ({ network }) => [
    [
      allow(
        'fee-plans',
        'config',
        // With real money, any claimer outside the address book requires approval; otherwise one who earns more than
        // half.
        { claimers: 'any', admin: 'own', maxOthersBps: isPublicNetwork(network) ? 0 : 5_000 },
        'fee plans asked for here, managed by this wallet',
      ),
      ask(
        'fee-plans-for-others',
        'config',
        { claimers: 'any', admin: 'any' },
        'other addresses would earn, or another key could change the split',
      ),
      ask(
        'launch',
        'launch',
        { feeClaimer: 'addressBook', claimers: 'any', admin: 'addressBook' },
        'a launch cannot be undone',
      ),
      ask('new-split', 'manager_update', { claimers: 'any' }, 'changes the claimers'),
      ...claims,
      ...tables,
      ...sending,
    ],
    [
      ...sol(['500000000', 'no single step may cost more'], BAD_DAY),
      {
        id: 'launches',
        count: 'launch',
        window: { calendar: 'day', timeZone: 'UTC' },
        max: 3,
        why: 'launches are rare',
      },
      pace(6),
    ],
  ],

  /** Trades SOL within limits and claims; selling a token requires a limit that names it. */
  trader: () => [
    [
      allow(
        'trade',
        'swap',
        { minOutOfQuoteBps: 9900, maxServiceFeeBps: 100, maxPriceDeviationBps: 500 },
        'ordinary trading, at most 1 % below the quote; with real money the first purchase of a token asks',
      ),
      ...claims,
      ...tables,
      ...sending,
    ],
    [
      ...sol(['500000000', 'no single trade may be larger'], BAD_DAY),
      {
        id: 'swaps',
        count: 'swap',
        window: { rolling: '1h' },
        max: 30,
        why: 'more trades than this is a loop, not a plan',
      },
      pace(6),
    ],
  ],

  /**
   * For the embedded chain with play money: everything the service offers, within wide limits. Trades and claims need
   * no approval for unsupported programs, so that an agent can be watched in a loop; claimers of unsupported programs
   * do, since no simulation shows them.
   */
  sandbox: ({ network }) => {
    const isPublic = isPublicNetwork(network);
    const unsupported = isPublic ? {} : { unsupported: 'allow' as const };
    // With real money, claimers and payees require approval.
    const open = isPublic ? ask : allow;
    const anyone = { claimers: 'any', admin: 'any', partner: 'any', tip: 'any' } as const;
    const split = 'any split may be tried here';
    const bound = 'a limit to try out';
    return [
      [
        open('fee-plans', 'config', { ...anyone }, split),
        open('new-split', 'manager_update', { claimers: 'any' }, split),
        open(
          'launch',
          'launch',
          { feeClaimer: 'any', ...anyone, maxFirstBuyValue: [{ quote: 'SOL', max: '60000000000' }] },
          'any launch may be tried here, at a price like that of the embedded market',
        ),
        allow(
          'trade',
          'swap',
          { maxServiceFeeBps: 100, ...unsupported },
          'trades with play money, so an unsupported program may be tried without a question',
        ),
        ...claims.map((rule) => ({
          ...rule,
          ...unsupported,
          why: `${rule.why}; unsupported instructions cost nothing here`,
        })),
        ...tables,
        allow('setup-tables', 'lookup_table_setup', {}, 'lookup tables may be created here'),
        ...sending,
      ],
      [
        ...sol(['10000000000', bound], ['100000000000', bound]),
        {
          id: 'tokens-tx',
          asset: 'any',
          window: 'transaction',
          max: '18446744073709551615',
          why: 'tokens of the embedded chain are worth nothing',
        },
        pace(120),
      ],
    ];
  },
};

/** Returns the policy file of a template. */
export function policyTemplate(name: TemplateName, input: TemplateInput): PolicyFile {
  const [rules, limits] = TEMPLATES[name](input);
  return {
    version: 2,
    id: name,
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
    // With real money and people, the user adds each token.
    ...(name === 'sandbox' && !isPublicNetwork(input.network) ? { incorporations: ['any'] } : {}),
    simulation: { required: true },
    // Play money needs no approval if no copy of the chain can be created.
    ...(name === 'sandbox' ? {} : { rehearsal: 'require' as const }),
    approval: { ttlSeconds: 600, channels: ['page', 'command'] },
    freeze: { afterDenials: { count: 5, windowSeconds: 600 } },
  };
}
