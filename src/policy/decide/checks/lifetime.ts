/**
 * The lifetime of a transaction: its blockhash must be valid according to our RPC and match the declared one; durable
 * nonces are denied (T32, T33).
 */
import { SYSTEM_PROGRAM } from '../../../transaction/programs.ts';
import type { DecodedTransaction } from '../../../transaction/types.ts';
import { type Checklist, shown } from '../checklist.ts';
import type { DecisionInputs } from '../types.ts';

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
