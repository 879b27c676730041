/**
 * Effects of the simulated transaction on our accounts: an asset diff and an authority diff. A program can detect a
 * simulation, so these effects can only deny, never allow (rule 4 of the threat model; T1, T3, T4, T16, T17, T25).
 */

import { spaced } from '../../../base/format.ts';
import { tokenAccountOf } from '../../../programs/token/accounts.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import { assetOf, isControlledByOthers } from '../decisionContext.ts';
import type { OwnKeys } from '../ownKeys.ts';
import type { ReasonCode } from '../types.ts';
import { holdsMoney, lostRights, rightsOf } from '../unsupported/rights.ts';

/** A change of control over one of our accounts. */
export interface AuthorityChange {
  readonly code: ReasonCode;
  /** A sentence for a person, without untrusted text. */
  readonly what: string;
}

export interface SimulatedEffects {
  readonly out: Amounts;
  readonly in: Amounts;
  readonly authority: readonly AuthorityChange[];
  /** Accounts of others that gained lamports; for new or longer accounts the gain includes rent. */
  readonly funded: readonly Funding[];
}

/** An account that holds more lamports than before. */
export interface Funding {
  readonly address: Address;
  /** Lamports gained. */
  readonly lamports: bigint;
  /** Data length before; `undefined` if the account did not exist. */
  readonly from: number | undefined;
  readonly to: number;
}

/** Present if the transaction contains unsupported instructions. */
interface Unsupported {
  /** Rent-exempt minimum of an account, in lamports. */
  readonly rent: (bytes: number) => bigint;
}

/** Returns the differences between two snapshots, which must list the same accounts in the same order. */
export function simulatedEffects(
  own: OwnKeys,
  before: readonly AccountFact[],
  after: readonly AccountFact[],
  unsupported?: Unsupported,
): SimulatedEffects {
  const change: Amounts = new Map();
  const authority: AuthorityChange[] = [];
  const funded: Funding[] = [];
  for (const [i, was] of before.entries()) {
    const is = after[i];
    if (is === undefined || unchanged(was, is)) continue;
    const gained = BigInt(is.lamports) - BigInt(was.lamports);
    if (gained > 0n && !keeps(own, is)) {
      const from = was.exists ? bytesOf(was) : undefined;
      funded.push({ address: is.address, lamports: gained, from, to: bytesOf(is) });
    }
    // An account that is not ours and whose data names none of our keys cannot affect us.
    if (!own.has(was.address) && !own.standIn(was) && !own.standIn(is)) continue;
    addChange(own, was, is, change, unsupported);
    authority.push(...authorityChanges(own, was, is, unsupported));
  }
  const out: Amounts = new Map();
  const gained: Amounts = new Map();
  for (const [asset, amount] of change)
    add(amount < 0n ? out : gained, asset, amount < 0n ? -amount : amount);
  return { out, in: gained, authority, funded };
}

const bytesOf = ({ data }: AccountFact): number => Buffer.byteLength(data, 'base64');

const unchanged = (was: AccountFact, is: AccountFact): boolean =>
  was.exists === is.exists &&
  was.lamports === is.lamports &&
  was.owner === is.owner &&
  was.executable === is.executable &&
  was.data === is.data;

/** Whether an account is a wallet of ours, or a token account of ours that no other key can empty. */
function keeps(own: OwnKeys, account: AccountFact): boolean {
  if (own.has(account.address)) return true;
  const state = tokenAccountOf(account);
  return state !== undefined && own.has(state.owner) && !isControlledByOthers(own, state);
}

/**
 * Adds the balance change of one account. Losses always count; gains count only if no other key can withdraw them (T65).
 * Beside unsupported instructions, lamports above the rent of a token account do not count as gains: the issuer may freeze
 * the account.
 */
function addChange(
  own: OwnKeys,
  was: AccountFact,
  is: AccountFact,
  change: Amounts,
  unsupported: Unsupported | undefined,
): void {
  const one: Amounts = new Map();
  addHoldings(own, was, -1n, one);
  addHoldings(own, is, 1n, one);
  const kept = keeps(own, is);
  const state = tokenAccountOf(is);
  if (unsupported !== undefined && state !== undefined && assetOf(state.mint) !== 'SOL') {
    const missing = unsupported.rent(bytesOf(is)) - (was.exists ? BigInt(was.lamports) : 0n);
    const most = missing > 0n ? missing : 0n;
    if ((one.get('SOL') ?? 0n) > most) one.set('SOL', most);
  }
  for (const [asset, amount] of one) if (amount < 0n || kept) add(change, asset, amount);
}

/** Adds the holdings of an account of ours: all its lamports as SOL, rent included, and its tokens by amount. */
function addHoldings(own: OwnKeys, account: AccountFact, sign: bigint, change: Amounts): void {
  if (!account.exists) return;
  const state = tokenAccountOf(account);
  if (!own.has(account.address) && !(state && own.has(state.owner))) return;
  // A wallet that is owned by another program is lost, so its balance does not count.
  if (own.has(account.address) && account.owner !== SYSTEM_PROGRAM) return;
  add(change, 'SOL', sign * BigInt(account.lamports));
  if (state !== undefined && assetOf(state.mint) !== 'SOL') add(change, state.mint, sign * state.amount);
}

function authorityChanges(
  own: OwnKeys,
  was: AccountFact,
  is: AccountFact,
  unsupported: Unsupported | undefined,
): AuthorityChange[] {
  if (own.has(was.address)) return walletChanges(was, is);
  const holders = [was, is].map((account) => tokenAccountOf(account)?.owner ?? '');
  if (holders.some((holder) => own.has(holder))) return tokenAccountChanges(own, was, is);
  return rightsChanges(own, was, is, unsupported);
}

function walletChanges(was: AccountFact, is: AccountFact): AuthorityChange[] {
  if (!is.exists) return [];
  const reassigned = is.owner !== SYSTEM_PROGRAM || is.executable;
  const enlarged = is.data !== '' && is.data !== was.data;
  return reassigned || enlarged ? [lost(`the wallet ${is.address} would belong to another program`)] : [];
}

const lost = (what: string): AuthorityChange => ({ code: 'AUTHORITY_CHANGE', what });

function tokenAccountChanges(own: OwnKeys, was: AccountFact, is: AccountFact): AuthorityChange[] {
  const old = tokenAccountOf(was);
  const now = tokenAccountOf(is);
  const oursBefore = old !== undefined && own.has(old.owner);
  const oursAfter = now !== undefined && own.has(now.owner);
  if (!oursBefore && !oursAfter) return [];
  // The asset diff covers the contents of a closed account.
  if (!is.exists) return [];
  if (now === undefined || (oursBefore && !oursAfter)) {
    return [lost(`the token account ${is.address} would belong to another key`)];
  }
  const changes: AuthorityChange[] = [];
  const mayClose = now.closeAuthority;
  if (mayClose !== undefined && mayClose !== old?.closeAuthority && !own.has(mayClose)) {
    changes.push(lost(`another key could close the token account ${is.address}`));
  }
  const delegated = now.delegate === undefined ? 0n : now.delegatedAmount;
  const sameDelegate = now.delegate === old?.delegate && delegated <= (old?.delegatedAmount ?? 0n);
  if (delegated > 0n && !sameDelegate && !own.has(now.delegate ?? '')) {
    changes.push({
      code: 'DELEGATE_GRANTED',
      what: `another key could spend from the token account ${is.address}`,
    });
  }
  if (now.state === 'frozen' && old?.state !== 'frozen') {
    changes.push(lost(`the token account ${is.address} would be frozen`));
  }
  return changes;
}

/** Returns rights over accounts of others that our keys would lose, and losses of SOL that only our keys may withdraw (T71). */
function rightsChanges(
  own: OwnKeys,
  was: AccountFact,
  is: AccountFact,
  unsupported: Unsupported | undefined,
): AuthorityChange[] {
  // Delegations that others granted to our keys may be revoked by them.
  if (tokenAccountOf(was) !== undefined) return [];
  // Supported instructions show which table they close; unsupported instructions may not close any.
  if (unsupported === undefined && was.owner === LOOKUP_TABLE_PROGRAM && !is.exists) return [];
  const changes = lostRights(own, was, is).map((right) =>
    lost(`the ${spaced(right)} would leave the wallet: ${is.address}`),
  );
  const poorer = BigInt(is.lamports) < BigInt(was.lamports);
  if (poorer && holdsMoney(was) && rightsOf(own, was).length > 0) {
    changes.push({
      code: 'UNDECLARED_LOSS',
      what: `SOL that only the wallet may withdraw would leave ${is.address}`,
    });
  }
  const forgotten = own.standIn(was) && !own.standIn(is) && !HAVE_READERS.includes(was.owner);
  if (unsupported !== undefined && forgotten)
    changes.push(lost(`${is.address} would no longer name the wallet`));
  return changes;
}

/** Programs whose accounts are compared by their decoded fields instead of by mentions of our keys. */
const HAVE_READERS: readonly Address[] = [...TOKEN_PROGRAMS, SYSTEM_PROGRAM];
