/** Valid requests for every endpoint, and keys for variations. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import bs58 from 'bs58';
import {
  DEFAULT_CONFIG_TYPE,
  type EndpointName,
  type EndpointRequest,
  endpoints,
  TOKEN_PROGRAM,
  WRAPPED_SOL,
} from '../../src/contract/index.ts';

/** Returns the address of a key pair derived from a name; deterministic. */
export function walletNamed(name: string): string {
  const seed = createHash('sha256').update(name).digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return bs58.encode(key.export({ format: 'der', type: 'spki' }).subarray(-32));
}

export const WALLET = walletNamed('wallet');
export const MINT = walletNamed('mint');
export const QUOTE = walletNamed('quote');
export const EVM_TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const IPFS = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
export const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE5MDAwMDAwMDB9.c2lnbmF0dXJlLWJ5dGVz';

export const feeShareConfigRequest: EndpointRequest<'feeShareConfig'> = {
  baseMint: MINT,
  payer: WALLET,
  flow: 'dbc',
  claimersArray: [WALLET, walletNamed('friend')],
  basisPointsArray: [6000, 4000],
};

export const validRequests: { [N in EndpointName]: EndpointRequest<N> } = {
  ping: {},
  createAgentKey: { token: JWT, name: 'my agent' },
  authInit: { address: WALLET },
  authCallback: { signature: '5'.repeat(88), address: WALLET, nonce: 'b7e2', keyName: 'agent' },
  createTokenInfo: {
    name: 'Token',
    symbol: 'TOK',
    description: 'A token.',
    imageUrl: 'https://example.com/i.png',
  },
  supportedQuoteTokens: { flow: 'dbc' },
  dammSupportedQuoteTokens: {},
  dammLaunch: { ipfs: IPFS, tokenMint: MINT, wallet: WALLET, quoteMint: QUOTE, initialBuyQuoteAmount: 1000 },
  dammLaunchV2: {
    ipfs: IPFS,
    tokenMint: MINT,
    wallet: WALLET,
    quoteMint: QUOTE,
    feeShareConfig: walletNamed('config'),
  },
  curveLaunch: {
    ipfs: IPFS,
    tokenMint: MINT,
    wallet: WALLET,
    initialBuyLamports: 0,
    configKey: walletNamed('venue'),
  },
  curveLaunchV2: {
    ipfs: IPFS,
    tokenMint: MINT,
    wallet: WALLET,
    quoteMint: QUOTE,
    feeShareConfig: walletNamed('config'),
    configKey: walletNamed('venue'),
  },
  launchFeed: {},
  launchCreators: { tokenMint: MINT },
  feeShareConfig: feeShareConfigRequest,
  updateFeeShareConfig: {
    baseMint: MINT,
    payer: WALLET,
    claimersArray: [WALLET],
    basisPointsArray: [10_000],
  },
  feeShareWallet: { provider: 'github', username: 'octocat' },
  claimTxs: { feeClaimer: WALLET, tokenMint: MINT, source: { kind: 'position' } },
  claimablePositions: { wallet: WALLET },
  claimEvents: { tokenMint: MINT, limit: 10, offset: 0 },
  vaultClaimables: { wallet: WALLET },
  claimVault: { kind: 'partner', wallet: WALLET, quoteMint: QUOTE },
  deployerClaimables: { wallet: WALLET },
  deployerClaimTxs: { wallet: WALLET, tokenMints: [MINT], maxTransactions: 2 },
  tradeQuote: { inputMint: WRAPPED_SOL, outputMint: MINT, amount: '1000', taker: WALLET },
  tradeSwap: { requestId: '5f0c3a0e-6b2f-4a0a-9a57-0d1e6e1f2a3b', userPublicKey: WALLET },
  evmTrades: { tokenAddress: EVM_TOKEN, limit: 50 },
  evmTokenCreations: { limit: 10, sinceTs: 1_700_000_000 },
  evmCreatorRoster: { tokenAddress: EVM_TOKEN },
  evmCreatorEarnings: { tokenAddress: EVM_TOKEN, user: EVM_TOKEN },
  startIncorporation: { tokenAddress: MINT },
  listIncorporations: {},
  tokenLifetimeFees: { tokenMint: MINT },
  topTokens: {},
  claimStats: { tokenMint: MINT },
  partnerStats: { partner: WALLET },
  adminTokens: { wallet: WALLET },
};

/** Fee share config request with every field. */
export const fullFeeShareConfigRequest: EndpointRequest<'feeShareConfig'> = {
  ...feeShareConfigRequest,
  quoteMint: WRAPPED_SOL,
  quoteTokenProgram: TOKEN_PROGRAM,
  partner: walletNamed('partner'),
  partnerConfig: walletNamed('partner config'),
  admin: WALLET,
  serviceConfigType: DEFAULT_CONFIG_TYPE,
  enableFirstSwapWithMinFee: true,
  tipWallet: walletNamed('tip'),
  tipLamports: 5000,
  transactionFormat: 'v1',
  feeLimits: [
    { asset: { mint: QUOTE, tokenProgram: TOKEN_PROGRAM }, basisPoints: 100, maximumFeeRaw: '5000' },
  ],
  additionalLookupTables: [walletNamed('table')],
};

/** Returns a request's problems as `field: sentence` lines; empty if it is valid. */
export function problems(name: EndpointName, request: unknown): string[] {
  const result = endpoints[name].request.safeParse(request);
  if (result.success) return [];
  return [...new Set(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))];
}
