/**
 * Validates parsed lines as messages and extracts what the transport needs: id, method and cancelled request (rows
 * B03, B06, B07).
 */

import { isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';

/** Maximum nesting depth of a message. Tool arguments need five levels. */
export const MAX_DEPTH = 64;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** Too many requests are waiting. */
export const BUSY = -32000;
export const INVALID_PARAMS = -32602;

export type Id = string | number;

/** Whether a message can be handled, and otherwise the error. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** Returns the id of a request or response, if it is valid. */
export const idOf = (message: unknown): Id | undefined => {
  const id = isRecord(message) ? message.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
};

/** Returns the method of a request or notification; `undefined` for a response. */
export const methodOf = (message: unknown): string | undefined =>
  isRecord(message) && typeof message.method === 'string' ? message.method : undefined;

/**
 * Returns the id of the cancelled request. A message with an id is a request, not a cancellation, whatever its
 * method.
 */
export function cancels(message: unknown): Id | undefined {
  if (methodOf(message) !== 'notifications/cancelled' || !isRecord(message) || message.id !== undefined)
    return undefined;
  if (!isRecord(message.params)) return undefined;
  const { requestId } = message.params;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

/**
 * Returns why parsed JSON is refused regardless of its method: it is nested too deep, or has a `__proto__` key, which
 * the schema library would drop silently. Uses its own stack, so that depth cannot exhaust the engine's.
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
 * Returns the message as the SDK accepts it: a malformed response becomes an error response, so that its request ends
 * (the SDK would drop it and keep waiting). Other messages are returned unchanged.
 */
export function answerable(message: unknown): unknown {
  const id = idOf(message);
  if (id === undefined || (isRecord(message) && 'method' in message) || isJSONRPCResponse(message))
    return message;
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: 'The response is malformed.' } };
}

/**
 * Returns whether a parsed message can be handled: a JSON-RPC object with accepted content, and a valid MCP request.
 */
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
      message: 'Not a request: a field does not match the MCP schema.',
    };
  return { ok: true };
}
