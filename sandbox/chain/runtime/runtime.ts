/**
 * The Solana runtime: LiteSVM without its checks of blockhashes, duplicates and time, which the facade performs. Loaded on
 * first use, since it is native code that some platforms lack (F54).
 */
import type { Address, Lamports, Transaction } from '@solana/kit';
import type { FailedTransactionMetadata, LiteSVM, TransactionMetadata } from 'litesvm';
import { remember } from '../../../src/base/remember.ts';
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import { ChainError, type TransactionErrorJson, transactionErrorJson } from '../errors.ts';
import { SLOTS_PER_EPOCH } from '../slots.ts';
import type { ChainAccount, Execution } from '../types.ts';

/** Contents of the sysvars in a block of `slot`. */
export interface SlotContext {
  readonly slot: number;
  /** Seconds since the Unix epoch. */
  readonly time: number;
  readonly epochStartTime: number;
  readonly slotHashes: { slot: bigint; hash: string }[];
}

const NO_DATA = new Uint8Array();
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

export class Runtime {
  readonly #svm: LiteSVM;
  /** Slot of the sysvars; -1 before they are set. */
  #slot = -1;
  /** Programs, read once: they are large and in nearly every transaction. */
  readonly #programs = new Map<string, ChainAccount>();
  /** Other accounts since the last transaction that ran: reading one converts addresses, which is slow. */
  readonly #accounts = new Map<string, ChainAccount | null>();

  constructor(svm: LiteSVM) {
    this.#svm = svm;
  }

  /** The slot a fresh runtime was built for. */
  get builtForSlot(): number {
    return Number(this.#svm.getClock().slot);
  }

  account(address: string): ChainAccount | null {
    const program = this.#programs.get(address);
    if (program !== undefined) return program;
    let account = this.#accounts.get(address);
    if (account === undefined) {
      const found = this.#svm.getAccount(kitAddress(address));
      account = found.exists ? chainAccount(found) : null;
      if (account?.executable) this.#programs.set(address, account);
      else if (!address.startsWith('Sysvar')) remember(this.#accounts, address, account);
    }
    return account === null || account.executable ? account : { ...account, data: account.data.slice() };
  }

  /** Writes an account past all runtime checks; `null` removes it. */
  set(address: string, account: ChainAccount | null): void {
    const data = account?.data ?? NO_DATA;
    this.#programs.delete(address);
    this.#accounts.delete(address);
    this.#svm.setAccount({
      address: kitAddress(address),
      lamports: kitLamports(account?.lamports ?? 0n),
      data,
      space: BigInt(data.length),
      programAddress: kitAddress(account?.owner ?? SYSTEM_PROGRAM),
      executable: account?.executable ?? false,
    });
  }

  /** Every account a program owns. */
  owned(program: string): Map<string, ChainAccount> {
    const found = this.#svm.getProgramAccounts(kitAddress(program));
    return new Map(found.map((account) => [account.address, chainAccount(account)]));
  }

  /** Lamports that make an account of `size` data bytes rent exempt. */
  rent(size: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(size));
  }

  /** Sets the clock and slot hashes sysvars to a slot. */
  enter(slot: number, context: () => SlotContext): void {
    if (slot === this.#slot) return;
    const { time, epochStartTime, slotHashes } = context();
    const clock = this.#svm.getClock();
    clock.slot = BigInt(slot);
    clock.epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    clock.leaderScheduleEpoch = clock.epoch + 1n;
    clock.unixTimestamp = BigInt(time);
    clock.epochStartTimestamp = BigInt(epochStartTime);
    this.#svm.setClock(clock);
    this.#svm.setSlotHashes(slotHashes);
    this.#slot = slot;
  }

  /** Runs a transaction for good. Its signatures are verified by the runtime. */
  execute(transaction: Transaction): Execution {
    if (!isSigned(transaction)) return notRun('SignatureFailure');
    this.#accounts.clear();
    const result = this.#svm.sendTransaction(transaction);
    return 'err' in result ? failure(result) : execution(null, result);
  }

  /** Runs a transaction and throws its effects away. Returns the written accounts by address. */
  simulate(
    transaction: Transaction,
    sigVerify: boolean,
  ): { execution: Execution; written: Map<string, ChainAccount> } {
    const written = new Map<string, ChainAccount>();
    if (sigVerify) {
      if (!isSigned(transaction)) return { execution: notRun('SignatureFailure'), written };
    } else {
      this.#svm.withSigverify(false);
    }
    try {
      const result = this.#svm.simulateTransaction(transaction);
      if ('err' in result) return { execution: failure(result), written };
      for (const account of result.postAccounts()) written.set(account.address, chainAccount(account));
      return { execution: execution(null, result.meta()), written };
    } finally {
      // Without signature checks the runtime would execute unsigned transactions.
      this.#svm.withSigverify(true);
    }
  }
}

/** Loads the native runtime. Throws `UNAVAILABLE` where this platform has none. */
export async function loadRuntime(): Promise<Runtime> {
  try {
    const { LiteSVM } = await import('litesvm');
    return new Runtime(
      new LiteSVM()
        .withNativeMints()
        .withBlockhashCheck(false)
        .withTransactionHistory(0n)
        .withSigverify(true),
    );
  } catch (cause) {
    throw new ChainError(
      'UNAVAILABLE',
      `The embedded chain cannot run on ${process.platform}-${process.arch}: its native runtime "litesvm" did not load. ` +
        'Reinstall with optional dependencies, or use --live; live mode does not need it.',
      { cause },
    );
  }
}

/** An execution that never started. */
export function notRun(err: TransactionErrorJson): Execution {
  return { err, logs: [], unitsConsumed: 0, innerInstructions: [], returnData: null };
}

function failure(result: FailedTransactionMetadata): Execution {
  return execution(transactionErrorJson(result.err()), result.meta());
}

function execution(err: Execution['err'], meta: TransactionMetadata): Execution {
  const returned = meta.returnData();
  const data = new Uint8Array(returned.data());
  return {
    err,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    innerInstructions: meta
      .innerInstructions()
      .map((inner, index) => ({
        index,
        instructions: inner.map((run) => {
          const instruction = run.instruction();
          return {
            programIdIndex: instruction.programIdIndex(),
            accounts: [...instruction.accounts()],
            data: new Uint8Array(instruction.data()),
            stackHeight: run.stackHeight(),
          };
        }),
      }))
      .filter((inner) => inner.instructions.length > 0),
    returnData: data.length === 0 ? null : { programId: addressFromBytes(returned.programId()), data },
  };
}

function chainAccount(account: {
  lamports: bigint;
  data: Uint8Array | { readonly length: number };
  programAddress: string;
  executable: boolean;
}): ChainAccount {
  return {
    lamports: account.lamports,
    data: Uint8Array.from(account.data as ArrayLike<number>),
    owner: account.programAddress,
    executable: account.executable,
  };
}

function isSigned(transaction: Transaction): boolean {
  return Object.values(transaction.signatures).every((signature) => signature !== null);
}

// Kit brands plain strings and bigints; every address here was decoded from 32 bytes before.
const kitAddress = (address: string): Address => address as Address;
const kitLamports = (lamports: bigint): Lamports => lamports as Lamports;
