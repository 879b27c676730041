/**
 * What clients can read besides calling tools: the service's bytes of a stage, to be signed elsewhere, and the
 * policy in force. Loaded by the first read.
 */
import { cardPage } from '../card/card.ts';
import { CARD_URI } from '../card/names.ts';
import { toToolError } from '../errors.ts';
import { readGuide } from '../guidance/guide.ts';
import type { ResourceName, ToolCall, ToolHost } from '../host.ts';

const RESOURCE_NOT_FOUND = -32602;
const INTERNAL_ERROR = -32603;

/** An error of the protocol; the SDK reads its code. Its own class would bring the whole SDK into this chunk. */
export class ResourceError extends Error {
  readonly code: number;
  /** Which resource was asked for, as the protocol recommends. */
  readonly data: { readonly uri: string };

  constructor(code: number, message: string, uri: string) {
    super(message);
    this.name = 'ResourceError';
    this.code = code;
    this.data = { uri };
  }
}

/** Reads a URI; `undefined` when it is none of ours. Ids are plain text: nothing is joined into a path. */
export function parseResource(uri: string): ResourceName | undefined {
  if (uri === 'policy://current') return { kind: 'policy' };
  const match = /^plan:\/\/([A-Za-z0-9][\w-]{0,79})\/stages\/([^/?#]{1,400})$/.exec(uri);
  const [, planId, encoded] = match ?? [];
  if (planId === undefined || encoded === undefined) return undefined;
  try {
    const stageId = decodeURIComponent(encoded);
    return stageId.length <= 128 ? { kind: 'stage', planId, stageId } : undefined;
  } catch {
    return undefined;
  }
}

export interface ResourceContents {
  contents: { uri: string; mimeType: string; text: string }[];
  [key: string]: unknown;
}

interface Page {
  readonly kind: 'page';
  readonly page: { readonly mimeType: string; readonly text: string };
}

/**
 * What a URI names: a written page, or something the host knows.
 * @throws ResourceError when it is none of ours
 */
export function nameResource(uri: string): ResourceName | Page {
  const page = uri === CARD_URI ? cardPage() : readGuide(uri);
  if (page !== undefined) return { kind: 'page', page };
  const name = parseResource(uri);
  if (name !== undefined) return name;
  throw new ResourceError(
    RESOURCE_NOT_FOUND,
    'No such resource: resources/list names them; a stage is plan://{planId}/stages/{stageId}.',
    uri,
  );
}

/** Whatever went wrong with a resource, as an error of the protocol, with the sentence and hint a tool would give. */
export function resourceError(error: unknown, uri: string, host: ToolHost | undefined): Error {
  const { code, message, hint } = toToolError(error);
  const redact = (text: string): string => (host === undefined ? text : String(host.redact(text)));
  return new ResourceError(
    code === 'NOT_FOUND' ? RESOURCE_NOT_FOUND : INTERNAL_ERROR,
    redact(`${code}: ${message} ${hint}`),
    redact(uri),
  );
}

/**
 * Reads a resource. Stage bytes are the service's own in base64: a signature of ours is never added to them.
 * @throws ResourceError with the sentence and hint of whatever went wrong
 */
export async function readResource(
  uri: string,
  open: () => Promise<ToolHost>,
  call: ToolCall,
): Promise<ResourceContents> {
  const name = nameResource(uri);
  if (name.kind === 'page') return { contents: [{ uri, ...name.page }] };
  let host: ToolHost | undefined;
  try {
    host = await open();
    const { policy, plans } = host.context(call);
    const one =
      name.kind === 'policy'
        ? {
            mimeType: 'application/json',
            text: JSON.stringify(host.redact(await policy.view()), undefined, 2),
          }
        : {
            mimeType: 'text/plain',
            // A service may have hidden in its bytes what it was sent.
            text: String(host.redact(await plans.stageBytes(name.planId, name.stageId))),
          };
    return { contents: [{ uri, ...one }] };
  } catch (error) {
    throw resourceError(error, uri, host);
  }
}
