/** What the lines of a stage are made of: its acts, who takes part in it, and a view of the chain. */
import type { Act, Asset } from '../programs/acts.ts';
import type { CurveConfig } from '../programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { Assurance, Line, LineOf, StageLines, Why } from './types.ts';

type Of<K extends Line['id'], Known extends string> = Omit<LineOf<K>, 'id' | 'source' | Known>;

/** What the lines ask about accounts, as one view of the chain shows them. */
export interface ChainView {
  /** The owner of a token account; `undefined` for an account that holds no tokens or is not known. */
  tokenOwner(account: Address): Address | undefined;
  /** Whether an account is there already. */
  exists(account: Address): boolean;
  /** Lamports that an act deposits in the accounts it makes, counted high; surcharges apart. */
  deposit(act: Act): bigint;
  /** Base units of a token that its own transfer fee withholds from an amount. */
  withheld(mint: Address, amount: bigint): bigint;
  /** Powers that an issuer holds over a token; none for `SOL`. */
  issuerPowers(mint: Address): readonly Of<'issuer', 'mint'>[];
  /** The deployed code of a program; `undefined` where it is not known. */
  code(program: Address): Of<'code', 'program'> | undefined;
  /** The terms that an existing config has for each pool, and who earns by it. */
  poolSetting(config: Address): CurveConfig | undefined;
  /** Whether an assurance holds on the chain already. */
  holds(what: Assurance, of: Address): boolean;
}

/** A decoded stage and who takes part in it. */
export interface StageActs {
  readonly wallet: Address;
  readonly feePayer: Address;
  /** Lamports. */
  readonly fee: bigint;
  /** Instructions in their order. */
  readonly calls: readonly { readonly program: Address; readonly acts: readonly Act[] }[];
  /** Why a party is paid where the request or the owner names it: a treasury, the recipient of a tip. */
  readonly payees: ReadonlyMap<Address, Why>;
  /** Why any other party is paid. */
  readonly otherwise: Why;
  /** Addresses the request names: they never become roles. */
  readonly fixed: ReadonlySet<Address>;
  /** By asset, what the simulation lets arrive at the wallet, the network fee not taken off. */
  readonly arrivals?: ReadonlyMap<Asset, bigint>;
  /** By asset, the most that leaves; counted for what no reader supports. */
  readonly leaves?: ReadonlyMap<Asset, bigint>;
}

/** `SOL` for wrapped SOL, else the mint. */
export const assetOf = (mint: Asset): Asset => (mint === WSOL_MINT ? 'SOL' : mint);

/** A value as JSON, with its bigints as decimal strings and without the members called `leftOut`. */
export function withoutBigints(value: unknown, leftOut?: string): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withoutBigints(each, leftOut));
  const kept = Object.entries(value).filter(([key]) => key !== leftOut);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutBigints(each, leftOut)]));
}

const AMOUNTS = ['atMost', 'atLeast', 'leastArrives', 'amount', 'minted', 'burned', 'liquidity', 'maxFee'];

/** Amounts of a JSON value read back as bigints. */
export const withBigints = (key: string, value: unknown): unknown =>
  AMOUNTS.includes(key) && typeof value === 'string' ? BigInt(value) : value;

/** The lines of a stage as a decision carries them. */
export const stageFrom = (statement: unknown): StageLines =>
  JSON.parse(JSON.stringify(statement), withBigints);
