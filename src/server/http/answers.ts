/** Parses and answers HTTP requests before the principal is known: bodies, refusals, resource metadata. */
import { isJsonContentType, oauthMetadataResponse, readRequestBody } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';
import { answerable, contentFault, INVALID_PARAMS, PARSE_ERROR } from '../stdio/messages.ts';
import { SCOPES } from './caller.ts';
import type { OAuthAuthenticator } from './oauth.ts';

/** Maximum size of a request body in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The client's messages, as far as this folder reads them. */
export interface ParsedRequest {
  readonly body: unknown;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** Returns the messages of a request, or an error response. A request without a body has none. */
export async function parseRequest(request: Request): Promise<ParsedRequest | Response> {
  if (request.method !== 'POST') return { body: undefined, messages: [] };
  if (!isJsonContentType(request.headers.get('content-type')))
    return rpcError(415, 'The content type must be application/json.');
  const read = await readRequestBody(request, MAX_BODY_BYTES);
  if (read.tooLarge) return rpcError(413, `A request may have ${MAX_BODY_BYTES} bytes.`);
  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch {
    return rpcError(400, 'The body is not JSON.', PARSE_ERROR);
  }
  const fault = typeof body === 'object' && body !== null ? contentFault(body) : undefined;
  if (fault !== undefined) return rpcError(400, fault, INVALID_PARAMS);
  body = Array.isArray(body) ? body.map(answerable) : answerable(body);
  return { body, messages: (Array.isArray(body) ? body : [body]).filter(isRecord) };
}

/** Returns this resource's metadata. Fetches the issuer's metadata for it; responds with 503 if that fails. */
export async function metadataOf(
  { audience, authenticator }: { readonly audience: string; readonly authenticator: OAuthAuthenticator },
  request: Request,
): Promise<Response | undefined> {
  try {
    return oauthMetadataResponse(request, {
      oauthMetadata: await authenticator.metadata(),
      resourceServerUrl: new URL(audience),
      scopesSupported: [...SCOPES],
      resourceName: 'Countersign',
    });
  } catch {
    return answer(503, "The issuer's metadata cannot be read now.");
  }
}

export function tooMany(seconds: number): Response {
  return answer(429, `Too many requests. Try again in ${seconds} s.`, { 'retry-after': String(seconds) });
}

export const answer = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response => Response.json({ message }, { status, headers: { 'cache-control': 'no-store', ...headers } });

export const rpcError = (status: number, message: string, code = -32600): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
