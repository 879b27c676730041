/** Accounts as read from a chain, written byte by byte for tests about account changes. */
import { type AccountLayout, readAs } from '../../src/programs/account.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { Writer } from '../../src/transaction/bytes.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
const option = (address: string | undefined) =>
  Buffer.concat([
    u32(address === undefined ? 0 : 1),
    address === undefined ? Buffer.alloc(32) : addressBytes(address),
  ]);

/** An existing account. */
export const account = (address: string, more: Partial<AccountFact> = {}): AccountFact => ({
  address,
  exists: true,
  lamports: '1000000',
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: '',
  ...more,
});
export const missing = (address: string): AccountFact => account(address, { exists: false, lamports: '0' });

export interface TokenAccountFields {
  readonly mint: string;
  readonly owner: string;
  readonly amount?: bigint;
  readonly delegate?: string;
  readonly delegatedAmount?: bigint;
  readonly frozen?: boolean;
  readonly closeAuthority?: string;
  readonly lamports?: string;
}

/** A token account of the Token program. */
export const tokenAccount = (address: string, fields: TokenAccountFields): AccountFact =>
  account(address, {
    owner: TOKEN_PROGRAM,
    lamports: fields.lamports ?? '2039280',
    data: Buffer.concat([
      addressBytes(fields.mint),
      addressBytes(fields.owner),
      u64(fields.amount ?? 0n),
      option(fields.delegate),
      Buffer.of(fields.frozen ? 2 : 1),
      u32(0),
      u64(0n),
      u64(fields.delegatedAmount ?? 0n),
      option(fields.closeAuthority),
    ]).toString('base64'),
  });

/** A mint of the Token program. */
export const mint = (
  address: string,
  { mintAuthority, freezeAuthority }: { readonly mintAuthority?: string; readonly freezeAuthority?: string },
): AccountFact =>
  account(address, {
    owner: TOKEN_PROGRAM,
    data: Buffer.concat([
      option(mintAuthority),
      u64(1_000n),
      Buffer.of(6, 1),
      option(freezeAuthority),
    ]).toString('base64'),
  });

/** A Token-2022 mint without base authorities, with extensions by number and value. */
export const extendedMint = (
  address: string,
  ...extensions: readonly (readonly [type: number, value: Uint8Array])[]
): AccountFact =>
  account(address, {
    owner: TOKEN_2022_PROGRAM,
    data: Buffer.concat([
      Buffer.from(mint(address, {}).data, 'base64'),
      Buffer.alloc(83),
      Buffer.of(1),
      ...extensions.map(([type, value]) =>
        Buffer.concat([Uint8Array.from(new Uint8Array(Uint16Array.of(type, value.length).buffer)), value]),
      ),
    ]).toString('base64'),
  });

/** The value of a transfer-fee extension: no withdraw authority, and two schedules in basis points. */
export const transferFee = (authority: string | undefined, older: number, newer: number): Uint8Array =>
  Buffer.concat([
    authority === undefined ? Buffer.alloc(32) : addressBytes(authority),
    Buffer.alloc(32),
    u64(0n),
    ...[older, newer].flatMap((basisPoints) => [
      u64(1n),
      u64(2n ** 63n),
      Buffer.from(Uint16Array.of(basisPoints).buffer),
    ]),
  ]);

/** An empty lookup table. */
export const lookupTable = (address: string, authority?: string): AccountFact =>
  account(address, {
    owner: LOOKUP_TABLE_PROGRAM,
    data: Buffer.concat([
      u32(1),
      u64(2n ** 64n - 1n),
      u64(5n),
      Buffer.of(0, authority === undefined ? 0 : 1),
      authority === undefined ? Buffer.alloc(32) : addressBytes(authority),
      Buffer.alloc(2),
    ]).toString('base64'),
  });

/** An account of a supported program with some fields changed. */
export function withFields<F extends object>(
  layout: AccountLayout<string, F>,
  fact: AccountFact,
  change: (was: F) => Partial<F>,
): AccountFact {
  const fields = readAs(layout, { owner: fact.owner, data: Buffer.from(fact.data, 'base64') });
  if (typeof fields === 'string') throw new Error(fields);
  const writer = new Writer();
  writer.push(layout.discriminator);
  layout.codec.write(writer, { ...fields, ...change(fields) });
  return { ...fact, data: Buffer.from(writer.finish()).toString('base64') };
}
