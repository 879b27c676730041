/** The JSON-RPC 2.0 envelope: one request or a batch in, the text of the answer out. */
import { ChainError } from '../chain/errors.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
} from './errors.ts';
import { parse, stringify } from './json.ts';
import { accountMethods } from './methods/accounts.ts';
import { clusterMethods } from './methods/cluster.ts';
import type { Method, Methods } from './methods/method.ts';
import { TransportFailure, transactionMethods } from './methods/transactions.ts';
import type { RpcNode } from './node.ts';
import { Params } from './params.ts';

const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...clusterMethods, ...accountMethods, ...transactionMethods }),
);

type Id = string | number | bigint | null;

/** Looks methods up; a connection may bring its own. */
export type MethodLookup = (name: string) => Method | undefined;

export const nodeMethods: MethodLookup = (name) => METHODS.get(name);

/** Methods of a connection before those of the node. */
export function withMethods(methods: Methods): MethodLookup {
  const own = new Map(Object.entries(methods));
  return (name) => own.get(name) ?? METHODS.get(name);
}

/**
 * Answers a request body. Returns `undefined` when it holds notifications only, which have no answer.
 * Throws `TransportFailure` when a fault wants the connection to fail instead.
 */
export function answer(body: string, node: RpcNode, lookup: MethodLookup = nodeMethods): string | undefined {
  let request: unknown;
  try {
    request = parse(body);
  } catch {
    return stringify(failed(null, new RpcError(PARSE_ERROR, 'Parse error')));
  }
  if (!Array.isArray(request)) {
    const single = answerOne(request, node, lookup);
    return single === undefined ? undefined : stringify(single);
  }
  if (request.length === 0) return stringify(failed(null, new RpcError(INVALID_REQUEST, 'Invalid request')));
  const answers = request.map((one) => answerOne(one, node, lookup)).filter((one) => one !== undefined);
  return answers.length === 0 ? undefined : stringify(answers);
}

function answerOne(request: unknown, node: RpcNode, lookup: MethodLookup): object | undefined {
  if (typeof request !== 'object' || request === null || !('method' in request)) {
    return failed(null, new RpcError(INVALID_REQUEST, 'Invalid request'));
  }
  const notification = !('id' in request);
  const id = 'id' in request && isId(request.id) ? request.id : null;
  try {
    const method = typeof request.method === 'string' ? lookup(request.method) : undefined;
    if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    const result = method(new Params('params' in request ? request.params : undefined), node);
    return notification ? undefined : { jsonrpc: '2.0', result, id };
  } catch (error) {
    if (error instanceof TransportFailure) throw error;
    return notification ? undefined : failed(id, error);
  }
}

function failed(id: Id, error: unknown): object {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { jsonrpc: '2.0', error: { code, message, data }, id };
  }
  const message = error instanceof Error ? error.message : 'Internal error';
  // Bytes that are no transaction, or a thing the chain cannot do, are the caller's doing.
  if (error instanceof ChainError) return { jsonrpc: '2.0', error: { code: INVALID_PARAMS, message }, id };
  return { jsonrpc: '2.0', error: { code: INTERNAL_ERROR, message }, id };
}

function isId(id: unknown): id is Id {
  return id === null || ['string', 'number', 'bigint'].includes(typeof id);
}
