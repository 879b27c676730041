/** Decisions exported for others: what the owner key signed is checked by a command that needs no home. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/money/export.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerOf } from '../../src/ledger/principal.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { handClock, sampleDecision, sampleInput, samplePlan } from '../ledger/samples.ts';
import { type Ran, run } from './terminal.ts';

const HOUR = 3_600_000;

let home: string;
let elsewhere: string;
let owner: string;
let began: number;

/** Six decisions, an hour apart: of anna and bela in turn. */
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'countersign-exported-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'countersign-elsewhere-'));
  owner = (await (await withOwner(home))()) ?? '';
  const clock = handClock();
  began = clock.at;
  const ledger = openLedger({ home, clock });
  for (const [index, principal] of ['anna', 'bela', 'anna', 'bela', 'anna', 'bela'].entries()) {
    const plan = samplePlan({ planId: `plan-${index}`, intentKey: `${index}`.repeat(64), principal });
    const own = ledgerOf(ledger, principal);
    await own.storePlan(plan);
    await own.recordDecision(sampleInput(plan, 'swap', sampleDecision({ explain: `Number ${index}.` })));
    clock.at += HOUR;
  }
  await ledger.close();
});
afterEach(() => {
  for (const folder of [home, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const timeOf = (hours: number): string => new Date(began + hours * HOUR).toISOString().replace(/\.\d+Z/, 'Z');

async function exported(options: Record<string, string> = {}): Promise<{ path: string; lines: string[] }> {
  const path = join(elsewhere, 'decisions.jsonl');
  const ran = await run(exportCommand, {
    home,
    words: ['decisions'],
    options: { ...options, out: path },
    typed: [OWNER_PASSPHRASE],
  });
  expect(ran).toMatchObject({ code: 0, asked: ['Owner passphrase: (hidden)'] });
  return { path, lines: readFileSync(path, 'utf8').trimEnd().split('\n') };
}

/** Checks a file as a person without the home does: with the public key alone. */
const verified = (path: string, options: Record<string, string> = { owner }): Promise<Ran> =>
  run(auditCommand, { home: elsewhere, words: ['verify', path], options });

async function ofLines(path: string, lines: readonly string[]): Promise<Ran> {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return verified(path);
}

const REFUSED = 'Nothing in this file is proven.';

test('an export of one principal and a period says what was decided for it, and nothing of others but that something was', async () => {
  const { path, lines } = await exported({ principal: 'anna', since: timeOf(1), until: timeOf(5) });
  expect(lines.length).toBe(1 + 4 + 1);
  expect(lines.join('\n')).toContain('Number 2.');
  expect(lines.join('\n')).toContain('Number 4.');
  for (const other of ['Number 0.', 'Number 1.', 'Number 3.', 'Number 5.', 'bela'])
    expect(lines.join('\n')).not.toContain(other);
  const ran = await verified(path);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(/^Whole: 2 decisions of the principal anna, in a chain of 4 from decision-2 on/);
  expect(ran.out).toContain(owner);
});

test('an export of all is whole too', async () => {
  const { path } = await exported();
  expect((await verified(path)).out).toContain('Whole: 6 decisions of all principals');
});

describe('a file is refused, with what is wrong, where', () => {
  test('a decision in its middle was left out', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const ran = await ofLines(path, lines.toSpliced(3, 1));
    expect(ran).toMatchObject({ code: 1, out: `Decision-3 was left out. ${REFUSED}` });
  });

  test('its last decisions were left out', async () => {
    const { path, lines } = await exported();
    const ran = await ofLines(path, lines.toSpliced(5, 2));
    expect(ran).toMatchObject({ code: 1, out: `The last 2 decisions were left out. ${REFUSED}` });
  });

  test('what a decision says was taken out of it', async () => {
    const { path, lines } = await exported();
    const { body: _, ...row } = JSON.parse(lines[3] ?? '');
    const ran = await ofLines(path, lines.toSpliced(3, 1, JSON.stringify(row)));
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('6 decisions were exported with what they say, and 5 are here');
  });

  test('a decision was changed', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const changed = lines.map((line) => line.replace('Number 2.', 'Number 9.'));
    expect(await ofLines(path, changed)).toMatchObject({
      code: 1,
      out: `Decision-3 was changed, or the one before it. ${REFUSED}`,
    });
  });

  test('the hash of a decision that is not shown was changed', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const row = JSON.parse(lines[2] ?? '');
    const changed = lines.toSpliced(2, 1, JSON.stringify({ ...row, hash: 'a'.repeat(64) }));
    expect(await ofLines(path, changed)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Decision-3'),
    });
  });

  test('two decisions changed places', async () => {
    const { path, lines } = await exported();
    const [, , second = '', third = ''] = lines;
    expect(await ofLines(path, lines.toSpliced(2, 2, third, second))).toMatchObject({
      code: 1,
      out: `The order was changed: decision-3 stands where decision-2 belongs. ${REFUSED}`,
    });
  });

  test('its head was changed to fit: rows gone, counts corrected', async () => {
    const { path, lines } = await exported();
    const head = JSON.parse(lines[0] ?? '');
    const last = JSON.parse(lines[5] ?? '');
    const cut = { ...head, rows: 5, shown: 5, head: last.hash };
    const ran = await ofLines(path, [JSON.stringify(cut), ...lines.slice(1, 6), lines[7] ?? '']);
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining('changed after it was signed') });
  });

  test('another key signed it, or none', async () => {
    const { path, lines } = await exported();
    const stranger = (await (await withOwner(mkdtempSync(join(elsewhere, 'stranger-'))))()) ?? '';
    expect(await verified(path, { owner: stranger })).toMatchObject({
      code: 1,
      out: expect.stringContaining('not signed by'),
    });
    expect(await ofLines(path, lines.slice(0, -1))).toMatchObject({
      code: 1,
      out: expect.stringContaining('statement at its end is missing'),
    });
  });

  test('where nothing says whose signature it should have, that is asked for', async () => {
    const { path } = await exported();
    expect((await verified(path, {})).error).toMatchObject({ hint: expect.stringContaining('--owner KEY') });
  });
});
