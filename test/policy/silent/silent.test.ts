/** A small part of `npm run fuzz -- silent`: no signature for an honest stage silently covers another one. */
import { expect, it } from 'vitest';
import { search } from './campaign.ts';

/** The sampling interval of a stage's changes. */
const PART: Readonly<Record<string, number>> = {
  'plain config': 3,
  'manager update to more': 20,
  'bare curve launch': 60,
  'direct launch without a buy': 60,
  'curve config': 8,
  'swap for SOL': 100,
  'deployer claim': 5,
  'payment of USDC': 3,
};

it.each(Object.entries(PART))('every silent change of a stage is detected: %s', (name, part) => {
  const { counts, silent } = search(name, new Map(), (number) => number % part === 0);
  expect(silent).toEqual([]);
  expect(counts.changes).toBeGreaterThan(20);
  // Some changes pass the policy and succeed when run.
  expect(counts['no difference']).toBeGreaterThan(0);
});
