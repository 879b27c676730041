/** Current trade fees of DBC curves and DAMM v2 pools, as numerators over a billion. */

/** Denominator of fees. */
export const FEE_DENOMINATOR = 1_000_000_000n;

/** Base fee of a pool, interpreted by mode. */
export interface BaseFee {
  readonly cliff: bigint;
  readonly mode: number;
  readonly periods: bigint;
  readonly frequency: bigint;
  readonly reduction: bigint;
}

export interface DynamicFee {
  readonly isOn: boolean;
  readonly volatility: bigint;
  readonly binStep: bigint;
  readonly control: bigint;
}

const [LINEAR, EXPONENTIAL] = [0, 1];
const ALL_BPS = 10_000n;
const VOLATILITY_SCALE = 100_000_000_000n;

/** Returns the fee numerator at a time after activation, at most `highest`; `undefined` for other modes than schedulers. */
export function feeNumerator(
  base: BaseFee,
  dynamic: DynamicFee,
  elapsed: bigint,
  highest: bigint,
): bigint | undefined {
  const scheduled = scheduledFee(base, elapsed);
  if (scheduled === undefined) return undefined;
  const total = scheduled + (dynamic.isOn ? variableFee(dynamic) : 0n);
  return total < highest ? total : highest;
}

function scheduledFee(
  { cliff, mode, periods, frequency, reduction }: BaseFee,
  elapsed: bigint,
): bigint | undefined {
  if (mode !== LINEAR && mode !== EXPONENTIAL) return undefined;
  if (frequency === 0n) return cliff;
  const passed = elapsed / frequency;
  const period = passed < periods ? passed : periods;
  if (mode === LINEAR) return cliff - period * reduction;
  let fee = cliff;
  for (let i = 0n; i < period; i++) fee = (fee * (ALL_BPS - reduction)) / ALL_BPS;
  return fee;
}

const variableFee = ({ volatility, binStep, control }: DynamicFee): bigint =>
  ((volatility * binStep) ** 2n * control + VOLATILITY_SCALE - 1n) / VOLATILITY_SCALE;

/** Returns an amount less the fee, which is rounded up. */
export const afterFee = (amount: bigint, numerator: bigint): bigint =>
  amount - (amount * numerator + FEE_DENOMINATOR - 1n) / FEE_DENOMINATOR;
