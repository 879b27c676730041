/** A history summed up: what the plans of each wallet on each chain did together. Pure. */
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { TokenUnit } from '../statement/amounts.ts';
import { type Activity, type Outcome, totalOf } from './activity.ts';
import { type ShownChange, shownChanges } from './changes.ts';

/** How a plan ended, in words. */
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

/** What the plans of one wallet on one chain did together. */
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

/** Outcomes that were counted, in the usual order. */
export const countsOf = (outcomes: Group['outcomes']): { outcome: Outcome; count: number }[] =>
  ORDER.flatMap((outcome) => {
    const count = outcomes[outcome];
    return count === undefined ? [] : [{ outcome, count }];
  });

/** Sums by wallet and chain, in the order they first come. */
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
