/** Inputs of statement lines: the acts and parties of a stage, and a view of the chain. */
import type { Act, Asset } from '../programs/acts.ts';
import type { CurveConfig } from '../programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { Assurance, Line, LineOf, StageLines, Why } from './types.ts';

type Of<K extends Line['id'], Known extends string> = Omit<LineOf<K>, 'id' | 'source' | Known>;

/** Account data for the lines. */
export interface ChainView {
  /** Returns the owner of a token account; `undefined` for any other or an unknown account. */
  tokenOwner(account: Address): Address | undefined;
  /** Whether an account exists. */
  exists(account: Address): boolean;
  /** Returns an upper bound of the lamports that an act deposits in new accounts, without surcharges. */
  deposit(act: Act): bigint;
  /** Returns the base units that the token's transfer fee withholds from an amount. */
  withheld(mint: Address, amount: bigint): bigint;
  /** Returns the issuer powers over a token; empty for `SOL`. */
  issuerPowers(mint: Address): readonly Of<'issuer', 'mint'>[];
  /** Returns the deployment of a program, or `undefined` if it is unknown. */
  code(program: Address): Of<'code', 'program'> | undefined;
  /** Returns the terms and receivers of an existing pool config. */
  poolSetting(config: Address): CurveConfig | undefined;
  /** Whether an assurance already holds on chain. */
  holds(what: Assurance, of: Address): boolean;
}

/** A decoded stage and its parties. */
export interface StageActs {
  readonly wallet: Address;
  readonly feePayer: Address;
  /** Network fee in lamports. */
  readonly fee: bigint;
  /** Instructions in order. */
  readonly calls: readonly { readonly program: Address; readonly acts: readonly Act[] }[];
  /** Reasons for payments to parties that the request or the owner names, such as a treasury or a tip wallet. */
  readonly payees: ReadonlyMap<Address, Why>;
  /** Reason for payments to any other party. */
  readonly otherwise: Why;
  /** Addresses in the request, which are never replaced by roles. */
  readonly fixed: ReadonlySet<Address>;
  /** Simulated gains of the wallet by asset, before the network fee. */
  readonly arrivals?: ReadonlyMap<Asset, bigint>;
  /** Maximum amounts that leave by asset, used for unsupported instructions. */
  readonly leaves?: ReadonlyMap<Asset, bigint>;
}

/** `SOL` for wrapped SOL, else the mint. */
export const assetOf = (mint: Asset): Asset => (mint === WSOL_MINT ? 'SOL' : mint);

/** Converts a value to JSON: bigints become decimal strings, and members named `leftOut` are omitted. */
export function withoutBigints(value: unknown, leftOut?: string): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withoutBigints(each, leftOut));
  const kept = Object.entries(value).filter(([key]) => key !== leftOut);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutBigints(each, leftOut)]));
}

const AMOUNTS = ['atMost', 'atLeast', 'leastArrives', 'amount', 'minted', 'burned', 'liquidity', 'maxFee'];

/** `JSON.parse` reviver that converts amounts to bigints. */
export const withBigints = (key: string, value: unknown): unknown =>
  AMOUNTS.includes(key) && typeof value === 'string' ? BigInt(value) : value;

/** Parses the lines of a stage from a decision. */
export const stageFrom = (statement: unknown): StageLines =>
  JSON.parse(JSON.stringify(statement), withBigints);
