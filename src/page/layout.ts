/** What every page has: its head with the content policy's nonce, the name, the mode, the freeze button, notices. */
import { raw } from 'hono/html';
import { duration } from '../base/format.ts';
import type { Mode } from '../plan/types.ts';
import { PAST_STYLE } from './history/style.ts';
import { type Html, html, type Part } from './http/html.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** Something to tell the person above the page's own content. */
export interface Notice {
  readonly kind: 'good' | 'bad' | 'warn';
  readonly text: string;
  readonly hint?: string;
}

/** What the layout needs to know about a page. */
export interface PageContext {
  /** Path of this session's pages, with a slash at the end. */
  readonly base: string;
  readonly nonce: string;
  /** Absent on a page that is the same in both. */
  readonly mode?: Mode | undefined;
  readonly frozen: boolean;
  /** Which of the places in the header this page is; absent outside of a session. */
  readonly place?: 'approvals' | 'history' | 'limits' | undefined;
  readonly notice?: Notice | undefined;
  /** Ids of the questions that wait for an answer: the tab says how many, and a new one may call the person. */
  readonly waiting?: readonly string[] | undefined;
}

/** A part that the script keeps up to date while the page is open. */
export const live = (name: string, part: Part): Html => html`<div data-live="${name}">${part}</div>`;

/** The time left until a moment, counted down by the script, which takes the server's time from it. Milliseconds. */
export const countdown = (until: number, now: number): Html =>
  html`<span data-until="${until}" data-now="${now}">${duration(until - now)}</span>`;

/** A whole document. `isLive: false` leaves out the script. */
export function page(
  { base, nonce, mode, frozen, place, notice, waiting = [] }: PageContext,
  title: string,
  content: Part,
  isLive = true,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${waiting.length > 0 && `(${waiting.length}) `}${title} · Countersign</title>
<style nonce="${nonce}">${raw(STYLE + PAST_STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a href="${base}">Countersign</a>
${mode !== undefined && html`<span class="chip ${mode === 'live' ? 'warn' : ''}">${mode === 'live' ? 'live' : 'sandbox'}</span>`}
${place !== undefined && places(base, place)}
${isLive && html`<button class="slim" id="call" data-waiting="${waiting.join(' ')}" aria-label="Show a desktop notification for each new question" hidden>Notify me</button>`}
${!frozen && html`<form method="post" action="${base}freeze"><button class="slim danger" id="freeze" aria-label="Freeze signing">Freeze</button></form>`}
</header>
<main id="content">
<div class="notice bad" data-lost hidden role="alert">Countersign does not answer any more: its server has stopped, or the machine was asleep. What was signed is safe, and nothing can be answered here. When your agent runs again, open this page with "countersign open".</div>
${notice !== undefined && noticeBox(notice)}
${content}
</main>
${isLive && html`<script nonce="${nonce}">${raw(SCRIPT)}</script>`}
</body>
</html>`;
}

const PLACES = [
  ['approvals', '', 'Approvals'],
  ['history', 'history', 'History'],
  ['limits', 'limits', 'Limits'],
] as const;

const places = (base: string, here: PageContext['place']): Html =>
  html`<nav class="places" aria-label="Pages">${PLACES.map(([place, path, words]) => html`<a href="${base}${path}"${place === here && html` aria-current="page"`}>${words}</a>`)}</nav>`;

const noticeBox = ({ kind, text, hint }: Notice): Html =>
  html`<div class="notice ${kind}" role="${kind === 'good' ? 'status' : 'alert'}"><p><strong>${text}</strong></p>${
    hint !== undefined && html`<p class="small">${hint}</p>`
  }</div>`;

/** A field for the owner passphrase. `one-time-code` keeps browsers from offering to save it. */
export const passphraseField = (id: string): Html =>
  html`<label for="${id}">Owner passphrase<input id="${id}" name="passphrase" type="password" required autocomplete="one-time-code" spellcheck="false"></label>`;

/** A time of day, or a date for what is longer ago, in the machine's own time zone. Milliseconds. */
export function when(time: number, now: number): Html {
  const shown = Math.abs(now - time) < 12 * 3_600_000 ? clockOf(time) : `${dayOf(time)} ${clockOf(time)}`;
  return html`<time datetime="${new Date(time).toISOString()}">${shown}</time>`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day in the machine's own time zone: `23:59`. */
export function clockOf(time: number): string {
  const date = new Date(time);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The day of a time in the machine's own time zone: `2026-01-31`. */
export function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
