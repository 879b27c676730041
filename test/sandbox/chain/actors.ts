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
import type { SandboxChain } from '../../../sandbox/chain/chain.ts';

export type Version = 'legacy' | 0 | 1;

export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number | bigint;
}

export const SOL = 1_000_000_000n;

/** Creates a signer with lamports on the chain. */
export async function fundedSigner(chain: SandboxChain, lamports = 10n * SOL): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  chain.airdrop(signer.address, lamports);
  return signer;
}

/** Returns a deterministic signer. */
export function fixedSigner(fill: number): Promise<KeyPairSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(fill));
}

export function transfer(from: KeyPairSigner, to: string, amount: bigint): Instruction {
  return getTransferSolInstruction({ source: from, destination: to as Address, amount });
}

/** Returns a message with a lifetime and, for v1, the required limits. */
export function message(
  version: Version,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: Lifetime,
) {
  const pin = pinned(lifetime);
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

/** Signs a transaction. Returns its wire bytes and signature. */
export async function signed(
  version: Version,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: Lifetime,
): Promise<{ bytes: Uint8Array; signature: string }> {
  const transaction = await signTransactionMessageWithSigners(
    message(version, payer, instructions, lifetime),
  );
  return {
    bytes: new Uint8Array(getTransactionEncoder().encode(transaction)),
    signature: getSignatureFromTransaction(transaction),
  };
}

/** Returns a v0 message that loads accounts from lookup tables where possible. */
export function messageWithTables(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: Lifetime,
  tables: AddressesByLookupTableAddress,
) {
  const plain = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(pinned(lifetime), m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  return compressTransactionMessageUsingAddressLookupTables(plain, tables);
}

/** Signs a v0 transaction that loads accounts from lookup tables where possible. */
export async function signedWithTables(
  ...args: Parameters<typeof messageWithTables>
): Promise<{ bytes: Uint8Array; signature: string }> {
  const transaction = await signTransactionMessageWithSigners(messageWithTables(...args));
  return {
    bytes: new Uint8Array(getTransactionEncoder().encode(transaction)),
    signature: getSignatureFromTransaction(transaction),
  };
}

/** Converts a lifetime to kit's branded form. */
function pinned({ blockhash, lastValidBlockHeight }: Lifetime) {
  return { blockhash: blockhash as Blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) };
}
