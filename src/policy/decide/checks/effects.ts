/**
 * What a simulation of the exact bytes did to us: an asset diff and an authority diff over every account we own.
 * A simulation can be deceived, so nothing here ever allows; it only finds what the static checks missed
 * (rule 4 of the threat model; T1, T3, T4, T16, T17, T25).
 */

import { remember } from '../../../base/remember.ts';
import { readLookupTable } from '../../../programs/token/accounts.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { addressBytes } from '../../../transaction/base58.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import { assetOf, mintOf, othersCanTake, tokenAccountOf } from '../decisionContext.ts';
import type { ReasonCode } from '../types.ts';

/** A change of who controls something of ours. */
export interface AuthorityChange {
  readonly code: ReasonCode;
  /** In a person's words, without untrusted text. */
  readonly what: string;
}

export interface SimulatedEffects {
  readonly out: Amounts;
  readonly in: Amounts;
  readonly authority: readonly AuthorityChange[];
  /** Accounts of others that gained lamports: rent, as far as they were made or became longer. */
  readonly funded: readonly Funding[];
}

/** An account that holds more lamports than before. */
export interface Funding {
  readonly address: Address;
  /** Lamports gained. */
  readonly lamports: bigint;
  /** Length of its data before; `undefined` where there was no account. */
  readonly from: number | undefined;
  readonly to: number;
}

/** Compares the snapshots before and after; both must list the same accounts in the same order. */
export function simulatedEffects(
  own: ReadonlySet<Address>,
  before: readonly AccountFact[],
  after: readonly AccountFact[],
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
    // An account that is not ours and in whose data we never occur can change nothing of ours.
    if (!own.has(was.address) && !mentions(was, own) && !mentions(is, own)) continue;
    addChange(own, was, is, change);
    authority.push(...authorityChanges(own, was, is));
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

/**
 * How the middle of a key looks in base64, for each of the three places a key can begin within a group: account data
 * is searched for it as text, since decoding it would cost more than all other checks together.
 */
const middles = new Map<Address, readonly string[]>();

function middlesOf(address: Address): readonly string[] {
  const known = middles.get(address);
  if (known !== undefined) return known;
  const key = addressBytes(address);
  // Begun 0, 1 or 2 bytes into a group of three: the first whole group begins 0, 2 or 1 bytes into the key.
  const found = [0, 2, 1].map((skip) => Buffer.from(key.subarray(skip, skip + 30)).toString('base64'));
  return remember(middles, address, found, 64);
}

/** Whether one of our keys stands anywhere in an account's data: as owner, delegate or authority. */
function mentions({ data }: AccountFact, own: ReadonlySet<Address>): boolean {
  for (const address of own) if (middlesOf(address).some((middle) => data.includes(middle))) return true;
  return false;
}

/** Whether what arrives in an account stays with us: a wallet of ours, or a token account nobody else can empty. */
function keeps(own: ReadonlySet<Address>, account: AccountFact): boolean {
  if (own.has(account.address)) return true;
  const state = tokenAccountOf(account);
  return state !== undefined && own.has(state.owner) && !othersCanTake(own, state);
}

/**
 * What one account adds to the change of all. What lay in an account of ours can be lost whoever else may touch it;
 * what arrives counts only where nobody else can take it out again, however long they have been able to (T65).
 */
function addChange(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact, change: Amounts): void {
  const one: Amounts = new Map();
  addHoldings(own, was, -1n, one);
  addHoldings(own, is, 1n, one);
  const kept = keeps(own, is);
  for (const [asset, amount] of one) if (amount < 0n || kept) add(change, asset, amount);
}

/** All lamports in accounts of ours are SOL (rent of our own token accounts stays ours); other tokens by amount. */
function addHoldings(own: ReadonlySet<Address>, account: AccountFact, sign: bigint, change: Amounts): void {
  if (!account.exists) return;
  const state = tokenAccountOf(account);
  if (!own.has(account.address) && !(state && own.has(state.owner))) return;
  // A wallet that another program owns now is lost, whatever its balance says.
  if (own.has(account.address) && account.owner !== SYSTEM_PROGRAM) return;
  add(change, 'SOL', sign * BigInt(account.lamports));
  if (state !== undefined && assetOf(state.mint) !== 'SOL') add(change, state.mint, sign * state.amount);
}

function authorityChanges(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): AuthorityChange[] {
  if (own.has(was.address)) return walletChanges(was, is);
  return [...tokenAccountChanges(own, was, is), ...mintChanges(own, was, is), ...tableChanges(own, was, is)];
}

function walletChanges(was: AccountFact, is: AccountFact): AuthorityChange[] {
  if (!is.exists) return [];
  const reassigned = is.owner !== SYSTEM_PROGRAM || is.executable;
  const enlarged = is.data !== '' && is.data !== was.data;
  return reassigned || enlarged ? [lost(`the wallet ${is.address} would belong to another program`)] : [];
}

const lost = (what: string): AuthorityChange => ({ code: 'AUTHORITY_CHANGE', what });

function tokenAccountChanges(
  own: ReadonlySet<Address>,
  was: AccountFact,
  is: AccountFact,
): AuthorityChange[] {
  const old = tokenAccountOf(was);
  const now = tokenAccountOf(is);
  const oursBefore = old !== undefined && own.has(old.owner);
  const oursAfter = now !== undefined && own.has(now.owner);
  if (!oursBefore && !oursAfter) return [];
  // Closed: what was in it is in the asset diff.
  if (!is.exists) return [];
  if (now === undefined || (oursBefore && !oursAfter)) {
    return [lost(`the token account ${is.address} would belong to somebody else`)];
  }
  const changes: AuthorityChange[] = [];
  const mayClose = now.closeAuthority;
  if (mayClose !== undefined && mayClose !== old?.closeAuthority && !own.has(mayClose)) {
    changes.push(lost(`somebody else could close the token account ${is.address}`));
  }
  const delegated = now.delegate === undefined ? 0n : now.delegatedAmount;
  const sameDelegate = now.delegate === old?.delegate && delegated <= (old?.delegatedAmount ?? 0n);
  if (delegated > 0n && !sameDelegate && !own.has(now.delegate ?? '')) {
    changes.push({
      code: 'DELEGATE_GRANTED',
      what: `somebody else could spend from the token account ${is.address}`,
    });
  }
  if (now.state === 'frozen' && old?.state !== 'frozen') {
    changes.push(lost(`the token account ${is.address} would be frozen`));
  }
  return changes;
}

function mintChanges(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): AuthorityChange[] {
  const old = mintOf(was);
  if (old === undefined) return [];
  const now = mintOf(is);
  const gone = (before: Address | undefined, after: Address | undefined) =>
    before !== undefined && own.has(before) && after !== before;
  const changed =
    gone(old.mintAuthority, now?.mintAuthority) ||
    gone(old.freezeAuthority, now?.freezeAuthority) ||
    gone(old.metadata?.updateAuthority, now?.metadata?.updateAuthority);
  return changed ? [lost(`an authority over the mint ${is.address} would leave the wallet`)] : [];
}

function tableChanges(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): AuthorityChange[] {
  if (was.owner !== LOOKUP_TABLE_PROGRAM || !is.exists) return [];
  const before = tableAuthority(was);
  const gone = before !== undefined && own.has(before) && tableAuthority(is) !== before;
  return gone ? [lost(`the lookup table ${is.address} would leave the wallet`)] : [];
}

function tableAuthority(account: AccountFact): Address | undefined {
  try {
    return readLookupTable(Buffer.from(account.data, 'base64')).authority;
  } catch {
    return undefined;
  }
}
