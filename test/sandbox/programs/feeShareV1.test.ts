/** What a user notices of the stand-in of the retired split of two wallets: who it takes, and what it refuses. */
import { beforeEach, expect, test } from 'vitest';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { createFeeVaults } from '../../../src/sandbox/programs/feeShareV1.ts';
import { standInPrograms } from '../../../src/sandbox/programs/standIns.ts';
import { errorOf, Scene, WSOL } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
});

const made = (shares: readonly [number, number]): EncodedInstruction =>
  createFeeVaults(
    { payer: scene.rich('payer').address, authority: scene.key('service').address },
    { wallet: scene.key('ann').address, bps: shares[0] },
    { wallet: scene.key('bob').address, bps: shares[1] },
    scene.key('mint').address,
    WSOL,
  );

test('makes vaults for both wallets once, when their shares are everything', () => {
  const payer = scene.rich('payer');
  expect(errorOf(scene.land([payer], made([3_000, 6_999])))).toBe(6002);
  scene.done([payer], made([3_000, 7_000]));
  expect(scene.land([payer], made([3_000, 7_000])).err).not.toBeNull();
});

test('wants the wallets in the order of their addresses', () => {
  const payer = scene.rich('payer');
  const built = made([3_000, 7_000]);
  const swapped = [0, 1, 3, 2, 5, 4].map((i) => built.accounts[i]).filter((each) => each !== undefined);
  const accounts = [...swapped, ...built.accounts.slice(6)];
  expect(errorOf(scene.land([payer], { ...built, accounts }))).toBe(6004);
});
