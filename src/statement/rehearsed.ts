/** The line of a rehearsal: what all stages of the plan did to the wallet together. */
import type { RehearsalFact } from '../rpc/types.ts';
import { addTo } from './aggregate.ts';
import type { Line } from './types.ts';

/** Returns the line; none where the plan was not rehearsed to its end. */
export function rehearsedLines(fact: RehearsalFact | undefined, unsupported: boolean): readonly Line[] {
  if (fact?.status !== 'done') return [];
  const sums = new Map<string, bigint>();
  for (const { asset, by } of fact.stages.flatMap(({ changes }) => changes)) addTo(sums, asset, BigInt(by));
  const rights = fact.stages.flatMap((stage) =>
    stage.rights.map(({ account: of, right, before, after }) => ({ of, right, before, after })),
  );
  const changes = [...sums].map(([asset, by]) => ({ asset, by })).filter(({ by }) => by !== 0n);
  return [{ id: 'rehearsed', source: 'rehearsal', slot: fact.slot, unsupported, changes, rights }];
}
