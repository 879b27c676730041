/**
 * Renders a tool's result for clients: the structured result, and the same facts as short text. Both are redacted
 * before cutting, since a cut secret cannot be recognized.
 */
import { isRecord } from '../base/record.ts';
import type { Mode } from '../plan/types.ts';
import type { ToolError } from './errors.ts';

/** Maximum bytes of a text block. `structuredContent` keeps every row. */
export const MAX_TEXT_BYTES = 32 * 1024;

export interface RenderedResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: true;
  [key: string]: unknown;
}

export type Redact = (value: unknown) => unknown;

/**
 * Cuts a text between lines to at most `max` bytes of UTF-8 and reports the number of missing lines. A longer line is
 * cut between characters.
 */
export function capped(text: string, max = MAX_TEXT_BYTES): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= max) return text;
  const more = (lines: number) =>
    `\n… cut here, ${lines} more ${lines === 1 ? 'line' : 'lines'}; the structured result is complete.`;
  // A cut inside a character leaves replacement characters at the end.
  const room = max - Buffer.byteLength(more(text.length), 'utf8');
  const kept = bytes
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  const whole = kept.slice(0, Math.max(kept.lastIndexOf('\n'), 0)) || kept;
  return `${whole}${more(text.slice(whole.length + 1).split('\n').length)}`;
}

function render(structured: Record<string, unknown>, text: string, redact: Redact): RenderedResult {
  const clean = redact(structured);
  const words = redact(text);
  return {
    content: [{ type: 'text', text: capped(typeof words === 'string' ? words : '') }],
    structuredContent: isRecord(clean) ? clean : {},
  };
}

/** Renders a tool's result, with the mode. */
export const renderResult = (
  mode: Mode,
  result: Record<string, unknown>,
  text: string,
  redact: Redact,
): RenderedResult => render({ ...result, mode }, text, redact);

/** Renders an error with its hint. */
export const renderError = (mode: Mode, error: ToolError, redact: Redact): RenderedResult => ({
  ...render({ mode, ...error }, `${error.code}: ${error.message}\n${error.hint}`, redact),
  isError: true,
});
