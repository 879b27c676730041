/** The service client and what belongs to it. */
export {
  type BudgetGrant,
  type BudgetPurpose,
  createMemoryBudget,
  type RateBudget,
} from './budget.ts';
export {
  type CallOptions,
  createServiceClient,
  type KeyState,
  type ServiceClient,
  type ServiceClientOptions,
  type ServiceLogEvent,
} from './client.ts';
export { type ErrorClass, ServiceError, type ServiceErrorCode } from './errors.ts';
export type { FetchLike } from './exchange.ts';
export type { RateHeaders } from './rate.ts';
export { parseRootUrl } from './rootUrl.ts';
