/** The seal over the beginning of a run: only a seal by this home's key counts. */
import { expect, it, onTestFinished } from 'vitest';
import { createRunSeal } from '../../src/approval/runSeal.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { handClock } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';

const ROW = { id: 'approval-1', approvalDigest: 'e'.repeat(64), expiresAt: 10_000 };
const KEY = Buffer.alloc(32, 7);

async function sealed({ key = KEY as Uint8Array | undefined, at = 5_000 } = {}) {
  const clock = handClock(at);
  const ledger = openLedger({ home: temporaryHome(), clock });
  onTestFinished(() => ledger.close());
  return { clock, ledger, seal: createRunSeal({ ledger, key: async () => key }) };
}

it('records when the run began and keeps the first time', async () => {
  const { seal, clock, ledger } = await sealed();
  expect(await seal.began(ROW)).toBeUndefined();
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  clock.at = 6_000;
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  // Another process of this home accepts it; one with another key, or without a key, does not.
  for (const [key, began] of [
    [KEY, 5_000],
    [Buffer.alloc(32, 8), undefined],
    [undefined, undefined],
  ] as const)
    expect(await createRunSeal({ ledger, key: async () => key }).began(ROW)).toBe(began);
});

it('without a key of the store is valid in this process only', async () => {
  const { seal, ledger } = await sealed({ key: undefined });
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBe(5_000);
  expect(await createRunSeal({ ledger, key: async () => undefined }).began(ROW)).toBeUndefined();
});

it('belongs to one approval, with its question and expiry', async () => {
  const { seal, ledger } = await sealed();
  await seal.begin(ROW);
  const note = (await noteOf(ledger, `run under ${ROW.id}`)) ?? '';
  for (const other of [
    { ...ROW, id: 'approval-2' },
    { ...ROW, approvalDigest: 'f'.repeat(64) },
    { ...ROW, expiresAt: 10_001 },
  ]) {
    await ledger.setNote(`run under ${other.id}`, note);
    expect(await seal.began(other), JSON.stringify(other)).toBeUndefined();
  }
});

it('is ignored if made at or after the end of the approval', async () => {
  const { seal } = await sealed({ at: 10_000 });
  await seal.begin(ROW);
  expect(await seal.began(ROW)).toBeUndefined();
});

it('ignores a damaged note and a changed time', async () => {
  const { seal, ledger } = await sealed();
  await seal.begin(ROW);
  const name = `run under ${ROW.id}`;
  const made = JSON.parse((await noteOf(ledger, name)) ?? '{}');
  for (const other of [
    'not json',
    'null',
    JSON.stringify({ ...made, at: 4_000 }),
    JSON.stringify({ ...made, at: '5000' }),
    JSON.stringify({ ...made, seal: 5 }),
    JSON.stringify({ ...made, seal: made.seal.slice(2) }),
    JSON.stringify({ at: made.at }),
  ]) {
    await ledger.setNote(name, other);
    expect(await seal.began(ROW), other).toBeUndefined();
  }
  await ledger.setNote(name, JSON.stringify(made));
  expect(await seal.began(ROW)).toBe(5_000);
});
