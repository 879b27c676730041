/**
 * Fee payer and signers of a transaction. Of our keys only the plan's wallet may sign; other signers must be used by an
 * instruction (T46, T47, T45; sponsored claims: C-VAULT-05).
 */

import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { OperationRules } from '../operations/operation.ts';
import { isPaidByCosigner } from '../operations/payment/refund.ts';

/** Checks the fee payer: the wallet or, where allowed, a service key that has already signed; in sponsored operations never a key of ours. */
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
