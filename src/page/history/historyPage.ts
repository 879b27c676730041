/** The history page: plans newest first, each with time, outcome, reason, balance changes and cost. */
import { several } from '../../base/format.ts';
import { operationWords } from '../../plan/operationNames.ts';
import type { Activity, Outcome } from '../../presentation/history/activity.ts';
import { totalOf } from '../../presentation/history/activity.ts';
import { type ShownChange, shownChanges, sol } from '../../presentation/history/changes.ts';
import type { Past } from '../../presentation/history/past.ts';
import { countsOf, type Group, groupsOf, OUTCOMES } from '../../presentation/history/totals.ts';
import { cleanText } from '../../service/untrusted.ts';
import { type Html, html } from '../http/html.ts';
import { dayOf, type PageContext, page, when } from '../layout.ts';
import { signatureLink } from './explorer.ts';
import { matching, PER_PAGE, queryOf, SPANS, type Wanted } from './find.ts';

export interface HistoryState {
  readonly now: number;
  readonly wanted: Wanted;
  /** All plans of the period, newest first. */
  readonly all: readonly Activity[];
  readonly tokens: Past['tokens'];
  /** Labels of wallets. */
  readonly labels: ReadonlyMap<string, string>;
  readonly explorer: string | undefined;
}

const LOOKS: Readonly<Record<Outcome, string>> = {
  landed: 'good',
  denied: 'bad',
  expired: '',
  cancelled: '',
  failed: 'bad',
  asked: 'warn',
  doubt: 'warn',
  open: '',
};

const chip = (outcome: Outcome, text: string = OUTCOMES[outcome]): Html =>
  html`<span class="chip ${LOOKS[outcome]}">${text}</span>`;

export function historyPage(context: PageContext, state: HistoryState): Html {
  const { wanted, now } = state;
  const found = matching(state.all, wanted);
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const at = Math.min(wanted.page, pages);
  const shown = found.slice((at - 1) * PER_PAGE, at * PER_PAGE);
  const content = html`<h1>History</h1>
${searchForm(context, wanted)}
${groupsOf(found, state.tokens).map((group) => groupCard(group, state.labels.get(group.wallet)))}
${found.length === 0 && html`<section class="card"><p class="soft">${state.all.length === 0 ? 'No activity in this period.' : 'No plan in this period matches.'}</p></section>`}
${daysOf(shown).map(
  ([day, plans]) =>
    html`<section class="card" aria-label="${day}"><h2>${day}</h2><ul class="ledger">${plans.map((each) => entry(each, state))}</ul></section>`,
)}
${pages > 1 && pageLinks(context, wanted, at, pages)}`;
  return page(
    { ...context, place: 'history' },
    'History',
    html`${content}<p class="small soft">As of ${when(now, now)}. <a href="${context.base}history${queryOf(wanted, 1)}">Read again</a></p>`,
    false,
  );
}

function searchForm({ base }: PageContext, { q, outcome, span }: Wanted): Html {
  const option = (value: string, words: string, chosen: boolean): Html =>
    html`<option value="${value}"${chosen && html` selected`}>${words}</option>`;
  return html`<form class="search" method="get" action="${base}history" role="search">
<label for="q">Search<input id="q" name="q" type="search" value="${q}" placeholder="token, plan, signature, reason" maxlength="200" autocomplete="off" spellcheck="false"></label>
<label for="outcome">Ended<select id="outcome" name="outcome">${option('', 'in any way', outcome === undefined)}${Object.entries(OUTCOMES).map(([name, words]) => option(name, words, outcome === name))}</select></label>
<label for="span">When<select id="span" name="span">${Object.entries(SPANS).map(([name, words]) => option(name, words, span === name))}</select></label>
<button>Find</button></form>`;
}

/** Returns the totals of the found plans for one wallet on one chain. */
function groupCard(group: Group, label: string | undefined): Html {
  const { outcomes, changes, feeLamports, transactions, unrecorded, wallet, mode } = group;
  return html`<section class="card sums" aria-label="All together">
<p class="row"><span>${countsOf(outcomes).map(({ outcome, count }) => html`${chip(outcome, `${count} ${OUTCOMES[outcome]}`)} `)}</span></p>
${transactions > 0 && html`<dl class="money-list">${amounts(changes)}<div><dt>Network fees</dt><dd>${sol(BigInt(feeLamports))}</dd></div></dl>`}
${unrecorded > 0 && html`<p class="small soft">${several(unrecorded, 'landed transaction')} not in these sums: not final yet.</p>`}
<p class="small soft">${mode === 'sandbox' && 'Sandbox '}wallet ${label !== undefined && html`${label} `}<span class="code">${wallet}</span></p></section>`;
}

const amounts = (changes: readonly ShownChange[]): Html[] =>
  changes.map(
    ({ asset, name, amount }) =>
      html`<div><dt>${asset === 'SOL' ? 'SOL' : html`<span class="code" title="${asset}">${name ?? asset}</span>`}</dt><dd class="${amount.startsWith('+') ? 'plus' : 'minus'}">${amount.replace('-', '−')}${asset === 'SOL' && ' SOL'}</dd></div>`,
  );

function entry(activity: Activity, { now, explorer, tokens }: HistoryState): Html {
  const { planId, operation, outcome, asked, why, at, moves, unrecorded, network } = activity;
  const { changes, feeLamports } = totalOf(moves);
  const shown = shownChanges(changes, tokens);
  const signatures = [...moves.map(({ signature }) => signature), ...unrecorded];
  return html`<li id="${planId}"><div class="row"><span class="name">${operationWords(operation)}</span>${chip(outcome)}</div>
${asked !== undefined && html`<p class="small soft asked">${asked}</p>`}
${why !== undefined && html`<p class="why ${LOOKS[outcome]}">${why}</p>`}
${moves.length > 0 && html`<dl class="money-list">${shown.length === 0 ? html`<div><dt>Moved</dt><dd>nothing</dd></div>` : amounts(shown)}<div class="soft"><dt>Fee, ${several(moves.length, 'transaction')}</dt><dd>${sol(feeLamports)}</dd></div></dl>`}
${unrecorded.length > 0 && html`<p class="small soft">${several(unrecorded.length, 'landed transaction')} not in these amounts: not final yet.</p>`}
<div class="small soft meta"><span>${when(at, now)}</span><span class="code">${cleanText(planId, 48).text}</span>${signatures.map((signature) => signatureLink(signature, network, explorer))}</div></li>`;
}

/** Groups plans by day, in the machine's time zone. */
function daysOf(plans: readonly Activity[]): [string, Activity[]][] {
  const days = new Map<string, Activity[]>();
  for (const each of plans) days.set(dayOf(each.at), [...(days.get(dayOf(each.at)) ?? []), each]);
  return [...days];
}

const pageLinks = ({ base }: PageContext, wanted: Wanted, at: number, pages: number): Html =>
  html`<nav class="pages" aria-label="Pages">${at > 1 && html`<a href="${base}history${queryOf(wanted, at - 1)}">← Newer</a>`}<span class="soft">${at} of ${pages}</span>${at < pages && html`<a href="${base}history${queryOf(wanted, at + 1)}">Older →</a>`}</nav>`;
