/**
 * Instructions of swap routers for which no public package has an encoder, written byte by byte from the published
 * layouts: each line of `bytes` is one field.
 */
import { PublicKey } from '@solana/web3.js';
import { addressOf } from '../encode.ts';

const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const JUPITER_EVENTS = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf';
/** The router's second authority, as explorers list it. */
const JUPITER_AUTHORITY_2 = 'BQ72nSv9f3PRyRKCBnHLVrerrv37CYTHm5h3s9VSGQDV';
const TITAN = 'T1TANpTeScyeqVzzgNViGDNrkQ6qHz9KrSBS4aNXvGT';
const TITAN_ATLAS = PublicKey.findProgramAddressSync(
  [Buffer.from('atlas')],
  new PublicKey(TITAN),
)[0].toBase58();
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const WALLET = addressOf('wallet');
const SOURCE = addressOf('source');
const DESTINATION = addressOf('destination');
const ELSEWHERE = addressOf('elsewhere');
const VENUE = addressOf('a venue of the route');
const VAULT = addressOf('a vault of the route');

/** Accounts of the route, which follow the named ones: its steps pay into the last. */
const route = (paid: string) =>
  [
    [VENUE, ''],
    [VAULT, 'w'],
    [paid, 'w'],
  ] as const;
const ROUTE = route(DESTINATION);

/** One step through a venue without values of its own: count, venue, basis points, where from, where to. */
const ONE_STEP = ['01000000', '07', '1027', '00', '01'];
/** The same in the older instructions, whose steps state per cent and stand before the amounts. */
const ONE_STEP_BEFORE = ['01000000', '07', '64', '00', '01'];
/** Steps with values of their own: a direction; a direction and additional accounts; a number and a direction. */
const THREE_STEPS_BEFORE = [
  '03000000',
  ...['11', '01', '64', '00', '02'],
  ...['2f', '00', '01', '02000000', '0001', '0602', '64', '02', '03'],
  ...['76', 'b8cce0ded621faac', '01', '64', '03', '01'],
];

export interface RouterVector {
  readonly name: string;
  readonly program: string;
  /** `w` writable, `s` signs. */
  readonly accounts: readonly (readonly [string, '' | 'w' | 's' | 'ws'])[];
  readonly bytes: readonly string[];
  /** Where the steps of the route start, and where they end if not with the data. */
  readonly steps: readonly [from: number, to?: number];
  /** How many accounts stand before those of the route. */
  readonly fixedAccounts: number;
  /** What it does, by the layout: amounts in base units. */
  readonly does: {
    /** Absent where only the source account says it. */
    readonly input?: string;
    readonly output: string;
    readonly mostIn: bigint;
    readonly leastOut: bigint;
    readonly exact: 'in' | 'out';
    readonly source: string;
    readonly destination: string;
    readonly authority: string;
    /** The account the platform's part goes to, where one is named. */
    readonly referral?: string;
    /** Accounts of the route's steps, after token accounts that the instruction names beside those of the trade. */
    readonly reaches: readonly string[];
    readonly feesBps: Readonly<Record<string, number>>;
  };
}

const sellsSol = {
  input: WRAPPED_SOL,
  output: USDC,
  source: SOURCE,
  authority: WALLET,
  reaches: [VENUE, VAULT, DESTINATION],
} as const;
const ownRoles = (elsewhere: string) =>
  [
    [WALLET, 's'],
    [SOURCE, 'w'],
    [DESTINATION, 'w'],
    [WRAPPED_SOL, ''],
    [USDC, ''],
    [TOKEN, ''],
    [TOKEN_2022, ''],
    [elsewhere, elsewhere === JUPITER ? '' : 'w'],
    [JUPITER_EVENTS, ''],
    [JUPITER, ''],
  ] as const;
const sharedRoles = [
  [JUPITER_AUTHORITY_2, ''],
  [WALLET, 's'],
  [SOURCE, 'w'],
  [addressOf('the router source'), 'w'],
  [addressOf('the router destination'), 'w'],
  [DESTINATION, 'w'],
  [WRAPPED_SOL, ''],
  [USDC, ''],
  [TOKEN, ''],
  [TOKEN, ''],
  [JUPITER_EVENTS, ''],
  [JUPITER, ''],
] as const;

const PLATFORM = addressOf('the platform');
/** In the older instructions an account that is absent is the router's own address. */
const optional = (address: string) => [address, address === JUPITER ? '' : 'w'] as const;
const ends = [
  [JUPITER_EVENTS, ''],
  [JUPITER, ''],
] as const;
const ownBefore = [
  [TOKEN, ''],
  [WALLET, 's'],
  [SOURCE, 'w'],
  [DESTINATION, 'w'],
] as const;
const sharedBefore = [
  [TOKEN, ''],
  ...sharedRoles.slice(0, 8),
  optional(PLATFORM),
  [TOKEN_2022, ''],
  ...ends,
] as const;

export const ROUTER_VECTORS: readonly RouterVector[] = [
  {
    name: 'jupiter route_v2: 1 SOL for at least 149.25 USDC, half a percent below the quote',
    program: JUPITER,
    accounts: [...ownRoles(JUPITER), ...ROUTE],
    bytes: [
      'bb64facc31c4af14', // route_v2
      '00ca9a3b00000000', // in 1,000,000,000
      '80d1f00800000000', // quoted out 150,000,000
      '3200', // slippage 50 basis points
      '0000', // platform fee
      '0000', // positive slippage
      ...ONE_STEP,
    ],
    steps: [30],
    fixedAccounts: 10,
    does: {
      ...sellsSol,
      destination: DESTINATION,
      mostIn: 1_000_000_000n,
      leastOut: 149_250_000n,
      exact: 'in',
      feesBps: { platform: 0, positiveSlippage: 0 },
    },
  },
  {
    name: 'jupiter route_v2: the output goes to another account, and the platform takes a fee',
    program: JUPITER,
    accounts: [...ownRoles(ELSEWHERE), ...route(ELSEWHERE)],
    bytes: [
      'bb64facc31c4af14', // route_v2
      '0100000000000000', // in 1
      '0300000000000000', // quoted out 3
      '1027', // slippage 10,000 basis points: nothing has to arrive
      '5500', // platform fee 85
      '0a00', // positive slippage 10
      ...ONE_STEP,
    ],
    steps: [30],
    fixedAccounts: 10,
    does: {
      ...sellsSol,
      reaches: [DESTINATION, VENUE, VAULT, ELSEWHERE],
      destination: ELSEWHERE,
      mostIn: 1n,
      leastOut: 0n,
      exact: 'in',
      feesBps: { platform: 85, positiveSlippage: 10 },
    },
  },
  {
    name: 'jupiter exact_out_route_v2: 150 USDC for at most 1.005 SOL',
    program: JUPITER,
    accounts: [...ownRoles(JUPITER), ...ROUTE],
    bytes: [
      '9d8ab85215f4f324', // exact_out_route_v2
      '80d1f00800000000', // out 150,000,000
      '00ca9a3b00000000', // quoted in 1,000,000,000
      '3200', // slippage 50 basis points
      '0000', // platform fee
      '0000', // positive slippage
      ...ONE_STEP,
    ],
    steps: [30],
    fixedAccounts: 10,
    does: {
      ...sellsSol,
      destination: DESTINATION,
      mostIn: 1_005_000_000n,
      leastOut: 150_000_000n,
      exact: 'out',
      feesBps: { platform: 0, positiveSlippage: 0 },
    },
  },
  {
    name: 'jupiter shared_accounts_route_v2: 0.25 SOL for at least 36,999,192 base units',
    program: JUPITER,
    accounts: [...sharedRoles, ...ROUTE],
    bytes: [
      'd19853937cfed8e9', // shared_accounts_route_v2
      '02', // the router's second authority
      '80b2e60e00000000', // in 250,000,000
      '3fa8380200000000', // quoted out 37,267,519
      '4800', // slippage 72 basis points
      '0000', // platform fee
      '0000', // positive slippage
      ...ONE_STEP,
    ],
    steps: [31],
    fixedAccounts: 12,
    does: {
      ...sellsSol,
      reaches: [sharedRoles[3][0], sharedRoles[4][0], ...sellsSol.reaches],
      destination: DESTINATION,
      mostIn: 250_000_000n,
      leastOut: 36_999_192n,
      exact: 'in',
      feesBps: { platform: 0, positiveSlippage: 0 },
    },
  },
  {
    name: 'jupiter shared_accounts_exact_out_route_v2: 7 base units for at most 4',
    program: JUPITER,
    accounts: [...sharedRoles, ...ROUTE],
    bytes: [
      '3560e5cad8bbfa18', // shared_accounts_exact_out_route_v2
      '02', // the router's second authority
      '0700000000000000', // out 7
      '0300000000000000', // quoted in 3
      '0100', // slippage 1 basis point: a part of a unit more, so one unit more
      '0000', // platform fee
      '0000', // positive slippage
      ...ONE_STEP,
    ],
    steps: [31],
    fixedAccounts: 12,
    does: {
      ...sellsSol,
      reaches: [sharedRoles[3][0], sharedRoles[4][0], ...sellsSol.reaches],
      destination: DESTINATION,
      mostIn: 4n,
      leastOut: 7n,
      exact: 'out',
      feesBps: { platform: 0, positiveSlippage: 0 },
    },
  },
  {
    name: 'titan swap_route_v2: 2 SOL for at least 299 USDC',
    program: TITAN,
    accounts: [
      [WALLET, 'ws'],
      [TITAN_ATLAS, ''],
      [WRAPPED_SOL, ''],
      [SOURCE, 'w'],
      [USDC, ''],
      [DESTINATION, 'w'],
      [TOKEN, ''],
      [TOKEN, ''],
      ...ROUTE,
    ],
    bytes: [
      'f95b542145160087', // swap_route_v2
      '0094357700000000', // amount 2,000,000,000
      'c060d21100000000', // at least 299,000,000
      '02', // two mints
      '0a00', // provider fee 10 basis points
      '0500', // service fee 5
      '01000000', // one step
      '2a0000', // whatever it says
    ],
    steps: [29],
    fixedAccounts: 8,
    does: {
      ...sellsSol,
      destination: DESTINATION,
      mostIn: 2_000_000_000n,
      leastOut: 299_000_000n,
      exact: 'in',
      feesBps: { provider: 10, service: 5 },
    },
  },
  {
    name: 'jupiter route: what the source account holds for at least 149.25 USDC',
    program: JUPITER,
    accounts: [...ownBefore, optional(JUPITER), [USDC, ''], optional(JUPITER), ...ends, ...ROUTE],
    bytes: [
      'e517cb977ae3ad2a', // route
      ...ONE_STEP_BEFORE,
      '00ca9a3b00000000', // in 1,000,000,000
      '80d1f00800000000', // quoted out 150,000,000
      '3200', // slippage 50 basis points
      '00', // platform fee
    ],
    steps: [8, 16],
    fixedAccounts: 9,
    does: {
      output: USDC,
      source: SOURCE,
      destination: DESTINATION,
      authority: WALLET,
      reaches: [VENUE, VAULT, DESTINATION],
      mostIn: 1_000_000_000n,
      leastOut: 149_250_000n,
      exact: 'in',
      feesBps: { platform: 0 },
    },
  },
  {
    name: 'jupiter route: the output goes to another account, and the platform is paid',
    program: JUPITER,
    accounts: [
      ...ownBefore,
      optional(ELSEWHERE),
      [USDC, ''],
      optional(PLATFORM),
      ...ends,
      ...route(ELSEWHERE),
    ],
    bytes: [
      'e517cb977ae3ad2a', // route
      ...THREE_STEPS_BEFORE,
      '0100000000000000', // in 1
      '0300000000000000', // quoted out 3
      '1027', // slippage 10,000 basis points: nothing has to arrive
      '55', // platform fee 85
    ],
    steps: [8, 44],
    fixedAccounts: 9,
    does: {
      output: USDC,
      source: SOURCE,
      destination: ELSEWHERE,
      authority: WALLET,
      referral: PLATFORM,
      reaches: [DESTINATION, VENUE, VAULT, ELSEWHERE],
      mostIn: 1n,
      leastOut: 0n,
      exact: 'in',
      feesBps: { platform: 85 },
    },
  },
  {
    name: 'jupiter exact_out_route: 150 USDC for at most 1.005 SOL',
    program: JUPITER,
    accounts: [
      ...ownBefore,
      optional(JUPITER),
      [WRAPPED_SOL, ''],
      [USDC, ''],
      optional(JUPITER),
      [JUPITER, ''],
      ...ends,
      ...ROUTE,
    ],
    bytes: [
      'd033ef977b2bed5c', // exact_out_route
      ...ONE_STEP_BEFORE,
      '80d1f00800000000', // out 150,000,000
      '00ca9a3b00000000', // quoted in 1,000,000,000
      '3200', // slippage 50 basis points
      '00', // platform fee
    ],
    steps: [8, 16],
    fixedAccounts: 11,
    does: {
      ...sellsSol,
      destination: DESTINATION,
      mostIn: 1_005_000_000n,
      leastOut: 150_000_000n,
      exact: 'out',
      feesBps: { platform: 0 },
    },
  },
  {
    name: 'jupiter shared_accounts_route: 0.25 SOL for at least 36,999,192 base units',
    program: JUPITER,
    accounts: [...sharedBefore, ...ROUTE],
    bytes: [
      'c1209b3341d69c81', // shared_accounts_route
      '02', // the router's second authority
      ...THREE_STEPS_BEFORE,
      '80b2e60e00000000', // in 250,000,000
      '3fa8380200000000', // quoted out 37,267,519
      '4800', // slippage 72 basis points
      '05', // platform fee
    ],
    steps: [9, 45],
    fixedAccounts: 13,
    does: {
      ...sellsSol,
      reaches: [sharedRoles[3][0], sharedRoles[4][0], ...sellsSol.reaches],
      destination: DESTINATION,
      referral: PLATFORM,
      mostIn: 250_000_000n,
      leastOut: 36_999_192n,
      exact: 'in',
      feesBps: { platform: 5 },
    },
  },
  {
    name: 'jupiter shared_accounts_exact_out_route: 7 base units for at most 4',
    program: JUPITER,
    accounts: [...sharedBefore, ...ROUTE],
    bytes: [
      'b0d169a89a7d453e', // shared_accounts_exact_out_route
      '02', // the router's second authority
      ...ONE_STEP_BEFORE,
      '0700000000000000', // out 7
      '0300000000000000', // quoted in 3
      '0100', // slippage 1 basis point: a part of a unit more, so one unit more
      '00', // platform fee
    ],
    steps: [9, 17],
    fixedAccounts: 13,
    does: {
      ...sellsSol,
      reaches: [sharedRoles[3][0], sharedRoles[4][0], ...sellsSol.reaches],
      destination: DESTINATION,
      referral: PLATFORM,
      mostIn: 4n,
      leastOut: 7n,
      exact: 'out',
      feesBps: { platform: 0 },
    },
  },
];
