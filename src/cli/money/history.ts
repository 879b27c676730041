/**
 * `countersign history`: what happened, plan by plan, newest first: when, how it ended and why, what it moved and what
 * the network took. From the ledger alone; what moved is what the chain showed.
 */
import { listWords, several } from '../../base/words.ts';
import { systemClock } from '../../clock.ts';
import {
  type Activity,
  activityIn,
  type Outcome,
  type Period,
  totalOf,
} from '../../landing/shown/activity.ts';
import type { RecordedMoves } from '../../ledger/moves.ts';
import { operationWords } from '../../plan/words.ts';
import type { Command } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { limitOption, shownId, timeWords, withHistory } from '../records/history.ts';
import { changeWords, type ShownChange, shownChanges, sol } from './amounts.ts';
import { periodOption } from './period.ts';

const USUAL_LIMIT = 20;

export const historyCommand: Command = async (input) => {
  const { options, terminal } = input;
  const limit = limitOption(input, USUAL_LIMIT);
  const period = periodOption(input, systemClock.now());
  return withHistory(input, async ({ ledger, archives }) => {
    const all = await activityIn(ledger, period, (planId) => archives.plan(planId));
    const groups = groupsOf(all);
    const shown = all.slice(0, limit);
    if (options.json === true) {
      terminal.print(
        JSON.stringify({
          ...spanOf(period),
          more: all.length > limit,
          totals: groups,
          plans: shown.map(plain),
        }),
      );
      return 0;
    }
    const columns = columnsFor(terminal.columns);
    if (all.length === 0) terminal.print('Nothing happened in that time.');
    for (const activity of shown) for (const line of entryLines(activity, columns)) terminal.print(line);
    if (all.length > limit) {
      for (const line of wrap(
        `${several(all.length - limit, 'older plan')} not shown; use --limit N.`,
        columns,
      ))
        terminal.print(line);
      terminal.print('');
    }
    for (const group of groups) for (const line of groupLines(group, columns)) terminal.print(line);
    return 0;
  });
};

const spanOf = ({ from, until }: Period) => ({
  since: from === 0 ? null : new Date(from).toISOString(),
  until: until === Number.MAX_SAFE_INTEGER ? null : new Date(until).toISOString(),
});

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  landed: 'landed',
  denied: 'denied',
  expired: 'expired',
  failed: 'failed',
  asked: 'waiting for you',
  doubt: 'in doubt',
  open: 'not finished',
};

/** One plan as JSON: amounts as text, exact. */
function plain(activity: Activity) {
  const { at, moves, unrecorded, operation, planId, ...rest } = activity;
  const total = totalOf(moves);
  return {
    ...rest,
    planId: shownId(planId),
    operation,
    title: operationWords(operation),
    at: new Date(at).toISOString(),
    feeLamports: `${total.feeLamports}`,
    changes: shownChanges(total.changes),
    signatures: moves.map(({ signature }) => signature),
    unrecorded,
  };
}

function entryLines(activity: Activity, columns: number): string[] {
  const { at, outcome, operation, mode, why, planId, moves, unrecorded } = activity;
  const total = totalOf(moves);
  return [
    ...wrap(
      `${timeWords(at)}  ${operationWords(operation)}: ${OUTCOMES[outcome]}${mode === 'sandbox' ? ' (sandbox)' : ''}`,
      columns,
      '',
      '  ',
    ),
    ...labelled('why', why === undefined ? [] : [why], columns),
    ...moneyLines(shownChanges(total.changes), total.feeLamports, moves.length, columns),
    ...labelled('', pendingWords(unrecorded.length), columns),
    ...labelled('plan', [shownId(planId)], columns),
    '',
  ];
}

const pendingWords = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${several(count, 'landed transaction')} not in these amounts: not final yet, or settled by an earlier version.`,
      ];

function moneyLines(changes: readonly ShownChange[], fee: bigint, count: number, columns: number): string[] {
  if (count === 0) return [];
  return [
    ...labelled('moved', changes.length === 0 ? ['nothing'] : changes.map(changeWords), columns),
    ...labelled('fees', [`${sol(fee)} in ${several(count, 'transaction')}`], columns),
  ];
}

const labelled = (label: string, texts: readonly string[], columns: number): string[] =>
  texts.flatMap((text, i) => wrap(text, columns, `  ${(i === 0 ? label : '').padEnd(6)}`));

/** What the plans of one wallet on one chain did together. */
interface Group {
  readonly wallet: string;
  readonly network: string;
  readonly mode: Activity['mode'];
  readonly outcomes: Partial<Record<Outcome, number>>;
  readonly transactions: number;
  readonly feeLamports: string;
  readonly changes: readonly ShownChange[];
  readonly unrecorded: number;
}

function groupsOf(all: readonly Activity[]): Group[] {
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
        changes: shownChanges(total.changes),
        unrecorded: some.reduce((sum, { unrecorded }) => sum + unrecorded.length, 0),
      },
    ];
  });
}

function groupLines(group: Group, columns: number): string[] {
  const counts = Object.entries(OUTCOMES).flatMap(([outcome, words]) => {
    const count = Object.entries(group.outcomes).find(([name]) => name === outcome)?.[1];
    return count === undefined ? [] : [`${count} ${words}`];
  });
  return [
    `All together${group.mode === 'sandbox' ? ' (sandbox)' : ''}`,
    ...labelled('plans', [listWords(counts)], columns),
    ...moneyLines(group.changes, BigInt(group.feeLamports), group.transactions, columns),
    ...labelled('', pendingWords(group.unrecorded), columns),
    ...labelled('wallet', [group.wallet], columns),
    ...labelled('chain', [group.network], columns),
  ];
}
