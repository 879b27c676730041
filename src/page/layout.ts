/** The layout of every page: head with the content policy's nonce, title, mode, freeze button and notices. */
import { raw } from 'hono/html';
import { duration } from '../base/format.ts';
import type { Mode } from '../plan/types.ts';
import { PAST_STYLE } from './history/style.ts';
import { type Html, html, type Part } from './http/html.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** A notice above the page's content. */
export interface Notice {
  readonly text: string;
  readonly hint?: string;
}

/** Context of a page's layout. */
export interface PageContext {
  /** Path of this session's pages, with a trailing slash. */
  readonly base: string;
  readonly nonce: string;
  readonly mode: Mode;
  readonly frozen: boolean;
  /** The current navigation entry; absent outside a session. */
  readonly place?: 'approvals' | 'history' | 'limits' | undefined;
  readonly notice?: Notice | undefined;
  /** Ids of open questions: the tab shows their number, and a new one may trigger a notification. */
  readonly waiting?: readonly string[] | undefined;
}

/** Marks a part that the script updates while the page is open. */
export const live = (name: string, part: Part): Html => html`<div data-live="${name}">${part}</div>`;

/** Renders the time left until a moment, counted down by the script from the server's time. Milliseconds. */
export const countdown = (until: number, now: number): Html =>
  html`<span data-until="${until}" data-now="${now}">${duration(until - now)}</span>`;

/** Renders a whole document. `isLive: false` leaves out the script. */
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
<span class="chip ${mode === 'live' ? 'warn' : ''}">${mode}</span>
${place !== undefined && places(base, place)}
${isLive && html`<button class="slim" id="call" data-waiting="${waiting.join(' ')}" aria-label="Show a desktop notification for each new question" hidden>Notify me</button>`}
${!frozen && html`<form method="post" action="${base}freeze"><button class="slim danger" id="freeze" aria-label="Freeze signing">Freeze</button></form>`}
</header>
<main id="content">
<div class="notice" data-lost hidden role="alert">Countersign does not answer any more: its server has stopped, or the machine was asleep. Signed transactions are safe, and nothing can be answered here. When your agent runs again, open this page with "countersign open".</div>
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

const noticeBox = ({ text, hint }: Notice): Html =>
  html`<div class="notice" role="alert"><p><strong>${text}</strong></p>${
    hint !== undefined && html`<p class="small">${hint}</p>`
  }</div>`;

/** Renders a field for the owner passphrase. `one-time-code` keeps browsers from offering to save it. */
export const passphraseField = (id: string): Html =>
  html`<label for="${id}">Owner passphrase<input id="${id}" name="passphrase" type="password" required autocomplete="one-time-code" spellcheck="false"></label>`;

/** Renders a time of day, or a date and time if it is longer ago, in the machine's time zone. Milliseconds. */
export function when(time: number, now: number): Html {
  const shown = Math.abs(now - time) < 12 * 3_600_000 ? clockOf(time) : `${dayOf(time)} ${clockOf(time)}`;
  return html`<time datetime="${new Date(time).toISOString()}">${shown}</time>`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Formats the time of day in the machine's time zone: `23:59`. */
function clockOf(time: number): string {
  const date = new Date(time);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats the day in the machine's time zone: `2026-01-31`. */
export function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
