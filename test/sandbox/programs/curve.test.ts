/** Behaviour of the curve stand-in: payments, account contents, refusals. */

import { beforeEach, describe, expect, test } from 'vitest';
import {
  createCurveConfig,
  curvePoolAddress,
  curveSwap2,
  curveVault,
  initializeCurvePool,
  transferPoolCreator,
} from '../../../sandbox/programs/dbc.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { ata, createAta } from '../../../sandbox/service/build/tokens.ts';
import {
  METADATA_FEE as METADATA_FEE_LAMPORTS,
  metadataAddress,
} from '../../../src/programs/tokenMetadata/addresses.ts';
import { addressBytes, addressFromBytes } from '../../../src/transaction/base58.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { claimCreatorTradingFee, claimTradingFee, curveSwap } from './instructions.ts';
import { errorOf, Scene, SOL, WSOL } from './scene.ts';
import { CURVE, curveFees, launchCurve, TOKEN_TEXTS, trader } from './worlds.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
});

const addressAt = (data: Buffer, offset: number) => addressFromBytes(data.subarray(offset, offset + 32));
/** Fees of 2 %, of which a fifth goes to the protocol. */
const fee = (amount: bigint) => amount / 50n;
const earned = (amount: bigint) => fee(amount) - fee(amount) / 5n;

describe('a curve config', () => {
  test("stores its arguments at the original's offsets", () => {
    const { place, claimer } = launchCurve(scene, { ...CURVE, enableFirstSwapWithMinFee: true });
    const data = scene.data(place.config);
    expect(data).toHaveLength(1048);
    expect(data.subarray(0, 8).toString('hex')).toBe('1a6c0e7b74e6812b');
    expect(addressAt(data, 8)).toBe(WSOL_MINT);
    expect(addressAt(data, 40)).toBe(claimer.address);
    expect(addressAt(data, 72)).toBe(claimer.address);
    expect([data.readUInt8(232), data.readUInt8(235), data.readUInt8(245), data.readUInt8(365)]).toEqual([
      0, 6, 50, 1,
    ]);
    expect(data.readBigUInt64LE(264)).toBe(CURVE.migrationQuoteThreshold);
    expect(data.readBigUInt64LE(104)).toBe(CURVE.poolFees.baseFee.cliffFeeNumerator);
  });

  test.each([
    ['liquidity that is not divided wholly', { creatorPermanentLockedLiquidityPercentage: 49 }, 6018],
    ['no threshold', { migrationQuoteThreshold: 0n }, 6019],
    ['a threshold the curve never reaches', { migrationQuoteThreshold: 10n ** 18n }, 6012],
    ['a curve without points', { curve: [] }, 6021],
    ['more than the whole for the creator', { creatorTradingFeePercentage: 101 }, 6035],
  ])('is refused with %s', (_, change, code) => {
    const [payer, config] = [scene.rich('payer'), scene.key('config')];
    const address = payer.address;
    const accounts = {
      config: config.address,
      feeClaimer: address,
      leftoverReceiver: address,
      quoteMint: WSOL_MINT,
      payer: address,
    };
    const outcome = scene.land([payer, config], createCurveConfig(accounts, { ...CURVE, ...change }));
    expect(errorOf(outcome)).toBe(code);
  });

  test('is refused without the signature of its own key', () => {
    const [payer, config] = [scene.rich('payer'), scene.key('config')];
    const address = payer.address;
    const built = createCurveConfig(
      {
        config: config.address,
        feeClaimer: address,
        leftoverReceiver: address,
        quoteMint: WSOL_MINT,
        payer: address,
      },
      CURVE,
    );
    const accounts = built.accounts.map((each) =>
      each.address === config.address ? { ...each, signer: false } : each,
    );
    expect(errorOf(scene.land([payer], { ...built, accounts }))).toBe(3010);
  });
});

describe('a launch on the curve', () => {
  test('creates a token without mint or freeze authority, its name, and a pool with the whole supply', () => {
    const { place, pool, creator } = launchCurve(scene);
    const mint = scene.mintOf(place.baseMint);
    expect(mint).toMatchObject({ decimals: 6 });
    expect([mint?.mintAuthority, mint?.freezeAuthority]).toEqual([undefined, undefined]);
    expect(scene.tokens(curveVault(place.baseMint, pool))).toBe(mint?.supply);
    const data = scene.data(pool);
    expect(data).toHaveLength(424);
    expect([72, 104, 136].map((offset) => addressAt(data, offset))).toEqual([
      place.config,
      creator.address,
      place.baseMint,
    ]);
    const metadata = scene.data(metadataAddress(place.baseMint));
    expect(metadata).toHaveLength(679);
    expect(addressAt(metadata, 33)).toBe(place.baseMint);
    for (const text of Object.values(TOKEN_TEXTS)) expect(metadata.toString('utf8')).toContain(text);
  });

  test('costs rent and the 10,000,000 lamports of the metadata program', () => {
    const { place } = launchCurve(scene);
    const creator = scene.key('creator');
    const second = scene.key('second mint');
    const before = scene.lamports(creator.address);
    const next = { ...place, baseMint: second.address };
    scene.done(
      [creator, second],
      initializeCurvePool({ ...next, creator: creator.address, payer: creator.address }, TOKEN_TEXTS),
    );
    const pool = curvePoolAddress(next);
    const made = [second.address, pool, curveVault(second.address, pool), curveVault(WSOL_MINT, pool)];
    const rents = made.reduce((sum, address) => sum + scene.lamports(address), 0n);
    const metadata = scene.lamports(metadataAddress(second.address));
    expect(metadata).toBe(scene.chain.rent(679) + METADATA_FEE_LAMPORTS);
    const signatures = 10_000n;
    expect(before - scene.lamports(creator.address)).toBeGreaterThanOrEqual(rents + metadata + signatures);
    expect(before - scene.lamports(creator.address)).toBeLessThan(rents + metadata + signatures + 5_000n);
  });

  test('pays the pool creation fee of its config into the pool', () => {
    const { pool } = launchCurve(scene, { ...CURVE, poolCreationFee: SOL });
    expect(scene.lamports(pool)).toBe(scene.chain.rent(424) + SOL);
  });

  test('is refused at an address not derived from config and mints', () => {
    const { place, creator } = launchCurve(scene);
    const mint = scene.key('other mint');
    const built = initializeCurvePool(
      { ...place, baseMint: mint.address, creator: creator.address, payer: creator.address },
      TOKEN_TEXTS,
    );
    const accounts = built.accounts.map((each, i) =>
      i === 5 ? { ...each, address: scene.key('elsewhere').address } : each,
    );
    expect(errorOf(scene.land([creator, mint], { ...built, accounts }))).toBe(2006);
  });

  test('is refused for a token already launched with this config', () => {
    const { place, creator } = launchCurve(scene);
    const mint = scene.key('curve mint');
    const again = initializeCurvePool(
      { ...place, creator: creator.address, payer: creator.address },
      { ...TOKEN_TEXTS, name: 'Again' },
    );
    expect(scene.land([creator, mint], again).err).not.toBeNull();
  });
});

describe('a swap on the curve', () => {
  test('takes exactly the input, raises the price, and splits its fee between protocol, partner and creator', () => {
    const { place, pool, base } = launchCurve(scene);
    const { wallet, buy, token, quote } = trader(scene, 'buyer', base);
    const before = scene.data(pool).readBigUInt64LE(280);
    scene.done([wallet], curveSwap(place, buy, 10n * SOL, 1n));
    expect(scene.tokens(quote)).toBe(40n * SOL);
    expect(scene.tokens(token)).toBeGreaterThan(0n);
    const data = scene.data(pool);
    expect(data.readBigUInt64LE(280)).toBeGreaterThan(before);
    expect(data.readBigUInt64LE(240)).toBe(10n * SOL - fee(10n * SOL));
    expect(data.readBigUInt64LE(256)).toBe(fee(10n * SOL) / 5n);
    expect(data.readBigUInt64LE(272)).toBe(earned(10n * SOL) / 2n);
    expect(data.readBigUInt64LE(360)).toBe(earned(10n * SOL) / 2n);
    expect(scene.tokens(curveVault(WSOL_MINT, pool))).toBe(10n * SOL);
  });

  test('has the same result in both encodings', async () => {
    const amounts: bigint[] = [];
    for (const swap of [curveSwap, curveSwap2]) {
      scene = await Scene.start(standInPrograms());
      const { place, base } = launchCurve(scene);
      const { wallet, buy, token } = trader(scene, 'buyer', base);
      scene.done([wallet], swap(place, buy, SOL, 1n));
      amounts.push(scene.tokens(token));
    }
    expect(amounts[0]).toBe(amounts[1]);
  });

  test('round trip returns less than the input, by two fees', () => {
    const { place, base } = launchCurve(scene);
    const { wallet, buy, sell, quote, token } = trader(scene, 'buyer', base);
    scene.done([wallet], curveSwap(place, buy, 10n * SOL, 1n));
    scene.done([wallet], curveSwap(place, sell, scene.tokens(token), 1n));
    const back = scene.tokens(quote) - 40n * SOL;
    expect(back).toBeLessThan((10n * SOL * 9_604n) / 10_000n);
    expect(back).toBeGreaterThan((10n * SOL * 9_603n) / 10_000n);
  });

  test('is refused below the requested minimum, and for zero', () => {
    const { place, base } = launchCurve(scene);
    const { wallet, buy } = trader(scene, 'buyer', base);
    expect(errorOf(scene.land([wallet], curveSwap(place, buy, SOL, 10n ** 18n)))).toBe(6002);
    expect(errorOf(scene.land([wallet], curveSwap(place, buy, 0n, 0n)))).toBe(6005);
  });

  test("cannot spend from another wallet's account", () => {
    const { place, base } = launchCurve(scene);
    const victim = trader(scene, 'victim', base);
    const thief = trader(scene, 'thief', base);
    const stolen = { input: victim.quote, output: thief.token, payer: thief.wallet.address };
    expect(errorOf(scene.land([thief.wallet], curveSwap(place, stolen, SOL, 0n)))).toBe(4);
  });

  test('takes no more than the curve needs: the whole is refused, a part completes it', () => {
    const { place, pool, base } = launchCurve(scene);
    const { wallet, buy, quote } = trader(scene, 'whale', base, 200n * SOL);
    expect(errorOf(scene.land([wallet], curveSwap(place, buy, 150n * SOL, 0n)))).toBe(6033);
    scene.done([wallet], curveSwap2(place, buy, 150n * SOL, 0n, 'partialFill'));
    const taken = 200n * SOL - scene.tokens(quote);
    expect(taken).toBeGreaterThan((85n * SOL * 100n) / 98n);
    expect(taken).toBeLessThan(87n * SOL);
    expect(scene.data(pool).readBigUInt64LE(240)).toBeGreaterThanOrEqual(CURVE.migrationQuoteThreshold);
    expect(errorOf(scene.land([wallet], curveSwap(place, buy, SOL, 0n)))).toBe(6013);
  });

  test("pays a referrer from the protocol's share", () => {
    const { place, pool, base, claimer } = launchCurve(scene);
    const { wallet, buy } = trader(scene, 'buyer', base);
    scene.done([wallet], createAta(wallet.address, claimer.address, WSOL));
    const referral = ata(claimer.address, WSOL);
    scene.done([wallet], curveSwap(place, { ...buy, referral }, 10n * SOL, 1n));
    expect(scene.tokens(referral)).toBe(fee(10n * SOL) / 25n);
    expect(scene.data(pool).readBigUInt64LE(256)).toBe((fee(10n * SOL) / 25n) * 4n);
  });

  test('pays the lowest fee only in the launch transaction, and only if the config allows it', () => {
    const scheduled = {
      ...CURVE,
      ...curveFees({
        cliffFeeNumerator: 500_000_000n,
        firstFactor: 10,
        secondFactor: 3_600n,
        thirdFactor: 49_000_000n,
      }),
      enableFirstSwapWithMinFee: true,
    };
    const { place, creator } = launchCurve(scene, scheduled);
    const { quote } = trader(scene, 'creator', { mint: place.baseMint, tokenProgram: TOKEN_PROGRAM });
    const bought = (together: boolean, name: string): bigint => {
      const mint = scene.key(name);
      const base = { mint: mint.address, tokenProgram: TOKEN_PROGRAM };
      const next = { ...place, baseMint: mint.address };
      const output = ata(creator.address, base);
      const launch = initializeCurvePool(
        { ...next, creator: creator.address, payer: creator.address },
        TOKEN_TEXTS,
      );
      const account = createAta(creator.address, creator.address, base);
      const swap = curveSwap2(
        next,
        { input: quote, output, payer: creator.address, withLaunch: true },
        SOL,
        1n,
      );
      if (together) scene.done([creator, mint], launch, account, swap);
      else {
        scene.done([creator, mint], launch, account);
        scene.done([creator], swap);
      }
      return scene.tokens(output);
    };
    // 1 % against 50 %.
    const [beside, later] = [bought(true, 'beside'), bought(false, 'later')];
    expect(Number(beside) / Number(later)).toBeCloseTo(1.98, 1);
  });
});

describe('fees of the curve', () => {
  test('are paid to the partner and the creator, to each once', () => {
    const { place, base, creator, claimer } = launchCurve(scene);
    const { wallet, buy } = trader(scene, 'buyer', base);
    scene.done([wallet], curveSwap(place, buy, 10n * SOL, 1n));
    for (const { address } of [creator, claimer]) {
      scene.done(
        [wallet],
        createAta(wallet.address, address, base),
        createAta(wallet.address, address, WSOL),
      );
    }
    const accounts = (owner: string) => [ata(owner, base), ata(owner, WSOL)] as const;
    scene.done([claimer], claimTradingFee(place, ...accounts(claimer.address), claimer.address));
    scene.done([creator], claimCreatorTradingFee(place, ...accounts(creator.address), creator.address));
    for (const { address } of [creator, claimer]) {
      expect(scene.tokens(ata(address, WSOL))).toBe(earned(10n * SOL) / 2n);
      expect(scene.tokens(ata(address, base))).toBe(0n);
    }
    scene.done([claimer], claimTradingFee(place, ...accounts(claimer.address), claimer.address));
    expect(scene.tokens(ata(claimer.address, WSOL))).toBe(earned(10n * SOL) / 2n);
  });

  test('are refused to a key other than their claimer', () => {
    const { place, base } = launchCurve(scene);
    const { wallet, token, quote } = trader(scene, 'stranger', base);
    const outcomes = [claimTradingFee, claimCreatorTradingFee].map((claim) =>
      errorOf(scene.land([wallet], claim(place, token, quote, wallet.address))),
    );
    expect(outcomes).toEqual([6053, 6053]);
  });

  test('follow the pool when its creator transfers it, which only the creator can', () => {
    const { place, pool, base, creator } = launchCurve(scene);
    const heir = trader(scene, 'heir', base);
    const hand = (from: string, to: string) => transferPoolCreator(pool, place.config, from, to);
    expect(errorOf(scene.land([heir.wallet], hand(heir.wallet.address, place.baseMint)))).toBe(6053);
    scene.done([heir.wallet], curveSwap(place, heir.buy, 10n * SOL, 1n));
    scene.done([creator], hand(creator.address, heir.wallet.address));
    expect(scene.data(pool).subarray(104, 136)).toEqual(Buffer.from(addressBytes(heir.wallet.address)));
    const claim = claimCreatorTradingFee(place, heir.token, heir.quote, heir.wallet.address);
    scene.done([heir.wallet], claim);
    expect(scene.tokens(heir.quote)).toBe(40n * SOL + earned(10n * SOL) / 2n);
  });
});

test('an instruction missing from the stand-in is refused as unknown', () => {
  const { creator } = launchCurve(scene);
  const built = transferPoolCreator(creator.address, creator.address, creator.address, creator.address);
  const data = Uint8Array.from(Buffer.from('a50389071c864c50', 'hex'));
  expect(errorOf(scene.land([creator], { ...built, data }))).toBe(101);
});
