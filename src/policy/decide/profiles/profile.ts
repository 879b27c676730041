/** What an operation profile is: what a stage may look like, and what follows from it for the wallet. */
import { asRecord } from '../../../base/record.ts';
import type { StageKind } from '../../../plan/types.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Amounts } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { Facts } from '../types.ts';

/** An address the request or the bytes name, which a rule may have to know. */
export interface Recipient {
  readonly address: Address;
  readonly role: RecipientRole;
}

/** Roles a rule can speak about, and `payment`: money that changes hands inside the operation itself. */
export type RecipientRole = 'claimer' | 'admin' | 'partner' | 'feeClaimer' | 'tip' | 'payment';

/** What a stage means for the wallet, once its instructions are known to be the operation's. */
export interface Bound {
  readonly recipients: readonly Recipient[];
  /** Least that must arrive, by asset. */
  readonly leastIn: Amounts;
  /** Most the request lets leave, by asset, apart from fee and rent; used where the bytes cannot say. */
  readonly mostOut: Amounts;
  /** Lamports an account may be given at once for what later stages write into it. */
  readonly deposits?: ReadonlyMap<Address, bigint>;
  /**
   * Most rent, in lamports, for accounts of others (T15, T66). Absent: what shows where every instruction is read, and
   * none where one is not.
   */
  readonly mostRent?: bigint;
  /** Tokens whose accounts of the wallet an unread instruction may be handed, beside wrapped SOL. Absent: none at all. */
  readonly reach?: readonly Address[];
  /** The accounts the simulation leaves behind say what the bytes were read to say. */
  readonly confirmed?: boolean;
  /** What the instructions do not say although each is read, as a sentence part: a person is asked about it (T94). */
  readonly hidden?: string;
  /** The token this run makes: what of it goes into its own pool is no spending. */
  readonly made?: Address;
  /** Tokens that come or go, for the policy's list of mints and extensions. */
  readonly mints: readonly Address[];
  /** What rules about swaps ask for. */
  readonly trade?: Trade;
  /** What rules about launches ask for, where the wallet buys first. */
  readonly firstBuy?: FirstBuy;
}

/** The first buy of a launch, base units. */
export interface FirstBuy {
  readonly mint: Address;
  readonly quoteMint: Address;
  readonly paid: bigint;
  /** What arrives, and all there will be of the token, by the bytes; absent where they cannot all be read. */
  readonly read?: { readonly bought: bigint; readonly supply: bigint };
}

/** A swap as the bytes show it, base units. */
export interface Trade {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  /** Net of every fee. */
  readonly amountOut: bigint;
  readonly quotedOut: bigint;
  readonly serviceFee: bigint;
  /** What the service fee is a share of. */
  readonly serviceFeeBase: bigint;
  /** The part of it that comes off what arrives. */
  readonly feeOut?: bigint;
}

export interface Profile {
  /** Stage kinds a plan of this operation may have, and how each is compared with the request. */
  readonly stages: Partial<Record<StageKind, (c: DecisionContext, list: Checklist) => Bound>>;
  /** `sponsor`: another key that has signed already (claims the service pays for, C-VAULT-05). */
  readonly feePayer: 'wallet' | 'sponsor';
  /** Formats that were asked for. */
  readonly formats: (facts: Facts) => readonly TransactionFormat[];
}

/** A stage that moves no value and names no earner. */
export const nothing = (): Bound => ({ recipients: [], leastIn: new Map(), mostOut: new Map(), mints: [] });

/** A text field of a request or answer. */
export function textOf(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** A nested object of a request or answer; empty when it is none. */
export function objectOf(fields: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return asRecord(fields[name]);
}

/** An amount in base units, from a decimal text or a safe integer; 0 when absent or anything else. */
export function amountOf(fields: Readonly<Record<string, unknown>>, name: string): bigint {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(value) ? BigInt(value) : 0n;
}

/** The format a request asks for; the contract's default is v0. */
export const askedFormat = ({ plan }: Facts): readonly TransactionFormat[] =>
  plan.request.transactionFormat === 'v1' ? ['v1'] : ['v0'];
