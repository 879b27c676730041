/**
 * Checks of the transaction itself: canonical form, hash, format, signatures, lifetime, fee and signers, compared with the
 * service's declarations, the request and the policy. All values are decoded from the transaction.
 */
import { amountOfAsset } from '../../../base/format.ts';
import type { TransactionFee } from '../../../programs/solana/fee.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import { SYSTEM_PROGRAM } from '../../../transaction/programs.ts';
import { requiredSigners, type SlotStatus, verifyCosignatures } from '../../../transaction/signatures.ts';
import type { DecodedTransaction, TransactionFormat } from '../../../transaction/types.ts';
import type { Policy } from '../../file/schema.ts';
import { type Checklist, shown } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { OperationRules } from '../operations/operation.ts';
import { isPaidByCosigner } from '../operations/payment/refund.ts';
import type { DecisionInputs } from '../types.ts';
import type { CheckId } from '../words/names.ts';

/** Decodes the transaction. Returns `undefined` if it is malformed or not canonical (T42, T43, T50, T51, B63). */
export function readBytes(inputs: DecisionInputs, list: Checklist): DecodedTransaction | undefined {
  try {
    const transaction = inputs.stage.transaction.read();
    list.pass('canonicalBytes', { observed: `${transaction.bytes.length} bytes` });
    return transaction;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    list.fail(error.code, 'canonicalBytes', { observed: error.message });
    return undefined;
  }
}

/** Checks that the declared hash is the hash of this message (T42, B64). */
export function checkHash({ stage }: DecisionInputs, transaction: DecodedTransaction, list: Checklist): void {
  const declared = stage.declared.messageSha256;
  const observed = transaction.messageSha256;
  if (declared === undefined) {
    list.undeclared('declaredHash');
    return;
  }
  const same = declared.length === 64 && declared.toLowerCase() === observed;
  list.expect(same, 'HASH_MISMATCH', 'declaredHash', {
    observed,
    allowed: same ? observed : shown(declared),
  });
}

/** Checks that the format matches the declaration, the request and the policy (T50, B66). */
export function checkFormat(
  inputs: DecisionInputs,
  policy: Policy,
  requested: readonly TransactionFormat[],
  transaction: DecodedTransaction,
  list: Checklist,
): void {
  const observed = transaction.format;
  const expect = (allowed: readonly TransactionFormat[], id: CheckId) =>
    list.expect(allowed.includes(observed), 'FORMAT_MISMATCH', id, { observed, allowed: allowed.join(', ') });
  expect([inputs.stage.format], 'declaredFormat');
  expect(requested, 'askedFormat');
  expect(policy.transaction.formats, 'allowedFormat');
}

/** Checks that the declared signers equal the required signers of the header, as a set (T46, B65). */
export function checkDeclaredSigners(
  { stage }: DecisionInputs,
  transaction: DecodedTransaction,
  list: Checklist,
): void {
  const declared = stage.declared.requiredSigners;
  const observed = requiredSigners(transaction);
  if (declared === undefined) {
    list.undeclared('declaredSigners');
    return;
  }
  // Accounts of a message are unique, so equal lengths and inclusion mean equal sets.
  const same = declared.length === observed.length && observed.every((signer) => declared.includes(signer));
  if (same) list.pass('declaredSigners', { observed: observed.join(', ') });
  else {
    const allowed = [...new Set(declared)].map(shown).join(', ');
    list.fail('SIGNERS_MISMATCH', 'declaredSigners', { observed: observed.join(', '), allowed });
  }
}

/** Checks that every present signature is valid for this message and the key of its slot (T44, T45). */
export function checkCosignatures(transaction: DecodedTransaction, list: Checklist): readonly SlotStatus[] {
  const slots = verifyCosignatures(transaction);
  const invalid = slots.filter((slot) => slot.status === 'invalid');
  list.expect(invalid.length === 0, 'COSIGNATURE_INVALID', 'signaturesValid', {
    observed:
      invalid.length > 0
        ? invalid.map((slot) => slot.address).join(', ')
        : `${slots.filter((slot) => slot.status === 'valid').length} valid`,
  });
  return slots;
}

const ADVANCE_NONCE = 4;

/** Checks that no instruction advances a nonce: a signature with a durable nonce does not expire (T32). */
export function checkNoDurableNonce(transaction: DecodedTransaction, list: Checklist): void {
  const advances = transaction.instructions.some(
    ({ programIndex, data }) =>
      transaction.staticAccounts[programIndex] === SYSTEM_PROGRAM && data[0] === ADVANCE_NONCE,
  );
  list.expect(!advances, 'DURABLE_NONCE', 'noDurableNonce');
}

/** Checks that the blockhash is the declared one and valid for our RPC, and that the declared height is a number (T33, B67, F29). */
export function checkLifetime(
  inputs: DecisionInputs,
  transaction: DecodedTransaction,
  list: Checklist,
): void {
  const { declared, refresh } = inputs.stage;
  const observed = transaction.blockhash;
  if (declared.blockhash === undefined) list.undeclared('declaredBlockhash');
  else {
    const same = declared.blockhash === observed;
    const allowed = same ? observed : shown(declared.blockhash);
    list.expect(same, 'LIFETIME_MISMATCH', 'declaredBlockhash', { observed, allowed });
  }
  const height = declared.lastValidBlockHeight;
  if (height !== undefined && !/^(0|[1-9][0-9]{0,19})$/.test(height)) {
    list.fail('LIFETIME_MISMATCH', 'declaredHeight', { observed: shown(height) });
  }
  // The runner replaces the blockhash before it signs stages without cosignatures.
  const canBeRefreshed = inputs.purpose === 'preview' && refresh === 'blockhash';
  const canBeUnknown = inputs.purpose === 'preview' && inputs.blockhashValid === null;
  if (canBeRefreshed || canBeUnknown) {
    list.pass('blockhashAlive', { observed: 'not asked' });
    return;
  }
  list.expect(inputs.blockhashValid === true, 'LIFETIME_MISMATCH', 'blockhashAlive', {
    observed:
      inputs.blockhashValid === null
        ? 'our RPC gave no answer'
        : inputs.blockhashValid
          ? undefined
          : 'expired or unknown',
    class: 'availability',
  });
}

/**
 * Checks the network fee (T21, T22, T52) and returns it, or `undefined` if it cannot be computed. Sponsored fees are checked
 * too: the sponsor may ask for a refund.
 */
export function checkFee(
  fee: TransactionFee | TransactionError,
  policy: Policy,
  list: Checklist,
): TransactionFee | undefined {
  if (fee instanceof TransactionError) {
    list.fail(fee.code, 'feeKnown', { observed: fee.message });
    return undefined;
  }
  const { maxFeeLamports, maxComputeUnits } = policy.transaction;
  list.expect(fee.total <= BigInt(maxFeeLamports), 'FEE_OVER', 'feeWithinPolicy', {
    observed: amountOfAsset(fee.total, 'SOL'),
    allowed: amountOfAsset(BigInt(maxFeeLamports), 'SOL'),
  });
  list.expect(fee.computeUnitLimit <= maxComputeUnits, 'FEE_OVER', 'computeWithinPolicy', {
    observed: `${fee.computeUnitLimit} units`,
    allowed: `${maxComputeUnits} units`,
  });
  return fee;
}

/**
 * Checks the fee payer: the wallet or, where allowed, a service key that has already signed; in sponsored operations never a
 * key of ours (T46, T47, T45; sponsored claims: C-VAULT-05).
 */
export function checkFeePayer(c: DecisionContext, payer: OperationRules['feePayer'], list: Checklist): void {
  const observed = c.feePayer;
  if (payer !== 'sponsor') {
    const held = observed === c.wallet || (payer === 'cosigner' && isPaidByCosigner(c));
    list.expect(held, 'FEE_PAYER_MISMATCH', 'walletPaysFee', { observed, allowed: c.wallet });
  } else {
    list.expect(!c.own.has(observed), 'FEE_PAYER_MISMATCH', 'servicePaysFee', { observed });
  }
}

/** Checks that the plan's wallet is our only signer and that every other signer is used by an instruction. */
export function checkSigners(c: DecisionContext, list: Checklist): void {
  const ours = c.slots.filter((slot) => c.own.has(slot.address)).map((slot) => slot.address);
  list.expect(ours.length === 1 && ours[0] === c.wallet, 'SIGNERS_MISMATCH', 'onlySigner', {
    observed: ours.join(', ') || 'none',
    allowed: c.wallet,
  });
  const isUsed = (index: number) =>
    c.transaction.instructions.some(({ accountIndexes }) => accountIndexes.includes(index));
  const idle = c.slots.filter((_, i) => i > 0 && !isUsed(i)).map((slot) => slot.address);
  list.expect(idle.length === 0, 'SIGNERS_MISMATCH', 'signersNeeded', {
    observed: idle.join(', ') || undefined,
  });
}

/** Checks that only the wallet's signature is missing: the wallet signs last, and once (B41). */
export function checkReadyToSign(c: DecisionContext, list: Checklist): void {
  const missing = c.slots.filter((slot) => slot.status === 'missing' && slot.address !== c.wallet);
  list.expect(missing.length === 0, 'SIGNER_UNAVAILABLE', 'otherSignatures', {
    observed: missing.length > 0 ? missing.map((slot) => slot.address).join(', ') : undefined,
  });
  list.expect(c.inputs.ourWallets.includes(c.wallet), 'SIGNER_UNAVAILABLE', 'walletCanSign', {
    observed: c.wallet,
  });
  const mine = c.slots.find((slot) => slot.address === c.wallet);
  list.expect(mine?.status !== 'valid', 'REPLAY', 'walletUnsigned');
}
