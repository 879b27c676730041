/**
 * Verifies signatures, signs our own slot, and replaces the blockhash of an unsigned transaction. Other signatures are never
 * changed (T44, T45).
 */
import { verifySignature } from '../base/ed25519.ts';
import { addressBytes } from './base58.ts';
import { TransactionError } from './errors.ts';
import { encodeTransaction, equal, readTransaction } from './read.ts';
import type { Address, DecodedTransaction } from './types.ts';

/** Whether a signature is a valid Ed25519 signature of a message by a public key. */
export const isSignedBy = (publicKey: Address, signature: Uint8Array, message: Uint8Array): boolean =>
  verifySignature(addressBytes(publicKey), signature, message);

/** Returns the required signers in slot order; the first pays the fee. */
export function requiredSigners(transaction: DecodedTransaction): readonly Address[] {
  return transaction.staticAccounts.slice(0, transaction.numRequiredSignatures);
}

export interface SlotStatus {
  readonly address: Address;
  readonly status: 'valid' | 'invalid' | 'missing';
}

/** Returns the status of each signature slot, in order. */
export function verifyCosignatures(transaction: DecodedTransaction): SlotStatus[] {
  return requiredSigners(transaction).map((address, slot) => {
    const signature = transaction.signatures[slot] ?? null;
    if (signature === null) return { address, status: 'missing' };
    const valid = isSignedBy(address, signature, transaction.message);
    return { address, status: valid ? 'valid' : 'invalid' };
  });
}

/** A signer of messages for one address. */
export interface SlotSigner {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * Signs the signer's own empty slot.
 * @throws TransactionError SIGNERS_MISMATCH if the address is not a required signer, REPLAY if its slot is already signed,
 * COSIGNATURE_INVALID if the new signature is invalid
 */
export async function signSlot(
  transaction: DecodedTransaction,
  signer: SlotSigner,
): Promise<DecodedTransaction> {
  const slot = requiredSigners(transaction).indexOf(signer.address);
  if (slot < 0)
    throw new TransactionError('SIGNERS_MISMATCH', 'the signer is not a required signer of the message');
  if (transaction.signatures[slot] !== null) {
    throw new TransactionError('REPLAY', 'the slot is already signed');
  }
  const signature = new Uint8Array(await signer.sign(transaction.message.slice()));
  if (!isSignedBy(signer.address, signature, transaction.message)) {
    throw new TransactionError('COSIGNATURE_INVALID', 'the new signature is invalid');
  }
  const signatures = transaction.signatures.with(slot, signature);
  const signed = readTransaction(encodeTransaction({ ...transaction, signatures }));
  // Any difference beyond the signer's slot is a bug in this module.
  const intact = signed.signatures.every((now, i) => equal(now ?? NONE, signatures[i] ?? NONE));
  if (!intact || !equal(signed.message, transaction.message)) {
    throw new TransactionError('COSIGNATURE_INVALID', "signing changed more than the signer's slot");
  }
  return signed;
}

const NONE = new Uint8Array(0);

/**
 * Returns an unsigned transaction with another blockhash.
 * @throws TransactionError COSIGNATURE_INVALID if any slot is signed, because signatures cover the blockhash
 */
export function withBlockhash(transaction: DecodedTransaction, blockhash: string): DecodedTransaction {
  if (transaction.signatures.some((signature) => signature !== null)) {
    throw new TransactionError('COSIGNATURE_INVALID', 'a signed transaction cannot change its blockhash');
  }
  return readTransaction(encodeTransaction({ ...transaction, blockhash }));
}

/** Returns the message with a zero blockhash, equal for transactions that differ only in their blockhash. */
export function messageWithoutBlockhash(transaction: DecodedTransaction): Uint8Array {
  const { format, staticAccounts } = transaction;
  // v1: prefix, header, mask. Others: prefix (v0), header, count (one byte: at most 64), accounts.
  const offset = format === 'v1' ? 8 : (format === 'v0' ? 1 : 0) + 4 + 32 * staticAccounts.length;
  return transaction.message.slice().fill(0, offset, offset + 32);
}
