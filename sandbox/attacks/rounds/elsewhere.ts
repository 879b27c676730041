/** The same world through another server: with a policy, an RPC or a person of its own. */
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import type { World } from '../world/world.ts';

/** The common policy of all rounds, changed. */
export const policyWith = ({ policy }: World, change: (policy: PolicyFile) => Partial<PolicyFile>): string =>
  JSON.stringify({ ...policy, ...change(policy) });

/** Trades need a person's approval. */
export const swapsAsk = ({ rules }: PolicyFile): Pick<PolicyFile, 'rules'> => ({
  rules: rules.map((rule) =>
    rule.operation === 'swap' ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

/** The same world, seen through another server. */
export async function through(world: World, options: Parameters<World['another']>[0]) {
  const other = await world.another(options);
  return { ...other, world: { ...world, server: other.server } };
}
