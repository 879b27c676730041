/** Signing and landing refused bytes, inside a trial of the chain only. */
import { getTransactionEncoder, type Transaction } from '@solana/kit';
import type { Address } from '../../../src/transaction/types.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import { decodeTransaction } from '../../chain/runtime/wire.ts';
import type { TransactionRecord } from '../../chain/types.ts';

/** A key that signs raw messages. */
interface MessageSigner {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array;
}

/** Fills the signature slot of each signer. */
export function signed(bytes: Uint8Array, signers: readonly MessageSigner[]): Uint8Array {
  const { transaction } = decodeTransaction(bytes);
  const message = new Uint8Array(transaction.messageBytes);
  const signatures: Record<string, Uint8Array | null> = { ...transaction.signatures };
  for (const { address, sign } of signers) if (address in signatures) signatures[address] = sign(message);
  // The signatures are of this message; the brand of the map says no more than that.
  const whole = { ...transaction, signatures } as Transaction;
  return new Uint8Array(getTransactionEncoder().encode(whole));
}

/** Lands bytes. Throws if a leader would drop them. */
export function land(chain: SandboxChain, bytes: Uint8Array): TransactionRecord {
  const outcome = chain.submit(bytes);
  if (!outcome.landed)
    throw new Error(`the chain does not take the transaction: ${JSON.stringify(outcome.err)}`);
  // A slot for each, and one more for tables to warm up.
  chain.advanceSlots(2);
  return outcome.record;
}
