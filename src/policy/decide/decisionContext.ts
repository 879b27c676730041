/**
 * The context of one decision: the decoded stage, and predicates about account ownership. All data comes from the
 * transaction and from our own RPC, never from the service's declarations.
 */

import { amountOfAsset } from '../../base/format.ts';
import type { Proven } from '../../guards/guards.ts';
import type { ReadWith } from '../../plan/decodedStage.ts';
import type { AccountLayout } from '../../programs/account.ts';
import type { Act } from '../../programs/acts.ts';
import type { Reading, ReadingWithActs } from '../../programs/read.ts';
import type { TransactionFee } from '../../programs/solana/fee.ts';
import {
  type MintState,
  mintOf,
  type TokenAccountState,
  tokenAccountOf,
} from '../../programs/token/accounts.ts';
import type { AccountFact } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { SlotStatus } from '../../transaction/signatures.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';
import type { Policy } from '../file/schema.ts';
import type { OwnKeys } from './ownKeys.ts';
import type { PolicyIndex } from './policyIndex.ts';
import type { Asset, DecisionInputs } from './types.ts';

export interface DecisionContext {
  readonly inputs: DecisionInputs;
  readonly policy: Policy;
  readonly index: PolicyIndex;
  /** The plan's wallet. */
  readonly wallet: Address;
  readonly own: OwnKeys;
  readonly transaction: DecodedTransaction;
  readonly slots: readonly SlotStatus[];
  readonly feePayer: Address;
  readonly fee: TransactionFee;
  /** All instructions except guards and those of the Compute Budget program, each with its acts. */
  readonly readings: readonly ReadingWithActs[];
  /** Acts of all instructions, in order. */
  readonly acts: readonly Act[];
  /** Tables and switched-off programs for decoding the sibling stages. */
  readonly given: ReadWith;
  /** Unsupported instructions that the policy allows in this operation (`unsupported/entries.ts`). */
  readonly opaque: readonly Reading[];
  readonly accounts: ReadonlyMap<Address, AccountFact>;
  /** Cache of decoded accounts, for this decision. */
  readonly accountReadings: AccountReadings;
  /** Distinct accounts of the message, including those of lookup tables. */
  readonly loaded: readonly AccountUse[];
  /** Closing balances that the guards at the end of the transaction prove. */
  readonly proven?: Proven;
}

/** Decoded accounts by layout and address; `undefined` if an account is not of that type. */
export type AccountReadings = Map<AccountLayout<string, unknown>, Map<Address, unknown>>;

/** The input for the statement lines of a stage: a decision context without its policy. */
export type StageContext = Pick<
  DecisionContext,
  | 'inputs'
  | 'wallet'
  | 'own'
  | 'feePayer'
  | 'fee'
  | 'readings'
  | 'acts'
  | 'given'
  | 'accounts'
  | 'accountReadings'
  | 'loaded'
  | 'proven'
>;

/** `SOL` for wrapped SOL, else the mint. */
export const assetOf = (mint: Address): Asset => (mint === WSOL_MINT ? 'SOL' : mint);

/** Returns the token account at an address, or `undefined` for any other account. */
export function tokenAccountAt(
  c: Pick<DecisionContext, 'accounts'>,
  address: Address,
): TokenAccountState | undefined {
  return tokenAccountOf(c.accounts.get(address));
}

/** Returns the mint at an address, or `undefined` for any other account. */
export function mintAt(c: Pick<DecisionContext, 'accounts'>, address: Address): MintState | undefined {
  return mintOf(c.accounts.get(address));
}

/** Formats an amount in SOL, in whole tokens or, if the mint is unknown, in base units. */
export const formatAmount = (
  c: Pick<DecisionContext, 'accounts'>,
  units: bigint,
  asset: Asset | 'any',
): string => amountOfAsset(units, asset, decimalsOf(c, asset));

/** Returns the decimals of a token, or `undefined` if its mint is unknown. */
export const decimalsOf = (c: Pick<DecisionContext, 'accounts'>, asset: Asset | 'any'): number | undefined =>
  mintAt(c, asset)?.decimals;

/**
 * Whether another key may close a token account (and take its lamports, wrapped SOL included) or spend from it as delegate,
 * or the account is frozen. Funds sent to such an account count as lost, even if we own it (T65).
 */
export function isControlledByOthers(
  own: ReadonlySet<Address>,
  { closeAuthority, delegate, delegatedAmount, state }: TokenAccountState,
): boolean {
  const closes = closeAuthority !== undefined && !own.has(closeAuthority);
  const spends = delegate !== undefined && delegatedAmount > 0n && !own.has(delegate);
  return closes || spends || state === 'frozen';
}

/** Rent-exempt minimum of an account in lamports. */
export function rentOf(inputs: DecisionInputs, bytes: number): bigint {
  return BigInt(inputs.rent.lamportsPerByteYearTimesExemption) * BigInt(inputs.rent.overheadBytes + bytes);
}
