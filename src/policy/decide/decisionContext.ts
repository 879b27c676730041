/**
 * One stage as the checks look at it: the bytes read once, and small questions about who owns what. Everything in
 * it comes from the bytes and from our own view of the chain, nothing from what the service says.
 */

import { amountOfAsset } from '../../base/format.ts';
import type { Proven } from '../../guards/guards.ts';
import type { ReadWith } from '../../plan/decodedStage.ts';
import type { AccountLayout } from '../../programs/account.ts';
import type { Act } from '../../programs/acts.ts';
import type { TransactionFee } from '../../programs/computeBudget/fee.ts';
import type { Instruction } from '../../programs/instructions.ts';
import type { ReadingWithActs } from '../../programs/read.ts';
import {
  type MintState,
  mintOf,
  type TokenAccountState,
  tokenAccountOf,
} from '../../programs/token/accounts.ts';
import type { AccountFact } from '../../rpc/types.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
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
  /** The wallet of ours the plan concerns. */
  readonly wallet: Address;
  readonly own: OwnKeys;
  readonly transaction: DecodedTransaction;
  readonly slots: readonly SlotStatus[];
  readonly feePayer: Address;
  readonly fee: TransactionFee;
  /** All instructions but those of the Compute Budget program, whose effect is the fee. */
  readonly instructions: readonly Instruction[];
  /** The same instructions as every reader knows them, with what each does. */
  readonly readings: readonly ReadingWithActs[];
  /** What they do, in their order. */
  readonly acts: readonly Act[];
  /** What the stages beside this one are read with. */
  readonly given: ReadWith;
  /** Unsupported instructions that the policy allows in this operation (`unsupported/entries.ts`). */
  readonly opaque: readonly Instruction[];
  readonly accounts: ReadonlyMap<Address, AccountFact>;
  /** Accounts as layouts read them, for this decision alone. */
  readonly accountReadings: AccountReadings;
  /** Every account of the message, those of lookup tables included, each once. */
  readonly loaded: readonly AccountUse[];
  /** Closing balances that the guards at the end of the bytes prove; `instructions` does not contain the guards. */
  readonly proven?: Proven;
}

/** By layout, what it makes of the account at an address; `undefined` where it is not of that type. */
export type AccountReadings = Map<AccountLayout<string, unknown>, Map<Address, unknown>>;

/** What the lines of a stage are made from: a decision without its policy. */
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

/** The token account an address holds now; `undefined` when it holds none. */
export function tokenAccountAt(
  c: Pick<DecisionContext, 'accounts'>,
  address: Address,
): TokenAccountState | undefined {
  return tokenAccountOf(c.accounts.get(address));
}

/** The mint an address holds now; `undefined` when it holds none. */
export function mintAt(c: Pick<DecisionContext, 'accounts'>, address: Address): MintState | undefined {
  return mintOf(c.accounts.get(address));
}

/** An amount as a person reads it: in SOL, or in whole tokens where the mint could be read. */
export const saidAmount = (
  c: Pick<DecisionContext, 'accounts'>,
  units: bigint,
  asset: Asset | 'any',
): string => amountOfAsset(units, asset, decimalsOf(c, asset));

/** Decimals of a token, where its mint could be read. */
export const decimalsOf = (c: Pick<DecisionContext, 'accounts'>, asset: Asset | 'any'): number | undefined =>
  mintAt(c, asset)?.decimals;

/**
 * Whether another key can take what is in a token account, or keep us from moving it: a stranger's key may
 * close it (and take all its lamports, wrapped SOL included) or spend from it as its delegate, or it is frozen. What
 * is sent there is lost, even if we own the account (T65).
 */
export function othersCanTake(
  own: ReadonlySet<Address>,
  { closeAuthority, delegate, delegatedAmount, state }: TokenAccountState,
): boolean {
  const closes = closeAuthority !== undefined && !own.has(closeAuthority);
  const spends = delegate !== undefined && delegatedAmount > 0n && !own.has(delegate);
  return closes || spends || state === 'frozen';
}

/**
 * Whether what is sent to a token account stays with our wallet: it is the wallet's account of this mint, or its
 * associated address where nothing is yet, and no other key can take what is in it.
 */
export function keepsForUs(
  c: DecisionContext,
  account: Address,
  mint: Address,
  tokenProgram: Address,
): boolean {
  const state = tokenAccountAt(c, account);
  const taken = state !== undefined && othersCanTake(c.own, state);
  return !taken && isOwnTokenAccount(c, account, mint, tokenProgram);
}

/**
 * Whether a token account is owned by a wallet of ours, so that what is in it can be lost. What the chain shows
 * counts; for an account that is not there yet, the associated address does. Whether it is a place to send anything
 * to is another question: `keepsForUs`.
 */
export function isOwnTokenAccount(
  c: DecisionContext,
  account: Address,
  mint: Address,
  tokenProgram: Address,
): boolean {
  const state = tokenAccountAt(c, account);
  if (state !== undefined) return c.own.has(state.owner) && state.mint === mint;
  if (c.accounts.get(account)?.exists) return false;
  return account === associatedTokenAddress(c.wallet, mint, tokenProgram);
}

/** Rent-exempt minimum of an account in lamports. */
export function rentOf(inputs: DecisionInputs, bytes: number): bigint {
  return BigInt(inputs.rent.lamportsPerByteYearTimesExemption) * BigInt(inputs.rent.overheadBytes + bytes);
}
