/** Bonding curve scenarios: configs of several kinds, launches, swaps to the end of the curve, and all fees. */

import { DBC_PROGRAM, METADATA_PROGRAM, ROUTER_PROGRAM } from '../../sandbox/programs/addresses.ts';
import {
  createCurveConfig,
  curvePoolAddress,
  curveSwap2,
  curveVault,
  initializeCurvePool,
  transferPoolCreator,
} from '../../sandbox/programs/dbc.ts';
import { route } from '../../sandbox/programs/router.ts';
import { ata, createAta } from '../../sandbox/service/build/tokens.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { claimCreatorTradingFee, claimTradingFee, curveSwap } from '../sandbox/programs/instructions.ts';
import { SOL, WSOL } from '../sandbox/programs/scene.ts';
import { CURVE, curveFees, TOKEN_TEXTS, trader } from '../sandbox/programs/worlds.ts';
import type { Player, Scenario } from './play.ts';

const falling = {
  cliffFeeNumerator: 200_000_000n,
  firstFactor: 20,
  secondFactor: 1n,
  thirdFactor: 5_000_000n,
};

const CONFIGS: Readonly<Record<string, Partial<ConfigParameters>>> = {
  'a fee of 2 % in SOL': {},
  'fees in whatever comes out': { collectFeeMode: 1 },
  'a fee that falls evenly': curveFees(falling),
  'a fee that falls by a part': curveFees({ ...falling, thirdFactor: 500n, baseFeeMode: 1 }),
  'the lowest fee for a first buy beside the launch': {
    ...curveFees(falling),
    enableFirstSwapWithMinFee: true,
  },
  'a creation fee, and metadata the creator may change': {
    poolCreationFee: 100_000_000n,
    tokenUpdateAuthority: 0,
  },
  'all fees for the partner': { creatorTradingFeePercentage: 0 },
};

function curve({ scene, step, watch }: Player, change: Partial<ConfigParameters>): void {
  const [creator, claimer, config, mint] = [
    scene.rich('creator'),
    scene.rich('claimer'),
    scene.key('config'),
    scene.key('curve mint'),
  ];
  const place = {
    config: config.address,
    baseMint: mint.address,
    quoteMint: WSOL_MINT,
    quoteProgram: TOKEN_PROGRAM,
  };
  const pool = curvePoolAddress(place);
  const base = { mint: mint.address, tokenProgram: TOKEN_PROGRAM };
  const watched = {
    config: config.address,
    pool,
    mint: mint.address,
    metadata: metadataAddress(mint.address),
  };
  for (const [name, address] of Object.entries(watched)) watch(name, address);
  watch('base vault', curveVault(mint.address, pool));
  watch('quote vault', curveVault(WSOL_MINT, pool));
  watch('creator', creator.address);
  step(
    'the config is made',
    [creator, config],
    createCurveConfig(
      {
        config: config.address,
        feeClaimer: claimer.address,
        leftoverReceiver: claimer.address,
        quoteMint: WSOL_MINT,
        payer: creator.address,
      },
      { ...CURVE, ...change },
    ),
  );
  const made = trader(scene, 'creator', WSOL);
  const output = ata(creator.address, base);
  watch('the creator’s tokens', output);
  watch('the creator’s wrapped SOL', made.quote);
  const first = { input: made.quote, output, payer: creator.address, withLaunch: true };
  step(
    'the token is launched with a first buy',
    [creator, mint],
    initializeCurvePool({ ...place, creator: creator.address, payer: creator.address }, TOKEN_TEXTS),
    createAta(creator.address, creator.address, base),
    curveSwap2(place, first, SOL, 1n),
  );
  const { wallet, buy, sell, quote, token } = trader(scene, 'buyer', base, 300n * SOL);
  watch('the buyer’s tokens', token);
  watch('the buyer’s wrapped SOL', quote);
  step('a buy', [wallet], curveSwap(place, buy, SOL, 1n));
  step('a buy in the newer encoding', [wallet], curveSwap2(place, buy, 20n * SOL, 1n));
  step('a sale', [wallet], curveSwap(place, sell, scene.tokens(token) / 3n, 1n));
  const routed = (amount: bigint, quoted: bigint) =>
    route(
      {
        user: wallet.address,
        source: quote,
        destination: token,
        sourceMint: WSOL_MINT,
        destinationMint: mint.address,
        sourceProgram: TOKEN_PROGRAM,
        destinationProgram: TOKEN_PROGRAM,
        venue: 'dbc',
        venueSwap: curveSwap(place, buy, 0n, 0n),
      },
      amount,
      quoted,
      100,
    );
  step('a buy through the router', [wallet], routed(SOL, 1n));
  step('a buy through the router below its quote', [wallet], routed(SOL, 10n ** 18n));
  step('a buy below the least asked for', [wallet], curveSwap(place, buy, SOL, 10n ** 18n));
  step('a buy of nothing', [wallet], curveSwap(place, buy, 0n, 0n));
  scene.done(
    [wallet],
    createAta(wallet.address, claimer.address, base),
    createAta(wallet.address, claimer.address, WSOL),
  );
  const [claimedBase, claimedQuote] = [ata(claimer.address, base), ata(claimer.address, WSOL)];
  watch('the partner’s wrapped SOL', claimedQuote);
  watch('the partner’s tokens', claimedBase);
  step('a buy with a referrer', [wallet], curveSwap(place, { ...buy, referral: claimedQuote }, SOL, 1n));
  const partnerClaim = claimTradingFee(place, claimedBase, claimedQuote, claimer.address);
  step('a stranger claims for the partner', [wallet], claimTradingFee(place, token, quote, wallet.address));
  step('the partner claims', [claimer], partnerClaim);
  step(
    'a stranger claims for the creator',
    [wallet],
    claimCreatorTradingFee(place, token, quote, wallet.address),
  );
  step('the creator claims', [creator], claimCreatorTradingFee(place, output, made.quote, creator.address));
  step(
    'a stranger takes the pool',
    [wallet],
    transferPoolCreator(pool, config.address, wallet.address, claimer.address),
  );
  step(
    'the creator hands the pool over',
    [creator],
    transferPoolCreator(pool, config.address, creator.address, wallet.address),
  );
  step('more than the curve takes', [wallet], curveSwap(place, buy, 200n * SOL, 1n));
  step('as much as the curve takes', [wallet], curveSwap2(place, buy, 200n * SOL, 1n, 'partialFill'));
  step('a buy on a complete curve', [wallet], curveSwap(place, buy, SOL, 1n));
}

export const curveScenarios: readonly Scenario[] = Object.entries(CONFIGS).map(([name, change]) => ({
  name: `the curve with ${name}`,
  programs: [DBC_PROGRAM, METADATA_PROGRAM, ROUTER_PROGRAM],
  play: (player) => curve(player, change),
}));
