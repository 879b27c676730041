/**
 * What clients can read besides calling tools: the service's bytes of a stage, to be signed elsewhere, and the
 * policy in force. Loaded by the first read.
 */
import { toToolError } from './errors.ts';
import { readGuide } from './guide.ts';
import type { ToolCall, ToolHost } from './host.ts';

const RESOURCE_NOT_FOUND = -32602;
const INTERNAL_ERROR = -32603;

/** An error of the protocol; the SDK reads its code. Its own class would bring the whole SDK into this chunk. */
class ResourceError extends Error {
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

/** What a resource URI of ours names. */
export type ResourceName =
  | { readonly kind: 'policy' }
  | { readonly kind: 'stage'; readonly planId: string; readonly stageId: string };

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

/**
 * Reads a resource. Stage bytes are the service's own in base64: a signature of ours is never added to them.
 * @throws ResourceError with the sentence and hint of whatever went wrong
 */
export async function readResource(
  uri: string,
  open: () => Promise<ToolHost>,
  call: ToolCall,
): Promise<ResourceContents> {
  const written = readGuide(uri);
  if (written !== undefined) return { contents: [{ uri, ...written }] };
  const name = parseResource(uri);
  if (name === undefined) {
    throw new ResourceError(
      RESOURCE_NOT_FOUND,
      'No such resource: resources/list names them; a stage is plan://{planId}/stages/{stageId}.',
      uri,
    );
  }
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
    const { code, message, hint } = toToolError(error);
    const text = `${code}: ${message} ${hint}`;
    throw new ResourceError(
      code === 'NOT_FOUND' ? RESOURCE_NOT_FOUND : INTERNAL_ERROR,
      host === undefined ? text : String(host.redact(text)),
      host === undefined ? uri : String(host.redact(uri)),
    );
  }
}
