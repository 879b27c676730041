/** A service client for calls without an API key: login, and whether the service answers. */
import { systemClock } from '../../clock.ts';
import type { ServiceProfile } from '../../contract/profiles/index.ts';
import { createMemoryBudget, createServiceClient, type ServiceClient } from '../../service/index.ts';

/** Creates the client. Throws if the root URL is invalid; has no other effect before a call. */
export const keylessClient = (profile: ServiceProfile, rootUrl: string): ServiceClient =>
  createServiceClient({
    profile,
    rootUrl,
    apiKey: async () => undefined,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
