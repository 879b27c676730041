/** Repeated decoding of a stage: cached results are used only if all their inputs are unchanged. */
import { describe, expect, it } from 'vitest';
import { keyNamed } from './people.ts';
import { stage } from './recorded/stages.ts';

const { stage: launch, tables } = stage('custody launch');
const [table] = tables;
if (table === undefined) throw new Error('no table');
const other = keyNamed('another entry').address;
const noDisabledReaders: ReadonlySet<string> = new Set();
const holding = (addresses: readonly string[]) => ({
  tables: new Map([[table.table, addresses]]),
  off: noDisabledReaders,
});
const loaded = (addresses: readonly string[]) =>
  launch.transaction.resolve(holding(addresses)).loaded.map(({ address }) => address);

describe('a stage decoded again', () => {
  it('is the same if its tables have the same contents, in another list too', () => {
    const once = launch.transaction.resolve(holding(table.addresses));
    expect(launch.transaction.resolve(holding([...table.addresses]))).toBe(once);
    const payment = stage('payment of SOL').stage.transaction;
    expect(payment.resolve(holding([]))).toBe(payment.resolve(holding([other])));
  });

  it('has another account if any entry of a table differs', () => {
    const honest = loaded(table.addresses);
    const used = table.addresses.flatMap((address, i) => (honest.includes(address) ? [i] : []));
    expect(used.length).toBeGreaterThan(1);
    for (const i of used) {
      expect(loaded(table.addresses.with(i, other)), `entry ${i}`).toContain(other);
      expect(loaded(table.addresses), `entry ${i}`).toEqual(honest);
    }
  });

  it('cannot be decoded once a table has fewer entries than before', () => {
    loaded(table.addresses);
    expect(() => loaded(table.addresses.slice(0, 1))).toThrow('of lookup table');
    expect(() => loaded([])).toThrow('of lookup table');
  });

  it('uses the table contents of that time, not a list that changes afterwards', () => {
    const list = [...table.addresses];
    const read = launch.transaction.resolve(holding(list));
    const before = loaded(list);
    list.splice(
      table.addresses.findIndex((address) => before.includes(address)),
      1,
      other,
    );
    expect(read.loaded.map(({ address }) => address)).toEqual(before);
    expect(loaded(list)).toContain(other);
  });

  it('is decoded with the readers enabled now', () => {
    const config = stage('plain config').stage.transaction;
    const read = (off: ReadonlySet<string>) =>
      config.resolve({ tables: new Map(), off }).readings.map(({ status }) => status);
    const programs = config
      .resolve({ tables: new Map(), off: noDisabledReaders })
      .instructions.map(({ program }) => program);
    const all = read(noDisabledReaders);
    const off = read(new Set(programs));
    expect(all).toContain('read');
    expect(off).not.toEqual(all);
    expect(read(noDisabledReaders)).toEqual(all);
  });
});
