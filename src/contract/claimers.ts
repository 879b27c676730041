/** Claimers of a fee share config, and transfer fee limits of a request. */

/** One claimer of a config. `basisPoints` is 0 to 10000. */
export interface Claimer {
  readonly address: string;
  readonly basisPoints: number;
}

/** Maximum transfer fee of an asset in a plan. */
export interface FeeLimitText {
  readonly asset: { readonly mint: string; readonly tokenProgram: string };
  readonly basisPoints: number;
  readonly maximumFeeRaw: string;
}
