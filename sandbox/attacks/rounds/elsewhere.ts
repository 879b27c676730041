/** The same world through another server with its own policy, RPC or person. */
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import type { World } from '../world/world.ts';

/** Returns the common policy with changes. */
export const policyWith = ({ policy }: World, change: (policy: PolicyFile) => Partial<PolicyFile>): string =>
  JSON.stringify({ ...policy, ...change(policy) });

/** Requires an approval of trades. */
export const swapsAsk = ({ rules }: PolicyFile): Pick<PolicyFile, 'rules'> => ({
  rules: rules.map((rule) =>
    rule.operation === 'swap' ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

/** Starts another server over the same world. */
export async function through(world: World, options: Parameters<World['another']>[0]) {
  const other = await world.another(options);
  return { ...other, world: { ...world, server: other.server } };
}
