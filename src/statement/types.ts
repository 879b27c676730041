/**
 * The statement: a plan's effects on the wallet and others, as data. Lines are derived from the acts of the plan's stages
 * (`lines.ts`), summed over the run (`aggregate.ts`) and compared with an approval (`covers.ts`). Amounts are base units:
 * bigint here, decimal strings in JSON.
 */
import type { Asset } from '../programs/acts.ts';
import type { Address } from '../transaction/types.ts';

export type MadeKind = 'position' | 'table' | 'config' | 'mint' | 'pool' | 'account';

/** A new account whose address the request does not name, by role; `n` distinguishes accounts of the same role. */
export type Made = Readonly<{ made: MadeKind; n: number }>;

/** A party or an account. Parties are owners, never token accounts. */
export type Ref = Address | Made;
/** Roles in place of keys that the chain or the service chooses. */
export type Role = 'market' | 'validators' | 'blockBuilder' | 'stagePayer';
type Paid = 'trade' | 'payment' | 'tip' | 'serviceFee' | 'refund';
/** `unsupported`: the simulated loss of an unsupported instruction. */
export type Why = Paid | 'deposit' | 'networkFee' | 'metadata' | 'pool' | 'unsupported';

/**
 * Source of a line: the transaction, accounts on chain, the request (for stages that are not built), or a rehearsal, whose
 * lines are shown but never compared.
 */
export type Source = 'transaction' | 'chain' | 'request' | 'rehearsal';

export type Pays = Readonly<{
  id: 'pays';
  asset: Asset;
  atMost: bigint;
  to: Ref | Role;
  /** The party that controls `to`. */
  owner: Ref | Role;
  why: Why;
  /** `onClose`: a deposit in an account of the wallet. */
  returns: 'onClose' | 'never';
  /** Minimum received amount net of the token's transfer fee; absent without a fee. */
  leastArrives?: bigint;
}>;

export type Receives = Readonly<{
  id: 'receives';
  asset: Asset;
  /** Minimum amount, net of the token's transfer fee. */
  atLeast: bigint;
  from: Ref | Role;
  into: Ref;
  enforcedBy: 'simulation' | 'program' | 'guard';
}>;

type Earned = 'fees' | 'position' | 'partner' | 'leftover' | 'referral';
export type Assurance = 'locked' | 'noMinting' | 'noFreezing';
type Payout = Readonly<{ asset: Asset; owner: Ref }>;
/** `null`: unbounded. */
type Deposit = Readonly<{ asset: Asset; atMost: bigint | null }>;

/** Lines other than amounts paid and received. `null`: not determined by the transaction. */
export type Fact = Readonly<
  /** Lamports of a closed account, which do not count as proceeds. */
  | { id: 'returned'; asset: Asset; of: Ref; into: Ref }
  /** Value that moves between other parties, or from a trade of the wallet to another party. */
  | { id: 'moves'; asset: Asset; amount: bigint; from: Ref | Role; to: Ref | Role }
  | { id: 'claims'; of: Ref; kind: string; base?: Ref; beneficiary?: Ref; payouts: readonly Payout[] }
  /** `from`: the token, config, program or position that yields the proceeds. */
  | { id: 'earns'; party: Ref; shareBps: number | null; from: Ref; of: Earned; asset?: Asset }
  /** `party` null: the right is revoked. `step` orders several lines about the same right. */
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
  /** A new account of another party or a program. */
  | { id: 'opens'; account: Ref; owner: Ref; kind: string }
  | { id: 'makes'; mint: Ref; decimals: number | null }
  | { id: 'names'; mint: Ref; name: string; symbol: string; uri: string; mutable: boolean | null }
  /** `terms`: `PoolTerms` as JSON, without the activation point, which differs between builds. */
  | { id: 'terms'; of: Ref; venue: string; base?: Ref; quote: Ref; terms: unknown }
  | { id: 'position'; pool: Ref; of: Ref; liquidity: bigint; deposits: readonly Deposit[] }
  /** `held`: whether it already holds on chain. */
  | { id: 'assures'; what: Assurance; of: Ref; liquidity?: bigint; held: boolean }
  /** A power that an issuer holds over a token the wallet pays or receives. */
  | { id: 'issuer'; mint: Ref; power: string; holder: Ref | null; maxBps?: number; maxFee?: bigint }
  /** An extension or setting of a mint, token account or lookup table. */
  | { id: 'rule'; of: Ref; rule: string; values: string; by?: Ref }
  /**
   * Whether guards enforce the bounds of an asset: the transaction fails if the wallet's balance ends outside them. `views`:
   * number of RPCs whose opening balance the bounds use; 0 if the bounds are only simulated.
   */
  | { id: 'enforced'; asset: Asset; views: number }
  | { id: 'uses'; account: Ref; kind: 'config' | 'nonce'; authority: Ref | null }
  | { id: 'code'; program: Address; deployedSlot: string | null; upgradeableBy: Address | null }
  /** `reaches`: the wallet and those of its accounts that the instruction uses. */
  | { id: 'unsupported'; program: Address; instruction: string | null; reaches: readonly Ref[] }
  /** An ask (`AskCode`); `program`: the program whose code was replaced. */
  | { id: 'asks'; code: string; program?: Address }
  /** Changes of the wallet in a rehearsal. `unsupported`: with unsupported instructions; `partial`: later stages are missing. */
  | {
      id: 'rehearsed';
      slot: number;
      unsupported: boolean;
      partial: boolean;
      changes: readonly Readonly<{ asset: Asset; by: bigint }>[];
      rights: readonly Readonly<{ of: Ref; right: string; before: Ref | null; after: Ref | null }>[];
    }
  | { id: 'memo'; text: string }
  /** Stages that are not built yet; `curve`: those with the terms of a curve, which need another approval. */
  | { id: 'later'; what: string }
  | { id: 'final'; what: 'shares'; of: Ref }
>;

export type Line = Readonly<{ source: Source }> & (Pays | Receives | Fact);
export type LineOf<K extends Line['id']> = Extract<Line, { id: K }>;

/** A canonical statement: summed amounts, numbered new accounts, sorted lines. */
export type Statement = Readonly<{ version: 1; lines: readonly Line[] }>;

/** A role and its account; a position's NFT and token account have the role of the position. */
export type MadeAs = Readonly<{ kind: MadeKind; of: Address }>;

/** The lines of a stage with real addresses, and the roles of its new accounts. */
export type StageLines = Readonly<{ lines: readonly Line[]; made: Readonly<Record<Address, MadeAs>> }>;

/** A pin: approves a stage with an unsupported instruction once, with the same deployed code. */
export type Pin = Readonly<{
  /** Digest of the stage's message without blockhash, and of all its accounts, including those of lookup tables. */
  digest: string;
  /** Every executable account of the message. */
  programs: readonly Readonly<{ address: Address; deployedSlot: string }>[];
}>;

/** The scope of an approval. */
export type ApprovalScope = Readonly<{
  network: string;
  mode: string;
  wallet: Address;
  principal?: string;
  policyHash: string;
  intentKey: string;
  operation: string;
  endpoint: string;
  /** Excludes the same fields as the intent key: quote ids, claimable amounts. */
  requestDigest: string;
}>;

export type Approval = Readonly<{
  /** `expiresAt`: latest start of the run, in milliseconds since the epoch. */
  scope: ApprovalScope & Readonly<{ expiresAt: number }>;
  statement: Statement;
  pins: readonly Pin[];
  /** Only for the audit log. */
  decisionDigests: readonly string[];
}>;

/** A stage of a run. Lines are journaled for signed stages, and current for unsigned ones. */
export type RunStage = StageLines &
  Readonly<{
    state: 'landed' | 'inFlight' | 'this' | 'announced';
    pin?: Pin;
    /** Gross receipts of the landed transaction, by asset. */
    realised?: ReadonlyMap<Asset, bigint>;
  }>;

export type Run = Readonly<{
  scope: ApprovalScope;
  /** Milliseconds since the epoch. */
  time: number;
  /** All stages except those that expired, were released or failed on chain. */
  stages: readonly RunStage[];
  /** Draws of all reservations of the run that were not released, under any approval or rule, by `payKey`. */
  draws: ReadonlyMap<string, bigint>;
  /** Digests of the pins of stages that landed or are in doubt. */
  spentPins: readonly string[];
  /** Lines of the request. `pays` lines bound the whole run; other lines count until their stages are built. */
  request: readonly Line[];
  /** The operation if some of its stages are not built; else absent. */
  later?: string;
}>;

/** Result of `covers`: if not covered, the line and the key of the comparison. */
export type Verdict =
  | Readonly<{ covered: true }>
  | Readonly<{ covered: false; line: Line['id'] | 'scope' | 'pin'; key: string }>;
