/** The fee of a trade in a DBC curve or a DAMM v2 pool at one moment, as numerators of a billion. */

/** A whole, in numerators. */
export const FEE_DENOMINATOR = 1_000_000_000n;

/** The base fee of a pool. What its numbers mean depends on the mode. */
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

/** The fee's numerator so long after activation, at most `highest`. `undefined` for modes other than a scheduler's. */
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

/** What is left of an amount after the fee, which is rounded up. */
export const afterFee = (amount: bigint, numerator: bigint): bigint =>
  amount - (amount * numerator + FEE_DENOMINATOR - 1n) / FEE_DENOMINATOR;
