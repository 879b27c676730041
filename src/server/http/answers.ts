/** What a request asks and how it is answered, as far as no principal is known: bodies, refusals, the resource's metadata. */
import { isJsonContentType, oauthMetadataResponse, readRequestBody } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';
import { answerable, contentFault, INVALID_PARAMS, PARSE_ERROR } from '../stdio/messages.ts';
import { SCOPES } from './caller.ts';
import type { OAuthAuthenticator } from './oauth.ts';

/** Largest body of a request, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A message of the client, or several, as far as this folder looks into them. */
export interface Asked {
  readonly body: unknown;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** What a request asks, or why it cannot be read. A request without a body asks nothing. */
export async function askedBy(request: Request): Promise<Asked | Response> {
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

/** The metadata of this resource. Its issuer's metadata is fetched for it; where that fails, 503. */
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
