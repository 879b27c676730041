/** Addresses by name, and instructions of stock programs written byte by byte. */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';

const encoder = new TextEncoder();

/** Returns the same address for the same name. */
export function addressOf(name: string): string {
  const bytes = new Uint8Array(32).fill(0x5e);
  bytes.set(encoder.encode(name).subarray(0, 32));
  return bs58.encode(bytes);
}

/** An instruction from an address, accounts (`w` writable, `s` signs) and data. */
export const instruction = (
  program: string,
  accounts: readonly (readonly [string, ('' | 'w' | 's' | 'ws')?])[],
  data: readonly number[] | Uint8Array,
): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(([address, use = '']) => ({
      pubkey: new PublicKey(address),
      isSigner: use.includes('s'),
      isWritable: use.includes('w'),
    })),
    data: Buffer.from(data),
  });

export const key = (address: string): number[] => [...bs58.decode(address)];
export const u64 = (value: bigint): number[] => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return [...bytes];
};
export const u32 = (value: number): number[] => [...u64(BigInt(value))].slice(0, 4);
export const text = (value: string): number[] => [...u32(value.length), ...encoder.encode(value)];
