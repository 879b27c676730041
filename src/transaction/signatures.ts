/**
 * Signatures: checking those that are there, filling our own slot, and changing the blockhash of
 * a transaction without signatures. Another signer's signature is never touched (T44, T45).
 */
import { verifySignature } from '../base/ed25519.ts';
import { addressBytes } from './base58.ts';
import { TransactionError } from './errors.ts';
import { encodeTransaction, equal, readTransaction } from './read.ts';
import type { Address, DecodedTransaction } from './types.ts';

/** Whether `signature` is the Ed25519 signature of `message` by `publicKey`. */
export const isSignedBy = (publicKey: Address, signature: Uint8Array, message: Uint8Array): boolean =>
  verifySignature(addressBytes(publicKey), signature, message);

/** The addresses that must sign, in slot order; the first pays the fee. */
export function requiredSigners(transaction: DecodedTransaction): readonly Address[] {
  return transaction.staticAccounts.slice(0, transaction.numRequiredSignatures);
}

export interface SlotStatus {
  readonly address: Address;
  readonly status: 'valid' | 'invalid' | 'missing';
}

/** What each signature slot holds, in order. Every signature present is verified over the message. */
export function verifyCosignatures(transaction: DecodedTransaction): SlotStatus[] {
  return requiredSigners(transaction).map((address, slot) => {
    const signature = transaction.signatures[slot] ?? null;
    if (signature === null) return { address, status: 'missing' };
    const valid = isSignedBy(address, signature, transaction.message);
    return { address, status: valid ? 'valid' : 'invalid' };
  });
}

/** Something that signs messages for one address. */
export interface SlotSigner {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * Fills the signer's own empty slot and nothing else.
 * @throws TransactionError SIGNERS_MISMATCH when the address need not sign, REPLAY when its slot is already
 * filled, COSIGNATURE_INVALID when what the signer returned does not verify
 */
export async function signSlot(
  transaction: DecodedTransaction,
  signer: SlotSigner,
): Promise<DecodedTransaction> {
  const slot = requiredSigners(transaction).indexOf(signer.address);
  if (slot < 0) throw new TransactionError('SIGNERS_MISMATCH', 'the signer is not one the message requires');
  if (transaction.signatures[slot] !== null) {
    throw new TransactionError('REPLAY', 'the slot already holds a signature');
  }
  const signature = new Uint8Array(await signer.sign(transaction.message.slice()));
  if (!isSignedBy(signer.address, signature, transaction.message)) {
    throw new TransactionError('COSIGNATURE_INVALID', 'the new signature does not verify');
  }
  const signatures = transaction.signatures.with(slot, signature);
  const signed = readTransaction(encodeTransaction({ ...transaction, signatures }));
  // Only the signer's slot may differ; any other difference is a bug in this module.
  const intact = signed.signatures.every((now, i) => equal(now ?? NONE, signatures[i] ?? NONE));
  if (!intact || !equal(signed.message, transaction.message)) {
    throw new TransactionError('COSIGNATURE_INVALID', 'signing changed more than the own slot');
  }
  return signed;
}

const NONE = new Uint8Array(0);

/**
 * The same transaction with another blockhash. Only for one without signatures: a signature covers the
 * blockhash.
 * @throws TransactionError COSIGNATURE_INVALID when any slot is filled
 */
export function withBlockhash(transaction: DecodedTransaction, blockhash: string): DecodedTransaction {
  if (transaction.signatures.some((signature) => signature !== null)) {
    throw new TransactionError('COSIGNATURE_INVALID', 'a signed transaction cannot change its blockhash');
  }
  return readTransaction(encodeTransaction({ ...transaction, blockhash }));
}

/** The message with its blockhash zeroed: equal for two transactions that differ in nothing else. */
export function messageWithoutBlockhash(transaction: DecodedTransaction): Uint8Array {
  const { format, staticAccounts } = transaction;
  // v1: prefix, header, mask. Others: prefix (v0), header, count (one byte: at most 64), accounts.
  const offset = format === 'v1' ? 8 : (format === 'v0' ? 1 : 0) + 4 + 32 * staticAccounts.length;
  return transaction.message.slice().fill(0, offset, offset + 32);
}
