/**
 * The statement: what a plan does to the wallet and to others, as data without prose. Lines come from the acts of the
 * plan's stages (`lines.ts`), are summed over the run (`aggregate.ts`) and pinned by an approval (`covers.ts`).
 * Amounts are base units: bigint here, decimal strings in JSON.
 */
import type { Asset } from '../programs/acts.ts';
import type { Address } from '../transaction/types.ts';

export type MadeKind = 'position' | 'table' | 'config' | 'mint' | 'pool' | 'account';

/** An account the run makes at an address nobody asked for, by its role; `n` tells accounts of one role apart. */
export type Made = Readonly<{ made: MadeKind; n: number }>;

/** A party or an account. Parties are owners, never token accounts. */
export type Ref = Address | Made;
/** Roles that stand for keys the chain or the service chooses. */
export type Role = 'market' | 'validators' | 'blockBuilder' | 'stagePayer';
type Paid = 'trade' | 'payment' | 'tip' | 'serviceFee' | 'refund';
/** `unsupported`: leaves by the simulation of an instruction that no reader supports. */
export type Why = Paid | 'deposit' | 'networkFee' | 'metadata' | 'pool' | 'unsupported';

/**
 * What rests a line on: the bytes, accounts of the chain, the request while its stages are not built, or a rehearsal: such
 * lines are shown and never compared.
 */
export type Source = 'transaction' | 'chain' | 'request' | 'rehearsal';

export type Pays = Readonly<{
  id: 'pays';
  asset: Asset;
  atMost: bigint;
  to: Ref | Role;
  /** Controls `to`. */
  owner: Ref | Role;
  why: Why;
  /** `onClose`: a deposit in an account of the wallet. */
  returns: 'onClose' | 'never';
  /** Net of the token's own transfer fee; absent without one. */
  leastArrives?: bigint;
}>;

export type Receives = Readonly<{
  id: 'receives';
  asset: Asset;
  /** Net of the token's own transfer fee. */
  atLeast: bigint;
  from: Ref | Role;
  into: Ref;
  enforcedBy: 'simulation' | 'program' | 'guard';
}>;

type Earned = 'fees' | 'position' | 'partner' | 'leftover' | 'referral';
export type Assurance = 'locked' | 'noMinting' | 'noFreezing';
type Payout = Readonly<{ asset: Asset; owner: Ref }>;
/** `null`: the bytes do not bound it. */
type Deposit = Readonly<{ asset: Asset; atMost: bigint | null }>;

/** Everything but the amounts that the wallet pays and receives. `null` stands for what the bytes do not fix. */
export type Fact = Readonly<
  /** Lamports of an account that is closed: never proceeds. */
  | { id: 'returned'; asset: Asset; of: Ref; into: Ref }
  /** Value that moves between others, or that a trade of the wallet brings another party. */
  | { id: 'moves'; asset: Asset; amount: bigint; from: Ref | Role; to: Ref | Role }
  | { id: 'claims'; of: Ref; kind: string; base?: Ref; beneficiary?: Ref; payouts: readonly Payout[] }
  /** `from`: the token, config, program or position whose proceeds they are. */
  | { id: 'earns'; party: Ref; shareBps: number | null; from: Ref; of: Earned; asset?: Asset }
  /** `party` null: no key has the right from now on. `step` orders several lines about one right. */
  | {
      id: 'controls';
      right: string;
      of: Ref;
      party: Ref | null;
      asset?: Asset;
      atMost?: bigint;
      step?: number;
    }
  | { id: 'supply'; mint: Ref; minted: bigint; burned: bigint; holder: Ref }
  | { id: 'freezes'; holder: Ref; mint: Ref; frozen: boolean }
  /** An account for another party, or of a program. */
  | { id: 'opens'; account: Ref; owner: Ref; kind: string }
  | { id: 'makes'; mint: Ref; decimals: number | null }
  | { id: 'names'; mint: Ref; name: string; symbol: string; uri: string; mutable: boolean | null }
  /** `terms`: `PoolTerms` as JSON, which digests all parameters; every build moves the time trading starts, left out. */
  | { id: 'terms'; of: Ref; venue: string; base?: Ref; quote: Ref; terms: unknown }
  | { id: 'position'; pool: Ref; of: Ref; liquidity: bigint; deposits: readonly Deposit[] }
  /** `held`: it is so on the chain already. */
  | { id: 'assures'; what: Assurance; of: Ref; liquidity?: bigint; held: boolean }
  /** A power that an issuer holds over a token the wallet pays or receives. */
  | { id: 'issuer'; mint: Ref; power: string; holder: Ref | null; maxBps?: number; maxFee?: bigint }
  /** A rule of a mint, token account or lookup table from now on. */
  | { id: 'rule'; of: Ref; rule: string; values: string; by?: Ref }
  /**
   * The transaction fails unless the wallet ends within the bounds of an asset, by its balance before in so many views; with
   * 0 views the bounds are simulated only.
   */
  | { id: 'enforced'; asset: Asset; views: number }
  | { id: 'uses'; account: Ref; kind: 'config' | 'nonce'; authority: Ref | null }
  | { id: 'code'; program: Address; deployedSlot: string | null; upgradeableBy: Address | null }
  /** `reaches`: the wallet and accounts of it that the instruction names. */
  | { id: 'unsupported'; program: Address; instruction: string | null; reaches: readonly Ref[] }
  /** A finding that the owner decides whatever the rule allows (`AskCode`); `program`: whose code was replaced. */
  | { id: 'asks'; code: string; program?: Address }
  /** What all stages did to the wallet when they were rehearsed. `unsupported`: the bytes do not say all of it; `partial`: more is built later. */
  | {
      id: 'rehearsed';
      slot: number;
      unsupported: boolean;
      partial: boolean;
      changes: readonly Readonly<{ asset: Asset; by: bigint }>[];
      rights: readonly Readonly<{ of: Ref; right: string; before: Ref | null; after: Ref | null }>[];
    }
  | { id: 'memo'; text: string }
  /** Stages that are not built yet. */
  | { id: 'later'; what: string }
  | { id: 'final'; what: 'shares'; of: Ref }
>;

export type Line = Readonly<{ source: Source }> & (Pays | Receives | Fact);
export type LineOf<K extends Line['id']> = Extract<Line, { id: K }>;

/** Canonical: amounts are summed, made accounts are numbered, lines are sorted. */
export type Statement = Readonly<{ version: 1; lines: readonly Line[] }>;

/** A role, and the account that stands for it: a position's NFT and token account stand for the position. */
export type MadeAs = Readonly<{ kind: MadeKind; of: Address }>;

/** The lines of one stage with real addresses, and the roles of the accounts it makes. */
export type StageLines = Readonly<{ lines: readonly Line[]; made: Readonly<Record<Address, MadeAs>> }>;

/** A stage with an unsupported instruction as it was approved: once, and only with the same code deployed. */
export type Pin = Readonly<{
  /** Digest of the stage's message with its blockhash left out, and of every account it names, by lookup tables too. */
  digest: string;
  /** Every executable account the message names. */
  programs: readonly Readonly<{ address: Address; deployedSlot: string }>[];
}>;

/** What an approval is about. */
export type ApprovalScope = Readonly<{
  network: string;
  mode: string;
  wallet: Address;
  principal?: string;
  policyHash: string;
  intentKey: string;
  operation: string;
  endpoint: string;
  /** Leaves out what the intent key leaves out: ids of quotes, claimable amounts. */
  requestDigest: string;
}>;

export type Approval = Readonly<{
  /** `expiresAt`, in milliseconds since the epoch, bounds the beginning of a run. */
  scope: ApprovalScope & Readonly<{ expiresAt: number }>;
  statement: Statement;
  pins: readonly Pin[];
  /** For the audit only. */
  decisionDigests: readonly string[];
}>;

/** A stage of a run: lines as journaled where it is signed, as decoded now where it is not. */
export type RunStage = StageLines &
  Readonly<{
    state: 'landed' | 'inFlight' | 'this' | 'announced';
    pin?: Pin;
    /** Changes of the wallet's balances by the landed transaction, its fee included; never balances. */
    realised?: ReadonlyMap<Asset, bigint>;
  }>;

export type Run = Readonly<{
  scope: ApprovalScope;
  /** Milliseconds since the epoch. */
  time: number;
  /** Every stage but those proven dead, released or failed on chain. */
  stages: readonly RunStage[];
  /** By `payKey`, what every reservation of the run that was not released drew, under any approval or rule. */
  draws: ReadonlyMap<string, bigint>;
  /** Digests of the pins of stages that landed or are in doubt. */
  spentPins: readonly string[];
  /** `pays` bound what the whole run may pay; other lines count while the stages that produce them are not built. */
  request: readonly Line[];
  /** The operation whose stages are not all built; absent where every stage is. */
  later?: string;
}>;

/** Names the line that is not covered and the key it is compared under. */
export type Verdict =
  | Readonly<{ covered: true }>
  | Readonly<{ covered: false; line: Line['id'] | 'scope' | 'pin'; key: string }>;
