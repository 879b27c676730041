// A value that cannot be printed by accident: every way JavaScript has of turning an object into text
// gives `[secret]`. The value is kept as bytes outside the engine's moving heap, so that `wipe` really
// overwrites the only copy this type holds.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { SecretError } from './errors.ts';

/** What a secret prints as. */
export const SECRET_LABEL = '[secret]';

const comparisonKey = randomBytes(32);

/**
 * Zeroed bytes with their own memory block. A plain `new Uint8Array(n)` of 64 bytes or less lives on the
 * engine's heap, where the collector moves it and leaves old copies behind; these stay where they are.
 */
export function allocateSecretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/**
 * Holds a text or some bytes.
 *
 * What `wipe` cannot reach: a JavaScript string given to `fromText` or returned by `expose` (strings are
 * immutable and stay until the collector reuses their memory), and copies made by libraries.
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

  /** Takes `bytes` over without a copy: the caller must not use them again. */
  static adoptBytes(bytes: Uint8Array): Secret {
    return new Secret('bytes', bytes);
  }

  /** As `adoptBytes`, for UTF-8 bytes of a text. */
  static adoptText(bytes: Uint8Array): Secret {
    return new Secret('text', bytes);
  }

  /** The text. Throws `SECRET_WIPED` after `wipe`, and `INVALID_SECRET` when bytes were stored. */
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

  /** The live bytes, not a copy: do not keep or change them. Throws `SECRET_WIPED` after `wipe`. */
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

  /** A second secret with the same value and its own memory. */
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

  /** Overwrites the bytes with zeros and forgets them. Safe to call twice. */
  wipe(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  /** Compares by value. The time taken tells neither where nor whether lengths differ. */
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

/** Equality of two byte strings of any lengths, in time that depends on neither's content. */
export function constantTimeEqual(left: Uint8Array, right: Uint8Array): boolean {
  const digest = (bytes: Uint8Array) => createHmac('sha256', comparisonKey).update(bytes).digest();
  return timingSafeEqual(digest(left), digest(right));
}
