/**
 * The HTTP request that work belongs to: log lines contain its id and principal, and its slot is kept until its work
 * has ended. There is none over stdio.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestScope {
  readonly request: string;
  /** Set once the token was checked. */
  principal?: string;
  /** W3C `traceparent` of the HTTP request, unchanged. */
  readonly traceparent?: string | undefined;
  /** Running tool calls, including those of disconnected clients. */
  readonly works: Set<Promise<unknown>>;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` in the scope of a request. */
export const inScope = <T>(scope: RequestScope, work: () => T): T => scopes.run(scope, work);

/** Runs `work` outside the scope of any request, for shared work. */
export const outOfScope = <T>(work: () => T): T => scopes.exit(work);

export const currentScope = (): RequestScope | undefined => scopes.getStore();

/** Adds work to the current request until it ends. */
export function tracked<T>(work: Promise<T>): Promise<T> {
  const works = currentScope()?.works;
  if (works === undefined) return work;
  const forget = (): void => void works.delete(work);
  works.add(work);
  work.then(forget, forget);
  return work;
}
