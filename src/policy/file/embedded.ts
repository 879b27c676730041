/**
 * The policy of the embedded sandbox: the template `sandbox`, and the embedded service's own programs whose interface is not
 * published (custody of positions, vaults of partners and deployers). They are not read, here as on a real chain; with
 * play money a launch that calls them need not be asked about.
 */
import type { Address } from '../../transaction/types.ts';
import type { PolicyFile, UnreadProgram } from './schema.ts';
import { policyTemplate } from './templates.ts';

const SANDBOX_PROGRAMS: readonly Omit<UnreadProgram, 'binding'>[] = [
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
    operations: ['vault_claim', 'deployer_claim'],
    instructions: ['3163a1aa16e9368c'],
    atMost: 1,
  },
];

/** The policy `serve --sandbox` decides by. `network` is the genesis hash of the embedded chain. */
export function embeddedPolicy(of: { readonly wallet: Address; readonly network: string }): PolicyFile {
  const file = policyTemplate('sandbox', { ...of, servicePrograms: SANDBOX_PROGRAMS });
  return {
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'launch' && rule.effect === 'allow' ? { ...rule, unread: 'allow' as const } : rule,
    ),
  };
}
