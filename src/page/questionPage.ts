/** One question, whole: everything a person needs to approve or deny, and what happens afterwards. */

import { MOST_REASON } from '../approval/ending.ts';
import { type ApprovalView, type ShownAmount, type ShownLimit, tokensNamed } from '../approval/view.ts';
import { UNVERIFIED } from '../approval/words.ts';
import type { Chip } from '../landing/shown/ending.ts';
import type { StageStatus } from '../plan/types.ts';
import { type Html, html } from './http/html.ts';
import {
  countdown,
  type LiveParts,
  livePlace,
  type PageContext,
  page,
  passphraseField,
  when,
} from './layout.ts';
import type { QuestionState } from './state.ts';

export function questionPage(context: PageContext, state: QuestionState): string {
  const { approval } = state;
  const live = questionParts(context, state);
  const content = html`<p class="back"><a href="${context.base}">← All approvals</a></p>
<h1>${approval.title}</h1>
<div role="status">${livePlace('state', live)}</div>
<p>${approval.why}${approval.rule !== undefined && html` <span class="soft">Your rule “${approval.rule.id}” says: ${approval.rule.why}.</span>`}</p>
${moneyCard(approval)}
${notesCard(approval)}
${authorityCard(approval)}
${approval.limits.length > 0 && html`<section class="card" aria-labelledby="limits"><h2 id="limits">Your limits, before and after</h2><ul>${approval.limits.map(limitRow)}</ul></section>`}
<section class="card" aria-labelledby="steps"><h2 id="steps">Steps, in this order</h2>${livePlace('steps', live)}</section>
${askedCard(approval)}
${livePlace('actions', live)}`;
  return page(context, approval.title, content);
}

/** The parts that change: the answer, the stages, the buttons. */
export function questionParts({ base }: PageContext, state: QuestionState): LiveParts {
  return {
    state: stateLine(state),
    steps: stepList(state),
    actions: state.ending.open ? actions(base, state) : html``,
  };
}

function stateLine(state: QuestionState): Html {
  const { approval, now } = state;
  const { chips, lines, open } = state.ending;
  return html`<p>${chips.map(chip)} ${
    open &&
    html`<span class="soft">asked at ${when(approval.createdAt, now)}, expires in ${countdown(approval.expiresAt, now)}</span>`
  }</p>${lines.map((line) => html`<p class="soft">${line}</p>`)}`;
}

const chip = ({ words, look }: Chip): Html => html`<span class="chip ${look}">${words}</span> `;

/** Marks what comes from the request and was not read from the bytes. */
const markChip = (mark: string | undefined) =>
  mark !== undefined && html`<span class="chip warn">${mark}</span>`;

function moneyCard(view: ApprovalView): Html {
  const side = (id: string, heading: string, amounts: readonly ShownAmount[], bound: string, none: string) =>
    html`<div role="group" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${
      amounts.length === 0
        ? html`<p class="soft">${none}</p>${markChip(view.read ? undefined : UNVERIFIED)}`
        : amounts.map(
            ({ number, unit, mark }) =>
              html`<p class="amount"><small>${bound}</small>${number} <span class="unit">${unit}</span></p>${markChip(mark)}`,
          )
    }</div>`;
  const tokens = tokensNamed(view);
  return html`<section class="card money" aria-label="Money">
${side('leaves', 'Leaves your wallet', view.leaves, 'at most', 'Nothing leaves.')}
${side('arrives', 'Arrives', view.arrives, 'at least', 'Nothing has to arrive.')}
</section>
<p class="small soft">Network fee ${view.fee.words}, included above. Wallet ${view.wallet.label !== undefined && html`<strong>${view.wallet.label}</strong> `}<span class="code">${view.wallet.address}</span>${
    tokens.length > 0 && tokens.map(({ name, mint }) => html`<br>${name}: <span class="code">${mint}</span>`)
  }</p>`;
}

const notesCard = ({ notes }: ApprovalView): Html =>
  notes.length === 0
    ? html``
    : html`<section class="notice" aria-labelledby="notes"><h2 id="notes">Before you answer</h2><ul class="plain">${notes.map((note) => html`<li>${note}</li>`)}</ul></section>`;

function authorityCard({ authority, recipients }: ApprovalView): Html {
  return html`<section class="card" aria-labelledby="who"><h2 id="who">Who gains from it</h2>
<ul>
${
  authority.length === 0
    ? html`<li><span class="soft">No other address gains control over your wallet or tokens.</span></li>`
    : authority.map((change) => html`<li><span class="chip bad">control</span> ${change}</li>`)
}
${recipients.map(
  ({ address, label, roles, share, mark }) =>
    html`<li><div class="row"><span><span class="name">${label ?? 'Unknown address'}</span> <span class="soft">${roles.join(', ')}</span></span>${
      share !== undefined ? html`<strong>${share}</strong>` : html`<span></span>`
    }</div><div class="code soft">${address}</div>${
      label === undefined && html`<span class="chip warn">not in your address book</span> `
    }${markChip(mark)}</li>`,
)}
</ul></section>`;
}

const width = (part: number): string => `${Math.round(part * 1000) / 10}%`;

function limitRow({ id, before, adds, after, max, beforeShare, addsShare }: ShownLimit): Html {
  const said = `${id}: ${before} used, this adds ${adds}, then ${after} of ${max}`;
  return html`<li><div class="row"><span class="name">${id}</span><span class="soft">${Math.round((beforeShare + addsShare) * 100)}% of ${max}</span></div>
<svg class="meter" role="img" aria-label="${said}"><rect class="used" width="${width(beforeShare)}" height="100%"></rect><rect class="adds" x="${width(beforeShare)}" width="${width(addsShare)}" height="100%"></rect></svg>
<div class="small soft"><span class="key"></span>${before} before&ensp;<span class="key adds"></span>${adds} now&ensp;→ ${after}</div></li>`;
}

const STAGE_WORDS: Readonly<Record<StageStatus, readonly [string, string]>> = {
  waiting: ['waiting', ''],
  ready: ['next', ''],
  signed: ['signed', 'warn busy'],
  sent: ['sent', 'warn busy'],
  confirmed: ['landed', 'good'],
  finalized: ['final', 'good'],
  failed: ['failed', 'bad'],
  expired: ['never landed', ''],
  unknown: ['not clear', 'warn'],
  skipped: ['skipped', ''],
};

function stepList({ approval, plan }: QuestionState): Html {
  return html`<ol class="steps">${approval.stages.map((stage, index) => {
    const now = plan.stages.find(({ id }) => id === stage.id);
    const [words, look] = now === undefined ? ['', ''] : STAGE_WORDS[now.status];
    const landed = now?.status === 'confirmed' || now?.status === 'finalized';
    const hash = stage.messageSha256;
    return html`<li class="${landed ? 'done' : ''}"><div class="row"><span><span class="name">${stage.words}</span> ${
      stage.optional
        ? html`<span class="soft">later, optional</span>`
        : !stage.covered && html`<span class="soft">no approval needed</span>`
    } ${markChip(stage.mark)}</span>${words === '' ? html`<span></span>` : html`<span class="chip ${look}">${words}</span>`}</div>
${!stage.simulated && stage.covered && html`<div class="small soft">Cannot be simulated yet: amounts are upper bounds.</div>`}
${
  hash !== undefined &&
  html`<details id="hash-${index}"><summary>Message hash, to compare on a hardware wallet</summary><dl><dt>base58</dt><dd class="code">${hash.base58}</dd><dt>hex</dt><dd class="code">${hash.hex}</dd></dl></details>`
}
${now?.signature !== undefined && html`<div class="small soft">Signature <span class="code">${now.signature}</span></div>`}
</li>`;
  })}</ol>`;
}

function askedCard({ asked, read, id, planId, envelopeDigest, policyHash, network }: ApprovalView): Html {
  return html`<section class="card"><details id="asked"><summary>What the agent asked for, and what your answer is about</summary>
<p class="small soft">The request comes from the agent and may hold text of strangers. ${
    read
      ? 'The policy has compared it with the transactions.'
      : 'It was not compared with the transactions, which cannot all be read: requested, not verified.'
  }</p>
<dl>${asked.map(({ name, value }) => html`<dt>${name}</dt><dd class="code">${value}</dd>`)}</dl>
<p></p>
<dl><dt>question</dt><dd class="code">${id}</dd><dt>plan</dt><dd class="code">${planId}</dd><dt>envelope</dt><dd class="code">${envelopeDigest}</dd><dt>policy</dt><dd class="code">${policyHash}</dd><dt>network</dt><dd class="code">${network}</dd></dl>
</details></section>`;
}

function actions(base: string, { approval, needsOwner }: QuestionState): Html {
  const { id, envelopeDigest } = approval;
  const bound = html`<input type="hidden" name="envelope" value="${envelopeDigest}">`;
  return html`<div class="bar" role="group" aria-label="Your answer"><div>
<form class="yes" method="post" action="${base}approval/${id}/approve">${bound}${needsOwner && passphraseField('passphrase')}<button class="primary" id="approve">Approve</button></form>
<form method="post" action="${base}approval/${id}/deny">${bound}<button id="deny">Deny</button><details id="why"><summary>Say why</summary><label for="reason">Your reason, which the agent is told<input id="reason" name="reason" maxlength="${MOST_REASON}" autocomplete="off"></label></details></form>
</div></div>`;
}
