/** The limits page: SOL sent and received by day, and each limit's use, remainder and history. */
import { capital, decimal, SOL_DECIMALS } from '../../base/format.ts';
import type { ShownGrant } from '../../presentation/grants.ts';
import { sol } from '../../presentation/history/changes.ts';
import { type LimitUse, mostWords, ofLimit } from '../../presentation/history/limitUse.ts';
import type { DayOfSol, UsedFrom } from '../../presentation/history/overTime.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { type Html, html } from '../http/html.ts';
import { clockOf, dayOf, type PageContext, page, when } from '../layout.ts';
import { barChart, most, stepChart } from './charts.ts';

/** A limit and its use over time; `steps` is absent for a per-transaction limit. */
export interface LimitOverTime {
  readonly use: LimitUse;
  readonly begin: number;
  readonly steps?: readonly UsedFrom[];
}

export interface LimitsState {
  readonly now: number;
  readonly days: readonly DayOfSol[];
  /** Absent if no policy can be read. */
  readonly limits: readonly LimitOverTime[] | undefined;
  /** Valid grants with the question they were given with. */
  readonly grants: readonly GrantState[];
}

interface GrantState {
  readonly grant: ShownGrant;
  /** Absent if its plan is missing. */
  readonly question: ApprovalView | undefined;
}

export function limitsPage(context: PageContext, state: LimitsState): Html {
  const { now, days, limits, grants } = state;
  const wallets = new Set(limits?.map(({ use }) => use.wallet));
  const content = html`<h1>Spending and limits</h1>
${spending(days)}
${limits === undefined && html`<section class="card"><p>No policy is in force, so nothing is signed and there is no limit to show.</p></section>`}
${grants.map((each) => grantCard(context, each, now))}
${limits?.map((each) => limitCard(each, now, wallets.size > 1))}
<p class="small soft">As of ${when(now, now)}. <a href="${context.base}limits">Read again</a></p>`;
  return page({ ...context, place: 'limits' }, 'Spending and limits', content, false);
}

function spending(days: readonly DayOfSol[]): Html {
  const sum = (of: (day: DayOfSol) => bigint): bigint => days.reduce((total, day) => total + of(day), 0n);
  const [left, arrived, fees] = [sum((day) => day.left), sum((day) => day.arrived), sum((day) => day.fees)];
  const [up, down] = [most(days.map((day) => day.arrived)), most(days.map((day) => day.left + day.fees))];
  const moving = days.filter((day) => day.left + day.arrived + day.fees > 0n);
  const figures = html`<dl class="figures"><div><dt><i class="key out"></i>Left</dt><dd>${sol(left)}</dd></div><div><dt><i class="key in"></i>Arrived</dt><dd>${sol(arrived)}</dd></div><div><dt><i class="key fee"></i>Network fees</dt><dd>${sol(fees)}</dd></div></dl>`;
  return html`<section class="card" aria-labelledby="spending"><h2 id="spending">SOL in the last ${days.length} days</h2>${figures}
${
  moving.length === 0
    ? html`<p class="soft">Nothing moved.</p>`
    : barChart(
        days.map((day) => ({
          up: day.arrived,
          down: day.left,
          fees: day.fees,
          title: `${dayOf(day.day)}: left ${sol(day.left)}, arrived ${sol(day.arrived)}, fees ${sol(day.fees)}`,
        })),
        {
          label: `SOL by day: ${sol(left)} left, ${sol(arrived)} arrived, ${sol(fees)} went to the network in fees. The table has each day.`,
          top: up === 0n ? '0' : `+${rounded(up)}`,
          bottom: down === 0n ? '0' : `−${rounded(down)}`,
          along: [shortDay(days[0]?.day), shortDay(days[Math.floor(days.length / 2)]?.day), 'today'],
          table: {
            columns: ['Day', 'Left', 'Arrived', 'Fees'],
            rows: moving.map((day) => [dayOf(day.day), sol(day.left), sol(day.arrived), sol(day.fees)]),
          },
        },
      )
}</section>`;
}

function limitCard({ use, begin, steps }: LimitOverTime, now: number, named: boolean): Html {
  const { limitId, window, max, used, left, frees, wallet } = use;
  const words = (units: bigint): string => ofLimit(units, use);
  const head = html`<h2>${limitId}</h2><p class="small soft">${capital(mostWords(use))} ${window}${named && html` · <span class="code">${wallet}</span>`}</p>`;
  if (used === undefined || left === undefined || steps === undefined) {
    return html`<section class="card" aria-label="${limitId}">${head}<p class="small">Applies to each transaction separately.</p></section>`;
  }
  const share = BigInt(max) === 0n ? 0 : Number((BigInt(used) * 1_000n) / BigInt(max)) / 10;
  return html`<section class="card" aria-label="${limitId}">${head}
<dl class="figures"><div><dt>Used</dt><dd>${words(BigInt(used))}</dd></div><div><dt>Left</dt><dd>${words(BigInt(left))}</dd></div></dl>
<svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="${share}% used"><rect class="${share >= 90 ? 'full' : 'adds'}" width="${Math.min(100, share)}" height="1"/></svg>
${frees !== undefined && html`<p class="small soft">${freesWords(frees, words, now)}</p>`}
${chart(use, steps, { begin, end: now }, words)}</section>`;
}

function grantCard({ base }: PageContext, { grant, question }: GrantState, now: number): Html | false {
  if (question?.again === undefined) return false;
  const { id, times, used, spent, total, until } = grant;
  const { decimals, unit } = question.again;
  const amount = (units: string): string => decimal(BigInt(units), decimals);
  const title = `${question.title}, approved in advance`;
  return html`<section class="card" aria-label="${title}"><h2>${title}</h2><p class="small">${question.granted?.words ?? ''}</p>
<dl class="figures"><div><dt>Plans used</dt><dd>${used} of ${times}</dd></div><div><dt>Amount used</dt><dd>${amount(spent)} of ${amount(total)} ${unit}</dd></div><div><dt>Ends</dt><dd>${when(Date.parse(until), now)}</dd></div></dl>
<form method="post" action="${base}approval/${id}/deny"><input type="hidden" name="digest" value="${question.approvalDigest}"><p><button class="slim" aria-label="Revoke: ${title}">Revoke</button></p></form>
<p class="small soft">In a terminal: <span class="code">countersign deny ${id}</span>. <a href="${base}approval/${id}">What was approved</a></p></section>`;
}

/** Maximum number of table rows; a longer chart shows the newest. */
const MAX_ROWS = 200;

/** Draws the use of a limit, on a smaller scale if only a small part of the limit was ever used. */
function chart(
  { limitId, max, of, kind }: LimitUse,
  steps: readonly UsedFrom[],
  { begin, end }: { readonly begin: number; readonly end: number },
  words: (units: bigint) => string,
): Html {
  const highest = most(steps.map(({ used }) => used));
  if (highest === 0n) return html`<p class="small soft">Nothing was used since ${dayOf(begin)}.</p>`;
  const small = highest * 4n < BigInt(max);
  const ceiling = small || highest > BigInt(max) ? highest : BigInt(max);
  const frame = {
    label: `How much of ${limitId} was used since ${dayOf(begin)}: at most ${words(highest)}, of ${words(BigInt(max))}. The table has each change.`,
    top: rounded(ceiling, of === 'SOL' && kind === 'asset' ? SOL_DECIMALS : 0),
    bottom: '0',
    along: [shortTime(begin, begin, end), shortTime((begin + end) / 2, begin, end), 'now'],
    table: {
      columns: ['From', 'Used'],
      rows: steps.slice(-MAX_ROWS).map(({ at, used }) => [`${dayOf(at)} ${clockOf(at)}`, words(used)]),
    },
  };
  return html`<p class="small soft">${small ? 'Used over time; the limit is far above this picture' : 'Used over time; the dashed line is the limit'}</p>
${stepChart(steps, { begin, end, ceiling, max: BigInt(max) }, frame)}`;
}

function freesWords(
  { at, amount, all }: NonNullable<LimitUse['frees']>,
  words: (units: bigint) => string,
  now: number,
): Html {
  const time = (iso: string): Html => when(Date.parse(iso), now);
  if (at === all) return html`All of it frees at ${time(at)}.`;
  return html`${words(BigInt(amount))} frees at ${time(at)}, all of it by ${time(all)}.`;
}

/** Rounds base units to three significant digits for an axis; exact numbers are in the table. */
export function rounded(units: bigint, decimals: number = SOL_DECIMALS): string {
  const digits = `${units}`.length;
  const cut = 10n ** BigInt(Math.max(0, digits - 3));
  return decimal((units / cut) * cut, decimals);
}

const shortDay = (at: number | undefined): string => (at === undefined ? '' : dayOf(at).slice(5));
/** Formats a time of day on a short axis, a day on a long one. */
const shortTime = (at: number, begin: number, now: number): string =>
  now - begin <= 2 * 86_400_000 ? clockOf(at) : shortDay(at);
