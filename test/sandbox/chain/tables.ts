/** Lookup table instructions for tests, laid out by web3.js and handed to kit. */
import type { AccountRole, Address, Instruction } from '@solana/kit';
import { AddressLookupTableProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';

/** Converts a web3.js instruction to kit's form. */
export function kitInstruction(instruction: TransactionInstruction): Instruction {
  return {
    programAddress: instruction.programId.toBase58() as Address,
    accounts: instruction.keys.map((key) => ({
      address: key.pubkey.toBase58() as Address,
      role: ((key.isSigner ? 2 : 0) + (key.isWritable ? 1 : 0)) as AccountRole,
    })),
    data: new Uint8Array(instruction.data),
  };
}

export function createTable(
  authority: string,
  recentSlot: number,
): { instruction: Instruction; table: string } {
  const key = new PublicKey(authority);
  const [instruction, table] = AddressLookupTableProgram.createLookupTable({
    authority: key,
    payer: key,
    recentSlot,
  });
  return { instruction: kitInstruction(instruction), table: table.toBase58() };
}

export function extendTable(authority: string, table: string, addresses: readonly string[]): Instruction {
  const key = new PublicKey(authority);
  return kitInstruction(
    AddressLookupTableProgram.extendLookupTable({
      lookupTable: new PublicKey(table),
      authority: key,
      payer: key,
      addresses: addresses.map((address) => new PublicKey(address)),
    }),
  );
}

export function deactivateTable(authority: string, table: string): Instruction {
  return kitInstruction(
    AddressLookupTableProgram.deactivateLookupTable({
      lookupTable: new PublicKey(table),
      authority: new PublicKey(authority),
    }),
  );
}

export function closeTable(authority: string, table: string): Instruction {
  const key = new PublicKey(authority);
  return kitInstruction(
    AddressLookupTableProgram.closeLookupTable({
      lookupTable: new PublicKey(table),
      authority: key,
      recipient: key,
    }),
  );
}
