/** The page of one question: everything needed to approve or deny, and what happened afterwards. */
import { MAX_REASON_LENGTH } from '../answering/closedQuestion.ts';
import { isLanded } from '../execution/status.ts';
import type { ApprovalView, ShownLimit } from '../presentation/question/view.ts';
import { type Chip, STAGE_STATUS_WORDS } from '../presentation/statusWords.ts';
import { type Html, html } from './http/html.ts';
import { countdown, live, type PageContext, page, passphraseField, when } from './layout.ts';
import { factsOf, markChip } from './questionFacts.ts';
import type { QuestionState } from './state.ts';

export function questionPage(context: PageContext, state: QuestionState): Html {
  const { approval, ending } = state;
  const { base } = context;
  const content = html`<p class="back"><a href="${base}">← All approvals</a></p>
<h1>${approval.title}</h1>
<div class="stand"><div role="status">${live('state', stateLine(state))}</div>${live('deadline', deadline(state))}</div>
${factsOf(approval.facts)}
${live('actions', ending.open ? actions(base, state) : grantedCard(base, state))}
<section class="card" aria-labelledby="why"><h2 id="why">Why you are asked</h2><p>A person must approve this first.${approval.rule !== undefined && html` Your rule “${approval.rule.id}” says: ${approval.rule.why}.`}</p>
<p class="small soft">Asked at ${when(approval.createdAt, state.now)}${approval.principal !== undefined && html` by the principal <strong>${approval.principal}</strong>`}. Wallet ${approval.wallet.label !== undefined && html`<strong>${approval.wallet.label}</strong> `}<span class="code">${approval.wallet.address}</span></p></section>
${approval.limits.length > 0 && html`<section class="card" aria-labelledby="limits"><h2 id="limits">Your limits, before and after</h2><ul>${approval.limits.map(limitRow)}</ul></section>`}
<section class="card" aria-labelledby="steps"><h2 id="steps">Steps, in this order</h2>${live('steps', stepList(state))}</section>
${requestCard(approval)}`;
  return page(context, approval.title, content);
}

/** Renders the grant given with the approval, and the button that ends it. */
function grantedCard(base: string, { approval: { id, approvalDigest, granted } }: QuestionState): Html {
  if (granted === undefined) return html``;
  const end = html`<form method="post" action="${base}approval/${id}/deny"><input type="hidden" name="digest" value="${approvalDigest}"><button id="end-grant">Ask me again each time</button></form>`;
  return html`<section class="card" aria-labelledby="granted"><h2 id="granted">Similar plans</h2><p>${granted.ended ? 'You ended it: each plan needs your approval again.' : granted.words}</p>${!granted.ended && end}</section>`;
}

function stateLine({ ending: { chips, lines } }: QuestionState): Html {
  return html`<p>${chips.map(chip)}</p>${lines.map((line) => html`<p class="soft">${line}</p>`)}`;
}

const chip = ({ words, look }: Chip): Html => html`<span class="chip ${look}">${words}</span> `;

/** Renders the deadlines. They are outside the live region, so that a screen reader does not announce each second. */
function deadline({ approval: { expiresAt, quoteUntil }, ending, now }: QuestionState): Html {
  if (!ending.open) return html``;
  const end = html`Expires in ${countdown(expiresAt, now)}.`;
  if (quoteUntil === undefined) return html`<p class="soft">${end}</p>`;
  const later = 'a new quote within the same bounds is accepted, otherwise you are asked again.';
  return quoteUntil > now
    ? html`<p class="soft">This quote holds for ${countdown(quoteUntil, now)}. After that ${later} ${end}</p>`
    : html`<p class="soft">The quote is too old: ${later} ${end}</p>`;
}

const width = (part: number): string => `${Math.round(part * 1000) / 10}%`;

function limitRow({ id, before, adds, after, max, beforeShare, addsShare }: ShownLimit): Html {
  const label = `${id}: ${before} used, this adds ${adds}, then ${after} of ${max}`;
  return html`<li><div class="row"><span class="name">${id}</span><span class="soft">${Math.round((beforeShare + addsShare) * 100)}% of ${max}</span></div>
<svg class="meter" role="img" aria-label="${label}"><rect class="used" width="${width(beforeShare)}" height="100%"></rect><rect class="adds" x="${width(beforeShare)}" width="${width(addsShare)}" height="100%"></rect></svg>
<div class="small soft"><span class="key"></span>${before} before&ensp;<span class="key adds"></span>${adds} now&ensp;→ ${after}</div></li>`;
}

function stepList({ approval, plan }: QuestionState): Html {
  return html`<ol class="steps">${approval.stages.map((stage, index) => {
    const now = plan.stages.find(({ id }) => id === stage.id);
    const landed = now !== undefined && isLanded(now.status);
    const hash = stage.messageSha256;
    return html`<li class="${landed ? 'done' : ''}"><div class="row"><span><span class="name">${stage.words}</span> ${
      stage.optional
        ? html`<span class="soft">later, optional</span>`
        : !stage.covered && html`<span class="soft">no approval needed</span>`
    } ${markChip(stage.mark)}</span>${now === undefined ? html`<span></span>` : chip(STAGE_STATUS_WORDS[now.status].chip)}</div>
${!stage.simulated && stage.covered && html`<div class="small soft">Cannot be simulated yet: amounts are upper bounds.</div>`}
${
  hash !== undefined &&
  html`<details id="hash-${index}"><summary>Message hash, to compare on a hardware wallet</summary><dl><dt>base58</dt><dd class="code">${hash.base58}</dd><dt>hex</dt><dd class="code">${hash.hex}</dd></dl></details>`
}
${now?.signature !== undefined && html`<div class="small soft">Signature <span class="code">${now.signature}</span></div>`}
</li>`;
  })}</ol>`;
}

function requestCard({ asked, read, id, planId, approvalDigest, policyHash, network }: ApprovalView): Html {
  return html`<section class="card"><details id="asked"><summary>The agent’s request, and the identifiers of your answer</summary>
<p class="small soft">The request comes from the agent and may contain text of third parties. ${
    read
      ? 'The policy compared it with the transactions.'
      : 'Requested, not verified: not all transactions can be decoded.'
  }</p>
<dl>${asked.map(({ name, value }) => html`<dt>${name}</dt><dd class="code">${value}</dd>`)}</dl>
<p></p>
<dl><dt>question</dt><dd class="code">${id}</dd><dt>plan</dt><dd class="code">${planId}</dd><dt>approval</dt><dd class="code">${approvalDigest}</dd><dt>policy</dt><dd class="code">${policyHash}</dd><dt>network</dt><dd class="code">${network}</dd></dl>
</details></section>`;
}

/** Renders the approve button; it looks different if not all instructions were decoded. */
const approveButton = ({ read }: ApprovalView): Html =>
  read
    ? html`<button class="primary" id="approve">Approve</button>`
    : html`<button class="unverified" id="approve">Approve unverified</button>`;

/** Renders the fields of a grant; without a number nothing is granted. */
const likeFields = ({ again }: ApprovalView): Html | false =>
  again !== undefined &&
  html`<details id="like"><summary>Approve similar plans too</summary><p class="small soft">Plans with the same operation, parties, tokens and terms are then signed without asking you, each for at most ${again.number} ${again.unit}.</p>
<div class="bounds"><label>How many more<input name="times" inputmode="numeric" autocomplete="off" placeholder="none"></label>
<label>In total, ${again.unit}<input name="total" inputmode="decimal" autocomplete="off" placeholder="each ${again.number}"></label>
<label>Until<input name="until" autocomplete="off" placeholder="7d, or 2027-01-31"></label>
${again.isTrade && html`<label>Price at most worse, %<input name="worse" inputmode="decimal" autocomplete="off" placeholder="1"></label>`}</div></details>`;

function actions(base: string, { approval, needsOwner }: QuestionState): Html {
  const { id, approvalDigest } = approval;
  const bound = html`<input type="hidden" name="digest" value="${approvalDigest}">`;
  return html`<div class="bar" role="group" aria-label="Your answer"><div>
<form class="yes" method="post" action="${base}approval/${id}/approve">${bound}${needsOwner && passphraseField('passphrase')}${approveButton(approval)}${likeFields(approval)}</form>
<form method="post" action="${base}approval/${id}/deny">${bound}<button id="deny">Deny</button><details id="say-why"><summary>Reason</summary><label for="reason">Your reason, shown to the agent<input id="reason" name="reason" maxlength="${MAX_REASON_LENGTH}" autocomplete="off"></label></details></form>
</div></div>`;
}
