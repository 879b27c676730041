/** Harms to a wallet after a change of its accounts. */
import type { TransactionInstruction } from '@solana/web3.js';
import { PublicKey } from '@solana/web3.js';
import type { Estate } from './estate.ts';
import { inventoryOf } from './inventory.ts';
import { worse } from './judge.ts';

export const SOL = 1_000_000_000n;
export const FEES = 50_000n;

/** Returns the harms of some instructions to the wallet, with the network fee allowed. */
export function harms(estate: Estate, ...instructions: TransactionInstruction[]): string[] {
  const before = inventoryOf([estate.wallet], estate.snapshot());
  estate.run(...instructions);
  return worse(before, inventoryOf([estate.wallet], estate.snapshot()), { out: { SOL: FEES } });
}

export const own = (estate: Estate) => new PublicKey(estate.wallet);
export const other = (estate: Estate) => new PublicKey(estate.stranger);
