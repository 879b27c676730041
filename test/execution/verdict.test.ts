import { describe, expect, it } from 'vitest';
import { BLOCKHASH_BLOCKS, type DeathViews, verdict } from '../../src/execution/sending/verdict.ts';
import fc from '../fc.ts';

/**
 * Chain whose views are each true at some slot: heights skip empty slots, a transaction may have landed during its
 * blockhash's lifetime, and a node may be at any past slot.
 */
interface World {
  /** Height at each slot. */
  readonly heights: readonly number[];
  /** Slot of the blockhash. */
  readonly born: number;
  /** Height after which the blockhash is invalid, from the view at decision time. */
  readonly deadHeight: number;
  /** Slot of landing, if any. */
  readonly landedAt?: number;
}

const world: fc.Arbitrary<World> = fc
  .record({
    skipped: fc.array(fc.boolean(), { minLength: 420, maxLength: 420 }),
    born: fc.nat({ max: 40 }),
    decidedAfter: fc.nat({ max: 30 }),
    lands: fc.option(fc.nat({ max: BLOCKHASH_BLOCKS - 1 }), { nil: undefined }),
  })
  .map(({ skipped, born, decidedAfter, lands }) => {
    const heights: number[] = [];
    let height = 0;
    for (const [slot, skip] of skipped.entries()) {
      if (!skip || slot % 3 !== 0) height += 1;
      heights.push(height);
    }
    const heightAt = (slot: number) => heights[slot] ?? 0;
    const deadHeight = heightAt(born + decidedAfter) + BLOCKHASH_BLOCKS;
    // Landing requires a blockhash among the last 150 blocks.
    const landedAt =
      lands === undefined ? undefined : heights.findIndex((at) => at === heightAt(born) + 1 + lands);
    return { heights, born, deadHeight, ...(landedAt === undefined || landedAt < 0 ? {} : { landedAt }) };
  });

function views(of: World, finalizedSlot: number, statusSlot: number, hashSlot: number): DeathViews {
  const heightAt = (slot: number) => of.heights[slot] ?? 0;
  const known = of.landedAt !== undefined && of.landedAt <= statusSlot;
  return {
    finalized: { slot: finalizedSlot, blockHeight: heightAt(finalizedSlot) },
    status: {
      slot: statusSlot,
      value: known ? { slot: of.landedAt ?? 0, error: null, commitment: 'finalized' } : undefined,
    },
    blockhash: { slot: hashSlot, valid: heightAt(hashSlot) <= heightAt(of.born) + BLOCKHASH_BLOCKS },
  };
}

const slot = fc.nat({ max: 419 });

describe('the verdict "expired, never landed"', () => {
  it('is never given for a transaction that landed or can still land, by whatever RPC views', () => {
    fc.assert(
      fc.property(world, slot, slot, slot, (of, finalized, status, hash) => {
        if (verdict(of.deadHeight, views(of, finalized, status, hash)) !== 'expired') return;
        expect(of.landedAt).toBeUndefined();
        const lastValid = (of.heights[of.born] ?? 0) + BLOCKHASH_BLOCKS;
        expect(of.heights[finalized]).toBeGreaterThan(lastValid);
      }),
      { numRuns: 2000 },
    );
  });

  it('is reached for every expired transaction once all views are new enough', () => {
    fc.assert(
      fc.property(world, (of) => {
        const end = of.heights.length - 1;
        const expected = of.landedAt === undefined ? 'expired' : 'landed';
        expect(verdict(of.deadHeight, views(of, end, end, end))).toBe(expected);
      }),
    );
  });

  const dead: DeathViews = {
    finalized: { slot: 1000, blockHeight: 901 },
    status: { slot: 1001, value: undefined },
    blockhash: { slot: 1000, valid: false },
  };
  it.each<[string, DeathViews, ReturnType<typeof verdict>]>([
    ['all of it holds', dead, 'expired'],
    [
      'the height is only reached, not passed',
      { ...dead, finalized: { slot: 1000, blockHeight: 900 } },
      'pending',
    ],
    [
      'the status view is older than the height view',
      { ...dead, status: { slot: 999, value: undefined } },
      'unknown',
    ],
    ['the blockhash view is older', { ...dead, blockhash: { slot: 999, valid: false } }, 'unknown'],
    ['the blockhash is reported as valid', { ...dead, blockhash: { slot: 1000, valid: true } }, 'unknown'],
    [
      'the height is not a number (F37)',
      { ...dead, finalized: { slot: 1000, blockHeight: Number.NaN } },
      'unknown',
    ],
    [
      'the signature is known',
      { ...dead, status: { slot: 1001, value: { slot: 7, error: 'x', commitment: 'processed' } } },
      'landed',
    ],
  ])('when %s', (_, given, expected) => expect(verdict(900, given)).toBe(expected));
});
