/** A client of the service for the few calls that carry no API key: a login, and whether the service answers. */
import { systemClock } from '../../clock.ts';
import type { ServiceProfile } from '../../contract/profiles/index.ts';
import { createMemoryBudget, createServiceClient, type ServiceClient } from '../../service/index.ts';

/** Throws when the root URL is not acceptable; does nothing else until a call. */
export const keylessClient = (profile: ServiceProfile, rootUrl: string): ServiceClient =>
  createServiceClient({
    profile,
    rootUrl,
    apiKey: async () => undefined,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
