/**
 * Rows of the endpoint table. The client and the sandbox service share the table: both validate requests with it, the client
 * parses answers with it and the sandbox builds them (C-WIRE-07).
 */
import type { z } from 'zod';

export interface Endpoint<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  /** Relative to the base; `{name}` is filled from the request field of that name. */
  readonly path: string;
  /** `api`: below `{root}/api/v1`; `root`: below `{root}`. */
  readonly base: 'root' | 'api';
  /** `true`: needs the key · `try`: sends one if there is one, and works without · `false`: never sent. */
  readonly keyed: boolean | 'try';
  readonly send: 'query' | 'json' | 'multipart' | 'none';
  /** Request fields that go into the path, percent-encoded. */
  readonly pathParams?: readonly string[];
  /** Strict: unknown fields, wrong types and violated rules are rejected before the request is sent. */
  readonly request: Request;
  /** Unknown fields and enum values pass; staged plans stay opaque until `planSchema` reads them. */
  readonly response: Response;
  /** Whether the answer leads to a signature without being a build, so that it is parsed exactly like a build. */
  readonly exact?: true;
  /** Whether a failed request may be repeated; `safe` for GET only. */
  readonly retry: 'safe' | 'never';
  /** read: changes nothing · write: a record at the service · build: unsigned or partly signed transactions. */
  readonly effect: 'read' | 'write' | 'build';
  readonly envelope: 'standard' | 'none';
  /** Whether the request budget excludes it, as for health checks. */
  readonly outsideBudget?: true;
  /** Where transaction strings sit in the answer (`[]`: each element; empty: the answer itself), and their encoding. */
  readonly transactions?: { readonly path: string; readonly encoding: 'base64' };
  /** True when the answer is, or holds at `plan`, a staged plan for `planSchema`. */
  readonly plan?: 'response' | 'response.plan';
  /** Request fields the client turns into EIP-55 form before sending. */
  readonly evmAddresses?: readonly string[];
  /** Request fields, unix seconds, that must not lie in the future. */
  readonly notAfterNow?: readonly string[];
  /** Request fields whose values must never appear in an error. */
  readonly secretRequest?: readonly string[];
  /** True when the answer holds a secret: no part of its body is ever quoted. */
  readonly secretResponse?: boolean;
  /** The user's next step if the outcome of the write is unknown. */
  readonly reconcile?: string;
  /** The specific meaning of a 404. */
  readonly notFound?: string;
}

type Usual = 'method' | 'base' | 'keyed' | 'send' | 'retry' | 'effect' | 'envelope';

/** Declares endpoints of one kind with the defaults `usual`. */
const kindOf =
  (usual: Pick<Endpoint, Usual>) =>
  <Request extends z.ZodType, Response extends z.ZodType>(
    path: string,
    what: Omit<Endpoint<Request, Response>, Usual | 'path'> & Partial<Pick<Endpoint, Usual>>,
  ): Endpoint<Request, Response> => ({ ...usual, path, ...what });

const common = { base: 'api', keyed: true, envelope: 'standard' } as const;

/** Declares a read: a GET with its fields in the query. */
export const reading = kindOf({ ...common, method: 'GET', send: 'query', retry: 'safe', effect: 'read' });
/** Declares a build of transactions: a POST of JSON, which is not repeated. */
export const building = kindOf({ ...common, method: 'POST', send: 'json', retry: 'never', effect: 'build' });
/** Declares a write of a record at the service: a POST of JSON, which is not repeated. */
export const writing = kindOf({ ...common, method: 'POST', send: 'json', retry: 'never', effect: 'write' });
