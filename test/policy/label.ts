import type { Check } from '../../src/policy/decide/types.ts';

/** Label of a check: `simulated` if it used a simulation, its id, and the part of the request. */
export const labelOf = ({ id, params, simulated }: Pick<Check, 'id' | 'params' | 'simulated'>): string =>
  [...(simulated ? ['simulated'] : []), id, ...(params?.part === undefined ? [] : [params.part])].join(' ');
