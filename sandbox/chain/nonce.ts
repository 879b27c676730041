/** Durable nonces: a transaction whose first instruction advances one never expires (T32). */
import { addressFromBytes } from '../../src/transaction/base58.ts';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import type { WireTransaction } from './runtime/wire.ts';
import type { ChainAccount } from './types.ts';

const ADVANCE_NONCE_ACCOUNT = 4;
const NONCE_BYTES = 80;
/** Version and state stand before the authority, the authority before the value. */
const VALUE_AT = 40;

/** Whether the lifetime of a transaction is a nonce that its first instruction advances. */
export function usesNonce(
  { instructions, staticAccounts, blockhash }: WireTransaction,
  account: (address: string) => ChainAccount | null,
): boolean {
  const [first] = instructions;
  if (first === undefined || staticAccounts[first.programIndex] !== SYSTEM_PROGRAM) return false;
  if (first.data.length !== 4 || first.data[0] !== ADVANCE_NONCE_ACCOUNT) return false;
  const address = staticAccounts[first.accountIndexes[0] ?? -1];
  const nonce = address === undefined ? null : account(address);
  if (nonce?.owner !== SYSTEM_PROGRAM || nonce.data.length !== NONCE_BYTES) return false;
  return addressFromBytes(nonce.data.slice(VALUE_AT, VALUE_AT + 32)) === blockhash;
}
