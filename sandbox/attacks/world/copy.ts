/**
 * A throw-away copy of the sandbox's chain: the same genesis, slots and blockhashes, and the accounts that the bytes
 * in question touch. What would have happened is shown there, and never on the chain itself.
 */
import { getTransactionEncoder, type Transaction } from '@solana/kit';
import { decodeInstruction } from '../../../src/programs/instructions.ts';
import { readLookupTable } from '../../../src/programs/lookupTable/accounts.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { createChain, type SandboxChain } from '../../chain/chain.ts';
import { decodeTransaction } from '../../chain/runtime/wire.ts';
import type { TransactionRecord } from '../../chain/types.ts';
import { dataAccountOf } from '../service/index.ts';

/** A key that signs raw messages. */
interface MessageSigner {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array;
}

export interface CopyOptions {
  readonly seed: string;
  readonly slotMs: number;
}

/** Copies the chain with the accounts named. The caller closes it. */
export async function copyChain(
  source: SandboxChain,
  { seed, slotMs }: CopyOptions,
  accounts: Iterable<Address>,
): Promise<SandboxChain> {
  const copy = await createChain({ seed, slotMs, clock: 'manual' });
  copy.advanceSlots(source.slot - copy.slot);
  for (const address of accounts) {
    if (address.startsWith('Sysvar')) continue;
    const account = source.getAccount(address);
    // Programs every chain begins with are there already.
    if (account?.executable && copy.getAccount(address)?.executable) continue;
    // Code that lies in an account of its own must be there before its program is.
    const code = account === null ? undefined : dataAccountOf(account);
    if (code !== undefined) copy.setAccount(code, source.getAccount(code));
    copy.setAccount(address, account);
  }
  return copy;
}

/** Every address the bytes name, those in lookup tables, the tables themselves and what is put into them included. */
export function touched(source: SandboxChain, bytes: Uint8Array): Address[] {
  const { staticAccounts, lookups, instructions } = decodeTransaction(bytes);
  const added = instructions.flatMap(({ programIndex, accountIndexes, data }) => {
    const used = accountIndexes.map((index) => staticAccounts[index] ?? '');
    const accounts = used.map((address) => ({ address, signer: true, writable: true }));
    const program = staticAccounts[programIndex] ?? '';
    const known = decodeInstruction({ index: 0, program, accounts, data });
    return known.kind === 'lookupTable.extend' ? known.args.addresses : [];
  });
  return [
    ...staticAccounts,
    ...added,
    ...lookups.flatMap(({ table }) => [table, ...tableEntries(source, table)]),
  ];
}

function tableEntries(source: SandboxChain, table: Address): readonly Address[] {
  const account = source.getAccount(table);
  if (account?.owner !== LOOKUP_TABLE_PROGRAM) return [];
  return readLookupTable(account.data).addresses;
}

/** Fills every slot one of the signers belongs to. */
export function signed(bytes: Uint8Array, signers: readonly MessageSigner[]): Uint8Array {
  const { transaction } = decodeTransaction(bytes);
  const message = new Uint8Array(transaction.messageBytes);
  const signatures: Record<string, Uint8Array | null> = { ...transaction.signatures };
  for (const { address, sign } of signers) if (address in signatures) signatures[address] = sign(message);
  // The signatures are of this message; the brand of the map says no more than that.
  const whole = { ...transaction, signatures } as Transaction;
  return new Uint8Array(getTransactionEncoder().encode(whole));
}

/** Lands bytes on a copy. Throws when a leader would drop them. */
export function land(copy: SandboxChain, bytes: Uint8Array): TransactionRecord {
  const outcome = copy.submit(bytes);
  if (!outcome.landed)
    throw new Error(`the copy does not take the transaction: ${JSON.stringify(outcome.err)}`);
  // A slot for each, and one more for tables to warm up.
  copy.advanceSlots(2);
  return outcome.record;
}
