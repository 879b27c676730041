/** Fee share scenarios: collection from both venues, and names of tokens made elsewhere. */

import { DAMM_V2_PROGRAM, DBC_PROGRAM, METADATA_PROGRAM } from '../../sandbox/programs/addresses.ts';
import * as feeShare from '../../sandbox/programs/feeShare.ts';
import { createMetadata } from '../../sandbox/programs/tokenMetadata.ts';
import { ata } from '../../sandbox/service/build/tokens.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import { curveSwap, poolSwap } from '../sandbox/programs/instructions.ts';
import { SOL, WSOL } from '../sandbox/programs/scene.ts';
import { CURVE, launchCurve, launchPool, POOL, TOKEN_TEXTS, trader } from '../sandbox/programs/worlds.ts';
import type { Player, Scenario } from './play.ts';

/** Makes a config of two claimers and watches it and their payouts. */
function shared({ scene, step, watch }: Player, mint: string) {
  const pair = feeShare.inSol(scene.key(mint).address);
  const [payer, admin, user] = [scene.rich('payer'), scene.rich('admin'), scene.rich('user')];
  const authority = feeShare.feeShareAuthority(pair);
  scene.done([payer, admin], feeShare.initProgramConfig(payer.address, admin.address, pair));
  watch('config', feeShare.feeShareConfig(pair));
  watch('what is owed', authority);
  watch('what is held', ata(authority, WSOL));
  watch('what the claimer has', ata(user.address, WSOL));
  const claimers = [
    { address: user.address, bps: 2_500 },
    { address: payer.address, bps: 7_500 },
  ];
  step(
    'the config is made',
    [payer, admin],
    feeShare.createFeeConfig({ payer: payer.address, admin: admin.address }, pair, claimers, { last: true }),
  );
  const pay = () =>
    step('the claimer is paid', [payer, user], feeShare.claimUser(payer.address, user.address, pair, 0));
  return { pair, payer, authority, pay };
}

export const feeShareScenarios: readonly Scenario[] = [
  {
    name: 'the fee share over the curve',
    programs: [DBC_PROGRAM, METADATA_PROGRAM],
    play(player) {
      const { pair, payer, authority, pay } = shared(player, 'curve mint');
      const { place, base } = launchCurve(
        player.scene,
        { ...CURVE, creatorTradingFeePercentage: 0 },
        authority,
      );
      const { wallet, buy } = trader(player.scene, 'buyer', base);
      player.step('a buy', [wallet], curveSwap(place, buy, 10n * SOL, 1n));
      player.step('fees are collected', [payer], feeShare.claimDbc(payer.address, pair, place.config));
      pay();
    },
  },
  {
    name: 'the fee share over DAMM v2',
    programs: [DAMM_V2_PROGRAM],
    play(player) {
      const { pair, payer, authority, pay } = shared(player, 'pool mint');
      const { tokens, base, place } = launchPool(player.scene, POOL, authority);
      const { wallet, buy } = trader(player.scene, 'buyer', base);
      player.step('a buy', [wallet], poolSwap(tokens, buy, 10n * SOL, 1n));
      player.step('fees are collected', [payer], feeShare.claimDammV2(payer.address, pair, place.nftMint));
      pay();
    },
  },
  {
    name: 'metadata of a token made elsewhere',
    programs: [METADATA_PROGRAM],
    play({ scene, step, watch }) {
      const [owner, stranger] = [scene.rich('owner'), scene.rich('stranger')];
      for (const decimals of [6, 0]) {
        const { mint } = scene.token(`token of ${decimals}`, owner, 1n, decimals);
        watch(`metadata of ${decimals} decimals`, metadataAddress(mint));
        const named = (by: typeof owner, change: Partial<typeof TOKEN_TEXTS> = {}) =>
          createMetadata(
            {
              mint,
              mintAuthority: by.address,
              payer: by.address,
              updateAuthority: owner.address,
              updateAuthoritySigns: false,
            },
            { ...TOKEN_TEXTS, ...change, mutable: decimals === 6 },
          );
        step('a stranger names it', [stranger], named(stranger));
        step('a name that is too long', [owner], named(owner, { name: 'n'.repeat(33) }));
        step('a symbol that is too long', [owner], named(owner, { symbol: 's'.repeat(11) }));
        step('a link that is too long', [owner], named(owner, { uri: 'u'.repeat(201) }));
        step('the owner names it', [owner], named(owner));
        step('the owner names it again', [owner], named(owner, { name: 'Other' }));
      }
    },
  },
];
