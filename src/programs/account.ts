/** What an account layout is: owner, first bytes and length checked, then fields in byte order. */
import { Reader } from '../transaction/bytes.ts';
import { type Codec, type StructOf, struct } from '../transaction/codecs.ts';
import { TransactionError } from '../transaction/errors.ts';
import type { Address } from '../transaction/types.ts';

type Fields = Readonly<Record<string, Codec<unknown>>>;

/** One account type of a program. */
export interface AccountLayout<K extends string = string, F = unknown> {
  readonly kind: K;
  readonly program: Address;
  readonly discriminator: Uint8Array;
  /** Whether an account of this type can have this many bytes, discriminator included. */
  fits(length: number): boolean;
  readonly codec: Codec<F>;
  /** Bytes that may follow the fields and mean nothing: room for absent values. */
  readonly padded: boolean;
  /** What is concluded and not stated in a public interface, a sentence each. */
  readonly inferred: readonly string[];
}

interface AccountSpec<F> {
  readonly program: Address;
  readonly discriminator: ArrayLike<number>;
  /** The whole length in bytes, or a test of it where it varies. */
  readonly length: number | ((length: number) => boolean);
  readonly fields: F;
  readonly padded?: boolean;
  readonly inferred?: readonly string[];
}

/** Declares an account type. Object order of `fields` is byte order. */
export function defineAccount<const K extends string, const F extends Fields>(
  kind: K,
  spec: AccountSpec<F>,
): AccountLayout<K, StructOf<F>> {
  const { length } = spec;
  return {
    kind,
    program: spec.program,
    discriminator: Uint8Array.from(spec.discriminator),
    fits: typeof length === 'number' ? (given) => given === length : length,
    codec: struct(spec.fields),
    padded: spec.padded ?? false,
    inferred: spec.inferred ?? [],
  };
}

/** An account as one view of the chain shows it. */
export interface AccountBytes {
  /** The program that owns it. */
  readonly owner: Address;
  readonly data: Uint8Array;
}

/** Whether the account is of this type, by owner and first bytes. */
export function isOfType(layout: AccountLayout, { owner, data }: AccountBytes): boolean {
  return owner === layout.program && layout.discriminator.every((byte, index) => data[index] === byte);
}

/**
 * Reads an account of one type.
 * @returns its fields, or why it is not of this type, as a sentence without untrusted text
 */
export function readAs<F>(layout: AccountLayout<string, F>, account: AccountBytes): F | string {
  if (account.owner !== layout.program) return `the account is not owned by ${layout.program}`;
  if (!isOfType(layout, account)) return `the account is no ${layout.kind}`;
  const { data } = account;
  if (!layout.fits(data.length)) return `${data.length} bytes are not the length of ${layout.kind}`;
  try {
    const reader = new Reader(data, layout.discriminator.length);
    const fields = layout.codec.read(reader);
    if (!layout.padded) reader.end();
    return fields;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return `${layout.kind}: ${error.message}`;
  }
}
