/** The real runtime for the oracle: LiteSVM without signature checks, so that any bytes can run on any accounts. */
import { getTransactionDecoder, type Lamports, address as toAddress } from '@solana/kit';
import { PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { Account } from './accounts.ts';

/** Result of a run: the reason of a failure, or `undefined`. */
export interface Run {
  readonly failed: string | undefined;
}
/** A run without side effects, with the accounts it would have left. */
export interface Trial extends Run {
  /** Accounts it wrote; a closed one has no lamports. */
  readonly written: readonly Account[];
}

/** Ages of the recent slots, newest first. */
const RECENT = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];

export class OracleChain {
  readonly #svm: LiteSVM;

  constructor() {
    this.#svm = new LiteSVM().withNativeMints().withSigverify(false).withBlockhashCheck(false);
    this.#svm.withTransactionHistory(0n);
  }

  /** Stores accounts without the runtime's checks. Code must come before the program that names it. */
  put(accounts: Iterable<Account & { readonly executable?: boolean }>): void {
    for (const { address, owner, lamports, data, executable = false } of accounts)
      this.#svm.setAccount({
        address: toAddress(address),
        // Kit brands lamports; any bigint of an account is valid.
        lamports: lamports as Lamports,
        data,
        space: BigInt(data.length),
        programAddress: toAddress(owner),
        executable,
      });
  }

  /** Deploys code at an address as a program that cannot be upgraded. */
  deploy(address: string, code: Uint8Array): void {
    this.#svm.addProgram(toAddress(address), code);
  }

  /** Sets the slot, and the time in seconds; lookup tables can be created for the slots right before it. */
  warpTo(slot: bigint, time?: bigint): void {
    this.#svm.warpToSlot(slot);
    if (time !== undefined) {
      const clock = this.#svm.getClock();
      clock.unixTimestamp = time;
      this.#svm.setClock(clock);
    }
    const hash = this.#svm.latestBlockhash();
    this.#svm.setSlotHashes(RECENT.map((back) => ({ slot: slot - back, hash })));
  }

  rent(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  get slot(): bigint {
    return this.#svm.getClock().slot;
  }

  /** Returns the existing accounts among the addresses. */
  snapshot(addresses: Iterable<string>): Account[] {
    return [...new Set(addresses)].flatMap((address) => {
      const account = this.#svm.getAccount(toAddress(address));
      if (!account.exists || account.lamports === 0n) return [];
      const { lamports, programAddress: owner, data } = account;
      return [{ address, owner, lamports, data: Uint8Array.from(data) }];
    });
  }

  /** Runs wire bytes and commits their effects. */
  runBytes(bytes: Uint8Array): Run {
    const outcome = this.#svm.sendTransaction(getTransactionDecoder().decode(bytes));
    if (!(outcome instanceof FailedTransactionMetadata)) return { failed: undefined };
    return { failed: `${outcome.err()} ${outcome.meta().logs().join(' ')}` };
  }

  /** Runs wire bytes and discards their effects. */
  tryBytes(bytes: Uint8Array): Trial {
    const outcome = this.#svm.simulateTransaction(getTransactionDecoder().decode(bytes));
    if (outcome instanceof FailedTransactionMetadata)
      return { failed: `${outcome.err()} ${outcome.meta().logs().join(' ')}`, written: [] };
    const written = outcome.postAccounts().map(({ address, programAddress: owner, lamports, data }) => ({
      address,
      owner,
      lamports,
      data: Uint8Array.from(data as ArrayLike<number>),
    }));
    return { failed: undefined, written };
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
