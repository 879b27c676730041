/**
 * Which parsed lines are messages, and what the transport has to know of one: its id, whether it asks for something,
 * what it cancels (rows B03, B06, B07).
 */

import { isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';

/** Deepest accepted nesting of a message. Arguments of the tools need five levels. */
export const MAX_DEPTH = 64;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** Too many requests wait. */
export const BUSY = -32000;
export const INVALID_PARAMS = -32602;

export type Id = string | number;

/** Whether a message is fit to be handled, and with which error it is refused. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** A request or response id, if the message has one that can be answered. */
export const idOf = (message: unknown): Id | undefined => {
  const id = isRecord(message) ? message.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
};

/** The method of a request or notification; `undefined` for a response. */
export const methodOf = (message: unknown): string | undefined =>
  isRecord(message) && typeof message.method === 'string' ? message.method : undefined;

/** The request a cancellation is about. A message with an id is none: it is a request, whatever its method is called. */
export function cancels(message: unknown): Id | undefined {
  if (methodOf(message) !== 'notifications/cancelled' || !isRecord(message) || message.id !== undefined)
    return undefined;
  if (!isRecord(message.params)) return undefined;
  const { requestId } = message.params;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

/**
 * Returns why parsed JSON is refused whatever it asks: it is nested too deep, or has a `__proto__` key, which the schema
 * library would drop without an error. Uses its own stack, so that depth cannot exhaust the engine's.
 */
export function contentFault(root: object): string | undefined {
  const open: { value: object; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return `The message is nested deeper than ${MAX_DEPTH} levels.`;
    if (Object.hasOwn(value, '__proto__')) return '__proto__ is not an accepted field name.';
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}

/**
 * Returns the message as the SDK accepts it: a malformed response becomes an error response, so that the request it
 * answers ends (the SDK drops it and waits on). Everything else is returned as it is.
 */
export function answerable(message: unknown): unknown {
  const id = idOf(message);
  if (id === undefined || (isRecord(message) && 'method' in message) || isJSONRPCResponse(message))
    return message;
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: 'The response is malformed.' } };
}

/** Whether a parsed message can be handled: a JSON-RPC object with accepted content, and a request as MCP defines it. */
export function judge(message: unknown): Verdict {
  if (!isRecord(message) || message.jsonrpc !== '2.0')
    return { ok: false, code: INVALID_REQUEST, message: 'Not a JSON-RPC 2.0 message.' };
  if (message.method !== undefined && message.params !== undefined && !isRecord(message.params))
    return { ok: false, code: INVALID_PARAMS, message: 'params must be an object.' };
  const fault = contentFault(message);
  if (fault !== undefined) return { ok: false, code: INVALID_PARAMS, message: fault };
  // The SDK would not answer it.
  if (message.method !== undefined && message.id !== undefined && !isJSONRPCRequest(message))
    return {
      ok: false,
      code: INVALID_REQUEST,
      message: 'Not a request: a field has a form MCP does not know.',
    };
  return { ok: true };
}
