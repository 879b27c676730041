/**
 * The real runtime under the oracle: transactions run on LiteSVM without their signatures being checked, so that any
 * bytes can be shown on any accounts.
 */
import { getTransactionDecoder, type Lamports, address as toAddress } from '@solana/kit';
import { PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { Account } from './accounts.ts';

/** How a run ended: what is there afterwards, or why it failed. */
export type Run = { readonly failed: string } | { readonly failed: undefined };

export class OracleChain {
  readonly #svm: LiteSVM;

  constructor() {
    this.#svm = new LiteSVM().withNativeMints().withSigverify(false).withBlockhashCheck(false);
    this.#svm.withTransactionHistory(0n);
  }

  /** Puts accounts there, past all checks of the runtime. Code has to come before the program that names it. */
  put(accounts: Iterable<Account & { readonly executable?: boolean }>): void {
    for (const { address, owner, lamports, data, executable = false } of accounts)
      this.#svm.setAccount({
        address: toAddress(address),
        // Kit brands numbers of lamports; every bigint of an account is one.
        lamports: lamports as Lamports,
        data,
        space: BigInt(data.length),
        programAddress: toAddress(owner),
        executable,
      });
  }

  /** Code under an address, as programs that nobody can replace have it. */
  deploy(address: string, code: Uint8Array): void {
    this.#svm.addProgram(toAddress(address), code);
  }

  /** Moves the chain to a slot; lookup tables are made for the one before it. */
  warpTo(slot: bigint): void {
    this.#svm.warpToSlot(slot);
    this.#svm.setSlotHashes([{ slot: slot - 1n, hash: this.#svm.latestBlockhash() }]);
  }

  rent(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  get slot(): bigint {
    return this.#svm.getClock().slot;
  }

  /** Those of the accounts that exist. */
  snapshot(addresses: Iterable<string>): Account[] {
    return [...new Set(addresses)].flatMap((address) => {
      const account = this.#svm.getAccount(toAddress(address));
      if (!account.exists || account.lamports === 0n) return [];
      const { lamports, programAddress: owner, data } = account;
      return [{ address, owner, lamports, data: Uint8Array.from(data) }];
    });
  }

  /** Runs wire bytes for good. */
  runBytes(bytes: Uint8Array): Run {
    const outcome = this.#svm.sendTransaction(getTransactionDecoder().decode(bytes));
    if (!(outcome instanceof FailedTransactionMetadata)) return { failed: undefined };
    return { failed: `${outcome.err()} ${outcome.meta().logs().join(' ')}` };
  }

  /** Runs instructions in one transaction. */
  run(payer: string, instructions: readonly TransactionInstruction[]): Run {
    this.#svm.expireBlockhash();
    const transaction = new Transaction({
      feePayer: new PublicKey(payer),
      recentBlockhash: this.#svm.latestBlockhash(),
    }).add(...instructions);
    return this.runBytes(transaction.serialize({ requireAllSignatures: false, verifySignatures: false }));
  }
}
