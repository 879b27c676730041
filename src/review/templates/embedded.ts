/**
 * The policy of the embedded sandbox: the template `sandbox` plus the embedded service's programs without a published
 * interface (fee shares in other quotes, position custody, partner and deployer vaults). They are unsupported, as on
 * a real chain; with play money, plans that call them need no approval.
 */

import type { PolicyFile, UnsupportedProgram } from '../../policy/file/schema.ts';
import type { Address } from '../../transaction/types.ts';
import { policyTemplate, type TemplateInput } from './templates.ts';

const QUOTE_SHARE = 'SandboxQuoteFeeShare11111111111111111111111';
const QUOTE_SHARE_LABEL = 'fee share of the sandbox in other quotes';

/** Instructions of these programs that plans of the embedded service may call. */
export const SANDBOX_PROGRAMS: readonly Omit<UnsupportedProgram, 'binding'>[] = [
  {
    address: QUOTE_SHARE,
    label: QUOTE_SHARE_LABEL,
    operations: ['config'],
    instructions: ['d6ac694008e4d1cc', 'cdac71fee13b524f', 'c408a8c7a6044dd4'],
    atMost: 4,
  },
  {
    address: QUOTE_SHARE,
    label: QUOTE_SHARE_LABEL,
    operations: ['manager_update'],
    instructions: ['54387d65d2d6c3c5'],
    atMost: 4,
  },
  {
    address: QUOTE_SHARE,
    label: QUOTE_SHARE_LABEL,
    operations: ['holding_claim', 'position_claim', 'vault_claim'],
    instructions: [
      'e58e2641c6326e3a',
      'e8af6a13a836ba6c',
      'a44037c75a4e93bc',
      'd8b41dbc0c052b08',
      'b54e94dd64361572',
    ],
    atMost: 4,
  },
  {
    address: 'SandboxPositionCustody111111111111111111111',
    label: 'position custody of the sandbox',
    operations: ['launch', 'position_claim'],
    instructions: ['c9fb03421e0db0bc', '69cd3f6dcc78199d', '866e5a9be99dd553'],
    atMost: 4,
  },
  {
    address: 'SandboxEarnings1111111111111111111111111111',
    label: 'vaults of the sandbox',
    operations: ['position_claim', 'vault_claim', 'deployer_claim'],
    instructions: ['3163a1aa16e9368c'],
    atMost: 1,
  },
];

type Rule = PolicyFile['rules'][number];
type AboutClaimers = Extract<Rule, { operation: 'config' | 'manager_update' | 'launch' }>;
const isAboutClaimers = (rule: Rule): rule is AboutClaimers =>
  rule.operation === 'config' || rule.operation === 'manager_update' || rule.operation === 'launch';

/** Returns the policy of `serve --sandbox`. `network` is the genesis hash of the embedded chain. */
export const embeddedPolicy = (of: { readonly wallet: Address; readonly network: string }): PolicyFile =>
  sandboxPolicy({ ...of, servicePrograms: SANDBOX_PROGRAMS });

/**
 * Returns the template `sandbox` with entries for these programs, so that no unsupported instruction needs approval.
 */
export function sandboxPolicy(of: TemplateInput): PolicyFile {
  const file = policyTemplate('sandbox', of);
  return {
    ...file,
    rules: file.rules.map((rule) =>
      isAboutClaimers(rule) && rule.effect === 'allow' ? { ...rule, unsupported: 'allow' as const } : rule,
    ),
  };
}
