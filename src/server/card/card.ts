/**
 * The plan card: a self-contained document for hosts that show apps. Loads nothing; script and style are pinned by
 * hash.
 */
import { createHash } from 'node:crypto';
import { OVER, STAGE_STATUS_WORDS, STATUS_WORDS } from '../../presentation/statusWords.ts';
import { CARD_MIME_TYPE } from './names.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** The host's style variables used by the card. */
const VARIABLES = [
  '--color-background-primary',
  '--color-text-primary',
  '--color-text-secondary',
  '--color-border-primary',
  '--font-sans',
];

const WORDS = {
  plans: Object.fromEntries(
    Object.entries(STATUS_WORDS).map(([status, { chip, person }]) => [
      status,
      [chip.words, lookOf(chip), person],
    ]),
  ),
  stages: Object.fromEntries(
    Object.entries(STAGE_STATUS_WORDS).map(([status, { chip }]) => [status, [chip.words, lookOf(chip)]]),
  ),
  /** Statuses that are not polled. */
  over: [...OVER, 'denied_by_owner'],
  variables: VARIABLES,
};

function lookOf({ look }: { readonly look: string }): string {
  return look.split(' ')[0] ?? '';
}

/** Returns the card's document for its resource. */
export function cardPage(): { mimeType: string; text: string; _meta: { ui: object } } {
  const script = `"use strict";const WORDS = ${JSON.stringify(WORDS).replaceAll('<', '\\u003c')};${SCRIPT}`;
  const pin = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${pin(script)}; style-src ${pin(STYLE)}; base-uri 'none'; form-action 'none'`;
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>Plan</title><style>${STYLE}</style></head>
<body><main><h1>Working…</h1></main><script>${script}</script></body></html>
`;
  // An empty domain list lets the host block all requests of the card.
  return { mimeType: CARD_MIME_TYPE, text, _meta: { ui: { csp: {}, prefersBorder: false } } };
}
