/** Accounts and parameters of the router vectors. */
import { PublicKey } from '@solana/web3.js';
import { addressOf } from '../encode.ts';

export const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const JUPITER_EVENTS = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf';
/** The router's second authority, as explorers list it. */
const JUPITER_AUTHORITY_2 = 'BQ72nSv9f3PRyRKCBnHLVrerrv37CYTHm5h3s9VSGQDV';
export const TITAN = 'T1TANpTeScyeqVzzgNViGDNrkQ6qHz9KrSBS4aNXvGT';
export const TITAN_ATLAS = PublicKey.findProgramAddressSync(
  [Buffer.from('atlas')],
  new PublicKey(TITAN),
)[0].toBase58();
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

export const WALLET = addressOf('wallet');
export const SOURCE = addressOf('source');
export const DESTINATION = addressOf('destination');
export const ELSEWHERE = addressOf('elsewhere');
export const VENUE = addressOf('a venue of the route');
export const VAULT = addressOf('a vault of the route');

/** Accounts of the route, after the named ones; its steps pay into the last. */
export const route = (paid: string) =>
  [
    [VENUE, ''],
    [VAULT, 'w'],
    [paid, 'w'],
  ] as const;
export const ROUTE = route(DESTINATION);

/** One step through a venue without parameters: count, venue, basis points, source, destination. */
export const ONE_STEP = ['01000000', '07', '1027', '00', '01'];
/** The same in the older instructions, whose steps use per cent and precede the amounts. */
export const ONE_STEP_BEFORE = ['01000000', '07', '64', '00', '01'];
/** Steps with parameters: a direction; a direction and additional accounts; a number and a direction. */
export const THREE_STEPS_BEFORE = [
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
  /** Start of the route's steps, and their end unless at the end of the data. */
  readonly steps: readonly [from: number, to?: number];
  /** Number of accounts before those of the route. */
  readonly fixedAccounts: number;
  /** Effects by the layout: amounts in base units. */
  readonly does: {
    /** Absent where only the source account determines it. */
    readonly input?: string;
    readonly output: string;
    readonly maxIn: bigint;
    readonly minOut: bigint;
    readonly exact: 'in' | 'out';
    readonly source: string;
    readonly destination: string;
    readonly authority: string;
    /** The receiver of the platform fee, where one is named. */
    readonly referral?: string;
    /** Accounts of the route's steps, after additional token accounts of the instruction. */
    readonly reaches: readonly string[];
    readonly feesBps: Readonly<Record<string, number>>;
  };
}

export const sellsSol = {
  input: WRAPPED_SOL,
  output: USDC,
  source: SOURCE,
  authority: WALLET,
  reaches: [VENUE, VAULT, DESTINATION],
} as const;
export const ownRoles = (elsewhere: string) =>
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
export const sharedRoles = [
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

export const PLATFORM = addressOf('the platform');
/** In the older instructions the router's own address stands for an absent account. */
export const optional = (address: string) => [address, address === JUPITER ? '' : 'w'] as const;
export const ends = [
  [JUPITER_EVENTS, ''],
  [JUPITER, ''],
] as const;
export const ownBefore = [
  [TOKEN, ''],
  [WALLET, 's'],
  [SOURCE, 'w'],
  [DESTINATION, 'w'],
] as const;
export const sharedBefore = [
  [TOKEN, ''],
  ...sharedRoles.slice(0, 8),
  optional(PLATFORM),
  [TOKEN_2022, ''],
  ...ends,
] as const;
