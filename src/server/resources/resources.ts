/**
 * Resources: the service's bytes of a stage, to be signed elsewhere, and the policy in force. Loaded by the first
 * read.
 */
import { cardPage } from '../card/card.ts';
import { CARD_URI } from '../card/names.ts';
import { toToolError } from '../errors.ts';
import { readGuide } from '../guidance/guide.ts';
import type { ResourceName, ToolCall, ToolHost } from '../host.ts';

const RESOURCE_NOT_FOUND = -32602;
const INTERNAL_ERROR = -32603;

/** A protocol error; the SDK reads its code. The SDK's own class would load the whole SDK into this chunk. */
export class ResourceError extends Error {
  readonly code: number;
  /** The requested resource, as the protocol recommends. */
  readonly data: { readonly uri: string };

  constructor(code: number, message: string, uri: string) {
    super(message);
    this.name = 'ResourceError';
    this.code = code;
    this.data = { uri };
  }
}

/** Parses a URI; returns `undefined` if it is unknown. Ids are plain text: nothing is joined into a path. */
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
 * Resolves a URI to a static page or a resource of the host.
 * @throws ResourceError if it is unknown
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

/** Converts any error of a resource into a protocol error, with the message and hint of a tool error. */
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
 * Reads a resource. Stage bytes are the service's own in base64, without our signature.
 * @throws ResourceError with the message and hint of the error
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
            // The service may have embedded request data in its bytes.
            text: String(host.redact(await plans.stageBytes(name.planId, name.stageId))),
          };
    return { contents: [{ uri, ...one }] };
  } catch (error) {
    throw resourceError(error, uri, host);
  }
}
