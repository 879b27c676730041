/** The sandbox's fee share program for configs in a quote token other than wrapped SOL. */

import { beforeEach, expect, test } from 'vitest';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { initializePool, poolAddress } from '../../../sandbox/programs/dammV2.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { ata } from '../../../sandbox/service/build/tokens.ts';
import { poolSwap } from './instructions.ts';
import { errorOf, Scene } from './scene.ts';
import { POOL } from './worlds.ts';

let scene: Scene;
let payer: Keypair;
let admin: Keypair;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
  [payer, admin] = [scene.rich('payer'), scene.rich('admin')];
});

test('a USDC config collects and pays USDC, including from the vault of a removed claimer', () => {
  const base = scene.token('base', payer, 10n ** 15n);
  const dollars = scene.token('dollars', payer, 10n ** 15n);
  const pair = { baseMint: base.mint, quoteMint: dollars.mint, quoteProgram: dollars.tokenProgram };
  const authority = feeShare.feeShareAuthority(pair);
  const user = scene.rich('user');
  const nft = scene.key('nft');
  scene.done(
    [payer, admin],
    feeShare.initProgramConfig(payer.address, admin.address, feeShare.inSol(base.mint)),
  );
  const wrongProgram = feeShare.createFeeConfig(
    { payer: payer.address, admin: admin.address },
    feeShare.inSol(base.mint),
    [{ address: user.address, bps: 10_000 }],
    { last: true },
  );
  const inDollars = wrongProgram.accounts.map((each, i) =>
    i === 9 ? { ...each, address: dollars.mint } : each,
  );
  expect(errorOf(scene.land([payer, admin], { ...wrongProgram, accounts: inDollars }))).toBe(6014);
  scene.done([payer, admin], feeShare.initProgramConfig(payer.address, admin.address, pair));
  scene.done(
    [payer, admin],
    feeShare.createFeeConfig(
      { payer: payer.address, admin: admin.address },
      pair,
      [{ address: user.address, bps: 10_000 }],
      { last: true },
    ),
  );
  const tokens = {
    mintA: base.mint,
    programA: base.tokenProgram,
    mintB: dollars.mint,
    programB: dollars.tokenProgram,
  };
  const [tokenA, tokenB] = [ata(payer.address, base), ata(payer.address, dollars)];
  scene.done(
    [payer, nft],
    initializePool(
      tokens,
      { creator: authority, nftMint: nft.address, payer: payer.address, tokenA, tokenB },
      POOL,
    ),
  );
  expect(scene.chain.getAccount(poolAddress(base.mint, dollars.mint))).not.toBeNull();
  const buy = { input: tokenB, output: tokenA, payer: payer.address };
  scene.done([payer], poolSwap(tokens, buy, 10_000_000n, 1n));
  scene.done([payer], feeShare.claimDammV2(payer.address, pair, nft.address));
  const earned = 160_000n - 1n;
  expect(scene.tokens(ata(authority, dollars))).toBe(earned);
  scene.done([payer, user], feeShare.claimUser(payer.address, user.address, pair, 0));
  expect(scene.tokens(ata(user.address, dollars))).toBe(earned);
  const again = feeShare.claimUser(payer.address, user.address, pair, 0);
  expect(errorOf(scene.land([payer, user], again))).toBe(6010);

  // Unclaimed fees of a removed claimer go to a vault, and from there to the claimer.
  scene.done([payer], poolSwap(tokens, buy, 10_000_000n, 1n));
  scene.done([payer], feeShare.claimDammV2(payer.address, pair, nft.address));
  const toVault = feeShare.claimUserToVault(payer.address, admin.address, user.address, pair, 0);
  scene.done([payer, admin], toVault);
  const vault = ata(feeShare.userFeeVault(user.address, pair), dollars);
  const waiting = scene.tokens(vault);
  expect(waiting).toBeGreaterThan(earned / 2n);
  expect(errorOf(scene.land([payer, admin], toVault))).toBe(6010);
  const stranger = scene.rich('stranger');
  const stolen = feeShare.claimUserVault(user.address, pair);
  const accounts = stolen.accounts.map((each, i) =>
    i === 0 ? { ...each, address: stranger.address } : each,
  );
  expect(errorOf(scene.land([stranger], { ...stolen, accounts }))).not.toBeUndefined();
  scene.done([user], feeShare.claimUserVault(user.address, pair));
  expect(scene.tokens(vault)).toBe(0n);
  expect(scene.tokens(ata(user.address, dollars))).toBe(earned + waiting);
});
