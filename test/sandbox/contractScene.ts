/**
 * Sandbox with data for every endpoint of the contract, and one valid call of each, with paths, fields and encodings
 * written out by hand from the contract.
 */
import bs58 from 'bs58';
import type { EndpointName } from '../../src/contract/index.ts';
import { at, Caller, list, text } from './service/support.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
const DEFAULT_TYPE = 'fa29606e-5e48-4c37-827f-4b03d58ee23d';

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Below the root, query included. */
  readonly path: string;
  /** JSON or a form; absent where the contract has no body. */
  readonly body?: Readonly<Record<string, unknown>> | FormData;
}

export interface Scene {
  readonly caller: Caller;
  readonly calls: Readonly<Record<EndpointName, () => Call | Promise<Call>>>;
  send(call: Call, headers?: Record<string, string>): ReturnType<Caller['http']>;
  close(): Promise<void>;
}

const query = (path: string, fields: Readonly<Record<string, string | number>>): Call => {
  const values = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) values.set(key, String(value));
  return { method: 'GET', path: `/api/v1${path}?${values}` };
};
const get = (path: string): Call => ({ method: 'GET', path: `/api/v1${path}` });
const post = (path: string, body: Record<string, unknown>): Call => ({
  method: 'POST',
  path: `/api/v1${path}`,
  body,
});

/** Makes launches of every kind, trades them, and leaves claimable amounts in every role. */
export async function contractScene(profile: 'contract' | 'bags'): Promise<Scene> {
  const caller = await Caller.start({ profile });
  const { sandbox } = caller;
  const wallet = sandbox.wallet.address;
  const { keys } = sandbox.service;
  const friend = keys.seeded('friend').address;
  const encoding = profile === 'bags' ? 'base58' : 'base64';
  const typeField = profile === 'bags' ? 'bagsConfigType' : 'serviceConfigType';
  const send: Scene['send'] = ({ method, path, body }, headers) => caller.http(method, path, body, headers);
  const answer = (call: Call) => caller.ok(send(call));

  const quotes = list(await answer(get('/token-launch/supported-quote-tokens')), 'tokens');
  const quoteMint = (symbol: string) =>
    text(
      quotes.find((each) => at(each, 'symbol') === symbol),
      'mint',
    );
  const usdc = quoteMint('USDC');

  const infoForm = (symbol: string) => {
    const form = new FormData();
    form.set('name', `Token ${symbol}`);
    form.set('symbol', symbol);
    form.set('description', 'made by a test');
    form.set('imageUrl', 'https://example.com/a.png');
    return form;
  };
  const info = async (symbol: string) => {
    const made = await answer({
      method: 'POST',
      path: '/api/v1/token-launch/create-token-info',
      body: infoForm(symbol),
    });
    return { tokenMint: text(made, 'tokenMint'), ipfs: text(made, 'tokenMetadata'), wallet };
  };
  const configOf = (baseMint: string, flow: string, extra: Record<string, unknown> = {}) =>
    post('/fee-share/config/v2', {
      baseMint,
      payer: wallet,
      flow,
      claimersArray: [wallet, friend],
      basisPointsArray: [6000, 4000],
      [typeField]: DEFAULT_TYPE,
      ...extra,
    });
  const configured = async (symbol: string, flow: string, extra: Record<string, unknown> = {}) => {
    const token = await info(symbol);
    const config = await answer(configOf(token.tokenMint, flow, extra));
    await caller.landAll(at(config, 'plan'));
    const configKey = at(config, 'venueConfigKey');
    return {
      token,
      direct: { ...token, feeShareConfig: text(config, 'feeShareConfig') },
      ...(typeof configKey === 'string' ? { configKey } : {}),
    };
  };
  const quoteCall = (outputMint: string, amount: string) =>
    query('/trade/v2/quote', { inputMint: SOL, outputMint, amount, taker: wallet });
  const buy = async (token: string, amount: string) => {
    const requestId = text(await answer(quoteCall(token, amount)), 'requestId');
    const built = await answer(post('/trade/v2/swap', { requestId, userPublicKey: wallet }));
    const { err } = await caller.land(text(built, 'swapTransaction'));
    if (err !== null) throw new Error(JSON.stringify(err));
  };

  // Custody launch with a partner, and direct launch with a fee share config, both traded.
  const custody = await info('CUST');
  const bundle = await answer(
    post('/token-launch/damm-v2/create-transaction', { ...custody, quoteMint: SOL, partner: wallet }),
  );
  for (const transaction of list(bundle, 'transactions').slice(0, 3)) {
    const { err } = await caller.land(text(transaction, 'transaction'), encoding);
    if (err !== null) throw new Error(JSON.stringify(err));
  }
  const shared = await configured('SHARE', 'damm_v2_direct');
  await caller.landAll(
    await answer(post('/token-launch/damm-v2/create-transaction/v2', { ...shared.direct, quoteMint: SOL })),
  );
  await buy(custody.tokenMint, '10000000000');
  await buy(shared.token.tokenMint, '10000000000');
  await caller.landAll(
    await answer(
      post('/token-launch/create-claim-txs/v2', { feeClaimer: wallet, tokenMint: shared.token.tokenMint }),
    ),
  );
  await buy(shared.token.tokenMint, '10000000000');
  const curve = await configured('CURVE', 'dbc');
  const curveInDollars = await configured('CURVEUSD', 'dbc', { quoteMint: usdc });
  const direct = await configured('DIRECT', 'damm_v2_direct');
  const evmToken = text(list(await answer(get('/evm/rh/token-creations')), 'items')[0], 'address');

  const calls: Scene['calls'] = {
    ping: () => ({ method: 'GET', path: '/ping' }),
    createAgentKey: () => post('/agent/dev/keys/create', { token: sandbox.jwt, name: 'a test' }),
    authInit: () => post('/agent/v2/auth/init', { address: wallet }),
    authCallback: async () => {
      const challenge = await answer(post('/agent/v2/auth/init', { address: wallet }));
      return post('/agent/v2/auth/callback', {
        signature: bs58.encode(keys.wallet.sign(bs58.decode(text(challenge, 'message')))),
        address: wallet,
        nonce: text(challenge, 'nonce'),
        keyName: 'a test',
      });
    },
    createTokenInfo: () => ({
      method: 'POST',
      path: '/api/v1/token-launch/create-token-info',
      body: infoForm('NEW'),
    }),
    supportedQuoteTokens: () => query('/token-launch/supported-quote-tokens', { flow: 'dbc' }),
    dammSupportedQuoteTokens: () => get('/token-launch/damm-v2/supported-quote-tokens'),
    dammLaunch: async () =>
      post('/token-launch/damm-v2/create-transaction', {
        ...(await info('BUNDLE')),
        quoteMint: usdc,
        feeClaimerWallet: friend,
        initialBuyQuoteAmount: 1_000_000,
        partner: friend,
      }),
    dammLaunchV2: () =>
      post('/token-launch/damm-v2/create-transaction/v2', {
        ...direct.direct,
        quoteMint: SOL,
        initialBuyQuoteRaw: '1000',
      }),
    curveLaunch: () =>
      post('/token-launch/create-launch-transaction', {
        ...curve.token,
        configKey: curve.configKey,
        initialBuyLamports: 0,
      }),
    curveLaunchV2: () =>
      post('/token-launch/create-transaction/v2', {
        ...curveInDollars.direct,
        configKey: curveInDollars.configKey,
        quoteMint: usdc,
      }),
    launchFeed: () => get('/token-launch/feed'),
    launchCreators: () => query('/token-launch/creator/v3', { tokenMint: shared.token.tokenMint }),
    feeShareConfig: async () => configOf((await info('CONF')).tokenMint, 'damm_v2_direct'),
    updateFeeShareConfig: () =>
      post('/fee-share/admin/update-config/v2', {
        baseMint: shared.token.tokenMint,
        payer: wallet,
        claimersArray: [wallet, friend],
        basisPointsArray: [5000, 5000],
      }),
    feeShareWallet: () =>
      query(profile === 'bags' ? '/token-launch/fee-share/wallet/v2' : '/fee-share/wallet/v2', {
        provider: 'github',
        username: 'octocat',
      }),
    claimTxs: () =>
      post('/token-launch/create-claim-txs/v2', { feeClaimer: wallet, tokenMint: shared.token.tokenMint }),
    claimablePositions: () => query('/token-launch/claimable-positions/v2', { wallet }),
    claimEvents: () => query('/fee-share/token/claim-events', { tokenMint: shared.token.tokenMint }),
    vaultClaimables: () => query('/token-launch/damm-v2/vault-claimables', { wallet }),
    claimVault: () => post('/token-launch/damm-v2/claim-vault', { kind: 'partner', wallet, quoteMint: SOL }),
    deployerClaimables: () => query('/fee-share/deployer/claimable-positions', { wallet }),
    deployerClaimTxs: () => post('/fee-share/deployer/claim-txs', { wallet }),
    tradeQuote: () => quoteCall(custody.tokenMint, '1000000'),
    tradeSwap: async () => {
      const requestId = text(await answer(quoteCall(custody.tokenMint, '1000000')), 'requestId');
      return post('/trade/v2/swap', { requestId, userPublicKey: wallet });
    },
    evmTrades: () => query('/evm/rh/trades', { tokenAddress: evmToken, limit: 2 }),
    evmTokenCreations: () => query('/evm/rh/token-creations', { limit: 3, sinceTs: 0 }),
    evmCreatorRoster: () => query('/evm/rh/creator-roster', { tokenAddress: evmToken.toLowerCase() }),
    evmCreatorEarnings: () =>
      query('/evm/rh/creator-earnings', {
        tokenAddress: evmToken,
        user: evmToken.toUpperCase().replace('X', 'x'),
      }),
    startIncorporation: async () => {
      const { tokenMint } = await info('INC');
      const path = `/api/v1/incorporate/start-incorporation/${tokenMint}`;
      return profile === 'bags' ? { method: 'POST', path, body: {} } : { method: 'POST', path };
    },
    listIncorporations: async () => {
      await send(await calls.startIncorporation());
      return get('/incorporate/list');
    },
    tokenLifetimeFees: () => query('/token-launch/lifetime-fees', { tokenMint: shared.token.tokenMint }),
    topTokens: () => get('/token-launch/top-tokens/lifetime-fees'),
    claimStats: () => query('/token-launch/claim-stats', { tokenMint: shared.token.tokenMint }),
    partnerStats: () => query('/fee-share/partner-config/stats', { partner: wallet }),
    adminTokens: () => query('/fee-share/admin/list', { wallet }),
  };
  return { caller, calls, send, close: () => caller.close() };
}
