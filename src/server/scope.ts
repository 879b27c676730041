/**
 * The request that work belongs to, where a server answers several: its id and principal stand in every line of the log,
 * and its place is kept until its work has ended. Over stdin there is none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestScope {
  readonly request: string;
  /** Known once the token was checked. */
  principal?: string;
  /** W3C `traceparent` of the HTTP request, as it came. */
  readonly traceparent?: string | undefined;
  /** Calls of tools that go on, also after the client is gone. */
  readonly works: Set<Promise<unknown>>;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Everything that `work` starts belongs to the request. */
export const inScope = <T>(scope: RequestScope, work: () => T): T => scopes.run(scope, work);

/** What `work` starts belongs to no request: it is for all that come. */
export const outOfScope = <T>(work: () => T): T => scopes.exit(work);

export const currentScope = (): RequestScope | undefined => scopes.getStore();

/** Notes work of the current request, until it ends. */
export function tracked<T>(work: Promise<T>): Promise<T> {
  const works = currentScope()?.works;
  if (works === undefined) return work;
  const forget = (): void => void works.delete(work);
  works.add(work);
  work.then(forget, forget);
  return work;
}
