/** Answers as the contract and its best-known deployment document them: each is read whole and unchanged. */
import { describe, expect, it } from 'vitest';
import {
  type EndpointName,
  endpoints,
  FEE_SHARE_PROVIDERS,
  TOKEN_PROGRAM,
  WRAPPED_SOL,
} from '../../src/contract/index.ts';
import { EVM_TOKEN, MINT, problems, QUOTE, validRequests, WALLET, walletNamed } from './validRequests.ts';

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

const TIMED = { transaction: 'AQ', blockhash: { blockhash: MINT, lastValidBlockHeight: 9 } };

const documented: readonly (readonly [string, EndpointName, unknown])[] = [
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
    { items: [{ rawAmount: null }], complete: false, issues: ['rpc'] },
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
  ['C-STATS-04', 'feeShareWallets', [{ username: 'a', provider: 'kick', platformData: null, wallet: null }]],
  ['C-STATS-05', 'poolConfigs', { poolConfigKeys: [MINT, null] }],
  ['C-PARTNER-01', 'partnerStats', { claimedFees: '1', unclaimedFees: '2' }],
  ['C-PARTNER-02', 'partnerConfigTx', { transaction: TIMED }],
  ['C-PARTNER-03', 'partnerClaimTxs', { transactions: [TIMED] }],
  ['C-ADMIN-01', 'adminTokens', { tokenMints: [MINT] }],
  ['C-ADMIN-02', 'adminTransferTx', { transaction: TIMED }],
  ['C-ADMIN-03', 'adminUpdateTxs', { transactions: [TIMED] }],
  ['C-AUTH-08', 'authMe', { user: { uuid: 'u', username: 'ada', points: 3 } }],
  ['C-INCORP-05', 'incorporationDetails', { tokenAddress: MINT, category: null }],
  [
    'C-OLDER-01',
    'olderConfig',
    { needsCreation: true, feeShareAuthority: MINT, meteoraConfigKey: QUOTE, transactions: [TIMED] },
  ],
  [
    'C-OLDER-02',
    'olderClaimables',
    [{ baseMint: MINT, isCustomFeeVault: false, totalClaimableLamportsUserShare: 5 }],
  ],
  ['C-OLDER-03', 'olderClaimTxs', [{ tx: 'AQ', blockhash: TIMED.blockhash }]],
  [
    'C-OLDER-04',
    'olderQuote',
    { requestId: 'r', inputMint: MINT, outputMint: QUOTE, inAmount: '1', outAmount: '2' },
  ],
  ['C-OLDER-05', 'olderSwap', { swapTransaction: 'AQ', lastValidBlockHeight: 5, computeUnitLimit: 5 }],
];

describe('documented answers', () => {
  it.each(documented)('%s: the answer of %s is read unchanged', (_, name, answer) => {
    expect(endpoints[name].response.parse(answer)).toEqual(answer);
  });
});

describe('requests of one endpoint', () => {
  it('C-FIELD-05 amounts as numbers are whole and safe', () => {
    const buy = (initialBuyLamports: unknown) =>
      problems('curveLaunch', { ...validRequests.curveLaunch, initialBuyLamports });
    expect(buy(Number.MAX_SAFE_INTEGER)).toEqual([]);
    for (const amount of [2 ** 53, -1, 0.5, '1', 1n]) expect(buy(amount)).toHaveLength(1);
  });

  it('C-WALLET-02 a handle is looked up on the four platforms launches know', () => {
    for (const provider of FEE_SHARE_PROVIDERS)
      expect(problems('feeShareWallet', { provider, username: 'a' })).toEqual([]);
    for (const provider of ['apple', 'Twitter', '']) {
      expect(problems('feeShareWallet', { provider, username: 'a' })).toHaveLength(1);
    }
    expect(problems('feeShareWallet', { provider: 'github', username: 'a'.repeat(101) })).toHaveLength(1);
  });

  it('C-DIRECT-01 C-CURVE-02 a custom-quote curve launch is a direct launch with its config key', () => {
    const { configKey: _, ...direct } = validRequests.curveLaunchV2;
    expect(problems('dammLaunchV2', direct)).toEqual([]);
    expect(problems('curveLaunchV2', direct)).toEqual([expect.stringMatching(/^configKey: /)]);
    expect(problems('dammLaunchV2', { ...direct, initialBuyQuoteRaw: 5 })).toHaveLength(1);
  });

  it('C-CLAIM-01 C-CLAIM-02 a claim names what it draws on', () => {
    const claim = (source: unknown) => problems('claimTxs', { ...validRequests.claimTxs, source });
    expect(claim({ kind: 'holding', authority: WALLET })).toEqual([]);
    expect(claim(null)).toEqual([]);
    for (const source of [{ kind: 'everything' }, { kind: 'position', amount: '1' }, 'position']) {
      expect(claim(source)).toHaveLength(1);
    }
  });

  it('C-VAULT-04 a vault claim is for a partner or a deployer', () => {
    expect(problems('claimVault', { ...validRequests.claimVault, kind: 'deployer' })).toEqual([]);
    expect(problems('claimVault', { ...validRequests.claimVault, kind: 'creator' })).toHaveLength(1);
  });

  it('C-DEPLOY-03 a deployer claim can be bounded', () => {
    const claim = (change: object) =>
      problems('deployerClaimTxs', { ...validRequests.deployerClaimTxs, ...change });
    expect(claim({ maxTransactions: 0 })).toHaveLength(1);
    expect(claim({ tokenMints: [] })).toHaveLength(1);
    expect(claim({ tokenMints: null, maxTransactions: null })).toEqual([]);
  });
});
