/**
 * Shared body of the build tools: registers the intent, requests its transactions from the service and opens the plan.
 * A concurrent build of the same intent returns the existing plan.
 */
import { z } from 'zod';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../src/contract/index.ts';
import { briefly, type ShownPlan } from './planResult.ts';
import type { ToolContext } from './tool.ts';

/** The plan of a build result, or a note on its absence. */
export type Built = { plan: ShownPlan | null; note?: string };

/** Starts a new run of an intent whose previous run is incomplete; the run counts against every limit again. */
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
