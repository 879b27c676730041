/**
 * Turns an allowed decision into a signed transaction in the journal. Nothing is sent here; on return the bytes and
 * their signature are durable, and they are the only ones of this stage. Existing signatures are kept (C-AUTH-04).
 */
import { orAborted, withDeadline } from '../../clock.ts';
import type { DecisionInput, JournalRow, Lease, ReserveOutcome } from '../../ledger/types.ts';
import { quoteIdOf } from '../../plan/intent.ts';
import type { Plan } from '../../plan/types.ts';
import type { DecisionInputs } from '../../policy/decide/types.ts';
import { stageFrom } from '../../statement/view.ts';
import { requiredSigners, signSlot, verifyCosignatures } from '../../transaction/signatures.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import { encodeWire } from '../../transaction/wire.ts';
import { type Decided, withoutOwner } from '../deciding/decide.ts';
import { ExecutionError } from '../errors.ts';
import { type ExecutionDeps, LIVE_TIMING, type Signer, type SignPermit } from '../ports.ts';
import { BLOCKHASH_BLOCKS } from './verdict.ts';

export type SignOutcome =
  | { readonly outcome: 'signed'; readonly row: JournalRow }
  /** The blockhash is no longer valid: nothing was reserved, and other bytes are needed. */
  | { readonly outcome: 'stale' }
  /** The policy changed or the approval ended while the signer took its time: to be decided again. */
  | { readonly outcome: 'outdated' }
  | { readonly outcome: 'refused'; readonly code: Extract<ReserveOutcome, { ok: false }>['code'] };

/**
 * Reserves amounts, signs, verifies every signature slot and writes the journal row, in this order.
 * @throws LedgerError if the row cannot be made durable; nothing is sent then
 */
export async function signStage(
  deps: ExecutionDeps,
  plan: Plan,
  { stage, policy, input, decision, approval, run }: Decided,
  lease: Lease,
): Promise<SignOutcome> {
  const { ledger } = deps;
  const transaction = stage.transaction.read();
  const deadHeight = await deadHeightOf(deps, input.inputs);
  if (deadHeight === undefined) return { outcome: 'stale' };

  const reserved = await ledger.reserve({
    lease,
    decision: input,
    revision: plan.revision,
    limits: policy.limits,
    uses: decision.limits.map(({ limitId, amount }) => ({ limitId, amount: BigInt(amount) })),
    ...(approval.state === 'approved' && run !== undefined ? { approval: { id: approval.row.id, run } } : {}),
  });
  if (!reserved.ok) return { outcome: 'refused', code: reserved.code };
  const { reservationId, decisionId } = reserved;
  try {
    const began = deps.clock.now();
    const signed = await fillSlots(deps, transaction, input.inputs.ourWallets, decisionId);
    if (deps.clock.now() - began > SLOW_MS && !(await isInForce(deps, policy, approval))) {
      await ledger.release(reservationId);
      return { outcome: 'outdated' };
    }
    const [first] = signed.signatures;
    if (first == null) throw new TypeError('a signed transaction without its first signature');
    const quoteId = quoteIdOf({ endpoint: plan.request.endpoint, request: plan.request.fields });
    const row = {
      signature: encodeWire(first, 'base58'),
      planId: plan.planId,
      revision: plan.revision,
      stageId: stage.id,
      intentKey: plan.intentKey,
      wallet: plan.wallet,
      network: plan.network,
      mode: plan.mode,
      transaction: encodeWire(signed.bytes, 'base64'),
      messageSha256: signed.messageSha256,
      blockhash: signed.blockhash,
      deadHeight,
      policyHash: policy.hash,
      decisionId,
      ...guardedIn(plan, input, transaction),
      ...(quoteId === undefined ? {} : { quoteId }),
    };
    const journaled = await ledger.journalSigned(lease, reservationId, row);
    if (!journaled.ok) return { outcome: 'refused', code: journaled.code };
    // Without the seal the run asks again once its approval has expired; the signature is unaffected.
    if (approval.state === 'approved')
      await deps.runBegan?.(approval.row).catch(() => deps.log?.('Could not seal the start of a run.'));
    return { outcome: 'signed', row: journaled.row };
  } catch (error) {
    // The signature never left this function, so its reservation can be released. A ledger that cannot even
    // do that keeps it taken until the next start of work.
    await ledger.release(reservationId).catch(() => deps.log?.('A reservation could not be given back.'));
    throw error;
  }
}

/** Milliseconds of signing after which a decision is checked once more: a device or another machine may take long. */
const SLOW_MS = 1_000;

async function isInForce(
  deps: ExecutionDeps,
  { hash }: Decided['policy'],
  approval: Decided['approval'],
): Promise<boolean> {
  if ((await deps.policy()).hash !== hash) return false;
  return approval.state !== 'approved' || (deps.answerHolds ?? withoutOwner(deps))(approval.row);
}

/** Returns the index of the first guard, the hash of the staged message, and the guarded assets. */
function guardedIn(
  { stages }: Plan,
  { inputs: { stage, guards }, decision }: DecisionInput,
  { instructions }: DecodedTransaction,
): Pick<JournalRow, 'guarded'> {
  const staged = stages.find(({ id }) => id === stage.id);
  if (guards === undefined || guards.count === 0 || staged === undefined) return {};
  const { messageSha256: stagedSha256 } = staged.transaction.read();
  const { lines } = stageFrom(decision.statement);
  const enforced = lines.flatMap((line) => (line.id === 'enforced' && line.views > 0 ? [line.asset] : []));
  return { guarded: { from: instructions.length - guards.count, stagedSha256, enforced } };
}

/**
 * Returns the block height after which the bytes cannot land; `undefined` if the decision's view did not call the
 * blockhash valid, or our RPC returns no height. A height read later is safe: it only extends the wait.
 */
async function deadHeightOf(
  { chain }: ExecutionDeps,
  { blockhashValid, blockhashSlot }: DecisionInputs,
): Promise<number | undefined> {
  if (blockhashValid !== true) return undefined;
  const head = await chain.head('confirmed', blockhashSlot);
  return Number.isSafeInteger(head.blockHeight) ? head.blockHeight + BLOCKHASH_BLOCKS : undefined;
}

/**
 * Returns the signer's answer, ignoring one after the deadline. This program's own errors pass through (a locked
 * store says how to unlock it); the text of other errors is not repeated (T126).
 */
async function signedBy(
  signer: Signer,
  message: Uint8Array,
  permit: SignPermit,
  until: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await orAborted((async () => signer.sign(message, permit))(), until);
  } catch (error) {
    if (until.aborted) throw new ExecutionError('SIGNER_FAILED', 'The signer timed out.');
    if (isOwnError(error)) throw error;
    throw new ExecutionError('SIGNER_FAILED', 'The signer gave no signature.');
  }
}

/** Returns whether an error is this program's own, which has a class, and not a signer's. */
const isOwnError = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'SecretError' || error.name === 'SetupError');

/** Fills every empty slot of our wallets, then checks that no slot is empty or invalid (T44, T45). We sign last. */
async function fillSlots(
  { wallets, clock, timing }: ExecutionDeps,
  unsigned: DecodedTransaction,
  ours: readonly Address[],
  decisionId: string,
): Promise<DecodedTransaction> {
  const permit = { messageSha256: unsigned.messageSha256, decisionId };
  let transaction = unsigned;
  for (const [slot, address] of requiredSigners(unsigned).entries()) {
    if (unsigned.signatures[slot] !== null || !ours.includes(address)) continue;
    const signer = await wallets.signer(address);
    const ms = timing?.signMs ?? LIVE_TIMING.signMs;
    transaction = await signSlot(transaction, {
      address,
      sign: (message) => withDeadline({ clock, ms }, (until) => signedBy(signer, message, permit, until)),
    });
  }
  const wrong = verifyCosignatures(transaction).find(({ status }) => status !== 'valid');
  if (wrong !== undefined) throw new TypeError(`a signature is ${wrong.status} after signing`);
  return transaction;
}
