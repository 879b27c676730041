/**
 * A byte reader and writer, little-endian. The reader throws past the end and for lengths that are not in shortest form.
 */
import { addressWithin, sharedAddressBytes } from './base58.ts';
import { noncanonical } from './errors.ts';
import type { Address } from './types.ts';

/** A bounds-checked cursor over bytes. Throws NONCANONICAL_BYTES. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  offset: number;
  /** Latin1 text of all bytes, created lazily for addresses. */
  private latin1: string | undefined;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Advances by `length` bytes and returns their offset. */
  advance(length: number): number {
    if (length > this.remaining) throw noncanonical('the bytes end too early');
    const start = this.offset;
    this.offset += length;
    return start;
  }

  /** Returns a view, not a copy, of the next `length` bytes. */
  take(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.advance(8), true);
  }

  u128(): bigint {
    const low = this.u64();
    return (this.u64() << 64n) | low;
  }

  address(): Address {
    const at = this.advance(32);
    this.latin1 ??= Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length).toString(
      'latin1',
    );
    return addressWithin(this.bytes, this.latin1, at);
  }

  /** Reads `count` consecutive items. */
  each<T>(count: number, read: (reader: this) => T): T[] {
    const items: T[] = [];
    for (let i = 0; i < count; i += 1) items.push(read(this));
    return items;
  }

  /** Reads a length in shortest form (`compact-u16`: up to three bytes of seven bits). */
  shortLength(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8();
      if (shift > 0 && byte === 0) throw noncanonical('a length is not in its shortest form');
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      if (shift === 14) throw noncanonical('a length has more than three bytes');
    }
    if (value > 0xffff) throw noncanonical('a length is over 65535');
    return value;
  }

  /** Throws NONCANONICAL_BYTES if bytes are left. */
  end(): void {
    if (this.remaining !== 0) throw noncanonical(`${this.remaining} bytes are left over`);
  }
}

/** A growing buffer. Its initial size fits most transactions. */
export class Writer {
  private bytes = new Uint8Array(1280);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  /** Reserves `count` bytes and returns their offset. */
  private grow(count: number): number {
    const start = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return start;
  }

  push(bytes: ArrayLike<number>): void {
    const start = this.grow(bytes.length);
    this.bytes.set(bytes, start);
  }

  u8(value: number): void {
    const start = this.grow(1);
    this.view.setUint8(start, inRange(value, 0xff));
  }

  u16(value: number): void {
    const start = this.grow(2);
    this.view.setUint16(start, inRange(value, 0xffff), true);
  }

  u32(value: number): void {
    const start = this.grow(4);
    this.view.setUint32(start, inRange(value, 0xffffffff), true);
  }

  u64(value: bigint): void {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value} is not a u64`);
    const start = this.grow(8);
    this.view.setBigUint64(start, value, true);
  }

  u128(value: bigint): void {
    if (value < 0n || value >> 128n !== 0n) throw new RangeError(`${value} is not a u128`);
    this.u64(value & 0xffff_ffff_ffff_ffffn);
    this.u64(value >> 64n);
  }

  address(address: Address): void {
    this.push(sharedAddressBytes(address));
  }

  shortLength(value: number): void {
    let rest = inRange(value, 0xffff);
    for (; rest >= 0x80; rest >>= 7) this.u8((rest & 0x7f) | 0x80);
    this.u8(rest);
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

function inRange(value: number, max: number): number {
  if (!Number.isInteger(value) || value < 0 || value > max) throw new RangeError(`${value} is not 0…${max}`);
  return value;
}
