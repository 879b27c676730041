/**
 * What every build tool does: looks at what this home has of the intent, asks the service for its transactions, and
 * opens the plan. What is built at the same time elsewhere is then not built twice.
 */
import { z } from 'zod';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../src/contract/index.ts';
import { briefly, type ShownPlan } from './planResult.ts';
import type { ToolContext } from './tool.ts';

/** A plan as a build tool shows it, or why there is none. */
export type Built = { plan: ShownPlan | null; note?: string };

/** Begins a new run of an intent whose earlier run is not complete; it counts anew against every limit. */
export const again = z.boolean().describe('Retry what failed.').optional();

/** Builds the plan of a request. Rejects as the service and the plan port do. */
export async function build<N extends EndpointName>(
  { service, plans }: Pick<ToolContext, 'service' | 'plans'>,
  endpoint: N,
  request: EndpointRequest<N>,
  repeat: boolean | undefined,
): Promise<{ answer: EndpointResponse<N>; opened: Built }> {
  const begun = await plans.begin(endpoint, request);
  const answer = await service.call(endpoint, request);
  const opened = await plans.open(endpoint, request, answer, {
    begun,
    ...(repeat === undefined ? {} : { again: repeat }),
  });
  return { answer, opened: briefly(opened) };
}
