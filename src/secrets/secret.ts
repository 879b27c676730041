// A value that cannot be printed by accident: every conversion to text gives `[secret]`. The value is stored as bytes
// outside the engine's moving heap, so that `wipe` overwrites the only copy of this object.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { SecretError } from './errors.ts';

/** Text of a printed secret. */
export const SECRET_LABEL = '[secret]';

const comparisonKey = randomBytes(32);

/**
 * Allocates zeroed bytes in their own memory block. A plain `new Uint8Array(n)` of 64 bytes or less is on the
 * engine's heap, where the collector moves it and leaves copies behind.
 */
export function allocateSecretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/**
 * Holds a text or bytes.
 *
 * `wipe` cannot reach JavaScript strings given to `fromText` or returned by `expose` (strings are immutable and stay
 * until the collector reuses their memory), nor copies made by libraries.
 */
export class Secret {
  readonly kind: 'text' | 'bytes';
  #bytes: Uint8Array | undefined;

  private constructor(kind: 'text' | 'bytes', bytes: Uint8Array) {
    this.kind = kind;
    this.#bytes = bytes;
  }

  static fromText(text: string): Secret {
    const encoded = new TextEncoder().encode(text);
    const bytes = allocateSecretBytes(encoded.length);
    bytes.set(encoded);
    encoded.fill(0);
    return new Secret('text', bytes);
  }

  /** Copies `source`; the caller still owns it and should zero it. */
  static fromBytes(source: Uint8Array): Secret {
    const bytes = allocateSecretBytes(source.length);
    bytes.set(source);
    return new Secret('bytes', bytes);
  }

  /** Takes ownership of `bytes` without a copy: the caller must not use them again. */
  static adoptBytes(bytes: Uint8Array): Secret {
    return new Secret('bytes', bytes);
  }

  /** Like `adoptBytes`, for UTF-8 text. */
  static adoptText(bytes: Uint8Array): Secret {
    return new Secret('text', bytes);
  }

  /** Returns the text. Throws `SECRET_WIPED` after `wipe`, and `INVALID_SECRET` for bytes. */
  expose(): string {
    const bytes = this.exposeBytes();
    if (this.kind !== 'text') {
      throw new SecretError(
        'INVALID_SECRET',
        'This secret holds bytes, not text.',
        'Run `countersign doctor` to see which secrets are stored.',
      );
    }
    return new TextDecoder().decode(bytes);
  }

  /** Returns the live bytes, not a copy: do not keep or change them. Throws `SECRET_WIPED` after `wipe`. */
  exposeBytes(): Uint8Array {
    if (this.#bytes === undefined) {
      throw new SecretError(
        'SECRET_WIPED',
        'This secret was wiped from memory.',
        'Restart `countersign serve`, which reads it again from the secret store.',
      );
    }
    return this.#bytes;
  }

  /** Returns a copy with its own memory. */
  clone(): Secret {
    const copy = Secret.fromBytes(this.exposeBytes());
    return this.kind === 'bytes' ? copy : new Secret('text', copy.exposeBytes());
  }

  get length(): number {
    return this.exposeBytes().length;
  }

  get wiped(): boolean {
    return this.#bytes === undefined;
  }

  /** Overwrites the bytes with zeros and drops them. Safe to call twice. */
  wipe(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  /** Compares by value in constant time, independent of lengths. */
  equals(other: Secret): boolean {
    return constantTimeEqual(this.exposeBytes(), other.exposeBytes());
  }

  toString(): string {
    return SECRET_LABEL;
  }

  toJSON(): string {
    return SECRET_LABEL;
  }

  [Symbol.toPrimitive](): string {
    return SECRET_LABEL;
  }

  get [Symbol.toStringTag](): string {
    return 'Secret';
  }

  [inspect.custom](): string {
    return SECRET_LABEL;
  }
}

/** Compares two byte strings of any lengths in time independent of their content. */
export function constantTimeEqual(left: Uint8Array, right: Uint8Array): boolean {
  const digest = (bytes: Uint8Array) => createHmac('sha256', comparisonKey).update(bytes).digest();
  return timingSafeEqual(digest(left), digest(right));
}
