/** The sandbox's own programs: custody of launch positions, and vaults of partners and deployers. */

import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CustodyTerms,
  claimEarnings,
  collectHeldFees,
  custodyAddress,
  custodyAuthority,
  earningsVault,
  lockHeldPosition,
  openCustody,
} from '../../../sandbox/programs/custody.ts';
import { poolAddress, positionAddress } from '../../../sandbox/programs/dammV2.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { ata } from '../../../sandbox/service/build/tokens.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { poolSwap } from './instructions.ts';
import { errorOf, Scene, SOL, WSOL } from './scene.ts';
import { launchPool, POOL, trader } from './worlds.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
});

/** Fees of a 10 SOL buy for one position with all liquidity. */
const EARNED = 160_000_000n - 1n;

/** Creates a pool whose only position is in custody; `which` earns its fees. */
function held(side: 'treasury' | 'claimer', partner?: CustodyTerms['partner']) {
  const pool = poolAddress(scene.key('pool mint').address, WSOL_MINT);
  const world = launchPool(scene, POOL, custodyAuthority(pool));
  const other = scene.key('the other position').address;
  const nft = world.place.nftMint;
  const terms: CustodyTerms = {
    treasuryNft: side === 'treasury' ? nft : other,
    claimerNft: side === 'claimer' ? nft : other,
    treasury: scene.rich('treasury').address,
    feeClaimer: scene.rich('claimer').address,
    ...(partner === undefined ? {} : { partner }),
  };
  scene.done([world.owner], openCustody(world.owner.address, pool, terms));
  return { ...world, pool, terms, nft };
}

function bought(world: ReturnType<typeof held>) {
  const { wallet, buy } = trader(scene, 'buyer', world.base);
  scene.done([wallet], poolSwap(world.tokens, buy, 10n * SOL, 1n));
  return wallet;
}

describe('a custody', () => {
  test('locks its position permanently', () => {
    const { owner, pool, nft } = held('claimer');
    scene.done([owner], lockHeldPosition(pool, nft, POOL.liquidity));
    const data = scene.data(positionAddress(nft));
    expect([data.readBigUInt64LE(152), data.readBigUInt64LE(160)]).toEqual([0n, 0n]);
    expect(data.readBigUInt64LE(184) | (data.readBigUInt64LE(192) << 64n)).toBe(POOL.liquidity);
  });

  test("pays the fees of the fee claimer's position to the fee claimer and its partner", () => {
    const partner = scene.rich('partner');
    const world = held('claimer', { wallet: partner.address, bps: 1_000 });
    const payer = bought(world);
    scene.done([payer], collectHeldFees(payer.address, world.tokens, world.terms, world.nft));
    const part = EARNED / 10n;
    expect(scene.tokens(earningsVault('partner', partner.address, WSOL))).toBe(part);
    expect(scene.tokens(earningsVault('deployer', world.terms.feeClaimer, WSOL))).toBe(EARNED - part);
  });

  test("pays the fees of the treasury's position to the treasury only", () => {
    const partner = scene.rich('partner');
    const world = held('treasury', { wallet: partner.address, bps: 1_000 });
    const payer = bought(world);
    scene.done([payer], collectHeldFees(payer.address, world.tokens, world.terms, world.nft));
    expect(scene.tokens(earningsVault('deployer', world.terms.treasury, WSOL))).toBe(EARNED);
    expect(scene.tokens(earningsVault('partner', partner.address, WSOL))).toBe(0n);
  });

  test('pays only the wallets of its terms, every partner included', () => {
    const partner = scene.rich('partner');
    const world = held('claimer', { wallet: partner.address, bps: 1_000 });
    const payer = bought(world);
    const { partner: _, ...alone } = world.terms;
    const stranger = { ...world.terms, feeClaimer: payer.address };
    const outcomes = [alone, stranger].map((terms) =>
      errorOf(scene.land([payer], collectHeldFees(payer.address, world.tokens, terms, world.nft))),
    );
    expect(outcomes).toEqual([6000, 6002]);
  });

  test('is opened once, with a valid partner share', () => {
    const world = held('claimer');
    const again = openCustody(world.owner.address, world.pool, {
      ...world.terms,
      feeClaimer: world.owner.address,
    });
    expect(scene.land([world.owner], again).err).not.toBeNull();
    expect(scene.chain.getAccount(custodyAddress(world.pool))).not.toBeNull();
    const whole = { ...world.terms, partner: { wallet: world.owner.address, bps: 10_000 } };
    const elsewhere = openCustody(world.owner.address, world.base.mint, whole);
    expect(errorOf(scene.land([world.owner], elsewhere))).toBe(6000);
  });
});

describe('a vault', () => {
  test('pays its wallet everything, once, and no other wallet', () => {
    const world = held('claimer');
    const payer = bought(world);
    scene.done([payer], collectHeldFees(payer.address, world.tokens, world.terms, world.nft));
    const [claimer, stranger] = [scene.key('claimer'), scene.rich('stranger')];
    const built = claimEarnings(payer.address, claimer.address, 'deployer', WSOL);
    const unsigned = built.accounts.map((each, i) => (i === 1 ? { ...each, signer: false } : each));
    expect(errorOf(scene.land([payer], { ...built, accounts: unsigned }))).toBe(3010);
    const stolen = claimEarnings(stranger.address, stranger.address, 'deployer', WSOL).accounts.map(
      (each, i) => (i === 2 || i === 3 ? { ...each, address: built.accounts[i]?.address ?? '' } : each),
    );
    expect(errorOf(scene.land([stranger], { ...built, accounts: stolen }))).toBe(2006);
    scene.done([payer, claimer], built);
    expect(scene.tokens(ata(claimer.address, WSOL))).toBe(EARNED);
    expect(errorOf(scene.land([payer, claimer], built))).toBe(6000);
  });
});
