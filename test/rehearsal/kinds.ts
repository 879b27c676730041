/** Requests of every kind, each with its preparation on the chain. */
import type { EndpointName } from '../../src/contract/index.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Home } from '../execution/home.ts';
import {
  buy,
  configRequest,
  landedConfig,
  launchRequest,
  seeded,
  swapRequest,
} from '../execution/requests.ts';
import { testKey } from '../transaction/keys.ts';

export type Request = readonly [EndpointName, Readonly<Record<string, unknown>>];

/** Returns a swap of 0.1 SOL. */
async function swapInto(home: Home, symbol: string): Promise<Request> {
  const request = {
    ...{ inputMint: WSOL_MINT, outputMint: await seeded(home, symbol) },
    ...{ amount: '100000000', taker: home.wallet },
  };
  const quote = await home.call('tradeQuote', request);
  const requestId = String(Reflect.get(Object(quote), 'requestId'));
  await home.plans.rememberQuote(requestId, request, quote);
  return ['tradeSwap', { requestId, userPublicKey: home.wallet }];
}

export const KINDS: Readonly<Record<string, (home: Home) => Promise<Request>>> = {
  'config for one claimer': async (home) => ['feeShareConfig', await configRequest(home, 1)],
  'config for 40 claimers, with a lookup table': async (home) => [
    'feeShareConfig',
    await configRequest(home, 40),
  ],
  'config for 25 claimers, with a lookup table': async (home) => [
    'feeShareConfig',
    await configRequest(home, 25),
  ],
  'swap into a token of a pool': (home) => swapInto(home, 'HARBOR'),
  'swap into a token on a curve': (home) => swapInto(home, 'RUNG'),
  swap: async (home) => ['tradeSwap', await swapRequest(home)],
  'launch in custody': async (home) => ['dammLaunch', await launchRequest(home)],
  'launch into a direct pool': async (home) => {
    const { mint, uri, config } = await landedConfig(home);
    const fields = { tokenMint: mint, wallet: home.wallet, feeShareConfig: config, quoteMint: WSOL_MINT };
    return ['dammLaunchV2', { ...fields, ipfs: uri, initialBuyQuoteRaw: '50000000' }];
  },
  'launch onto a curve': async (home) => {
    const { mint, uri, configKey } = await landedConfig(home, { flow: 'dbc' });
    const fields = { ipfs: uri, tokenMint: mint, wallet: home.wallet, initialBuyLamports: 20_000_000 };
    return ['curveLaunch', { ...fields, configKey }];
  },
  'claim of a position': async (home) => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '1000000000');
    return ['claimTxs', { feeClaimer: home.wallet, tokenMint: mint }];
  },
  'claim of a holding': async (home) => {
    const mint = await seeded(home, 'RUNG');
    await buy(home, mint, '1000000000');
    return ['claimTxs', { feeClaimer: home.wallet, tokenMint: mint, source: { kind: 'holding' } }];
  },
  'change of who earns': async (home) => {
    const { mint } = await landedConfig(home);
    const fields = {
      ...{ baseMint: mint, payer: home.wallet, claimersArray: [home.wallet, testKey('earns').address] },
      basisPointsArray: [2500, 7500],
    };
    return ['updateFeeShareConfig', fields];
  },
};
