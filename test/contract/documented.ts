/** Documented answers of the contract and its best-known deployment, by endpoint. */
import { type EndpointName, TOKEN_PROGRAM, WRAPPED_SOL } from '../../src/contract/index.ts';
import { EVM_TOKEN, MINT, QUOTE, WALLET, walletNamed } from './validRequests.ts';

const QUOTE_OF_EVM = { address: EVM_TOKEN, symbol: 'WETH', decimals: 18, isNative: true };
const VAULT = {
  kind: 'deployer',
  wallet: WALLET,
  quoteMint: QUOTE,
  quoteDecimals: 6,
  vaultAta: walletNamed('vault'),
  claimableAmount: '1500000',
  claimableDisplayAmount: 1.5,
  claimableAmountRaw: '1500000',
  asset: { mint: QUOTE, tokenProgram: TOKEN_PROGRAM, decimals: 6 },
};
const PLAN = {
  contractVersion: 1,
  operation: { kind: 'launch' },
  transactions: [],
  readiness: { status: 'ready' },
};

/** Row of docs/contract.md, endpoint, answer. */
export const documented: readonly (readonly [string, EndpointName, unknown])[] = [
  [
    'C-KEY-04',
    'createAgentKey',
    { apiKey: { key: 'k', name: 'a', status: 'active', keyId: 'id', createdAt: '2026-01-01' } },
  ],
  ['C-AUTH-06', 'authInit', { message: '3yZe7d', nonce: 'b7e2' }],
  ['C-AUTH-07', 'authCallback', { apiKey: 'k', keyId: 'id', isSignup: true }],
  ['C-AUTH-07', 'authCallback', { mfaRequired: true, authCode: 'x' }],
  [
    'C-INFO-02',
    'createTokenInfo',
    {
      tokenMint: MINT,
      tokenMetadata: 'ipfs://x',
      tokenLaunch: { status: 'PRE_LAUNCH', launchWallet: null, uri: null },
    },
  ],
  [
    'C-QUOTE-01 C-QUOTE-02',
    'supportedQuoteTokens',
    {
      tokens: [
        {
          mint: QUOTE,
          profileEligible: true,
          launchAvailability: { status: 'available' },
          flows: [
            { flow: 'dbc', configs: [{ configType: 'fa29606e', graduationThresholdRaw: '85000000000' }] },
          ],
        },
      ],
    },
  ],
  [
    'C-QUOTE-03',
    'dammSupportedQuoteTokens',
    { tokens: [{ mint: QUOTE, tokenProgram: TOKEN_PROGRAM, decimals: 6 }] },
  ],
  ['C-DIRECT-01', 'dammLaunchV2', PLAN],
  ['C-CURVE-02', 'curveLaunchV2', PLAN],
  ['C-UPDATE-01', 'updateFeeShareConfig', PLAN],
  ['C-CLAIM-01', 'claimTxs', PLAN],
  [
    'C-FEED-01',
    'launchFeed',
    [
      {
        tokenMint: MINT,
        name: 'T',
        status: 'MIGRATED',
        twitter: null,
        accountKeys: null,
        numRequiredSigners: 1,
      },
    ],
  ],
  [
    'C-CREATOR-01',
    'launchCreators',
    [
      {
        wallet: WALLET,
        royaltyBps: 10_000,
        isCreator: true,
        isAdmin: false,
        provider: 'moltbook',
        username: null,
      },
    ],
  ],
  [
    'C-WALLET-01',
    'feeShareWallet',
    {
      provider: 'github',
      platformData: { id: '1', username: 'octocat', display_name: 'O' },
      wallet: WALLET,
      chain: 'SOL',
    },
  ],
  [
    'C-CLAIM-04 C-CLAIM-05',
    'claimablePositions',
    {
      items: [
        { tokenMint: MINT, basisPoints: 10_000, claimableAmountRaw: null, source: { kind: 'position' } },
      ],
      complete: false,
      issues: ['rpc'],
    },
  ],
  [
    'C-EVENT-04',
    'claimEvents',
    { events: [{ wallet: WALLET, isCreator: false, amount: '5', signature: 's', timestamp: 1_767_225_600 }] },
  ],
  ['C-VAULT-01 C-VAULT-02', 'vaultClaimables', { vaults: [VAULT] }],
  ['C-VAULT-04', 'claimVault', { transaction: 'AQ==', claimable: VAULT }],
  ['C-DEPLOY-01 C-DEPLOY-02', 'deployerClaimables', { whatever: ['it', 'is'] }],
  ['C-DEPLOY-02', 'deployerClaimables', [{ tokenMint: MINT }]],
  [
    'C-DEPLOY-03',
    'deployerClaimTxs',
    { transactions: [{ transaction: 'AQ==', index: 0 }], deferredClaims: [] },
  ],
  [
    'C-TRADE-03',
    'tradeQuote',
    {
      requestId: 'r',
      inputMint: WRAPPED_SOL,
      outputMint: MINT,
      inAmount: '1',
      outAmount: '2',
      minOutAmount: '1',
      routePlan: [{}],
    },
  ],
  [
    'C-TRADE-05 C-TRADE-06',
    'tradeSwap',
    {
      swapTransaction: 'AQ==',
      computeUnitLimit: 200_000,
      prioritizationFeeLamports: 1000,
      lastValidBlockHeight: 5,
      feeMint: WRAPPED_SOL,
      feeSide: 'sideways',
      feeLamports: '10',
      revenueLamports: '10',
      provider: 'a provider',
    },
  ],
  [
    'C-EVM-04 C-WIRE-05',
    'evmTrades',
    {
      trades: [
        {
          id: '0xab-1',
          kind: 'sell',
          venue: 'pool',
          account: EVM_TOKEN,
          ethWei: '1000000000000000000000000000',
          tokenWei: '2',
          priceEthPerToken: '500000000000000000',
          quoteWei: '1',
          priceQuotePerToken: '5',
          feeQuoteWei: '0',
          blockNumber: 1,
          timestamp: 1_700_000_000,
          txHash: '0xab',
          logIndex: 0,
        },
      ],
      version: 'v3',
      quote: QUOTE_OF_EVM,
      nextBeforeTs: null,
      nextBeforeId: null,
    },
  ],
  [
    'C-EVM-07',
    'evmTokenCreations',
    {
      items: [
        {
          address: EVM_TOKEN,
          partner: null,
          metadata: null,
          migrated: false,
          migratedAtBlock: null,
          migratedAtTimestamp: null,
        },
      ],
    },
  ],
  [
    'C-EVM-08',
    'evmCreatorRoster',
    {
      token: EVM_TOKEN,
      recipients: [{ address: EVM_TOKEN, bps: 10_000, isPartner: false, claimedWei: '0' }],
      quote: QUOTE_OF_EVM,
    },
  ],
  [
    'C-EVM-09',
    'evmCreatorEarnings',
    { token: EVM_TOKEN, user: EVM_TOKEN, isClaimer: false, claimableWei: '0', version: 'v2' },
  ],
  ['C-INCORP-01', 'startIncorporation', { tokenAddress: MINT, incorporationStarted: true }],
  [
    'C-INCORP-02 C-INCORP-03',
    'listIncorporations',
    [
      {
        tokenAddress: MINT,
        incorporationStatus: 'ANY',
        founders: [{ id: '1', kycStatus: 'EXPIRED' }],
        category: 'MEME',
      },
    ],
  ],
  ['C-STATS-01', 'tokenLifetimeFees', '12345'],
  ['C-STATS-02', 'topTokens', [{ token: MINT, lifetimeFees: '5', tokenInfo: null, creators: null }]],
  ['C-STATS-03', 'claimStats', [{ wallet: WALLET, royaltyBps: 10_000, totalClaimed: '7', provider: null }]],
  ['C-PARTNER-01', 'partnerStats', { claimedFees: '1', unclaimedFees: '2' }],
  ['C-ADMIN-01', 'adminTokens', { tokenMints: [MINT] }],
];
