/** History totals by wallet and chain. Pure. */
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { TokenUnit } from '../statement/amounts.ts';
import { type Activity, type Outcome, totalOf } from './activity.ts';
import { type ShownChange, shownChanges } from './changes.ts';

/** Labels of outcomes. */
export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  landed: 'landed',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'cancelled',
  failed: 'failed',
  asked: 'waiting for you',
  doubt: 'in doubt',
  open: 'not finished',
};

const ORDER = ['landed', 'denied', 'expired', 'cancelled', 'failed', 'asked', 'doubt', 'open'] as const;

/** Totals of one wallet on one chain. */
export interface Group {
  readonly wallet: string;
  readonly network: string;
  readonly mode: Activity['mode'];
  readonly outcomes: Partial<Record<Outcome, number>>;
  readonly transactions: number;
  readonly feeLamports: string;
  readonly changes: readonly ShownChange[];
  readonly unrecorded: number;
}

/** Returns the counted outcomes in display order. */
export const countsOf = (outcomes: Group['outcomes']): { outcome: Outcome; count: number }[] =>
  ORDER.flatMap((outcome) => {
    const count = outcomes[outcome];
    return count === undefined ? [] : [{ outcome, count }];
  });

/** Returns totals by wallet and chain, in order of first appearance. */
export function groupsOf(
  all: readonly Activity[],
  names: ReadonlyMap<string, TokenUnit> = new Map(),
): Group[] {
  const groups = new Map<string, Activity[]>();
  for (const activity of all) {
    const key = `${activity.mode} ${activity.network} ${activity.wallet}`;
    groups.set(key, [...(groups.get(key) ?? []), activity]);
  }
  return [...groups.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const moves: RecordedMoves[] = some.flatMap((activity) => activity.moves);
    const total = totalOf(moves);
    const outcomes: Partial<Record<Outcome, number>> = {};
    for (const { outcome } of some) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const { wallet, network, mode } = first;
    return [
      {
        wallet,
        network,
        mode,
        outcomes,
        transactions: moves.length,
        feeLamports: `${total.feeLamports}`,
        changes: shownChanges(total.changes, names),
        unrecorded: some.reduce((sum, { unrecorded }) => sum + unrecorded.length, 0),
      },
    ];
  });
}
