/** Account layouts: owner, discriminator and length are checked, then fields are decoded in byte order. */
import { Reader } from '../transaction/bytes.ts';
import { type Codec, type StructOf, struct } from '../transaction/codecs.ts';
import { TransactionError } from '../transaction/errors.ts';
import type { Address } from '../transaction/types.ts';

type Fields = Readonly<Record<string, Codec<unknown>>>;

/** An account type of a program. */
export interface AccountLayout<K extends string = string, F = unknown> {
  readonly kind: K;
  readonly program: Address;
  readonly discriminator: Uint8Array;
  /** Whether an account of this type can have this length in bytes, discriminator included. */
  fits(length: number): boolean;
  readonly codec: Codec<F>;
  /** Whether padding may follow the fields. */
  readonly padded: boolean;
  /** Inferred properties that no public interface documents, one sentence each. */
  readonly inferred: readonly string[];
}

interface AccountSpec<F> {
  readonly program: Address;
  readonly discriminator: ArrayLike<number>;
  /** Length in bytes, or a predicate for variable lengths. */
  readonly length: number | ((length: number) => boolean);
  readonly fields: F;
  readonly padded?: boolean;
  readonly inferred?: readonly string[];
}

/** Defines an account type. The order of `fields` is their byte order. */
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

/** Owner and data of an account. */
export interface AccountBytes {
  /** The program that owns it. */
  readonly owner: Address;
  readonly data: Uint8Array;
}

/** Whether an account is of this type, by owner and discriminator. */
export function isOfType(layout: AccountLayout, { owner, data }: AccountBytes): boolean {
  return owner === layout.program && layout.discriminator.every((byte, index) => data[index] === byte);
}

/**
 * Decodes an account of one type.
 * @returns its fields, or the reason why it is not of this type, without untrusted text
 */
export function readAs<F>(layout: AccountLayout<string, F>, account: AccountBytes): F | string {
  if (account.owner !== layout.program) return `the account is not owned by ${layout.program}`;
  if (!isOfType(layout, account)) return `the account is not a ${layout.kind}`;
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
