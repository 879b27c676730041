/**
 * One HTTP exchange: builds the request, sends it once, reads the answer within bounds, and classifies failures.
 * Redirects are refused, because a custom header such as the key would be sent along (F12, C-AUTH-03).
 */
import { orAborted } from '../clock.ts';
import { type BodyResult, parseBody, readText } from './body.ts';

/** The part of `fetch` used by the client. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly send: 'query' | 'json' | 'multipart' | 'none';
  /** Wire fields: query parameters, JSON body or form fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Value of `x-api-key`. */
  readonly apiKey: string | undefined;
}

export type Exchange =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly body: BodyResult }
  /**
   * `unreachable`: nothing was sent · `broken`: the connection ended early · `aborted`: by our signal · `redirect`.
   */
  | { readonly kind: 'unreachable' | 'broken' | 'aborted' | 'redirect' };

/** Error codes before a connection existed, so the service cannot have received the request. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

function failureKind(error: unknown): 'unreachable' | 'broken' | 'redirect' {
  const cause = property(error, 'cause');
  const message = property(cause, 'message');
  if (typeof message === 'string' && /redirect/i.test(message)) return 'redirect';
  const code = property(cause, 'code') ?? property(error, 'code');
  return typeof code === 'string' && NOT_SENT.has(code) ? 'unreachable' : 'broken';
}

function isImage(value: unknown): value is { bytes: Uint8Array; type: string; name: string } {
  return property(value, 'bytes') instanceof Uint8Array;
}

function formData(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (isImage(value))
      form.append(name, new Blob([Uint8Array.from(value.bytes)], { type: value.type }), value.name);
    else form.append(name, String(value));
  }
  return form;
}

/** Returns the URL and `fetch` options of a request. */
export function toFetch(outgoing: Outgoing, signal: AbortSignal): { url: string; init: RequestInit } {
  const { method, send, fields, apiKey } = outgoing;
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'countersign' };
  if (apiKey !== undefined) headers['x-api-key'] = apiKey;
  const init: RequestInit = { method, headers, signal, redirect: 'error' };
  let { url } = outgoing;
  if (send === 'query') {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) query.append(name, String(value));
    if (query.size > 0) url += `?${query}`;
  } else if (send === 'json') {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(fields);
  } else if (send === 'multipart') {
    init.body = formData(fields);
  }
  return { url, init };
}

/** Sends a request once. Never throws: every failure is a kind. */
export async function exchange(fetch: FetchLike, outgoing: Outgoing, signal: AbortSignal): Promise<Exchange> {
  const { url, init } = toFetch(outgoing, signal);
  let response: Response;
  try {
    response = await orAborted(fetch(url, init), signal);
  } catch (error) {
    return { kind: signal.aborted ? 'aborted' : failureKind(error) };
  }
  try {
    const text = await orAborted(readText(response, signal), signal);
    const type = response.headers.get('content-type');
    const body: BodyResult =
      text !== undefined && type !== null && !/\bjson\b/i.test(type)
        ? { ok: false, problem: text.trim() === '' ? 'empty' : 'not_json', text }
        : parseBody(text);
    return { kind: 'answer', status: response.status, headers: response.headers, body };
  } catch {
    return { kind: signal.aborted ? 'aborted' : 'broken' };
  }
}
