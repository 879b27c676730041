/** Behaviour of the DAMM v2 stand-in: pools, positions, locks, swaps and fees. */

import { beforeEach, describe, expect, test } from 'vitest';
import {
  addLiquidity,
  claimPositionFee,
  createPosition,
  initializePool,
  lockPosition,
  poolSwap2,
  poolVault,
  positionAddress,
  positionNftAccount,
  removeLiquidity,
} from '../../../sandbox/programs/dammV2.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { ata, wrap } from '../../../sandbox/service/build/tokens.ts';
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { poolSwap } from './instructions.ts';
import { errorOf, Scene, SOL, WSOL } from './scene.ts';
import { launchPool, POOL, trader } from './worlds.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
});

const addressAt = (data: Buffer, offset: number) => addressFromBytes(data.subarray(offset, offset + 32));
const wide = (data: Buffer, offset: number) =>
  data.readBigUInt64LE(offset) | (data.readBigUInt64LE(offset + 8) << 64n);

describe('a pool', () => {
  test("stores its arguments at the original's offsets", () => {
    const { owner, base, pool, place } = launchPool(scene);
    const data = scene.data(pool);
    expect(data).toHaveLength(1112);
    expect(data.subarray(0, 8).toString('hex')).toBe('f19a6d0411b16dbc');
    expect([168, 200, 648].map((offset) => addressAt(data, offset))).toEqual([
      base.mint,
      WSOL_MINT,
      owner.address,
    ]);
    expect(wide(data, 456)).toBe(POOL.price);
    expect(data.readUInt8(484)).toBe(1);
    const position = scene.data(positionAddress(place.nftMint));
    expect(position).toHaveLength(408);
    expect([8, 40].map((offset) => addressAt(position, offset))).toEqual([pool, place.nftMint]);
    expect(wide(position, 152)).toBe(POOL.liquidity);
  });

  test('takes both tokens for its liquidity; a single-sided one takes the token and one lamport', async () => {
    const both = launchPool(scene);
    const [a, b] = [poolVault(both.base.mint, both.pool), poolVault(WSOL_MINT, both.pool)];
    expect(scene.tokens(a)).toBe(10n ** 15n - scene.tokens(both.place.tokenA));
    expect(scene.tokens(b)).toBe(20n * SOL - scene.tokens(both.place.tokenB));
    expect(scene.tokens(b)).toBeGreaterThan(0n);
    scene = await Scene.start(standInPrograms());
    const single = launchPool(scene, { ...POOL, minPrice: POOL.price });
    expect(scene.tokens(poolVault(WSOL_MINT, single.pool))).toBe(1n);
    expect(scene.tokens(poolVault(single.base.mint, single.pool))).toBeGreaterThan(0n);
  });

  test('gives its creator a position as an NFT of a new Token-2022 mint', () => {
    const { owner, pool, place } = launchPool(scene);
    expect(scene.mintOf(place.nftMint)).toMatchObject({ supply: 1n, decimals: 0, freezeAuthority: pool });
    const account = scene.chain.getAccount(positionNftAccount(place.nftMint));
    expect(account?.owner).toBe(TOKEN_2022_PROGRAM);
    expect(addressAt(Buffer.from(account?.data ?? []), 32)).toBe(owner.address);
    expect(scene.data(place.nftMint).toString('utf8')).toContain('Meteora Position NFT');
  });

  test('is unique per pair of mints', () => {
    const { owner, tokens, place } = launchPool(scene);
    const nft = scene.key('another nft');
    const accounts = { ...place, creator: owner.address, payer: owner.address, nftMint: nft.address };
    expect(scene.land([owner, nft], initializePool(tokens, accounts, POOL)).err).not.toBeNull();
  });

  test.each([
    ['a price outside its range', { price: 1n }, 6014],
    ['no liquidity', { liquidity: 0n }, 6021],
    ['an unknown way to collect fees', { collectFeeMode: 3 }, 6017],
    ['a fee above the whole', { baseFee: { ...POOL.baseFee, cliff: 1_000_000_000n } }, 6001],
  ])('is refused with %s', (_, change, code) => {
    const [owner, nft] = [scene.rich('owner'), scene.key('nft')];
    const base = scene.token('pool mint', owner, 10n ** 15n);
    scene.done([owner], ...wrap(owner.address, 20n * SOL));
    const tokens = {
      mintA: base.mint,
      programA: base.tokenProgram,
      mintB: WSOL_MINT,
      programB: WSOL.tokenProgram,
    };
    const built = initializePool(
      tokens,
      {
        creator: owner.address,
        nftMint: nft.address,
        payer: owner.address,
        tokenA: ata(owner.address, base),
        tokenB: ata(owner.address, WSOL),
      },
      { ...POOL, ...change },
    );
    expect(errorOf(scene.land([owner, nft], built))).toBe(code);
  });

  test('trades from its activation on', () => {
    const opens = BigInt(scene.chain.blockTime(scene.chain.slot)) + 100n;
    const { base, tokens } = launchPool(scene, { ...POOL, activationPoint: opens });
    const { wallet, buy } = trader(scene, 'buyer', base);
    expect(errorOf(scene.land([wallet], poolSwap(tokens, buy, SOL, 1n)))).toBe(6003);
    scene.chain.advanceSlots(1_100);
    scene.done([wallet], poolSwap(tokens, buy, SOL, 1n));
  });
});

describe('a position', () => {
  test('can be created empty, filled up to a bound, and emptied again', () => {
    const { owner, tokens, pool, place } = launchPool(scene);
    const nft = scene.key('second nft');
    scene.done([owner, nft], createPosition(pool, owner.address, nft.address, owner.address));
    const second = { ...place, nftMint: nft.address };
    const [a, b] = [scene.tokens(place.tokenA), scene.tokens(place.tokenB)];
    const tenth = POOL.liquidity / 10n;
    expect(errorOf(scene.land([owner], addLiquidity(tokens, second, tenth, 1n, 1n)))).toBe(6002);
    scene.done([owner], addLiquidity(tokens, second, tenth, a, b));
    expect(scene.tokens(place.tokenA)).toBeLessThan(a);
    expect(errorOf(scene.land([owner], removeLiquidity(tokens, second, tenth, a, 0n)))).toBe(6002);
    expect(errorOf(scene.land([owner], removeLiquidity(tokens, second, tenth + 1n, 0n, 0n)))).toBe(6023);
    scene.done([owner], removeLiquidity(tokens, second, tenth, 0n, 0n));
    // The pool keeps rounding remainders.
    expect(a - scene.tokens(place.tokenA)).toBe(1n);
    expect(b - scene.tokens(place.tokenB)).toBe(1n);
  });

  test('can be locked permanently by its owner: liquidity stays, fees are still paid', () => {
    const { owner, base, tokens, pool, place } = launchPool(scene);
    scene.done([owner], lockPosition(pool, place.nftMint, owner.address, POOL.liquidity));
    const data = scene.data(positionAddress(place.nftMint));
    expect([wide(data, 152), wide(data, 184)]).toEqual([0n, POOL.liquidity]);
    expect(wide(scene.data(pool), 552)).toBe(POOL.liquidity);
    expect(errorOf(scene.land([owner], removeLiquidity(tokens, place, 1n, 0n, 0n)))).toBe(6023);
    const { wallet, buy } = trader(scene, 'buyer', base);
    scene.done([wallet], poolSwap(tokens, buy, 10n * SOL, 1n));
    const before = scene.tokens(place.tokenB);
    scene.done([owner], claimPositionFee(tokens, place));
    // 2 % less the protocol's fifth, rounded down.
    expect(scene.tokens(place.tokenB) - before).toBe(160_000_000n - 1n);
  });

  test('is controlled by the holder of its NFT only', () => {
    const { base, tokens, pool, place } = launchPool(scene);
    const { wallet, token, quote } = trader(scene, 'stranger', base);
    const claimed = { nftMint: place.nftMint, owner: wallet.address, tokenA: token, tokenB: quote };
    const outcomes = [
      lockPosition(pool, place.nftMint, wallet.address, 1n),
      claimPositionFee(tokens, claimed),
      removeLiquidity(tokens, claimed, 1n, 0n, 0n),
      addLiquidity(tokens, claimed, 1n, 1n, 1n),
    ].map((instruction) => errorOf(scene.land([wallet], instruction)));
    expect(outcomes).toEqual([2015, 2015, 2015, 2015]);
  });
});

describe('a swap in a pool', () => {
  test('takes exactly the input and pays the fee to protocol and positions', () => {
    const { base, tokens, pool } = launchPool(scene);
    const { wallet, buy, token, quote } = trader(scene, 'buyer', base);
    scene.done([wallet], poolSwap(tokens, buy, 10n * SOL, 1n));
    expect(scene.tokens(quote)).toBe(40n * SOL);
    expect(scene.tokens(token)).toBeGreaterThan(0n);
    const data = scene.data(pool);
    expect(data.readBigUInt64LE(400)).toBe(40_000_000n);
    expect(wide(data, 584)).toBe(160_000_000n);
  });

  test('round trip returns less than the input, by two fees, in both encodings', () => {
    const { base, tokens } = launchPool(scene);
    const { wallet, buy, sell, token, quote } = trader(scene, 'buyer', base);
    scene.done([wallet], poolSwap2(tokens, buy, 10n * SOL, 1n));
    scene.done([wallet], poolSwap(tokens, sell, scene.tokens(token), 1n));
    const back = scene.tokens(quote) - 40n * SOL;
    expect(back).toBeLessThan((10n * SOL * 9_604n) / 10_000n);
    expect(back).toBeGreaterThan((10n * SOL * 9_603n) / 10_000n);
  });

  test("is refused below the requested minimum, for zero, and from another wallet's account", () => {
    const { base, tokens } = launchPool(scene);
    const { wallet, buy, token } = trader(scene, 'buyer', base);
    const thief = trader(scene, 'thief', base);
    expect(errorOf(scene.land([wallet], poolSwap(tokens, buy, SOL, 10n ** 18n)))).toBe(6002);
    expect(errorOf(scene.land([wallet], poolSwap(tokens, buy, 0n, 0n)))).toBe(6006);
    const stolen = { ...buy, output: token, payer: thief.wallet.address };
    expect(errorOf(scene.land([thief.wallet], poolSwap(tokens, stolen, SOL, 0n)))).toBe(4);
  });

  test("is refused with another pool's vault", () => {
    const { base, tokens } = launchPool(scene);
    const { wallet, buy, quote } = trader(scene, 'buyer', base);
    const built = poolSwap(tokens, buy, SOL, 0n);
    const accounts = built.accounts.map((each, i) => (i === 5 ? { ...each, address: quote } : each));
    expect(errorOf(scene.land([wallet], { ...built, accounts }))).toBe(2001);
  });
});
