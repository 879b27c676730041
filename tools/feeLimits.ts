/** The fee limits argument of several build tools. */
import { ParamFeeLimits } from '../src/contract/index.ts';

export const feeLimits = ParamFeeLimits.describe('Ceilings on token transfer fees.').nullish();
