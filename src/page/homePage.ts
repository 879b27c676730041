/** The home page: open questions and freeze state. */

import { type Html, html } from './http/html.ts';
import { live, type PageContext, page, passphraseField, when } from './layout.ts';
import { queue } from './queue.ts';
import type { HomeState } from './state.ts';

export function homePage(context: PageContext, state: HomeState): Html {
  const { base } = context;
  const content = html`${live('frozen', state.frozen !== undefined && frozenCard(base, state))}
${live('pending', pending(base, state))}`;
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
  return html`<section class="notice" aria-labelledby="frozen"><p><strong id="frozen">Signing is frozen</strong> since ${when(frozen?.since ?? now, now)}.</p>
<p>${frozen?.reason ?? ''} Nothing is signed until you lift it; signed transactions are still followed.</p>
<form method="post" action="${base}unfreeze"><input type="hidden" name="newest" value="${frozen?.newest ?? ''}">${unfreezeNeedsOwner && passphraseField('unfreeze-passphrase')}<p><button class="slim" id="unfreeze">Lift the freeze</button></p></form></section>`;
}
