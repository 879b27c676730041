/**
 * Acts: program-independent descriptions of instructions. An act states the parties, amounts and rights that the
 * instruction and our own RPC determine, never a service's description. Amounts are in base units. Undetermined fields are
 * absent.
 */
import type { Address } from '../transaction/types.ts';
import type { PoolTerms } from './poolTerms/terms.ts';

/** `SOL` for lamports, else a mint. Wrapped SOL is a mint. */
export type Asset = 'SOL' | Address;

/** An account that holds value, with its owner if known. */
export interface Holder {
  readonly account: Address;
  readonly owner?: Address;
}

/** One claimer of a config's fees. */
export interface ClaimerShare {
  readonly wallet: Address;
  readonly bps: number;
}

/** Name, symbol and metadata URI of a token. Untrusted text. */
export interface TokenTexts {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

/** Acts that move value. */
export type ValueAct =
  | {
      readonly act: 'transfer';
      readonly asset?: Asset;
      readonly from: Holder;
      readonly to: Holder;
      readonly amount: bigint;
      /** The key whose signature authorizes it. */
      readonly authority: Address;
      /** Fee withheld from the received amount, if the instruction states it (Token-2022). */
      readonly fee?: bigint;
    }
  /** A SOL transfer to a known tip address of a block builder. */
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
      /** The mints of the pool, if the direction depends on the token accounts. */
      readonly pair?: readonly [Address, Address];
      /** Absent if the direction depends on unknown token accounts. */
      readonly input?: Asset;
      readonly output?: Asset;
      readonly maxIn: bigint;
      readonly minOut: bigint;
      /** The exact side; `partial`: up to `maxIn` is spent, for a proportional output. */
      readonly exact: 'in' | 'out' | 'partial';
      readonly source: Holder;
      readonly destination: Holder;
      readonly authority: Address;
      /** An account that receives a part of the fee. */
      readonly referral?: Address;
      /** An account that a route step pays instead of the destination. */
      readonly paidElsewhere?: Address;
      /** Accounts of unsupported route steps. */
      readonly reaches?: readonly Address[];
      /** Router fees in basis points, by name. */
      readonly feesBps?: Readonly<Record<string, number>>;
    }
  | {
      readonly act: 'claim';
      /** Description of the payout. */
      readonly what: string;
      /** The pool, config or vault that pays. */
      readonly from: Address;
      /** Mint of the launch that earned the fees, if no payout is in that mint. */
      readonly base?: Address;
      readonly payouts: readonly { readonly asset: Asset; readonly to: Holder; readonly most?: bigint }[];
      /** The claimant; absent if any wallet may trigger the claim and the payees are fixed. */
      readonly beneficiary?: Address;
      /** Pays for accounts that the claim creates. */
      readonly payer?: Address;
    };

/** Acts on accounts and mints. */
export type AccountAct =
  | {
      readonly act: 'openAccount';
      readonly account: Address;
      /** Type of the account; `data` for accounts of other programs. */
      readonly kind: 'token' | 'nonce' | 'multisig' | 'data';
      /** Owner of a token account, or program of a data account. */
      readonly owner?: Address;
      readonly mint?: Address;
      readonly payer?: Address;
      /** Lamports; `rent` if the program deposits the rent-exempt minimum. */
      readonly deposit?: bigint | 'rent';
      /** Whether the instruction does nothing if the account exists. */
      readonly ifMissing?: boolean;
    }
  | {
      readonly act: 'closeAccount';
      readonly account: Holder;
      /** Receives the lamports of the account. */
      readonly refundTo: Address;
      readonly authority: Address;
    }
  | {
      readonly act: 'createMint';
      readonly mint: Address;
      readonly decimals?: number;
      /** `null`: none. Absent: not determined by the instruction. */
      readonly mintAuthority?: Address | null;
      readonly freezeAuthority?: Address | null;
    }
  | ({
      readonly act: 'setMetadata';
      readonly mint: Address;
      /** The key that may change the metadata; `null`: none. */
      readonly updateAuthority?: Address | null;
      readonly mutable?: boolean;
      /** The metadata account, if it is not the mint. */
      readonly metadata?: Address;
      readonly payer?: Address;
      /** Non-refundable lamports above rent. */
      readonly surcharge?: bigint;
    } & TokenTexts)
  | {
      readonly act: 'freeze';
      readonly account: Holder;
      readonly mint: Address;
      readonly frozen: boolean;
      readonly authority: Address;
    }
  /** Sets an extension of a mint, such as fees, hooks or authorities. */
  | {
      readonly act: 'mintRule';
      readonly mint: Address;
      readonly rule: string;
      readonly values: Readonly<Record<string, unknown>>;
      readonly authority?: Address;
    }
  /** Sets an extension of a token account. */
  | {
      readonly act: 'accountRule';
      readonly account: Address;
      readonly rule: string;
      readonly on: boolean;
      readonly authority?: Address;
    };

/** Kinds of rights. */
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

/** Acts that transfer rights. */
export type RightAct = {
  readonly act: 'setRight';
  readonly right: Right;
  /** The account or mint that the right concerns. */
  readonly of: Address;
  /** The new holder; `null`: the right is permanently revoked. */
  readonly to: Address | null;
  /** The key whose signature authorizes it. */
  readonly authority?: Address;
  /** Maximum amount of a delegate, and its mint if the instruction states it. */
  readonly amount?: bigint;
  readonly asset?: Address;
};

/** Acts on fee share configs. */
export type ConfigAct =
  | {
      readonly act: 'createConfig';
      readonly config: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly claimers: readonly ClaimerShare[];
      /** Whether the config can no longer be extended. */
      readonly final: boolean;
      readonly partner?: Address;
      readonly payer: Address;
      /** The service key that must sign. */
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
      /** Replaced range of the claimer list; `toIndex` is exclusive. */
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

/** Acts on pools and positions. */
export type PoolAct =
  | {
      readonly act: 'createPoolConfig';
      readonly venue: string;
      readonly config: Address;
      readonly quote: Address;
      /** Receives the partner's share of the fees of every pool of this config. */
      readonly feeClaimer: Address;
      /** Receives the unsold supply. */
      readonly leftoverReceiver: Address;
      readonly payer: Address;
      readonly terms: PoolTerms;
    }
  | {
      readonly act: 'createPool';
      readonly venue: string;
      readonly pool: Address;
      /** The config account of the pool, if it has one. */
      readonly config?: Address;
      readonly base: Address;
      readonly quote: Address;
      readonly creator: Address;
      readonly payer: Address;
      /** The token that is created with the pool. */
      readonly token?: TokenTexts;
      /** Accounts that the payer pays for, with their maximum size in bytes. */
      readonly makes: readonly { readonly account: Address; readonly bytes?: number }[];
      /** Non-refundable lamports above rent, and the account that receives them. */
      readonly surcharge?: bigint;
      readonly surchargeOn?: Address;
      /** Absent if `config` defines them. */
      readonly terms?: PoolTerms;
    }
  | {
      readonly act: 'openPosition';
      readonly venue: string;
      readonly pool: Address;
      readonly position: Address;
      readonly nftMint: Address;
      /** Holder of the position's NFT, which owns the liquidity and its fees. */
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
        /** Absent if the instruction sets no maximum. */
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

/** Acts on lookup tables, compute budget, memos and nonces. */
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
  /** Compute limits and price, whose cost is part of the network fee. */
  | { readonly act: 'computeBudget'; readonly setting: string; readonly value: bigint }
  | { readonly act: 'memo'; readonly text: string; readonly signers: readonly Address[] }
  | { readonly act: 'useNonce'; readonly nonce: Address; readonly authority: Address }
  /** Changes neither value nor rights. `isSync`: updates the token amount of a wrapped SOL account. */
  | { readonly act: 'nothing'; readonly what: string; readonly isSync?: true };

/** Unsupported instructions. */
export type UnsupportedAct =
  /** An instruction known only by name, never part of an operation. */
  | {
      readonly act: 'named';
      readonly program: Address;
      readonly instruction: string;
      readonly accounts: readonly Address[];
    }
  /** An unknown instruction, or one that does not match its layout. */
  | {
      readonly act: 'unsupported';
      readonly program: Address;
      readonly reason: string;
      readonly accounts: readonly Address[];
    };

export type Act = ValueAct | AccountAct | RightAct | ConfigAct | PoolAct | ServiceAct | UnsupportedAct;
export type ActOf<K extends Act['act']> = Extract<Act, { act: K }>;
