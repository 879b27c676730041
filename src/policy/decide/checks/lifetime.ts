/**
 * How long the transaction can still land: only while our own RPC calls its blockhash valid; never with a durable
 * nonce, never with another blockhash than was declared (T32, T33).
 */
import { SYSTEM_PROGRAM } from '../../../transaction/programs.ts';
import type { DecodedTransaction } from '../../../transaction/types.ts';
import { type Checklist, shown } from '../checklist.ts';
import type { Facts } from '../types.ts';

const ADVANCE_NONCE = 4;

/** No instruction advances a nonce: a signature over one never expires (T32). */
export function checkNoDurableNonce(transaction: DecodedTransaction, list: Checklist): void {
  const advances = transaction.instructions.some(
    ({ programIndex, data }) =>
      transaction.staticAccounts[programIndex] === SYSTEM_PROGRAM && data[0] === ADVANCE_NONCE,
  );
  list.expect(!advances, 'DURABLE_NONCE', 'noDurableNonce');
}

/** The blockhash is the declared one and alive in our own view; declared heights are numbers (T33, B67, F29). */
export function checkLifetime(facts: Facts, transaction: DecodedTransaction, list: Checklist): void {
  const { declared, refresh } = facts.stage;
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
  // Before signing, the runner puts a fresh blockhash into stages without another signature.
  const mayBeRefreshed = facts.purpose === 'preview' && refresh === 'blockhash';
  const mayBeUnknown = facts.purpose === 'preview' && facts.blockhashValid === null;
  if (mayBeRefreshed || mayBeUnknown) {
    list.pass('blockhashAlive', { observed: 'not asked' });
    return;
  }
  list.expect(facts.blockhashValid === true, 'LIFETIME_MISMATCH', 'blockhashAlive', {
    observed:
      facts.blockhashValid === null
        ? 'our RPC did not say'
        : facts.blockhashValid
          ? undefined
          : 'expired or unknown',
    class: 'availability',
  });
}
