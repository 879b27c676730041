/** The line of a rehearsal: what all stages of the plan did to the wallet together. */
import type { RehearsalFact } from '../rpc/types.ts';
import { addTo } from './aggregate.ts';
import type { Line, LineOf } from './types.ts';

/** Returns the line beside those of the statement; none where the plan was not rehearsed to its end. */
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
