/** Behaviour of the fee share stand-in's claims: amounts, single payment, refusals. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { createPosition } from '../../../sandbox/programs/dammV2.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { ata } from '../../../sandbox/service/build/tokens.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { admin, allowed, managedBy, named, pair, payer, renewScene, scene } from './feeShareScene.ts';
import { curveSwap, poolSwap } from './instructions.ts';
import { errorOf, SOL, WSOL } from './scene.ts';
import { CURVE, launchCurve, launchPool, POOL, trader } from './worlds.ts';

beforeEach(renewScene);

/** Returns the amount owed to each claimer. */
function owed(of: feeShare.FeePair): bigint[] {
  const data = scene.data(feeShare.feeShareAuthority(of));
  return Array.from({ length: (data.length - 104) / 8 }, (_, i) => data.readBigUInt64LE(104 + 8 * i));
}

describe('claims', () => {
  /** Launches on a curve whose fees belong to the config, with one buy of 10 SOL. */
  function launched(partner?: Address) {
    const options = { last: true, ...(partner === undefined ? {} : { partner }) };
    const shares = named(['ann', 2_500], ['bob', 7_500]);
    scene.done([payer, admin], feeShare.createFeeConfig(allowed(), pair, shares, options));
    const world = launchCurve(
      scene,
      { ...CURVE, creatorTradingFeePercentage: 0 },
      feeShare.feeShareAuthority(pair),
    );
    const { wallet, buy } = trader(scene, 'buyer', world.base);
    scene.done([wallet], curveSwap(world.place, buy, 10n * SOL, 1n));
    return world;
  }
  const earned = 160_000_000n;

  test('collect from the curve, then pay each claimer its share once', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    expect(owed(pair)).toEqual([earned / 4n, (earned * 3n) / 4n]);
    expect(scene.tokens(ata(feeShare.feeShareAuthority(pair), WSOL))).toBe(earned);
    const ann = scene.rich('ann');
    scene.done([payer, ann], feeShare.claimUser(payer.address, ann.address, pair, 0));
    expect(scene.tokens(ata(ann.address, WSOL))).toBe(earned / 4n);
    expect(owed(pair)).toEqual([0n, (earned * 3n) / 4n]);
    const again = scene.land([payer, ann], feeShare.claimUser(payer.address, ann.address, pair, 0));
    expect(errorOf(again)).toBe(6010);
  });

  test('are refused to others: another index, a stranger, an invalid index', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const [ann, stranger] = [scene.rich('ann'), scene.rich('stranger')];
    const attempts: readonly (readonly [Keypair, number])[] = [
      [ann, 1],
      [stranger, 0],
      [ann, 2],
    ];
    expect(
      attempts.map(([signer, index]) =>
        errorOf(scene.land([payer, signer], feeShare.claimUser(payer.address, signer.address, pair, index))),
      ),
    ).toEqual([6009, 6009, 6013]);
  });

  test('keep a claimer with unclaimed fees in its place', () => {
    const { place } = launched();
    const manager = scene.rich('manager');
    scene.done([payer, admin], managedBy('manager'));
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const update = (shares: readonly (readonly [string, number])[], from: number, to: number) =>
      errorOf(
        scene.land(
          [payer, manager],
          feeShare.managerUpdateFeeConfig(
            { payer: payer.address, manager: manager.address },
            pair,
            named(...shares),
            { from, to, last: true },
          ),
        ),
      );
    expect(update([['cat', 10_000]], 0, 2)).toBe(6016);
    expect(update([['bob', 2_500]], 0, 1)).toBe(6016);
    expect(
      update(
        [
          ['ann', 2_500],
          ['cat', 0],
        ],
        0,
        1,
      ),
    ).toBe(6017);
    expect(
      update(
        [
          ['ann', 1],
          ['bob', 9_998],
          ['cat', 1],
        ],
        0,
        2,
      ),
    ).toBeUndefined();
    expect(owed(pair)).toEqual([earned / 4n, (earned * 3n) / 4n, 0n]);
  });

  test('pay the partner its share of the collected fees, to the partner only', () => {
    const partner = scene.rich('partner');
    scene.done([payer, admin], feeShare.createPartnerConfig(allowed(), partner.address, 1_000, pair));
    const { place } = launched(partner.address);
    const without = feeShare.claimDbc(payer.address, pair, place.config);
    expect(errorOf(scene.land([payer], without))).toBe(6008);
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config, partner.address));
    expect(owed(pair)).toEqual([(earned * 9n) / 40n, (earned * 27n) / 40n]);
    const stranger = scene.rich('stranger');
    const stolen = feeShare.claimPartner(payer.address, stranger.address, pair);
    const accounts = stolen.accounts.map((each, i) =>
      i === 2 ? { ...each, address: feeShare.partnerConfig(partner.address, pair) } : each,
    );
    expect(errorOf(scene.land([payer, stranger], { ...stolen, accounts }))).toBe(2006);
    scene.done([payer, partner], feeShare.claimPartner(payer.address, partner.address, pair));
    expect(scene.tokens(ata(partner.address, WSOL))).toBe(earned / 10n);
    const again = scene.land([payer, partner], feeShare.claimPartner(payer.address, partner.address, pair));
    expect(errorOf(again)).toBe(6010);
  });

  test('can be moved to a vault of the claimer, which pays SOL and closes its account', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const [ann, stranger] = [scene.rich('ann'), scene.rich('stranger')];
    const toVault = (by: Keypair) =>
      feeShare.claimUserToVault(payer.address, by.address, ann.address, pair, 0);
    expect(errorOf(scene.land([payer, stranger], toVault(stranger)))).toBe(6009);
    scene.done([payer, admin], toVault(admin));
    const held = ata(feeShare.userFeeVault(ann.address, pair), WSOL);
    expect(scene.tokens(held)).toBe(earned / 4n);
    const [inside, before] = [scene.lamports(held), scene.lamports(ann.address)];
    const outcome = scene.done([ann], feeShare.claimUserVault(ann.address, pair));
    expect(outcome.err).toBeNull();
    const fee = 6_400n;
    expect(scene.lamports(ann.address)).toBe(before + inside - fee);
    expect(scene.chain.getAccount(held)).toBeNull();
    expect(scene.land([ann], feeShare.claimUserVault(ann.address, pair)).err).not.toBeNull();
  });

  test("collect fees of the config's own DAMM v2 position only", () => {
    const base = feeShare.inSol(scene.key('pool mint').address);
    const authority = feeShare.feeShareAuthority(base);
    scene.done(
      [payer, admin],
      feeShare.createFeeConfig(allowed(), base, named(['ann', 2_500], ['bob', 7_500]), { last: true }),
    );
    const { owner, base: token, tokens, pool, place } = launchPool(scene, POOL, authority);
    const nft = scene.key('position of the owner');
    scene.done([owner, nft], createPosition(pool, owner.address, nft.address, owner.address));
    const { wallet, buy } = trader(scene, 'buyer', token);
    scene.done([wallet], poolSwap(tokens, buy, 10n * SOL, 1n));
    const stolen = feeShare.claimDammV2(payer.address, base, nft.address);
    expect(errorOf(scene.land([payer], stolen))).toBe(2015);
    scene.done([payer], feeShare.claimDammV2(payer.address, base, place.nftMint));
    // The position's share is rounded down once.
    const collected = earned - 1n;
    expect(scene.tokens(ata(authority, WSOL))).toBe(collected);
    expect(owed(base)).toEqual([collected / 4n, (collected * 3n) / 4n]);
  });
});
