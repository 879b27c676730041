/**
 * Instructions of swap routers without a public encoder, written byte by byte from the published layouts; each line of
 * `bytes` is one field.
 */
import {
  DESTINATION,
  ELSEWHERE,
  ends,
  JUPITER,
  ONE_STEP,
  ONE_STEP_BEFORE,
  optional,
  ownBefore,
  ownRoles,
  PLATFORM,
  ROUTE,
  type RouterVector,
  route,
  SOURCE,
  sellsSol,
  sharedBefore,
  sharedRoles,
  THREE_STEPS_BEFORE,
  TITAN,
  TITAN_ATLAS,
  TOKEN,
  USDC,
  VAULT,
  VENUE,
  WALLET,
  WRAPPED_SOL,
} from './routerAccounts.ts';

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
      maxIn: 1_000_000_000n,
      minOut: 149_250_000n,
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
      '1027', // slippage 10,000 basis points: no minimum
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
      maxIn: 1n,
      minOut: 0n,
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
      maxIn: 1_005_000_000n,
      minOut: 150_000_000n,
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
      maxIn: 250_000_000n,
      minOut: 36_999_192n,
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
      '0100', // slippage 1 basis point, rounded up to one unit
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
      maxIn: 4n,
      minOut: 7n,
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
      '2a0000', // arbitrary
    ],
    steps: [29],
    fixedAccounts: 8,
    does: {
      ...sellsSol,
      destination: DESTINATION,
      maxIn: 2_000_000_000n,
      minOut: 299_000_000n,
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
      maxIn: 1_000_000_000n,
      minOut: 149_250_000n,
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
      '1027', // slippage 10,000 basis points: no minimum
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
      maxIn: 1n,
      minOut: 0n,
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
      maxIn: 1_005_000_000n,
      minOut: 150_000_000n,
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
      maxIn: 250_000_000n,
      minOut: 36_999_192n,
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
      '0100', // slippage 1 basis point, rounded up to one unit
      '00', // platform fee
    ],
    steps: [9, 17],
    fixedAccounts: 13,
    does: {
      ...sellsSol,
      reaches: [sharedRoles[3][0], sharedRoles[4][0], ...sellsSol.reaches],
      destination: DESTINATION,
      referral: PLATFORM,
      maxIn: 4n,
      minOut: 7n,
      exact: 'out',
      feesBps: { platform: 0 },
    },
  },
];
