/**
 * Reads a response body within bounds: decoded bytes are counted while streaming, so that a small compressed body
 * cannot become a large one in memory, and nesting is measured before parsing (F10, F11, B03).
 */

/** Maximum decoded bytes of a response. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Maximum nesting depth of a response. */
export const MAX_JSON_DEPTH = 64;

export type BodyProblem = 'too_large' | 'too_deep' | 'not_json' | 'empty';

export type BodyResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: BodyProblem; readonly text: string };

/**
 * Returns the decoded body as text, or `undefined` if it exceeds the limit. Stops reading there, or when the signal
 * aborts.
 */
export async function readText(
  response: Response,
  signal: AbortSignal,
  cap: number = MAX_BODY_BYTES,
): Promise<string | undefined> {
  if (response.body === null) return '';
  const decoder = new TextDecoder('utf-8');
  let text = '';
  let size = 0;
  const reader = response.body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > cap) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    // Frees the socket of an unfinished body; a finished or broken stream ignores it.
    leave();
    signal.removeEventListener('abort', leave);
  }
}

/** Returns whether brackets outside strings nest deeper than `cap`. */
export function nestsDeeper(json: string, cap: number = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < json.length && json.charCodeAt(i) !== 0x22; i++) {
        if (json.charCodeAt(i) === 0x5c) i++;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > cap) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Parses a response. Own `__proto__` keys are dropped, so that copying the result cannot change a prototype. */
export function parseBody(text: string | undefined): BodyResult {
  if (text === undefined) return { ok: false, problem: 'too_large', text: '' };
  if (text.trim() === '') return { ok: false, problem: 'empty', text: '' };
  if (nestsDeeper(text)) return { ok: false, problem: 'too_deep', text: '' };
  try {
    const value: unknown = text.includes('__proto__')
      ? JSON.parse(text, (key, field: unknown) => (key === '__proto__' ? undefined : field))
      : JSON.parse(text);
    return { ok: true, value };
  } catch {
    return { ok: false, problem: 'not_json', text };
  }
}
