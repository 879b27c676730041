/** The home page: open questions, freeze state, recent plans and decisions. */

import { operationWords } from '../plan/operationNames.ts';
import { explain } from '../presentation/decisions/explain.ts';
import { STATUS_WORDS } from '../presentation/statusWords.ts';
import { type Html, html } from './http/html.ts';
import { live, type PageContext, page, passphraseField, when } from './layout.ts';
import { queue } from './queue.ts';
import type { HomeState } from './state.ts';

export function homePage(context: PageContext, state: HomeState): Html {
  const { base } = context;
  const content = html`${live('frozen', state.frozen !== undefined && frozenCard(base, state))}
${live('pending', pending(base, state))}
<section class="card" aria-labelledby="activity"><h2 id="activity">Lately</h2>${live('activity', activity(base, state))}</section>
<section class="card" aria-labelledby="decisions"><h2 id="decisions">Decisions of the policy</h2>${live('decisions', decisions(state))}</section>`;
  return page(context, 'Approvals', content);
}

function pending(base: string, state: HomeState): Html {
  const count = state.pending.length;
  const title =
    count === 0 ? 'No open questions' : count === 1 ? '1 question for you' : `${count} questions for you`;
  return html`<h1>${title}</h1>${count === 0 && html`<p class="soft">What your agent needs your approval for appears here.</p>`}
${queue(base, state.pending, state.now)}`;
}

function frozenCard(base: string, { frozen, unfreezeNeedsOwner, now }: HomeState): Html {
  return html`<section class="notice bad" aria-labelledby="frozen"><p><strong id="frozen">Signing is frozen</strong> since ${when(frozen?.since ?? now, now)}.</p>
<p>${frozen?.reason ?? ''} Nothing is signed until you lift it; signed transactions are still followed.</p>
<form method="post" action="${base}unfreeze">${unfreezeNeedsOwner && passphraseField('unfreeze-passphrase')}<p><button class="slim" id="unfreeze">Lift the freeze</button></p></form></section>`;
}

function activity(base: string, { activity: plans, now }: HomeState): Html {
  if (plans.length === 0) return html`<p class="soft">No plan yet.</p>`;
  return html`<ul>${plans.map(({ plan, view }) => {
    const { words, look } = STATUS_WORDS[view.status].chip;
    return html`<li><div class="row"><span class="name">${operationWords(plan.operation)}</span><span class="chip ${look}">${words}</span></div>
<div class="small soft">${when(plan.createdAt, now)} · <span class="code">${plan.planId}</span></div></li>`;
  })}</ul><p class="small"><a href="${base}history">All of it, with amounts and reasons</a></p>`;
}

const EFFECTS = {
  allow: ['allowed', 'good'],
  deny: ['denied', 'bad'],
  require_approval: ['asks you', 'warn'],
} as const;

function decisions({ decisions: rows, now }: HomeState): Html {
  if (rows.length === 0) return html`<p class="soft">No decision yet.</p>`;
  return html`<ul>${rows.map(({ time, purpose, decision, stageId }) => {
    const [words, look] = EFFECTS[decision.effect];
    return html`<li><div class="row"><span>${explain(decision)}</span><span class="chip ${look}">${words}</span></div>
<div class="small soft">${when(time, now)} · step ${stageId}${purpose === 'preview' && ' · preview'}${
      decision.reasonCodes.length > 0 && html` · <span class="code">${decision.reasonCodes.join(' ')}</span>`
    }</div></li>`;
  })}</ul>`;
}
