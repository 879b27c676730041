/**
 * Follows a journaled signature to its outcome: resends the same bytes until the chain shows them or they are proven
 * dead. Sending twice is harmless, signing twice is not; nothing here signs (F24, F38, F39).
 */

import { slept } from '../../clock.ts';
import type { JournalRow, Lease } from '../../ledger/types.ts';
import type { Chain, SendOutcome, SignatureStatus } from '../../rpc/types.ts';
import { decodeWire } from '../../transaction/wire.ts';
import { ExecutionError } from '../errors.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { isFailureProven, recordLanding, secondRpcHas } from './landed.ts';
import { isYoung, type Verdict, verdict } from './verdict.ts';

export type TrackOutcome =
  /** Confirmed on chain; `failed` cost its fee and had no other effect. */
  | { readonly outcome: 'landed' | 'failed'; readonly row: JournalRow }
  | { readonly outcome: 'expired' }
  /** `disagree`: our RPC shows a landed transaction that the second one does not know. */
  | { readonly outcome: 'unknown'; readonly disagree?: boolean }
  /** Stopped: the row is durable, and the next start of work continues from it. */
  | { readonly outcome: 'stopped' };

/**
 * Follows one signature until it is `confirmed`, failed with confirmation, or judged; or until stopped. `isNew`: just
 * signed, so it cannot be dead yet.
 */
export function track(
  deps: ExecutionDeps,
  timing: Timing,
  row: JournalRow,
  lease: Lease,
  signal: AbortSignal,
  isNew = false,
): Promise<TrackOutcome> {
  // The row is durable, so a call that never returns can be abandoned.
  const stopped = new Promise<TrackOutcome>((resolve) => {
    const stop = () => resolve({ outcome: 'stopped' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([follow(deps, timing, row, lease, signal, isNew), stopped]);
}

async function follow(
  ...[deps, timing, row, lease, signal, isNew]: Parameters<typeof track>
): Promise<TrackOutcome> {
  const { ledger, clock } = deps;
  let { state } = row;
  /** Bytes reported as failed are not resent: their intent may be signed anew. */
  let hasFailed = state === 'failed';
  let roundAt = Number.NEGATIVE_INFINITY;
  let doubtSince: number | undefined;
  /** The slot in which the bytes arrived before their lookup table: after it they are resent once, at once (F25). */
  let coldAt: number | undefined;
  let wasCold = false;
  for (let young = isNew; ; young = false) {
    const seen = await look(deps, row);
    hasFailed ||= seen === 'failing';
    if (signal.aborted) return { outcome: 'stopped' };
    if (typeof seen === 'object' && seen.commitment !== 'processed') {
      const landed = await recordLanding(ledger, row, seen);
      return { outcome: landed.state === 'failed' ? 'failed' : 'landed', row: landed };
    }
    const isWarm = coldAt !== undefined && (await isPast(deps, coldAt));
    if (seen === undefined && (isWarm || clock.now() - roundAt >= timing.resendMs)) {
      roundAt = clock.now();
      coldAt = undefined;
      const judged = young ? 'pending' : await judge(deps, row);
      if (judged === 'expired') {
        await ledger.journalMove(row.signature, 'expired', { lease });
        return { outcome: 'expired' };
      }
      if (judged === 'pending' && !hasFailed) {
        // Recorded before sending: after a crash, `sent` means that the bytes may have been sent.
        if (state !== 'sent') await ledger.journalMove(row.signature, 'sent', { lease });
        state = 'sent';
        const cold = await send(deps, row);
        if (cold && !wasCold) coldAt = await slotNow(deps);
        wasCold ||= cold;
        doubtSince = undefined;
        continue;
      }
      if (judged !== 'pending') doubtSince ??= clock.now();
    }
    if (seen === 'unreachable' || seen === 'notOnSecondRpc') doubtSince ??= clock.now();
    if (typeof seen === 'object' || seen === 'failing') doubtSince = undefined;
    if (doubtSince !== undefined && clock.now() - doubtSince > timing.doubtMs) {
      await ledger.journalMove(row.signature, 'unknown', { lease });
      return { outcome: 'unknown', disagree: seen === 'notOnSecondRpc' };
    }
    if (!(await slept(clock, timing.pollMs, signal))) return { outcome: 'stopped' };
  }
}

/** Returns the chain's view of a signature; `failing` is a reported failure that is not proven yet. */
async function look(
  deps: ExecutionDeps,
  row: JournalRow,
): Promise<SignatureStatus | undefined | 'unreachable' | 'notOnSecondRpc' | 'failing'> {
  const { chain, secondChain } = deps;
  const { signature } = row;
  try {
    const { value } = await chain.statuses([signature]);
    const [status] = value;
    if (status === undefined || status.commitment === 'processed') return status;
    if (status.error !== null) return (await isFailureProven(deps, row)) ? status : 'failing';
    if (secondChain === undefined) return status;
    return (await secondRpcHas(secondChain, signature)) ? status : 'notOnSecondRpc';
  } catch {
    return 'unreachable';
  }
}

/**
 * Reads the views the verdict needs, in its order, and only when the block height allows a verdict. With two RPCs, a
 * signature is dead only when both say so: an RPC that lost history would otherwise cause a second signature (F35).
 */
export async function judge(
  { chain, secondChain, ledger }: Pick<ExecutionDeps, 'chain' | 'secondChain' | 'ledger'>,
  row: JournalRow,
): Promise<Verdict> {
  const first = await judgeBy(chain, row);
  if (first !== 'expired') return first;
  if (isYoung(row, await ledger.time())) return 'pending';
  if (secondChain === undefined) return first;
  return (await judgeBy(secondChain, row)) === 'expired' ? 'expired' : 'unknown';
}

async function judgeBy(chain: Chain, row: JournalRow): Promise<Verdict> {
  try {
    const finalized = await chain.head('finalized');
    if (finalized.blockHeight <= row.deadHeight) return 'pending';
    const statuses = await chain.statuses([row.signature]);
    const valid = await chain.isBlockhashValid(row.blockhash, 'finalized', finalized.slot);
    return verdict(row.deadHeight, {
      finalized,
      status: { slot: statuses.slot, value: statuses.value[0] },
      blockhash: { slot: valid.slot, valid: valid.value },
    });
  } catch {
    return 'unknown';
  }
}

/**
 * Sends the bytes. A lost, unclear or refusing answer counts as sent: the status decides (F32, F33). Resolves `true`
 * when the node refused them because it does not have the full lookup table yet (F25).
 */
async function send({ chain }: ExecutionDeps, { transaction, signature }: JournalRow): Promise<boolean> {
  let answer: SendOutcome;
  try {
    answer = await chain.send(decodeWire(transaction, 'base64'));
  } catch {
    return false;
  }
  if (answer.outcome === 'accepted' && answer.signature !== signature) {
    throw new ExecutionError('SIGNATURE_MISMATCH', 'The RPC returned another signature than the one sent.');
  }
  return answer.outcome === 'refused' && COLD_TABLE.test(answer.reason);
}

/** Runtime errors for a missing or too short lookup table. */
const COLD_TABLE = /AddressLookupTable/;

/** Returns the slot of our RPC's confirmed view. */
const slotNow = async ({ chain }: ExecutionDeps): Promise<number | undefined> =>
  (await chain.head('confirmed').catch(() => undefined))?.slot;

async function isPast({ chain }: ExecutionDeps, slot: number): Promise<boolean> {
  const head = await chain.head('confirmed').catch(() => undefined);
  return head !== undefined && head.slot > slot;
}
