/** Renders the facts of a question in order, without hiding any required fact behind a fold or below the button. */

import { shortAddress } from '../base/format.ts';
import { shareWords, together } from '../presentation/question/claimers.ts';
import {
  BOUND,
  type ClaimersFact,
  HEADINGS,
  type Line,
  type LinesFact,
  type Marked,
  type MoneyFact,
  NAMED_BY,
  NO_AMOUNT,
  type QuestionFact,
  type ShownClaimer,
  tokenWords,
  type WhatFact,
} from '../presentation/question/questionFacts.ts';
import { type Html, html } from './http/html.ts';

/** Renders the required facts in order; both sides of the money are one card. */
export function factsOf(facts: readonly QuestionFact[]): Html {
  const money = facts.filter(isMoney);
  const first = facts.findIndex(isMoney);
  return html`${facts.slice(0, first).map(factBox)}
<section class="card money" aria-label="Money">${money.map(factBox)}</section>
${facts.slice(first + money.length).map(factBox)}
${facts.map((fact) => fact.kind === 'claimers' && fact.more.length > 0 && moreBox(fact.more))}`;
}

const MONEY: readonly QuestionFact['kind'][] = ['leaves', 'arrives', 'price', 'costs'];
const isMoney = ({ kind }: QuestionFact): boolean => MONEY.includes(kind);

/** Renders the label of a requested value that was not verified in the transaction. */
export const markChip = (mark: Marked['mark']) =>
  mark !== undefined && html` <span class="chip warn">${mark}</span>`;

export const line = ({ text, tone, mark }: Line): Html =>
  html`<p class="line ${tone}">${text}${markChip(mark)}</p>`;

/** Joins lines with spaces, since short ones share a paragraph. */
const sentences = (lines: readonly Line[]): Html[] => lines.map((each) => html`${line(each)} `);

function factBox(fact: QuestionFact): Html {
  switch (fact.kind) {
    case 'what':
      return operationBox(fact);
    case 'leaves':
    case 'arrives':
      return side(fact);
    case 'claimers':
      return claimersBox(fact);
    default:
      return linesBox(fact);
  }
}

const linesBox = ({ kind, lines }: LinesFact): Html =>
  lines.length === 0
    ? html``
    : html`<section class="fact" data-fact="${kind}" aria-labelledby="fact-${kind}"><h2 id="fact-${kind}">${HEADINGS[kind]}.</h2> ${sentences(lines)}</section>`;

function operationBox({ tokens, lines }: WhatFact): Html {
  return html`<section class="what" data-fact="what" aria-label="${HEADINGS.what}">${tokens.map((token) => {
    const words = tokenWords(token);
    return html`<p>${words !== undefined && html`<strong>${words}</strong> `}${token.by !== undefined && html`<span class="small soft">${NAMED_BY[token.by]}</span> `}${markChip(token.mark)}<span class="code soft block">${token.mint}</span></p>`;
  })}${lines.map(line)}</section>`;
}

function side({ kind, amounts, mark: none }: MoneyFact): Html {
  return html`<div class="side" role="group" data-fact="${kind}" aria-labelledby="${kind}"><h2 id="${kind}">${HEADINGS[kind]}</h2><div>${
    amounts.length === 0
      ? html`<p class="soft">${NO_AMOUNT[kind]}${markChip(none)}</p>`
      : amounts.map(
          ({ number, unit }) =>
            html`<p class="amount"><small>${BOUND[kind]}</small> ${number} <span class="unit">${unit}</span></p>`,
        )
  }${amounts.length > 0 && markChip(amounts[0]?.mark)}</div></div>`;
}

function claimersBox({ rows, more, folded, lines }: ClaimersFact): Html {
  return html`<section class="fact claimers" data-fact="claimers" aria-labelledby="fact-claimers"><h2 id="fact-claimers">${HEADINGS.claimers}.</h2> ${sentences(lines)}
${rows.length > 0 && html`<ul>${rows.map(claimerRow)}</ul>`}
${more.length > 0 && html`<p class="line">${more.length} more who are not in your address book, ${together(more)} together: all of them are below.</p>`}
${folded.length > 0 && html`<details id="folded"><summary>${folded.length} more, ${together(folded)} together</summary><ul>${folded.map(claimerRow)}</ul></details>`}
</section>`;
}

const claimerRow = (claimer: ShownClaimer): Html =>
  html`<li><strong class="share">${shareWords(claimer) ?? ''}</strong><span>${
    claimer.label === undefined
      ? html`<span class="stranger">Not in your address book</span>`
      : html`<span class="name">${claimer.label}</span> <span class="code soft">${shortAddress(claimer.address)}</span>`
  }${markChip(claimer.mark)}</span>${claimer.label === undefined && html`<span class="code soft whole">${claimer.address}</span>`}</li>`;

/** Renders many unknown claimers compactly, grouped by share. */
function moreBox(more: readonly ShownClaimer[]): Html {
  const groups = new Map<string, ShownClaimer[]>();
  for (const each of more) {
    const share = shareWords(each) ?? '';
    groups.set(share, [...(groups.get(share) ?? []), each]);
  }
  return html`<section class="fact" data-fact="more" aria-labelledby="fact-more"><h2 id="fact-more">Also earning, and not in your address book.</h2>
${[...groups].map(
  ([share, claimers]) =>
    html`<p class="line"><strong>${share}</strong>${claimers.length > 1 && ' each'}</p><ul class="many code">${claimers.map(({ address }) => html`<li>${shortAddress(address)}</li>`)}</ul>`,
)}
<details id="whole"><summary>Whole addresses</summary><ul class="code">${more.map(({ address, ...each }) => html`<li class="close">${shareWords({ address, ...each })} ${address}</li>`)}</ul></details></section>`;
}
