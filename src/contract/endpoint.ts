/**
 * What one row of the endpoint table says. The table is written once and read by both ends: the client validates
 * requests and reads answers with it, the sandbox service validates requests and shapes answers with it (C-WIRE-07).
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
  /** Strict: unknown fields, wrong types and every rule of the contract are refused before anything is sent. */
  readonly request: Request;
  /** Unknown fields and enum values pass; staged plans stay opaque until `planSchema` reads them. */
  readonly response: Response;
  /** The answer leads to a signature without being a build: read exactly as `response` says, as every build is. */
  readonly exact?: true;
  /** Whether a failed try may be repeated. Only ever `safe` for GET. */
  readonly retry: 'safe' | 'never';
  /** read: changes nothing · write: a record at the service · build: unsigned or partly signed transactions. */
  readonly effect: 'read' | 'write' | 'build';
  readonly envelope: 'standard' | 'none';
  /** Not counted in the request budget: a health check must not use up requests that work needs. */
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
  /** What a person does when it is not known whether the write happened. */
  readonly reconcile?: string;
  /** What a 404 means here, where it says more than "not found". */
  readonly notFound?: string;
}

type Usual = 'method' | 'base' | 'keyed' | 'send' | 'retry' | 'effect' | 'envelope';

/** Declares endpoints of one kind: `usual` is what most of them are. */
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
