/** What a JSON-RPC method is: parameters and the node in, a result out, all within one synchronous call. */
import type { RpcNode } from '../node.ts';
import type { Params } from '../params.ts';

export type Method = (params: Params, node: RpcNode) => unknown;
export type Methods = Readonly<Record<string, Method>>;
