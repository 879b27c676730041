/** Typical requests of tool users, with their preparation at the service. */
import { createHash } from 'node:crypto';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Home } from './home.ts';

type Fields = Readonly<Record<string, unknown>>;

const claimer = (index: number) =>
  addressFromBytes(Uint8Array.from(createHash('sha256').update(`claimer ${index}`).digest()));

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Registers a token for launch. */
export async function newToken(home: Home, name = 'Test'): Promise<{ mint: string; uri: string }> {
  const info = await home.call('createTokenInfo', {
    name,
    symbol: 'TST',
    description: 'a test',
    imageUrl: 'https://example.com/a.png',
  });
  return { mint: String(field(info, 'tokenMint')), uri: String(field(info, 'tokenMetadata')) };
}

/** Returns a config request with `claimers` claimers. */
export async function configRequest(home: Home, claimers: number, extra: Fields = {}): Promise<Fields> {
  const share = Math.floor(10_000 / claimers);
  return {
    baseMint: (await newToken(home)).mint,
    payer: home.wallet,
    flow: 'damm_v2_direct',
    claimersArray: Array.from({ length: claimers }, (_, i) => claimer(i)),
    basisPointsArray: Array.from({ length: claimers }, (_, i) =>
      i === 0 ? 10_000 - share * (claimers - 1) : share,
    ),
    admin: home.wallet,
    ...extra,
  };
}

/** Returns a v1 config of forty claimers, whose stages depend on each other. */
export const manyClaimers = async (home: Home): Promise<Fields> => ({
  ...(await configRequest(home, 40)),
  transactionFormat: 'v1',
});

/** Quotes SOL into the sandbox's first traded token. Returns the quote and its swap request. */
export async function freshQuote(home: Home, amount = '100000000', taker = home.wallet) {
  const { quotes } = home.sandbox.service;
  const outputMint = [...quotes.keys()].find((mint) => mint !== WSOL_MINT) ?? '';
  const quoteRequest = { inputMint: WSOL_MINT, outputMint, amount, taker };
  const quote = await home.call('tradeQuote', quoteRequest);
  return {
    quoteRequest,
    quote,
    request: { requestId: String(field(quote, 'requestId')), userPublicKey: taker },
  };
}

/** Returns a swap request with its quote fetched and stored. */
export async function swapRequest(home: Home, amount?: string, taker?: string): Promise<Fields> {
  const { quoteRequest, quote, request } = await freshQuote(home, amount, taker);
  await home.plans.rememberQuote(request.requestId, quoteRequest, quote);
  return request;
}

/** Returns a custody launch of a registered token. */
export async function launchRequest(home: Home, extra: Fields = {}): Promise<Fields> {
  const { mint, uri } = await newToken(home, 'Launch');
  return { ipfs: uri, tokenMint: mint, wallet: home.wallet, quoteMint: WSOL_MINT, ...extra };
}

/** Returns the mint of a token that trades from the sandbox's start. */
export async function seeded(home: Home, symbol: string): Promise<string> {
  await home.sandbox.service.ready();
  const { launches } = home.sandbox.service.state;
  const launch = [...launches.values()].find((each) => each.symbol === symbol);
  if (launch === undefined) throw new Error(`no token ${symbol}`);
  return launch.tokenMint;
}

/** Buys a token with SOL through a plan, which leaves fees for its claimers. */
export async function buy(home: Home, outputMint: string, amount: string): Promise<void> {
  const request = { inputMint: WSOL_MINT, outputMint, amount, taker: home.wallet };
  const quote = await home.call('tradeQuote', request);
  const requestId = String(field(quote, 'requestId'));
  await home.plans.rememberQuote(requestId, request, quote);
  const { plan } = await home.build('tradeSwap', { requestId, userPublicKey: home.wallet });
  const done = await home.submit(plan?.planId ?? '');
  if (done.status !== 'complete') throw new Error(`the trade is ${done.status}: ${done.next}`);
}

/** Lands a config through a plan. Returns it with its token. */
export async function landedConfig(home: Home, extra: Fields = {}) {
  const request = await configRequest(home, 2, extra);
  const { plan } = await home.build('feeShareConfig', request);
  const done = await home.submit(plan?.planId ?? '');
  if (done.status !== 'complete') throw new Error(`the config is ${done.status}: ${done.next}`);
  const answer = await home.call('feeShareConfig', request);
  const mint = String(request.baseMint);
  return {
    request,
    mint,
    uri: home.sandbox.service.state.launches.get(mint)?.uri ?? '',
    config: String(field(answer, 'feeShareConfig')),
    configKey: String(field(answer, 'venueConfigKey')),
  };
}
