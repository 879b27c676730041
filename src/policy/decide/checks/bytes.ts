/**
 * Compares the transaction with the service's declarations: canonical form, hash, format, signers, signatures. All values
 * are decoded from the transaction itself.
 */

import { TransactionError } from '../../../transaction/errors.ts';
import { requiredSigners, type SlotStatus, verifyCosignatures } from '../../../transaction/signatures.ts';
import type { DecodedTransaction, TransactionFormat } from '../../../transaction/types.ts';
import type { Policy } from '../../file/schema.ts';
import { type Checklist, shown } from '../checklist.ts';
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
