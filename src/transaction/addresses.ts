/**
 * Everything about addresses in one place to import from. Code on a start path imports `programs.ts` or
 * `base58.ts` directly, which load nothing heavy.
 */
export { addressBytes, addressFromBytes, isAddress } from './base58.ts';
export { associatedTokenAddress, isOnCurve, programAddress } from './derive.ts';
export * from './programs.ts';
