/** The service client and its types. */
export { type BudgetPurpose, createMemoryBudget, type RateBudget } from './budget.ts';
export { createServiceClient, type ServiceClient } from './client.ts';
export { ServiceError } from './errors.ts';
export { parseRootUrl } from './rootUrl.ts';
