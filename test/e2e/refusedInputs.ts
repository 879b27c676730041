/** Bad inputs by id: the tool, its arguments, and the field named in the answer. */
import { type Fields, someAddress } from './harness.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
export const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const LOCKED_85 = '810faadb-030b-47de-a68b-7211c1cbbee3';
const IPFS = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
const [mint, usd] = [someAddress(), someAddress()];
/** Wallet without a key here. */
export const friend = someAddress();
/** Caller's wallet, where it must be named. */
const wallet = someAddress();

/** Returns a config request with changes. */
export const config = (more: Fields): Fields => ({
  baseMint: mint,
  payer: wallet,
  flow: 'dbc',
  claimersArray: [wallet, friend],
  basisPointsArray: [6000, 4000],
  ...more,
});
/** Returns a custody launch with changes. */
export const damm = (more: Fields): Fields => ({ tokenMint: mint, ipfs: IPFS, quoteMint: SOL, ...more });
const limit = (more: Fields): Fields => ({
  feeLimits: [{ asset: { mint: usd, tokenProgram: mint }, basisPoints: 1, maximumFeeRaw: '1', ...more }],
});
const jwt = (part: string) => `${part}.${part}.${part}`;

/** Case id, tool, arguments, and the field named in the answer. */
export type BadInput = readonly [row: string, tool: string, args: () => Fields, names: string];

export const REFUSED_INPUTS: readonly BadInput[] = [
  ['B01 an unknown argument', 'get_launch_feed', () => ({ confirmed: true }), 'confirmed'],
  ['B01 an unknown argument', 'submit_plan', () => ({ planId: 'p', force: true }), 'force'],
  ['B02 a missing argument', 'create_fee_share_config', () => ({ flow: 'dbc' }), 'tokenMint'],
  ['B02 null where a value is needed', 'get_launch_creators', () => ({ tokenMint: null }), 'tokenMint'],
  ['B02 an array for an object', 'create_fee_claims', () => ({ tokenMint: mint, source: [] }), 'source'],
  ['B03 a key called constructor', 'get_wallet', () => ({ constructor: {} }), 'constructor'],
  ['B04 a fraction for a whole number', 'list_plans', () => ({ limit: 1.5 }), 'limit'],
  ['B04 a text for a number', 'list_plans', () => ({ limit: '5' }), 'limit'],
  ['B05 a text of a megabyte', 'list_claim_events', () => ({ tokenMint: 'x'.repeat(1 << 20) }), ''],
  ['B08 a key of 31 bytes', 'get_launch_creators', () => ({ tokenMint: '1'.repeat(31) }), 'tokenMint'],
  ['B08 a key of 33 bytes', 'get_launch_creators', () => ({ tokenMint: '1'.repeat(33) }), 'tokenMint'],
  ['B08 letters base58 lacks', 'get_launch_creators', () => ({ tokenMint: '0OIl'.repeat(11) }), 'tokenMint'],
  ['B08 a line break behind a key', 'get_launch_creators', () => ({ tokenMint: `${mint}\n` }), 'tokenMint'],
  ['B08 a number for a key', 'get_launch_creators', () => ({ tokenMint: 1 }), 'tokenMint'],
  ['B09 an EVM address for a mint', 'get_launch_creators', () => ({ tokenMint: EVM }), 'EVM'],
  ['B09 a mint for an EVM address', 'list_evm_trades', () => ({ tokenAddress: mint }), 'tokenAddress'],
  ['B10 a program that pays', 'create_fee_share_config', () => config({ payer: '1'.repeat(32) }), 'payer'],
  [
    'B11 no wallet earns',
    'create_fee_share_config',
    () => config({ claimersArray: [], basisPointsArray: [] }),
    'claimersArray',
  ],
  [
    'B11 more than a hundred earn',
    'create_fee_share_config',
    () =>
      config({
        claimersArray: Array.from({ length: 101 }, someAddress),
        basisPointsArray: [...Array.from({ length: 100 }, () => 99), 100],
      }),
    'claimersArray',
  ],
  [
    'B12 a wallet earns twice',
    'create_fee_share_config',
    () => config({ claimersArray: [friend, friend] }),
    'claimersArray',
  ],
  [
    'B13 a share too many',
    'create_fee_share_config',
    () => config({ basisPointsArray: [6000, 3000, 1000] }),
    'basisPointsArray',
  ],
  [
    'B14 9,999 basis points',
    'create_fee_share_config',
    () => config({ basisPointsArray: [5999, 4000] }),
    '9999',
  ],
  [
    'B14 10,001 basis points',
    'update_fee_share_config',
    () => ({ baseMint: mint, claimersArray: [wallet, friend], basisPointsArray: [6001, 4000] }),
    '10001',
  ],
  [
    'B15 a share below nothing',
    'create_fee_share_config',
    () => config({ basisPointsArray: [-1, 10_001] }),
    'basisPointsArray',
  ],
  [
    'B15 a share as text',
    'create_fee_share_config',
    () => config({ basisPointsArray: ['6000', 4000] }),
    'basisPointsArray',
  ],
  [
    'B17 fractions that round to the total',
    'create_fee_share_config',
    () => config({ basisPointsArray: [6666.6667, 3333.3333] }),
    'basisPointsArray',
  ],
  ['B18 another spelling of a flow', 'create_fee_share_config', () => config({ flow: 'DBC' }), 'flow'],
  [
    'B20 the locked type with another quote',
    'create_fee_share_config',
    () => config({ quoteMint: usd, serviceConfigType: LOCKED_85 }),
    'serviceConfigType',
  ],
  [
    'B22 a token program that is none',
    'create_fee_share_config',
    () => config({ quoteTokenProgram: mint }),
    'quoteTokenProgram',
  ],
  [
    'B23 a partner without its config',
    'create_fee_share_config',
    () => config({ partner: friend }),
    'partnerConfig',
  ],
  [
    'B24 a label of no config type',
    'create_fee_share_config',
    () => config({ serviceConfigType: 'Defaults' }),
    'serviceConfigType',
  ],
  [
    'B24 a config type in capitals',
    'create_fee_share_config',
    () => config({ serviceConfigType: LOCKED_85.toUpperCase() }),
    'serviceConfigType',
  ],
  [
    'B25 a tip of half a lamport',
    'create_fee_share_config',
    () => config({ tipWallet: friend, tipLamports: 0.5 }),
    'tipLamports',
  ],
  [
    'B25 a tip beyond what numbers hold',
    'create_fee_share_config',
    () => config({ tipWallet: friend, tipLamports: 2 ** 53 }),
    'tipLamports',
  ],
  [
    'B27 a format in capitals',
    'create_fee_share_config',
    () => config({ transactionFormat: 'V0' }),
    'transactionFormat',
  ],
  [
    'B28 five fee limits',
    'create_fee_share_config',
    () => config({ feeLimits: Array.from({ length: 5 }, () => limit({}).feeLimits) }),
    'feeLimits',
  ],
  [
    'B29 a leading zero in an amount',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ maximumFeeRaw: '01' }) }),
    'maximumFeeRaw',
  ],
  [
    'B29 an amount of 2^64',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ maximumFeeRaw: '18446744073709551616' }) }),
    'maximumFeeRaw',
  ],
  [
    'B30 a fee above everything',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ basisPoints: 10_001 }) }),
    'basisPoints',
  ],
  [
    'B31 an asset by its symbol',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ asset: 'USDC' }) }),
    'asset',
  ],
  [
    'B32 nine lookup tables',
    'create_fee_share_config',
    () => config({ additionalLookupTables: Array.from({ length: 9 }, someAddress) }),
    'additionalLookupTables',
  ],
  [
    'B32 one lookup table twice',
    'create_fee_share_config',
    () => config({ additionalLookupTables: [mint, mint] }),
    'additionalLookupTables',
  ],
  [
    'B34 a metadata link of 201 characters',
    'create_damm_launch',
    () => damm({ ipfs: `ipfs://${'a'.repeat(194)}` }),
    'ipfs',
  ],
  [
    'B34 a control character in a link',
    'create_damm_launch',
    () => damm({ ipfs: 'ipfs://a\u0000b' }),
    'ipfs',
  ],
  ['B35 a link that runs code', 'create_damm_launch', () => damm({ ipfs: 'javascript:alert(1)' }), 'ipfs'],
  [
    'B35 a link to this machine',
    'create_token_info',
    () => ({ name: 'n', symbol: 's', description: 'd', imageUrl: 'https://127.0.0.1/a.png' }),
    'imageUrl',
  ],
  [
    'B36 a first buy below nothing',
    'create_damm_launch',
    () => damm({ initialBuyQuoteAmount: -1 }),
    'initialBuyQuoteAmount',
  ],
  [
    'B36 a first buy in fractions',
    'create_damm_launch',
    () => damm({ initialBuyQuoteAmount: 0.1 }),
    'initialBuyQuoteAmount',
  ],
  ['B40 an empty quote id', 'create_swap', () => ({ requestId: '' }), 'requestId'],
  [
    'B40 a quote id that climbs out of a path',
    'create_swap',
    () => ({ requestId: '../../quote' }),
    'requestId',
  ],
  ['B40 a quote id of ten kilobytes', 'create_swap', () => ({ requestId: 'x'.repeat(10_000) }), 'requestId'],
  ['B44 a page of no trades', 'list_evm_trades', () => ({ tokenAddress: EVM, limit: 0 }), 'limit'],
  ['B44 a page of 201 trades', 'list_evm_trades', () => ({ tokenAddress: EVM, limit: 201 }), 'limit'],
  ['B45 half a cursor', 'list_evm_trades', () => ({ tokenAddress: EVM, beforeId: 'x' }), 'beforeTs'],
  [
    'B46 milliseconds for seconds',
    'list_evm_trades',
    () => ({ tokenAddress: EVM, beforeTs: 1_700_000_000_000 }),
    'beforeTs',
  ],
  ['B46 a time before 1970', 'list_evm_trades', () => ({ tokenAddress: EVM, beforeTs: -1 }), 'beforeTs'],
  [
    'B49 an EVM address a digit short',
    'list_evm_trades',
    () => ({ tokenAddress: EVM.slice(0, -1) }),
    'tokenAddress',
  ],
  [
    'B49 an EVM address with another letter',
    'list_evm_trades',
    () => ({ tokenAddress: `${EVM.slice(0, -1)}g` }),
    'tokenAddress',
  ],
  ['B51 101 launches', 'list_evm_token_creations', () => ({ limit: 101 }), 'limit'],
  [
    'B51 a first second in the future',
    'list_evm_token_creations',
    () => ({ sinceTs: 4_000_000_000 }),
    'sinceTs',
  ],
  [
    'B57 a path for a mint',
    'start_incorporation',
    () => ({ tokenAddress: '../agent/dev/keys' }),
    'tokenAddress',
  ],
  [
    'B57 a percent-encoded path',
    'start_incorporation',
    () => ({ tokenAddress: '%2e%2e%2fkeys' }),
    'tokenAddress',
  ],
  [
    'B57 a query behind a mint',
    'start_incorporation',
    () => ({ tokenAddress: `${mint}?x=1` }),
    'tokenAddress',
  ],
  [
    'B59 a login of two parts',
    'create_agent_key',
    () => ({ name: 'n', token: 'SECRETPART.SECRETPART' }),
    'token',
  ],
  [
    'B59 a login with a line break',
    'create_agent_key',
    () => ({ name: 'n', token: `${jwt('SECRETPART')}\n` }),
    'token',
  ],
  [
    'B59 a login of 100 kB',
    'create_agent_key',
    () => ({ name: 'n', token: jwt('SECRETPART'.repeat(3_500)) }),
    'token',
  ],
  ['B60 a key without a name', 'create_agent_key', () => ({ name: '' }), 'name'],
  ['B60 a key name of 256 characters', 'create_agent_key', () => ({ name: 'n'.repeat(256) }), 'name'],
  ['B60 a key name that turns around', 'create_agent_key', () => ({ name: 'a\u202eb' }), 'name'],
  [
    'B62 a time range backwards',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 5, to: 4 }),
    'to',
  ],
  [
    'B62 a time range without its end',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 5 }),
    'to',
  ],
  [
    'B62 a page in a time range',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 4, to: 5, limit: 3 }),
    'limit',
  ],
];
