/** Who earns from a fee share config, and the transfer fee limits of a request, as the contract writes them. */

/** One claimer of a config. `basisPoints` is 0 to 10000. */
export interface Claimer {
  readonly address: string;
  readonly basisPoints: number;
}

/** The most transfer fee of an asset that a plan may be built under. */
export interface FeeLimitText {
  readonly asset: { readonly mint: string; readonly tokenProgram: string };
  readonly basisPoints: number;
  readonly maximumFeeRaw: string;
}
