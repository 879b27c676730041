/** The fee limits argument, described for a reader who sees its rows as plain objects. */
import { ParamFeeLimits } from '../src/contract/index.ts';

export const feeLimits = ParamFeeLimits.describe(
  'Ceilings on transfer fees: {asset: {mint, tokenProgram}, basisPoints, maximumFeeRaw}.',
).nullish();
