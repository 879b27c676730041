/** The open questions: one card each; questions about one plan are grouped under its name. */

import { briefWords } from '../presentation/question/brief.ts';
import type { ApprovalView } from '../presentation/question/view.ts';
import { type Html, html } from './http/html.ts';
import { countdown } from './layout.ts';
import { line } from './questionFacts.ts';

/** Renders the cards, plans in the order of their first question. */
export function queue(base: string, pending: readonly ApprovalView[], now: number): Html {
  const plans = new Map<string, ApprovalView[]>();
  for (const view of pending) plans.set(view.planId, [...(plans.get(view.planId) ?? []), view]);
  return html`${[...plans].map(([planId, views]) => {
    const [first] = views;
    if (first === undefined) return false;
    if (views.length === 1) return question(base, first, now);
    return html`<section class="card group" aria-label="${first.title}"><div class="row"><span class="name">${first.title}</span><span class="small soft">${views.length} questions of one plan</span></div>
<div class="small soft code">${planId}</div>${views.map((view) => question(base, view, now))}</section>`;
  })}`;
}

const question = (base: string, view: ApprovalView, now: number): Html =>
  html`<a class="card ask" id="${view.id}" href="${base}approval/${view.id}"><div class="row"><span class="name">${view.title}</span><span class="chip warn">expires in ${countdown(view.expiresAt, now)}</span></div>
<p class="name">${briefWords(view)}</p>${view.facts.flatMap((fact) => (fact.kind === 'unusual' ? fact.lines.map(line) : []))}</a>`;
