/**
 * What this program asks of a chain: types, and what follows from them; the one file of `rpc/` that the pure layers may import.
 */
import type { Address } from '../transaction/types.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** An account as one view of the chain shows it. A missing account has `exists: false` and empty data. */
export interface AccountFact {
  readonly address: Address;
  readonly exists: boolean;
  /** Lamports as a decimal string, so that facts are JSON. */
  readonly lamports: string;
  /** The program that owns the account. */
  readonly owner: Address;
  readonly executable: boolean;
  /** Whole account data, base64. */
  readonly data: string;
}

/** A lookup table as our own RPC shows it, pinned. */
export interface LookupTableFact {
  readonly table: Address;
  readonly addresses: readonly Address[];
  /** Hex SHA-256 of the account data the addresses were read from. */
  readonly dataSha256: string;
  /** The slot of the view. */
  readonly slot: number;
  readonly lastExtendedSlot: number;
  readonly deactivationSlot?: string;
  /** `setup`: resolved from setup bytes of the same plan that have not landed yet. */
  readonly source: 'chain' | 'setup';
}

/** The code deployed at a program's address now, for programs whose instructions cannot be read. */
export interface ProgramFact {
  readonly address: Address;
  /** Slot in which the code was last deployed; absent where its loader keeps none or nothing could be read. */
  readonly deployedSlot?: number;
  /** Who may replace the code; absent where the program has no upgrade authority, or none could be read. */
  readonly upgradeAuthority?: Address;
}

/** A simulation of exact bytes on our own RPC. */
export type SimulationFact =
  | {
      readonly status: 'done';
      readonly slot: number;
      /** `null` when it would succeed. */
      readonly error: string | null;
      readonly unitsConsumed?: number;
      /** Snapshots of the watched accounts before and after, in the same order. */
      readonly before: readonly AccountFact[];
      readonly after: readonly AccountFact[];
    }
  /** It depends on a stage that has not landed. */
  | { readonly status: 'not_yet' }
  | { readonly status: 'unavailable'; readonly reason: string };

/** Why a plan could not be rehearsed. */
export type NoRehearsal =
  /** There is no runtime for this platform. */
  | 'runtime'
  /** The RPC could not be asked, or what it said cannot be used. */
  | 'rpc'
  /** The RPC answered from views that are too far apart. */
  | 'views'
  /** More accounts and code than are fetched for one rehearsal. */
  | 'size'
  /** It took too long, or others of this home took their turn. */
  | 'time'
  /** The process that plays it ended or refused the job. */
  | 'broken';

/** Every built stage of a plan, executed in order on a private copy of the chain. */
export type RehearsalFact =
  | {
      readonly status: 'done';
      /** Of the view that the copy was made from. */
      readonly slot: number;
      readonly stages: readonly RehearsedStage[];
      /** Slot in which each program was deployed; absent for programs that cannot be replaced. */
      readonly programs: Readonly<Record<Address, number>>;
    }
  | {
      readonly status: 'failed';
      readonly slot: number;
      readonly stageId: string;
      /** The place of the stage in the plan, from 1 on. */
      readonly place: number;
      /** The program whose error it is, where one failed. */
      readonly program?: Address;
      /** The runtime's name of the error, or the program's own where the program is known. */
      readonly error: string;
    }
  | { readonly status: 'impossible'; readonly reason: NoRehearsal };

/** What a stage did to the wallet when it was rehearsed. Amounts are base units in decimal, wrapped SOL counts as SOL. */
export interface RehearsedStage {
  readonly id: string;
  readonly units: number;
  /** The network fee among them. What did not change is absent. */
  readonly changes: readonly { readonly asset: string; readonly by: string }[];
  /** Rights over accounts by who had them before and has them after it; `null`: no key. */
  readonly rights: readonly {
    readonly account: Address;
    readonly right: string;
    readonly before: Address | null;
    readonly after: Address | null;
  }[];
}

/** What one view of our own RPC says about time. */
export interface ChainHead {
  readonly slot: number;
  readonly blockHeight: number;
}

/** The status of a signature with full history search. */
export interface SignatureStatus {
  readonly slot: number;
  /** `null` when the transaction succeeded. */
  readonly error: string | null;
  readonly commitment: Commitment;
}

/** One value with the slot of the view it was read from. */
export interface AtSlot<T> {
  readonly slot: number;
  readonly value: T;
}

/** Answer to a send. `already_processed` means: look the signature up. */
export type SendOutcome =
  | { readonly outcome: 'accepted'; readonly signature: string }
  | { readonly outcome: 'already_processed' }
  /** Refused before execution (preflight, size, blockhash): it did not land by this send. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly blockhashNotFound: boolean }
  /** The answer was lost or unclear: it may have been accepted. */
  | { readonly outcome: 'unclear'; readonly reason: string };

/** What an account has to hold: `perByte` lamports for each of its bytes, and for so many more. */
export interface RentRule {
  readonly perByte: bigint;
  readonly overheadBytes: number;
}

/** Lamports an account of `size` bytes has to hold. */
export const rentFor = ({ perByte, overheadBytes }: RentRule, size: number): bigint =>
  perByte * BigInt(overheadBytes + size);

/** One call of an RPC reads at most so many accounts. */
export const ACCOUNTS_PER_CALL = 100;

/** Access to one chain through the user's own RPC. Every method rejects with a `ChainError` when the RPC fails. */
export interface Chain {
  /**
   * Which chain this is. Asked once, and again after a minute, when the RPC could not be reached, and with `now`: for each
   * signature.
   */
  genesisHash(how?: 'now'): Promise<string>;
  head(commitment: Commitment, minContextSlot?: number): Promise<ChainHead>;
  latestBlockhash(
    commitment: Commitment,
  ): Promise<AtSlot<{ blockhash: string; lastValidBlockHeight: number }>>;
  isBlockhashValid(
    blockhash: string,
    commitment: Commitment,
    minContextSlot?: number,
  ): Promise<AtSlot<boolean>>;
  /** With `firstBytes`, of the data only so many bytes from its beginning. */
  accounts(
    addresses: readonly Address[],
    commitment: Commitment,
    firstBytes?: number,
  ): Promise<AtSlot<AccountFact[]>>;
  /** Every token account of a wallet under both token programs. */
  tokenAccounts(owner: Address, commitment: Commitment): Promise<AtSlot<AccountFact[]>>;
  /**
   * The first bytes of a program's accounts that have an address at an offset. Absent where an RPC is not asked that; many
   * refuse it.
   */
  programAccounts?(
    program: Address,
    at: { readonly offset: number; readonly address: Address },
    firstBytes: number,
  ): Promise<AccountFact[]>;
  /** Asked once: it is a constant of the chain. */
  rent(): Promise<RentRule>;
  /** What the bytes would do to the accounts `watch`; `read` are these accounts in one view, where they were just read. */
  simulate(
    transaction: Uint8Array,
    watch: readonly Address[],
    commitment: Commitment,
    read?: AtSlot<readonly AccountFact[]>,
  ): Promise<SimulationFact>;
  send(transaction: Uint8Array): Promise<SendOutcome>;
  /** With full history search; `undefined` where the view knows nothing of a signature. */
  statuses(signatures: readonly string[]): Promise<AtSlot<(SignatureStatus | undefined)[]>>;
  /** Fee in lamports and balances of a landed transaction, for settling. `undefined` when unknown. */
  landed(signature: string): Promise<LandedTransaction | undefined>;
}

/** The largest accounts of a token, for a reader; nothing is decided on them. */
export interface HolderReader {
  /** The twenty largest token accounts of a mint, largest first, amounts in base units. Rejects with `ChainError`. */
  largestAccounts(
    mint: Address,
    commitment: Commitment,
  ): Promise<AtSlot<readonly { readonly address: Address; readonly amount: bigint }[]>>;
}

/** What a landed transaction really did. */
export interface LandedTransaction {
  readonly slot: number;
  /** When its block was made, milliseconds since the epoch; absent where the RPC does not say. */
  readonly time?: number;
  readonly error: string | null;
  readonly feeLamports: bigint;
  readonly accounts: readonly Address[];
  readonly lamportsBefore: readonly bigint[];
  readonly lamportsAfter: readonly bigint[];
  readonly tokensBefore: readonly TokenBalance[];
  readonly tokensAfter: readonly TokenBalance[];
}

export interface TokenBalance {
  readonly account: Address;
  readonly mint: Address;
  readonly owner?: Address;
  readonly amount: bigint;
  readonly decimals?: number;
}
