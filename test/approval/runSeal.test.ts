/** The seal over the beginning of a run: what this home sealed counts, and nothing else. */
import { expect, it } from 'vitest';
import { createRunSeal } from '../../src/approval/runSeal.ts';

const ROW = { id: 'approval-1', approvalDigest: 'e'.repeat(64), expiresAt: 10_000 };
const KEY = Buffer.alloc(32, 7);

function sealed({ key = KEY as Uint8Array | undefined, at = 5_000 } = {}) {
  const notes = new Map<string, string>();
  const state = { at };
  const ledger = {
    note: async (name: string) => notes.get(name),
    setNote: async (name: string, text: string) => notes.set(name, text).has(name),
    time: async () => state.at,
  };
  return { notes, state, ledger, seal: createRunSeal({ ledger, key: async () => key }) };
}

it('says when the run began, and stays with the first time', async () => {
  const { seal, state, ledger } = sealed();
  expect(await seal.began(ROW)).toBeUndefined();
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  state.at = 6_000;
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  // Another process of this home reads it; one with another key, or with none, does not.
  for (const [key, began] of [
    [KEY, 5_000],
    [Buffer.alloc(32, 8), undefined],
    [undefined, undefined],
  ] as const)
    expect(await createRunSeal({ ledger, key: async () => key }).began(ROW)).toBe(began);
});

it('without a key of the store counts in this process alone', async () => {
  const { seal, ledger } = sealed({ key: undefined });
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  expect(await createRunSeal({ ledger, key: async () => undefined }).began(ROW)).toBeUndefined();
});

it('is about one approval, with its question and its end', async () => {
  const { seal, notes } = sealed();
  await seal.begin(ROW);
  const [note = ''] = notes.values();
  for (const other of [
    { ...ROW, id: 'approval-2' },
    { ...ROW, approvalDigest: 'f'.repeat(64) },
    { ...ROW, expiresAt: 10_001 },
  ]) {
    notes.set(`run under ${other.id}`, note);
    expect(await seal.began(other), JSON.stringify(other)).toBeUndefined();
  }
});

it('does not count when it was made at or after the end of the approval', async () => {
  const { seal } = sealed({ at: 10_000 });
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBeUndefined();
});

it('reads a damaged note as none, and a changed time too', async () => {
  const { seal, notes } = sealed();
  await seal.begin(ROW);
  const name = `run under ${ROW.id}`;
  const made = JSON.parse(notes.get(name) ?? '{}');
  for (const other of [
    'not json',
    'null',
    JSON.stringify({ ...made, at: 4_000 }),
    JSON.stringify({ ...made, at: '5000' }),
    JSON.stringify({ ...made, seal: 5 }),
    JSON.stringify({ ...made, seal: made.seal.slice(2) }),
    JSON.stringify({ at: made.at }),
  ]) {
    notes.set(name, other);
    expect(await seal.began(ROW), other).toBeUndefined();
  }
  notes.set(name, JSON.stringify(made));
  expect(await seal.began(ROW)).toBe(5_000);
});
