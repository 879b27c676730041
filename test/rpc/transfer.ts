/** Compiles an unsigned v0 transaction with the public library, as an independent encoder for tests. */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';

export function compile(
  feePayer: string,
  lifetime: string,
  instructions: readonly EncodedInstruction[],
): Uint8Array {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayer(address(feePayer), m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(lifetime), lastValidBlockHeight: 0n },
        m,
      ),
    (m) =>
      appendTransactionMessageInstructions(
        instructions.map(({ programAddress, accounts, data }) => ({
          programAddress: address(programAddress),
          accounts: accounts.map(({ address: account, signer, writable }) => ({
            address: address(account),
            role: signer
              ? writable
                ? AccountRole.WRITABLE_SIGNER
                : AccountRole.READONLY_SIGNER
              : writable
                ? AccountRole.WRITABLE
                : AccountRole.READONLY,
          })),
          data,
        })),
        m,
      ),
  );
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)));
}
