/** Display format of amounts. */
import { expect, it } from 'vitest';
import { amountOfAsset, decimal } from '../../src/base/format.ts';

it.each([
  [500_000_000n, 'SOL', undefined, '0.5 SOL'],
  [12_500_000n, 'Mint', 6, '12.5 of Mint'],
  [12_500_000n, 'Mint', undefined, '12,500,000 base units of Mint'],
  [2_000_000_000n, 'any', 6, '2,000 tokens'],
  [7n, 'any', undefined, '7 base units of tokens'],
] as const)('formats %s of %s with %s decimals as %s', (units, asset, decimals, words) => {
  expect(amountOfAsset(units, asset, decimals)).toBe(words);
});

it.each([
  [0n, 0, '0'],
  [5n, 9, '0.000000005'],
  [1_500_000_000n, 9, '1.5'],
  [1_234_567_000_000_000n, 9, '1,234,567'],
  [-1_500n, 3, '-1.5'],
])('formats %s with %i decimals as %s', (units, decimals, text) => {
  expect(decimal(units, decimals)).toBe(text);
});
