/**
 * Who earned how much of a pool's fees. What entered and left a fee vault is read from the transactions that moved
 * it; the split of a config counts for what entered while it was in force.
 */

import { DEPLOYER_SHARE_BPS } from '../../../contract/constants.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { TokenBalance, TransactionRecord } from '../../chain/types.ts';
import type { ServiceContext } from '../context.ts';
import { CUSTODY_CLAIMER_BPS } from '../real/records/fees.ts';
import type { ClaimEvent, Entitlements, Payout, Split, VaultHistory, Venue } from '../state.ts';
import { completeConfig } from './configs.ts';

/** Share of the gross fees that goes to a partner; the sandbox's own number. */
export const PARTNER_SHARE_BPS = 1_000;
/** A fee vault's whole history from the chain; only transactions not read before are read. */
export function vaultHistory(service: ServiceContext, venue: Venue): VaultHistory {
  const { vaultHistories } = service.state;
  const known = vaultHistories.get(venue.feeVault) ?? { read: 0, gross: 0n, payouts: [] };
  const records = service.onchain.chain.transactionsFor(venue.feeVault);
  if (records.length === known.read) return known;
  const fresh = records.slice(0, records.length - known.read).toReversed();
  const moves = fresh.map((record) => vaultMove(record, venue));
  const history = {
    read: records.length,
    gross: moves.reduce((sum, { entered }) => sum + entered, known.gross),
    payouts: [...known.payouts, ...moves.flatMap(({ payout }) => payout ?? [])],
  };
  vaultHistories.set(venue.feeVault, history);
  return history;
}

/** What one transaction did to a fee vault. */
function vaultMove(record: TransactionRecord, venue: Venue): { entered: bigint; payout?: Payout } {
  if (record.err !== null) return { entered: 0n };
  const moved = movesOf(record, venue.quoteMint);
  const change = moved.find(({ account }) => account === venue.feeVault)?.change ?? 0n;
  if (change >= 0n) return { entered: change };
  // Unwrapped at once, the receiving account is gone; the wallet it was unwrapped for is the receiver.
  const to = moved.find((each) => each.change > 0n)?.owner ?? unwrappedFor(record, venue.feeVault, moved);
  if (to === undefined) return { entered: 0n };
  const { signature, blockTime } = record;
  return { entered: 0n, payout: { to, amount: -change, signature, timestamp: blockTime } };
}

interface Move {
  readonly account: Address;
  readonly owner: Address;
  readonly change: bigint;
}

function movesOf(record: TransactionRecord, mint: Address): Move[] {
  const { writable, readonly } = record.loadedAddresses;
  const accounts = [...record.staticAccounts, ...writable, ...readonly];
  const amounts = new Map<number, { owner: Address; before: bigint; after: bigint }>();
  const note = (balances: readonly TokenBalance[], side: 'before' | 'after') => {
    for (const { accountIndex, mint: of, owner, amount } of balances) {
      if (of !== mint) continue;
      const known = amounts.get(accountIndex) ?? { owner, before: 0n, after: 0n };
      amounts.set(accountIndex, { ...known, [side]: amount });
    }
  };
  note(record.preTokenBalances, 'before');
  note(record.postTokenBalances, 'after');
  return [...amounts].map(([index, { owner, before, after }]) => ({
    account: accounts[index] ?? '',
    owner,
    change: after - before,
  }));
}

/** The wallet a claim unwrapped for: owner of the closed account, or the first account whose lamports grew. */
function unwrappedFor(
  record: TransactionRecord,
  feeVault: Address,
  moved: readonly Move[],
): Address | undefined {
  const closed = moved.find(({ account, change }) => account !== feeVault && change < 0n);
  if (closed !== undefined) return closed.owner;
  const grew = record.staticAccounts.findIndex(
    (_, index) => (record.postBalances[index] ?? 0n) > (record.preBalances[index] ?? 0n),
  );
  // A claim smaller than its fee: the fee payer is the wallet itself.
  return record.staticAccounts[Math.max(grew, 0)];
}

/**
 * The split in force; `undefined` while a config is half rewritten. Deployers earn on SOL-quoted configs only.
 */
function splitOf(service: ServiceContext, venue: Venue): Split | undefined {
  if (venue.kind === 'pair') return { claimers: [] };
  const { partner } = venue;
  if (venue.kind === 'custody') {
    const feeClaimer = venue.feeClaimer ?? venue.authority;
    return {
      claimers: [{ address: feeClaimer, basisPoints: CUSTODY_CLAIMER_BPS }],
      ...(partner === undefined ? {} : { partner }),
    };
  }
  const record = completeConfig(service, venue.baseMint);
  if (record === undefined) return undefined;
  return {
    claimers: record.claimers,
    ...(venue.quoteMint === WSOL_MINT ? { deployer: record.deployer } : {}),
    ...(record.partner === undefined ? {} : { partner: record.partner }),
  };
}

/** Credits what entered since the last time to the split that was in force, then takes note of the present one. */
export function settle(
  service: ServiceContext,
  venue: Venue,
  history = vaultHistory(service, venue),
): Entitlements {
  const { entitlements } = service.state;
  const known = entitlements.get(venue.feeVault);
  const book: Entitlements = known ?? {
    settledGross: 0n,
    split: splitOf(service, venue) ?? { claimers: [] },
    claimers: new Map(),
    deployers: new Map(),
    partners: new Map(),
  };
  entitlements.set(venue.feeVault, book);
  const entered = history.gross - book.settledGross;
  if (entered > 0n) {
    const part = (of: bigint, bps: number) => (of * BigInt(bps)) / 10_000n;
    const { partner, deployer, claimers } = book.split;
    const partnerShare = partner === undefined ? 0n : part(entered, PARTNER_SHARE_BPS);
    const deployerShare = deployer === undefined ? 0n : part(entered - partnerShare, DEPLOYER_SHARE_BPS);
    const pool = entered - partnerShare - deployerShare;
    if (partner !== undefined) credit(book.partners, partner, partnerShare);
    if (deployer !== undefined) credit(book.deployers, deployer, deployerShare);
    for (const { address, basisPoints } of claimers) credit(book.claimers, address, part(pool, basisPoints));
    book.settledGross = history.gross;
  }
  book.split = splitOf(service, venue) ?? book.split;
  return book;
}

function credit(book: Map<Address, bigint>, wallet: Address, amount: bigint): void {
  book.set(wallet, (book.get(wallet) ?? 0n) + amount);
}

/** What a claimer can take out of a venue's fee vault now. */
export function claimable(service: ServiceContext, venue: Venue, wallet: Address): bigint {
  const history = vaultHistory(service, venue);
  const earned = settle(service, venue, history).claimers.get(wallet) ?? 0n;
  return left(earned, history, wallet);
}

/** What of a deployer's or partner's share still lies in the fee vault. */
export function unswept(
  service: ServiceContext,
  venue: Venue,
  wallet: Address,
  kind: 'deployer' | 'partner',
): bigint {
  const history = vaultHistory(service, venue);
  const book = settle(service, venue, history);
  const earned = (kind === 'deployer' ? book.deployers : book.partners).get(wallet) ?? 0n;
  return left(earned, history, service.keys.vaultOwner(wallet, kind).address);
}

function left(earned: bigint, { payouts }: VaultHistory, receiver: Address): bigint {
  const paid = payouts.reduce((sum, { to, amount }) => (to === receiver ? sum + amount : sum), 0n);
  return earned > paid ? earned - paid : 0n;
}

/** Claims of fee recipients of a venue that landed, oldest first; sweeps into aggregate vaults are none. */
export function claimEventsOf(
  service: ServiceContext,
  venue: Venue,
  creator: Address | undefined,
): ClaimEvent[] {
  const history = vaultHistory(service, venue);
  const book = settle(service, venue, history);
  return history.payouts
    .filter(({ to }) => book.claimers.has(to))
    .map(({ to, amount, signature, timestamp }) => ({
      tokenMint: venue.baseMint,
      wallet: to,
      isCreator: to === creator,
      amount,
      signature,
      timestamp,
    }));
}
