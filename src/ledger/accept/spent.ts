/**
 * What the wallets of a home spent, as their chain shows it, counted for limits (T80). What cannot be seen counts
 * as the whole limit: a limit may be used up for a while without need, but never allows too much.
 */
import { OPERATIONS } from '../../plan/types.ts';
import type { PastTransaction, WalletHistory } from '../../rpc/history.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Address } from '../../transaction/types.ts';
import { decodeWire } from '../../transaction/wire.ts';
import type { ActualUse, LimitSpec } from '../limits.ts';
import type { Spent } from './rebuild.ts';

export interface SpentRequest {
  readonly history: WalletHistory;
  readonly wallets: readonly Address[];
  readonly network: string;
  readonly limits: readonly LimitSpec[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly now: number;
  /** Signatures that must be among what the RPC shows, if they are young enough. */
  readonly known: readonly string[];
  /** What left a wallet, as the landing layer settles it. */
  readonly actualUses: (landed: LandedTransaction, wallet: Address) => ActualUse[];
}

export interface SpentReport {
  readonly spent: readonly Spent[];
  /** A sentence for each thing that could not be seen and is counted as used up. */
  readonly unseen: readonly string[];
}

const DAY_MS = 86_400_000;
const CALENDAR_DAYS = { day: 1, week: 7, month: 31 } as const;

/** How far back the longest window of some limits reaches, in milliseconds; a day more than a calendar unit has. */
export const windowMs = (limits: readonly LimitSpec[]): number =>
  Math.max(
    DAY_MS,
    ...limits.map(({ window }) =>
      'rollingMs' in window ? window.rollingMs : (CALENDAR_DAYS[window.calendar] + 1) * DAY_MS,
    ),
  );

/** Reads the history of every wallet. Rejects with a `ChainError` when the RPC cannot be asked. */
export async function spentSince(request: SpentRequest): Promise<SpentReport> {
  const spent: Spent[] = [];
  const unseen: string[] = [];
  const found = new Set<string>();
  for (const wallet of request.wallets) {
    const past = await request.history.since(wallet, request.from);
    let oldest: LandedTransaction | undefined;
    for (const each of past) {
      found.add(each.signature);
      const shown = await request.history.landed(each.signature);
      const time = Math.min(each.time ?? request.now, request.now);
      if (shown === undefined) {
        unseen.push(`The RPC does not show what ${each.signature} did: every limit counts as used up then.`);
        spent.push(usedUp(request, wallet, time));
        continue;
      }
      oldest = shown.landed;
      spent.push(spentBy(request, wallet, time, each, shown));
    }
    if (await isCutOff(request, wallet, oldest)) {
      unseen.push('The RPC does not show as far back as the limits look: every limit counts as used up.');
      spent.push(usedUp(request, wallet, request.now));
    }
  }
  const missing = request.known.filter((signature) => !found.has(signature));
  if (missing.length > 0) {
    unseen.push('The RPC does not show what the old ledger saw land: every limit counts as used up.');
    for (const wallet of request.wallets) spent.push(usedUp(request, wallet, request.now));
  }
  return { spent, unseen };
}

/** Every transaction counts as a plan of every kind, since only the lost ledger knew which kind it was. */
function spentBy(
  { network, actualUses, limits }: SpentRequest,
  wallet: Address,
  time: number,
  { signature, slot, error }: PastTransaction,
  { landed, transaction }: { landed: LandedTransaction; transaction: string },
): Spent {
  const { messageSha256, blockhash } = readable(transaction);
  return {
    wallet,
    network,
    time,
    uses: withOthers(
      actualUses(landed, wallet).filter(({ amount }) => amount > 0n),
      limits,
    ),
    counts: landed.accounts[0] === wallet ? [...OPERATIONS, 'any'].map((of) => ({ of, times: 1n })) : [],
    landed: { signature, transaction, messageSha256, blockhash, slot, error },
  };
}

/** A limit of `any` token is counted by itself: all that left of tokens no other limit names. */
function withOthers(uses: readonly ActualUse[], limits: readonly LimitSpec[]): ActualUse[] {
  const named = new Set(['SOL', ...limits.filter(({ kind }) => kind === 'asset').map(({ of }) => of)]);
  const others = uses.filter(({ asset }) => !named.has(asset));
  const sum = others.reduce((total, { amount }) => total + amount, 0n);
  return sum === 0n || !named.has('any') ? [...uses] : [...uses, { asset: 'any', amount: sum }];
}

/** The chain accepted it, so bytes this version cannot read are not an error; this program never signs such bytes. */
function readable(transaction: string): { messageSha256: string; blockhash: string } {
  try {
    return readTransaction(decodeWire(transaction, 'base64'));
  } catch {
    return { messageSha256: '', blockhash: '' };
  }
}

function usedUp({ network, limits }: SpentRequest, wallet: Address, time: number): Spent {
  return {
    wallet,
    network,
    time,
    uses: limits.filter(({ kind }) => kind === 'asset').map(({ of, max }) => ({ asset: of, amount: max })),
    counts: limits.filter(({ kind }) => kind === 'count').map(({ of, max }) => ({ of, times: max })),
  };
}

/** Whether transactions may be missing before the oldest one: unless that one is the wallet's first. */
async function isCutOff(
  { history, from }: SpentRequest,
  wallet: Address,
  oldest: LandedTransaction | undefined,
): Promise<boolean> {
  if (oldest?.lamportsBefore[oldest.accounts.indexOf(wallet)] === 0n) return false;
  const begins = await history.begins();
  return begins === undefined || begins > from;
}
