/**
 * Compiles drafts to transaction bytes with @solana/kit, independently of the project's reader. Hostile mode changes drafts
 * before they are compiled, so its variants have valid co-signatures.
 */

import { createHash } from 'node:crypto';
import {
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  type Address as KitAddress,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import type { Address, LookupTableContent, TransactionFormat } from '../../../src/transaction/types.ts';
import type { Keypair } from '../../keypair.ts';

/** Lifetime of a transaction. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** Compute budget and priority fee of a transaction. */
export interface Budget {
  readonly computeUnits: number;
  /** Legacy and v0: price of one unit. */
  readonly microLamportsPerUnit: bigint;
  /** v1: the whole priority fee. */
  readonly priorityFeeLamports: bigint;
}

/** A transaction before it is compiled. */
export interface Draft {
  readonly format: TransactionFormat;
  readonly feePayer: Address;
  /** Instructions before the compute budget, for a durable nonce. */
  readonly first?: readonly EncodedInstruction[];
  /** Without compute budget instructions: those come from `budget`. */
  readonly instructions: readonly EncodedInstruction[];
  readonly budget: Budget;
  /** v0 only. */
  readonly tables?: readonly LookupTableContent[];
  /** Replaces the newest lifetime, for a durable nonce. */
  readonly lifetime?: Lifetime;
  /** The service's keys that sign it. */
  readonly signers: readonly Keypair[];
}

/** A compiled transaction, partly or wholly signed. */
export interface Compiled {
  readonly format: TransactionFormat;
  readonly bytes: Uint8Array;
  readonly message: Uint8Array;
  readonly messageSha256: string;
  /** In message order, the fee payer first. */
  readonly requiredSigners: readonly Address[];
  readonly lifetime: Lifetime;
  readonly budget: Budget;
}

/** Largest transaction of each format, in bytes. */
export const MAX_BYTES: Readonly<Record<TransactionFormat, number>> = { legacy: 1232, v0: 1232, v1: 4096 };

/** Bytes of account data a v1 transaction may load here. */
const LOADED_DATA_LIMIT = 4_000_000;
/** Most compute units of one transaction. */
export const MAX_UNITS = 1_400_000;

/** Returns a budget for a number of instructions. */
export function budgetFor(instructions: number): Budget {
  return budgetOf(Math.min(MAX_UNITS, 40_000 + 45_000 * instructions));
}

/** Returns a budget of compute units at the usual price. */
export function budgetOf(computeUnits: number): Budget {
  return { computeUnits, microLamportsPerUnit: 1_000n, priorityFeeLamports: 500n };
}

/** Compiles and signs a draft. Throws RangeError when it is larger than its format allows. */
export function compileDraft(draft: Draft, newest: Lifetime): Compiled {
  const lifetime = draft.lifetime ?? newest;
  const compiled = compileTransaction(messageOf(draft, lifetime));
  const message = new Uint8Array(compiled.messageBytes);
  const signatures: Record<string, Uint8Array | null> = { ...compiled.signatures };
  for (const signer of draft.signers) {
    if (signer.address in signatures) signatures[signer.address] = signer.sign(message);
  }
  // The brands say "checked": the signatures are of this message, the addresses from the compiled message.
  const signed = { ...compiled, signatures } as typeof compiled;
  const bytes = new Uint8Array(getTransactionEncoder().encode(signed));
  if (bytes.length > MAX_BYTES[draft.format]) {
    throw new RangeError(`${bytes.length} bytes, ${draft.format} allows ${MAX_BYTES[draft.format]}`);
  }
  return {
    format: draft.format,
    bytes,
    message,
    messageSha256: createHash('sha256').update(message).digest('hex'),
    requiredSigners: Object.keys(compiled.signatures),
    lifetime,
    budget: draft.budget,
  };
}

/** Returns the compiled size in bytes; infinity if the draft cannot be compiled. */
export function sizeOf(draft: Draft, lifetime: Lifetime): number {
  try {
    const { messageBytes, signatures } = compileTransaction(messageOf(draft, lifetime));
    return messageBytes.length + 1 + 64 * Object.keys(signatures).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function messageOf(draft: Draft, { blockhash, lastValidBlockHeight }: Lifetime) {
  const life = { blockhash: blockhash as Blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) };
  const payer = branded(draft.feePayer);
  if (draft.format === 'v1') {
    const empty = setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 1 }));
    const configured = setTransactionMessageConfig(
      {
        computeUnitLimit: draft.budget.computeUnits,
        loadedAccountsDataSizeLimit: LOADED_DATA_LIMIT,
        priorityFeeLamports: draft.budget.priorityFeeLamports,
      },
      setTransactionMessageLifetimeUsingBlockhash(life, empty),
    );
    return appendTransactionMessageInstructions(
      [...(draft.first ?? []), ...draft.instructions].map(kitInstruction),
      configured,
    );
  }
  const instructions = [
    ...(draft.first ?? []),
    ...budgetInstructions(draft.budget),
    ...draft.instructions,
  ].map(kitInstruction);
  if (draft.format === 'legacy') {
    const empty = setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 'legacy' }));
    return appendTransactionMessageInstructions(
      instructions,
      setTransactionMessageLifetimeUsingBlockhash(life, empty),
    );
  }
  const empty = setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 0 }));
  const whole = appendTransactionMessageInstructions(
    instructions,
    setTransactionMessageLifetimeUsingBlockhash(life, empty),
  );
  const tables = Object.fromEntries(
    (draft.tables ?? []).map(({ table, addresses }) => [branded(table), addresses.map(branded)]),
  );
  return compressTransactionMessageUsingAddressLookupTables(whole, tables);
}

function budgetInstructions(budget: Budget): EncodedInstruction[] {
  return [
    encodeInstruction('computeBudget.setComputeUnitLimit', {
      accounts: {},
      args: { units: budget.computeUnits },
    }),
    encodeInstruction('computeBudget.setComputeUnitPrice', {
      accounts: {},
      args: { microLamports: budget.microLamportsPerUnit },
    }),
  ];
}

function kitInstruction({ programAddress, accounts, data }: EncodedInstruction): Instruction {
  return {
    programAddress: branded(programAddress),
    accounts: accounts.map(({ address, signer, writable }) => ({
      address: branded(address),
      role: (signer ? 2 : 0) + (writable ? 1 : 0),
    })),
    data,
  };
}

/** Applies kit's brand to an address that was validated on entry. */
function branded(address: Address): KitAddress {
  return address as KitAddress;
}
