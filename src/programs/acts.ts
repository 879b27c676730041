/**
 * What instructions do, in the same terms for all programs. An act states every party, amount and right that the
 * bytes fix, with what our own RPC shows of the accounts they name; nothing in it comes from a service's
 * description. Amounts are base units. A field that neither the bytes nor the chain fix is absent.
 */
import type { Address } from '../transaction/types.ts';
import type { PoolTerms } from './poolTerms/terms.ts';

/** `SOL` for lamports, else a mint. Wrapped SOL is a mint. */
export type Asset = 'SOL' | Address;

/** An account that holds value, and who controls it where that is known. */
export interface Holder {
  readonly account: Address;
  readonly owner?: Address;
}

/** One claimer of a config's fees. */
export interface ClaimerShare {
  readonly wallet: Address;
  readonly bps: number;
}

/** Name, symbol and link of a token, as its maker wrote them. Untrusted text. */
export interface TokenTexts {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

/** Value moves. */
export type ValueAct =
  | {
      readonly act: 'transfer';
      readonly asset?: Asset;
      readonly from: Holder;
      readonly to: Holder;
      readonly amount: bigint;
      /** Whose signature moves it. */
      readonly authority: Address;
      /** Withheld from what arrives, where the bytes say so (Token-2022). */
      readonly fee?: bigint;
    }
  /** A transfer of SOL to one of the known addresses of block builders. */
  | { readonly act: 'tip'; readonly from: Address; readonly to: Address; readonly amount: bigint }
  | {
      readonly act: 'mintTo';
      readonly mint: Address;
      readonly to: Holder;
      readonly amount: bigint;
      readonly authority: Address;
    }
  | {
      readonly act: 'burn';
      readonly mint: Address;
      readonly from: Holder;
      readonly amount: bigint;
      readonly authority: Address;
    }
  | {
      readonly act: 'swap';
      readonly venue: string;
      readonly pool?: Address;
      /** The two mints a pool trades, where the direction depends on the token accounts. */
      readonly pair?: readonly [Address, Address];
      /** Absent where the direction depends on token accounts that are not known. */
      readonly input?: Asset;
      readonly output?: Asset;
      readonly mostIn: bigint;
      readonly leastOut: bigint;
      /** Which side is exact; `partial`: at most `mostIn`, and what is bought may be less than all of it buys. */
      readonly exact: 'in' | 'out' | 'partial';
      readonly source: Holder;
      readonly destination: Holder;
      readonly authority: Address;
      /** An account that is paid a part of the fee. */
      readonly referral?: Address;
      /** An account that a step of the route pays instead of the destination. */
      readonly paidElsewhere?: Address;
      /** Accounts handed to steps of a route that are not read. */
      readonly reaches?: readonly Address[];
      /** What a router keeps or pays on, by name. */
      readonly feesBps?: Readonly<Record<string, number>>;
    }
  | {
      readonly act: 'claim';
      /** What is paid out, in the program's words. */
      readonly what: string;
      /** The pool, config or vault that pays. */
      readonly from: Address;
      /** The launch whose fees they are, by its mint, where no payout is in that mint. */
      readonly base?: Address;
      readonly payouts: readonly { readonly asset: Asset; readonly to: Holder; readonly most?: bigint }[];
      /** Whose claim it is; absent where any wallet may trigger it and the payees are fixed. */
      readonly beneficiary?: Address;
      /** Pays for accounts that have to be made for it. */
      readonly payer?: Address;
    };

/** Accounts and tokens come and go. */
export type AccountAct =
  | {
      readonly act: 'openAccount';
      readonly account: Address;
      /** What it is: `token`, `mint`, `nonce`, `data` of a program, ... */
      readonly kind: 'token' | 'nonce' | 'multisig' | 'data';
      /** Who controls it: a token account's owner, or the program of a data account. */
      readonly owner?: Address;
      readonly mint?: Address;
      readonly payer?: Address;
      /** Lamports; `rent` where the program takes what the runtime asks. */
      readonly deposit?: bigint | 'rent';
      /** Nothing happens when it is there already. */
      readonly ifMissing?: boolean;
    }
  | {
      readonly act: 'closeAccount';
      readonly account: Holder;
      /** Takes the lamports in it. */
      readonly refundTo: Address;
      readonly authority: Address;
    }
  | {
      readonly act: 'createMint';
      readonly mint: Address;
      readonly decimals?: number;
      /** `null`: none. Absent: not fixed by the bytes. */
      readonly mintAuthority?: Address | null;
      readonly freezeAuthority?: Address | null;
    }
  | ({
      readonly act: 'setMetadata';
      readonly mint: Address;
      /** Who may change it later; `null`: none. */
      readonly updateAuthority?: Address | null;
      readonly mutable?: boolean;
      /** The account that holds the description, where it is not the mint itself. */
      readonly metadata?: Address;
      readonly payer?: Address;
      /** Lamports taken above rent. */
      readonly surcharge?: bigint;
    } & TokenTexts)
  | {
      readonly act: 'freeze';
      readonly account: Holder;
      readonly mint: Address;
      readonly frozen: boolean;
      readonly authority: Address;
    }
  /** A rule a mint has from now on: fees, hooks, who may take or close it. */
  | {
      readonly act: 'mintRule';
      readonly mint: Address;
      readonly rule: string;
      readonly values: Readonly<Record<string, bigint | number | string | null>>;
      readonly authority?: Address;
    }
  /** A rule a token account has from now on. */
  | {
      readonly act: 'accountRule';
      readonly account: Address;
      readonly rule: string;
      readonly on: boolean;
      readonly authority?: Address;
    };

/** What a right is about. */
export type Right =
  | 'owner'
  | 'delegate'
  | 'close authority'
  | 'mint authority'
  | 'freeze authority'
  | 'metadata authority'
  | 'nonce authority'
  | 'program owner'
  | 'pool creator'
  | 'position delegate'
  | (string & {});

/** Rights move. */
export type RightAct = {
  readonly act: 'setRight';
  readonly right: Right;
  /** The account or mint the right is about. */
  readonly of: Address;
  /** Who has it afterwards; `null`: it is gone for good. */
  readonly to: Address | null;
  /** Whose signature moves it. */
  readonly authority?: Address;
  /** Most a delegate may move, and of what where the bytes say so. */
  readonly amount?: bigint;
  readonly asset?: Address;
};

/** Configs say who earns. */
export type ConfigAct =
  | {
      readonly act: 'createConfig';
      readonly config: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly claimers: readonly ClaimerShare[];
      /** No claimer can be added afterwards by extending. */
      readonly final: boolean;
      readonly partner?: Address;
      readonly payer: Address;
      /** The service key that has to sign. */
      readonly admin: Address;
    }
  | {
      readonly act: 'extendConfig';
      readonly config: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly claimers: readonly ClaimerShare[];
      readonly final: boolean;
      readonly partner?: Address;
      readonly payer: Address;
      readonly admin: Address;
    }
  | {
      readonly act: 'changeShares';
      readonly config: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly claimers: readonly ClaimerShare[];
      /** Places in the list of claimers that are written. */
      readonly fromIndex: number;
      readonly toIndex: number;
      readonly final: boolean;
      readonly manager: Address;
      readonly payer: Address;
    }
  | {
      readonly act: 'setManager';
      readonly config: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly manager: Address;
      readonly payer: Address;
      readonly admin: Address;
    }
  | {
      readonly act: 'createPartner';
      readonly partnerConfig: Address;
      readonly partner: Address;
      readonly bps: number;
      readonly payer: Address;
      readonly admin: Address;
    };

/** Pools and what is in them. */
export type PoolAct =
  | {
      readonly act: 'createPoolConfig';
      readonly venue: string;
      readonly config: Address;
      readonly quote: Address;
      /** Earns the partner's part of the fees of every pool of this config. */
      readonly feeClaimer: Address;
      /** Gets what is left of the supply. */
      readonly leftoverReceiver: Address;
      readonly payer: Address;
      readonly terms: PoolTerms;
    }
  | {
      readonly act: 'createPool';
      readonly venue: string;
      readonly pool: Address;
      /** The settings it takes, where they are an account of their own. */
      readonly config?: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly creator: Address;
      readonly payer: Address;
      /** The token made with it. */
      readonly token?: TokenTexts;
      /** Accounts the payer pays for, with the most bytes the program makes them. */
      readonly makes: readonly { readonly account: Address; readonly bytes?: number }[];
      /** Lamports taken above rent that the bytes fix, and into which account. */
      readonly surcharge?: bigint;
      readonly surchargeOn?: Address;
      /** Absent where they are those of `config`. */
      readonly terms?: PoolTerms;
    }
  | {
      readonly act: 'openPosition';
      readonly venue: string;
      readonly pool: Address;
      readonly position: Address;
      readonly nftMint: Address;
      /** Holds the position's NFT and with it the liquidity and its fees. */
      readonly owner: Address;
      readonly payer: Address;
    }
  | {
      readonly act: 'addLiquidity';
      readonly venue: string;
      readonly pool: Address;
      readonly position: Address;
      readonly liquidity: bigint;
      readonly deposits: readonly {
        readonly asset: Asset;
        readonly from: Holder;
        /** Absent where the bytes do not bound it. */
        readonly most?: bigint;
      }[];
      readonly authority: Address;
    }
  | {
      readonly act: 'lockLiquidity';
      readonly venue: string;
      readonly pool: Address;
      readonly position: Address;
      readonly liquidity: bigint;
      readonly authority: Address;
    };

/** What serves the transaction itself. */
export type ServiceAct =
  | {
      readonly act: 'tableCreate';
      readonly table: Address;
      readonly authority: Address;
      readonly payer: Address;
    }
  | {
      readonly act: 'tableExtend';
      readonly table: Address;
      readonly authority: Address;
      readonly payer?: Address;
      readonly addresses: readonly Address[];
    }
  | { readonly act: 'tableDeactivate'; readonly table: Address; readonly authority: Address }
  | { readonly act: 'tableFreeze'; readonly table: Address; readonly authority: Address }
  | {
      readonly act: 'tableClose';
      readonly table: Address;
      readonly authority: Address;
      readonly refundTo: Address;
    }
  /** Limits and price of computing. What it costs is the transaction's fee. */
  | { readonly act: 'computeBudget'; readonly setting: string; readonly value: bigint }
  | { readonly act: 'memo'; readonly text: string; readonly signers: readonly Address[] }
  | { readonly act: 'useNonce'; readonly nonce: Address; readonly authority: Address }
  /** Neither value nor rights change. `isSync`: the SOL of a token account counts as wrapped. */
  | { readonly act: 'nothing'; readonly what: string; readonly isSync?: true };

/** What could not be read. */
export type UnsupportedAct =
  /** Known by name only, and never part of an operation. */
  | {
      readonly act: 'named';
      readonly program: Address;
      readonly instruction: string;
      readonly accounts: readonly Address[];
    }
  /** Neither the name nor what it does is known, or it does not look as it must. */
  | {
      readonly act: 'unsupported';
      readonly program: Address;
      readonly reason: string;
      readonly accounts: readonly Address[];
    };

export type Act = ValueAct | AccountAct | RightAct | ConfigAct | PoolAct | ServiceAct | UnsupportedAct;
export type ActOf<K extends Act['act']> = Extract<Act, { act: K }>;
