import type { Check } from '../../src/policy/decide/types.ts';

/** A check by its data: `simulated` where it looked at a simulation, its id, and the part of the request it is about. */
export const labelOf = ({ id, params, simulated }: Pick<Check, 'id' | 'params' | 'simulated'>): string =>
  [...(simulated ? ['simulated'] : []), id, ...(params?.part === undefined ? [] : [params.part])].join(' ');
