/**
 * The few account layouts the chain itself must read: lookup tables to resolve v0 transactions, token accounts
 * and mints to report balances.
 */
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAMS,
} from '../../../src/transaction/programs.ts';
import type { ChainAccount, LoadedAddresses } from '../types.ts';
import type { WireLookup } from './wire.ts';

const TOKEN_ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** Where Token-2022 says what an extended account is: 1 a mint, 2 a token account. */
const ACCOUNT_TYPE_AT = 165;
const TABLE_HEADER_BYTES = 56;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
  /** The rent reserve of a wrapped SOL account, `null` for other tokens. */
  readonly nativeReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: string | null;
  /** Whether data follows the classic layout. */
  readonly extended: boolean;
}

export interface Mint {
  readonly mintAuthority: string | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly initialized: boolean;
  readonly freezeAuthority: string | null;
  readonly extended: boolean;
}

export interface LookupTable {
  readonly deactivationSlot: bigint;
  readonly lastExtendedSlot: bigint;
  readonly lastExtendedStartIndex: number;
  readonly authority: string | null;
  readonly addresses: readonly string[];
}

/** Reads a token account of either token program; `undefined` when it is none. */
export function tokenAccount(account: ChainAccount | null): TokenAccount | undefined {
  if (account === null || !isToken(account, TOKEN_ACCOUNT_BYTES, 2)) return undefined;
  const data = Buffer.from(account.data);
  const state = (['uninitialized', 'initialized', 'frozen'] as const)[data.readUInt8(108)];
  if (state === undefined || state === 'uninitialized') return undefined;
  return {
    mint: address(data, 0),
    owner: address(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: optionalAddress(data, 72),
    state,
    nativeReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : null,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalAddress(data, 129),
    extended: data.length > TOKEN_ACCOUNT_BYTES,
  };
}

/** Reads a mint of either token program; `undefined` when it is none. */
export function mint(account: ChainAccount | null): Mint | undefined {
  if (account === null || !isToken(account, MINT_BYTES, 1)) return undefined;
  const data = Buffer.from(account.data);
  return {
    mintAuthority: optionalAddress(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
    initialized: data.readUInt8(45) === 1,
    freezeAuthority: optionalAddress(data, 46),
    extended: data.length > MINT_BYTES,
  };
}

/** Reads an address lookup table; `undefined` when it is none. */
export function lookupTable(account: ChainAccount | null): LookupTable | undefined {
  if (
    account === null ||
    account.owner !== LOOKUP_TABLE_PROGRAM ||
    account.data.length < TABLE_HEADER_BYTES
  ) {
    return undefined;
  }
  const data = Buffer.from(account.data);
  if (data.readUInt32LE(0) !== 1) return undefined;
  const addresses: string[] = [];
  for (let at = TABLE_HEADER_BYTES; at + 32 <= data.length; at += 32) addresses.push(address(data, at));
  return {
    deactivationSlot: data.readBigUInt64LE(4),
    lastExtendedSlot: data.readBigUInt64LE(12),
    lastExtendedStartIndex: data.readUInt8(20),
    authority: data.readUInt8(21) === 1 ? address(data, 22) : null,
    addresses,
  };
}

/** Resolves lookups against tables. Entries that cannot be resolved are left out: the runtime names the error. */
export function loadAddresses(
  lookups: readonly WireLookup[],
  account: (address: string) => ChainAccount | null,
): LoadedAddresses {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of lookups) {
    const addresses = lookupTable(account(lookup.table))?.addresses ?? [];
    const pick = (indexes: readonly number[]) => indexes.flatMap((i) => addresses[i] ?? []);
    writable.push(...pick(lookup.writableIndexes));
    readonly.push(...pick(lookup.readonlyIndexes));
  }
  return { writable, readonly };
}

function isToken(account: ChainAccount, size: number, accountType: number): boolean {
  if (!TOKEN_PROGRAMS.includes(account.owner)) return false;
  if (account.data.length === size) return true;
  return (
    account.owner === TOKEN_2022_PROGRAM &&
    account.data.length > ACCOUNT_TYPE_AT &&
    account.data[ACCOUNT_TYPE_AT] === accountType
  );
}

function address(data: Buffer, at: number): string {
  return addressFromBytes(Uint8Array.from(data.subarray(at, at + 32)));
}

function optionalAddress(data: Buffer, at: number): string | null {
  return data.readUInt32LE(at) === 1 ? address(data, at + 4) : null;
}
