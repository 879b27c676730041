/** The plan card: a whole document for hosts that show apps. It loads nothing, and its script and style are pinned. */
import { createHash } from 'node:crypto';
import { OVER, STAGE_STATUS_WORDS, STATUS_WORDS } from '../../presentation/statusWords.ts';
import { CARD_MIME_TYPE } from './names.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** Names of the host's style that the card takes on. */
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
  /** No news of a plan is looked for in these. */
  over: [...OVER, 'denied_by_owner'],
  variables: VARIABLES,
};

function lookOf({ look }: { readonly look: string }): string {
  return look.split(' ')[0] ?? '';
}

/** The card's document, as its resource is read. */
export function cardPage(): { mimeType: string; text: string; _meta: { ui: object } } {
  const script = `"use strict";const WORDS = ${JSON.stringify(WORDS).replaceAll('<', '\\u003c')};${SCRIPT}`;
  const pin = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${pin(script)}; style-src ${pin(STYLE)}; base-uri 'none'; form-action 'none'`;
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>Plan</title><style>${STYLE}</style></head>
<body><main><h1>Working…</h1></main><script>${script}</script></body></html>
`;
  // Without domains a host lets the card reach none.
  return { mimeType: CARD_MIME_TYPE, text, _meta: { ui: { csp: {}, prefersBorder: false } } };
}
