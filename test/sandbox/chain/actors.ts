/** Keys and signed transactions for the chain's tests, made with kit. */
import {
  type Address,
  type AddressesByLookupTableAddress,
  appendTransactionMessageInstructions,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { SandboxChain } from '../../../src/sandbox/chain/chain.ts';

export type Version = 'legacy' | 0 | 1;

export const SOL = 1_000_000_000n;

/** A signer with lamports on the chain. */
export async function fundedSigner(chain: SandboxChain, lamports = 10n * SOL): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  chain.airdrop(signer.address, lamports);
  return signer;
}

/** A signer that is the same in every run. */
export function fixedSigner(fill: number): Promise<KeyPairSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(fill));
}

export function transfer(from: KeyPairSigner, to: string, amount: bigint): Instruction {
  return getTransferSolInstruction({ source: from, destination: to as Address, amount });
}

/** A message with the lifetime and, for v1, the limits it needs to run. */
export function message(
  version: Version,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: { blockhash: string; lastValidBlockHeight: number | bigint },
) {
  const pin = {
    blockhash: lifetime.blockhash as Blockhash,
    lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight),
  };
  if (version === 1) {
    return pipe(
      createTransactionMessage({ version: 1 }),
      (m) => setTransactionMessageFeePayerSigner(payer, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(pin, m),
      (m) => appendTransactionMessageInstructions(instructions, m),
      (m) => setTransactionMessageComputeUnitLimit(200_000, m),
      (m) => setTransactionMessageLoadedAccountsDataSizeLimit(1_000_000, m),
    );
  }
  return pipe(
    createTransactionMessage({ version }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(pin, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
}

/** A fully signed transaction: its wire bytes and signature. */
export async function signed(
  version: Version,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: { blockhash: string; lastValidBlockHeight: number | bigint },
): Promise<{ bytes: Uint8Array; signature: string }> {
  const transaction = await signTransactionMessageWithSigners(
    message(version, payer, instructions, lifetime),
  );
  return {
    bytes: new Uint8Array(getTransactionEncoder().encode(transaction)),
    signature: getSignatureFromTransaction(transaction),
  };
}

/** A signed v0 transaction that loads what it can from lookup tables. */
export async function signedWithTables(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: { blockhash: string; lastValidBlockHeight: number | bigint },
  tables: AddressesByLookupTableAddress,
): Promise<{ bytes: Uint8Array; signature: string }> {
  const plain = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        {
          blockhash: lifetime.blockhash as Blockhash,
          lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight),
        },
        m,
      ),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const transaction = await signTransactionMessageWithSigners(
    compressTransactionMessageUsingAddressLookupTables(plain, tables),
  );
  return {
    bytes: new Uint8Array(getTransactionEncoder().encode(transaction)),
    signature: getSignatureFromTransaction(transaction),
  };
}
