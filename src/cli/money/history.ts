/**
 * `countersign history`: plans newest first, each with time, outcome, reason, balance changes and network fees. Read
 * from the ledger, with changes as shown by the chain.
 */
import { listWords, several } from '../../base/format.ts';
import { systemClock } from '../../clock.ts';
import { operationWords } from '../../plan/operationNames.ts';
import { type Activity, type Period, totalOf } from '../../presentation/history/activity.ts';
import { changeWords, type ShownChange, shownChanges, sol } from '../../presentation/history/changes.ts';
import { activityIn, type Past } from '../../presentation/history/past.ts';
import {
  type Compared,
  comparedPlan,
  comparedWords,
  rehearsedChanges,
} from '../../presentation/history/rehearsed.ts';
import { countsOf, type Group, groupsOf, OUTCOMES } from '../../presentation/history/totals.ts';
import { type Command, textOption } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { limitOption, shownId, timeWords, withHistory } from '../records/history.ts';
import { periodOption } from './period.ts';

const USUAL_LIMIT = 20;

export const historyCommand: Command = async (input) => {
  const { options, terminal } = input;
  const limit = limitOption(input, USUAL_LIMIT);
  const period = periodOption(input, systemClock.now());
  const path = textOption(options, 'policy');
  const policy = path === undefined ? undefined : (await readPolicy(path, terminal))?.policy;
  if (path !== undefined && policy === undefined) return 1;
  const labels = new Map(policy?.wallets.map(({ address, label }) => [address, label]));
  return withHistory(input, async ({ ledger }) => {
    const { all, tokens } = await activityIn(ledger, period, policy);
    const groups = groupsOf(all, tokens);
    const shown: Shown[] = [];
    for (const activity of all.slice(0, limit))
      shown.push({ ...activity, compared: await comparedPlan(ledger, activity) });
    if (options.json === true) {
      terminal.print(
        JSON.stringify({
          ...spanOf(period),
          more: all.length > limit,
          totals: groups,
          plans: shown.map((activity) => plain(activity, tokens)),
        }),
      );
      return 0;
    }
    const columns = columnsFor(terminal.columns);
    if (all.length === 0) terminal.print('No activity in this period.');
    for (const activity of shown)
      for (const line of entryLines(activity, tokens, columns)) terminal.print(line);
    if (all.length > limit) {
      for (const line of wrap(
        `${several(all.length - limit, 'older plan')} not shown; use --limit N.`,
        columns,
      ))
        terminal.print(line);
      terminal.print('');
    }
    for (const group of groups)
      for (const line of groupLines(group, labels.get(group.wallet), columns)) terminal.print(line);
    return 0;
  });
};

/** A plan and its rehearsal. */
type Shown = Activity & { readonly compared: Compared | undefined };

const spanOf = ({ from, until }: Period) => ({
  since: from === 0 ? null : new Date(from).toISOString(),
  until: until === Number.MAX_SAFE_INTEGER ? null : new Date(until).toISOString(),
});

/** Returns one plan as JSON, with exact amounts as text. */
function plain(activity: Shown, tokens: Past['tokens']) {
  const { at, moves, unrecorded, operation, planId, compared, ...rest } = activity;
  const total = totalOf(moves);
  return {
    ...rest,
    planId: shownId(planId),
    operation,
    title: operationWords(operation),
    at: new Date(at).toISOString(),
    feeLamports: `${total.feeLamports}`,
    changes: shownChanges(total.changes, tokens),
    ...(compared === undefined
      ? {}
      : {
          rehearsed: {
            slot: compared.slot,
            changes: rehearsedChanges(compared, tokens),
            differs: compared.differs,
          },
        }),
    signatures: moves.map(({ signature }) => signature),
    unrecorded,
  };
}

function entryLines(activity: Shown, tokens: Past['tokens'], columns: number): string[] {
  const { at, outcome, operation, asked, mode, why, planId, moves, unrecorded, compared } = activity;
  const total = totalOf(moves);
  return [
    ...wrap(
      `${timeWords(at)}  ${operationWords(operation)}: ${OUTCOMES[outcome]}${mode === 'sandbox' ? ' (sandbox)' : ''}`,
      columns,
      '',
      '  ',
    ),
    ...labelled('what', asked === undefined ? [] : [asked], columns),
    ...labelled('why', why === undefined ? [] : [why], columns),
    ...moneyLines(shownChanges(total.changes, tokens), total.feeLamports, moves.length, columns),
    ...labelled('', compared === undefined ? [] : [comparedWords(compared, tokens)], columns),
    ...labelled('', pendingWords(unrecorded.length), columns),
    ...labelled('plan', [shownId(planId)], columns),
    '',
  ];
}

const pendingWords = (count: number): string[] =>
  count === 0 ? [] : [`${several(count, 'landed transaction')} not in these amounts: not final yet.`];

function moneyLines(changes: readonly ShownChange[], fee: bigint, count: number, columns: number): string[] {
  if (count === 0) return [];
  return [
    ...labelled('moved', changes.length === 0 ? ['nothing'] : changes.map(changeWords), columns),
    ...labelled('fees', [`${sol(fee)} in ${several(count, 'transaction')}`], columns),
  ];
}

const labelled = (label: string, texts: readonly string[], columns: number): string[] =>
  texts.flatMap((text, i) => wrap(text, columns, `  ${(i === 0 ? label : '').padEnd(7)}`));

function groupLines(group: Group, label: string | undefined, columns: number): string[] {
  const counts = countsOf(group.outcomes).map(({ outcome, count }) => `${count} ${OUTCOMES[outcome]}`);
  return [
    `All together${group.mode === 'sandbox' ? ' (sandbox)' : ''}`,
    ...labelled('plans', [listWords(counts)], columns),
    ...moneyLines(group.changes, BigInt(group.feeLamports), group.transactions, columns),
    ...labelled('', pendingWords(group.unrecorded), columns),
    ...labelled('wallet', [label === undefined ? group.wallet : `${label} (${group.wallet})`], columns),
    ...labelled('chain', [group.network], columns),
  ];
}
