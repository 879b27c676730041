/** Amounts as a person reads them. */
import { expect, it } from 'vitest';
import { amountOfAsset } from '../../src/base/words.ts';

it.each([
  [500_000_000n, 'SOL', undefined, '0.5 SOL'],
  [12_500_000n, 'Mint', 6, '12.5 of Mint'],
  [12_500_000n, 'Mint', undefined, '12,500,000 base units of Mint'],
  [2_000_000_000n, 'any', 6, '2,000 tokens'],
  [7n, 'any', undefined, '7 base units of tokens'],
] as const)('an amount of %s of %s with %s decimals is %s', (units, asset, decimals, words) => {
  expect(amountOfAsset(units, asset, decimals)).toBe(words);
});
