/** A small part of `npm run fuzz -- silent`: nothing that is signed for an honest stage is another stage in silence. */
import { expect, it } from 'vitest';
import { search } from './campaign.ts';

/** Every so many-th change of a stage. */
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

it.each(Object.entries(PART))('no change of a stage passes for it: %s', (name, part) => {
  const { counts, silent } = search(name, new Map(), (number) => number % part === 0);
  expect(silent).toEqual([]);
  expect(counts.changes).toBeGreaterThan(20);
  // The search gets past the policy, and what it runs succeeds.
  expect(counts['no difference']).toBeGreaterThan(0);
});
