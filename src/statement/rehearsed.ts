/** The statement line of a rehearsal: total changes of the wallet by all stages of the plan. */
import type { RehearsalFact } from '../rpc/types.ts';
import { addTo } from './aggregate.ts';
import type { Line, LineOf } from './types.ts';

/** Returns the rehearsal line; empty unless the whole plan was rehearsed. */
export function rehearsedLines(
  fact: RehearsalFact | undefined,
  unsupported: boolean,
  beside: readonly Line[] = [],
): readonly LineOf<'rehearsed'>[] {
  if (fact?.status !== 'done') return [];
  const sums = new Map<string, bigint>();
  for (const { asset, by } of fact.stages.flatMap(({ changes }) => changes)) addTo(sums, asset, BigInt(by));
  const rights = fact.stages.flatMap((stage) =>
    stage.rights.map(({ account: of, right, before, after }) => ({ of, right, before, after })),
  );
  const changes = [...sums].map(([asset, by]) => ({ asset, by })).filter(({ by }) => by !== 0n);
  const partial = beside.some(({ id }) => id === 'later');
  return [{ id: 'rehearsed', source: 'rehearsal', slot: fact.slot, unsupported, partial, changes, rights }];
}
