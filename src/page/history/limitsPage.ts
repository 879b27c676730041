/** The limits page: grants, and the use and remainder of each limit. */
import { capital, decimal } from '../../base/format.ts';
import type { ShownGrant } from '../../presentation/grants.ts';
import { type LimitUse, mostWords, ofLimit } from '../../presentation/history/limitUse.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { type Html, html } from '../http/html.ts';
import { type PageContext, page, when } from '../layout.ts';

export interface LimitsState {
  readonly now: number;
  /** Absent if no policy can be read. */
  readonly limits: readonly LimitUse[] | undefined;
  /** Valid grants with the question they were given with. */
  readonly grants: readonly GrantState[];
}

interface GrantState {
  readonly grant: ShownGrant;
  /** Absent if its plan is missing. */
  readonly question: ApprovalView | undefined;
}

export function limitsPage(context: PageContext, state: LimitsState): Html {
  const { now, limits, grants } = state;
  const wallets = new Set(limits?.map(({ wallet }) => wallet));
  const content = html`<h1>Limits</h1>
${limits === undefined && html`<section class="card"><p>No policy is in force, so nothing is signed and there is no limit to show.</p></section>`}
${grants.map((each) => grantCard(context, each, now))}
${limits?.map((each) => limitCard(each, now, wallets.size > 1))}
<p class="small soft">As of ${when(now, now)}. <a href="${context.base}limits">Read again</a></p>`;
  return page({ ...context, place: 'limits' }, 'Limits', content, false);
}

function limitCard(use: LimitUse, now: number, named: boolean): Html {
  const { limitId, window, max, used, left, frees, wallet } = use;
  const words = (units: bigint): string => ofLimit(units, use);
  const head = html`<h2>${limitId}</h2><p class="small soft">${capital(mostWords(use))} ${window}${named && html` · <span class="code">${wallet}</span>`}</p>`;
  if (used === undefined || left === undefined) {
    return html`<section class="card" aria-label="${limitId}">${head}<p class="small">Applies to each transaction separately.</p></section>`;
  }
  const share = BigInt(max) === 0n ? 0 : Number((BigInt(used) * 1_000n) / BigInt(max)) / 10;
  return html`<section class="card" aria-label="${limitId}">${head}
<dl class="figures"><div><dt>Used</dt><dd>${words(BigInt(used))}</dd></div><div><dt>Left</dt><dd>${words(BigInt(left))}</dd></div></dl>
<svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="${share}% used"><rect class="${share >= 90 ? 'full' : 'adds'}" width="${Math.min(100, share)}" height="1"/></svg>
${frees !== undefined && html`<p class="small soft">${freesWords(frees, words, now)}</p>`}</section>`;
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

function freesWords(
  { at, amount, all }: NonNullable<LimitUse['frees']>,
  words: (units: bigint) => string,
  now: number,
): Html {
  const time = (iso: string): Html => when(Date.parse(iso), now);
  if (at === all) return html`Everything is released at ${time(at)}.`;
  return html`${words(BigInt(amount))} is released at ${time(at)}, everything by ${time(all)}.`;
}
