/** Compares a plan's rehearsal with the actual changes of its transactions. Uses only ledger records. */
import { listWords } from '../../base/format.ts';
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { Ledger } from '../../ledger/types.ts';
import { assetOf } from '../../policy/decide/decisionContext.ts';
import { addTo } from '../../statement/aggregate.ts';
import { assetName, type TokenUnit } from '../statement/amounts.ts';
import { type RehearsalDone, rehearsalOf } from '../statement/planned.ts';
import { changeWords, type ShownChange, shownChanges } from './changes.ts';

/** The rehearsed changes of the landed stages, and whether an actual change differs. */
export interface Compared {
  /** Slot of the rehearsed state. */
  readonly slot: number;
  /** Base units by asset, including network fees. */
  readonly rehearsed: ReadonlyMap<string, bigint>;
  readonly differs: boolean;
}

const MAX_DECISIONS = 100;

/** Compares the rehearsal of a recorded plan with its moves. */
export async function comparedPlan(
  ledger: Pick<Ledger, 'rows'>,
  { planId, moves }: { readonly planId: string; readonly moves: readonly RecordedMoves[] },
): Promise<Compared | undefined> {
  if (moves.length === 0) return undefined;
  const fact = await rehearsalOf(ledger, await ledger.rows('decisions', { planId, limit: MAX_DECISIONS }));
  return fact && compared(fact, moves);
}

/** Compares a plan's rehearsal with its moves, oldest first; `undefined` before a rehearsed stage is final. */
function compared({ slot, stages }: RehearsalDone, moves: readonly RecordedMoves[]): Compared | undefined {
  const rehearsed = new Map<string, bigint>();
  let [landed, differs] = [false, false];
  for (const { id, changes } of stages) {
    const found = moves.findLast(({ stageId }) => stageId === id);
    if (found === undefined) continue;
    landed = true;
    const one = new Map(changes.map(({ asset, by }) => [asset, BigInt(by)]));
    const other = new Map([['SOL', -found.feeLamports]]);
    for (const { asset, units } of found.changes) addTo(other, assetOf(asset), units);
    for (const asset of new Set([...one.keys(), ...other.keys()])) {
      const by = one.get(asset) ?? 0n;
      addTo(rehearsed, asset, by);
      differs ||= by !== (other.get(asset) ?? 0n);
    }
  }
  return landed ? { slot, rehearsed, differs } : undefined;
}

/** Returns the formatted rehearsed changes. */
export function rehearsedChanges(
  { rehearsed }: Compared,
  units: ReadonlyMap<string, TokenUnit>,
): ShownChange[] {
  const changes = [...rehearsed].map(
    ([asset, by]) => [asset, { units: by, decimals: units.get(asset)?.decimals ?? 0 }] as const,
  );
  const isUnknown = (asset: string) => asset !== 'SOL' && units.get(asset)?.decimals === undefined;
  return shownChanges(new Map(changes), units).map((change) =>
    isUnknown(change.asset)
      ? { ...change, name: `base units of ${assetName(change.asset, units.get(change.asset))}` }
      : change,
  );
}

/** Returns the sentence shown with the actual changes. */
export function comparedWords(of: Compared, units: ReadonlyMap<string, TokenUnit>): string {
  const state = `rehearsed on the state of slot ${of.slot}`;
  if (!of.differs) return `as ${state}`;
  const changes = rehearsedChanges(of, units).map(changeWords);
  return `${state}: ${changes.length === 0 ? 'nothing' : listWords(changes)}, with fees`;
}
