/** Decisions exported for others: what the owner key signed is checked by a command that needs no home. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/money/export.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerFile } from '../../src/ledger/archive/archive.ts';
import { link } from '../../src/ledger/chains/chains.ts';
import { ledgerOf } from '../../src/ledger/principal.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { handClock, sampleDecision, sampleInput, samplePlan, tamper } from '../ledger/samples.ts';
import { asVersion8 } from '../ledger/version8.ts';
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

test('an export of one principal and a period is a part of its own chain, and holds nothing of others', async () => {
  const { path, lines } = await exported({ principal: 'anna', since: timeOf(1), until: timeOf(5) });
  expect(lines.length).toBe(1 + 2 + 1);
  expect(lines.join('\n')).toContain('Number 2.');
  expect(lines.join('\n')).toContain('Number 4.');
  for (const other of ['Number 0.', 'Number 1.', 'Number 3.', 'Number 5.', 'bela'])
    expect(lines.join('\n')).not.toContain(other);
  const ran = await verified(path);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(
    /^Whole: 2 decisions of the principal anna, in a chain of 2 rows from row 2 of the chain of anna on/,
  );
  expect(ran.out).toContain(owner);
});

test('an export of all holds every chain, and where each begins, and is whole too', async () => {
  const { path } = await exported();
  expect((await verified(path)).out).toContain(
    "Whole: 6 decisions of all principals, in 3 chains of 8 rows from row 1 of the home's chain on, and from row 1 of " +
      'the chain of anna on, and from row 1 of the chain of bela on',
  );
});

test('an export of a period that reaches back to a ledger of version 8 holds its one chain, where others stand by their hash alone', async () => {
  const ledger = openLedger({ home, clock: handClock() });
  await asVersion8(ledger, async (sql) => tamper(ledgerFile(home), sql), true);
  await ledger.close();
  const later = handClock();
  later.at = began + 10 * HOUR;
  const again = openLedger({ home, clock: later });
  const plan = samplePlan({ planId: 'plan-new', intentKey: 'f'.repeat(64), principal: 'anna' });
  await ledgerOf(again, 'anna').recordDecision(
    sampleInput(plan, 'swap', sampleDecision({ explain: 'Number 6.' })),
  );
  await again.close();
  const { path, lines } = await exported({ principal: 'anna', since: timeOf(1) });
  expect(lines.length).toBe(1 + 5 + 1 + 1);
  for (const own of ['Number 2.', 'Number 4.', 'Number 6.']) expect(lines.join('\n')).toContain(own);
  for (const other of ['Number 1.', 'Number 3.', 'Number 5.', 'bela'])
    expect(lines.join('\n')).not.toContain(other);
  expect(await verified(path)).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      'Whole: 3 decisions of the principal anna, in 2 chains of 6 rows from decision-2 on, and from row 1 of the chain of anna on',
    ),
  });
  expect(await ofLines(path, lines.toSpliced(4, 1))).toMatchObject({
    code: 1,
    out: `Decision-5 was left out. ${REFUSED}`,
  });
  expect(await ofLines(path, lines.toSpliced(5, 1))).toMatchObject({
    code: 1,
    out: `The last 1 row of the chain of before was left out. ${REFUSED}`,
  });
});

describe('a file that an earlier version wrote', () => {
  const earlier = readFileSync(new URL('exportedVersion1.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const signer = 'GncKkFtA12eXQa4a7UEdqzC9YYTFKiuTEm39JBEyP14h';
  const ranOn = (lines: readonly string[]): Promise<Ran> => {
    const path = join(elsewhere, 'earlier.jsonl');
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    return verified(path, { owner: signer });
  };

  test('is whole as it was', async () => {
    expect(await ranOn(earlier)).toMatchObject({
      code: 0,
      out: `Whole: 2 decisions of the principal anna, in a chain of 4 from decision-1 on, signed by the owner key ${signer} at 2027-01-15 11:00:00Z.`,
    });
  });

  test.each([
    ['a row was left out', (lines: string[]) => lines.toSpliced(2, 1), 'Decision-2 was left out.'],
    [
      'its last row was left out',
      (lines: string[]) => lines.toSpliced(4, 1),
      'The last 1 decisions were left out.',
    ],
    [
      'a row was changed',
      (lines: string[]) => lines.map((line) => line.replace('Number 2.', 'Number 9.')),
      'Decision-3 was changed, or the one before it.',
    ],
    [
      'it says that it is of another period',
      (lines: string[]) => lines.map((line) => line.replace('"from":null', '"from":1')),
      'It was changed after it was signed (other payload).',
    ],
    [
      'it says that it is of another version',
      (lines: string[]) => lines.map((line) => line.replace('"version":1', '"version":3')),
      'It is an export of a version that this program does not know.',
    ],
  ])('is refused where %s', async (_, change, problem) => {
    const ran = await ranOn(change(earlier));
    expect(ran).toMatchObject({ code: 1, out: `${problem} ${REFUSED}` });
  });
});

describe('a file is refused, with what is wrong, where', () => {
  test('a decision in its middle was left out', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const ran = await ofLines(path, lines.toSpliced(2, 1));
    expect(ran).toMatchObject({ code: 1, out: `Row 2 of the chain of anna was left out. ${REFUSED}` });
  });

  test('its last decisions were left out', async () => {
    const { path, lines } = await exported();
    const ran = await ofLines(path, lines.toSpliced(7, 2));
    expect(ran).toMatchObject({
      code: 1,
      out: `The last 2 rows of the chain of bela were left out. ${REFUSED}`,
    });
  });

  test('a whole chain was left out', async () => {
    const { path, lines } = await exported();
    const ran = await ofLines(path, lines.toSpliced(3, 3));
    expect(ran).toMatchObject({
      code: 1,
      out: `The last 3 rows of the chain of anna were left out. ${REFUSED}`,
    });
  });

  test('what a decision says was taken out of it', async () => {
    const { path, lines } = await exported();
    const { body: _, ...row } = JSON.parse(lines[3] ?? '');
    const ran = await ofLines(path, lines.toSpliced(3, 1, JSON.stringify(row)));
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      '3 decisions of the chain of anna were exported with what they say, and 2 are here',
    );
  });

  test('a decision was changed', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const changed = lines.map((line) => line.replace('Number 2.', 'Number 9.'));
    expect(await ofLines(path, changed)).toMatchObject({
      code: 1,
      out: `Decision-3 (row 2 of the chain of anna) was changed, or the one before it. ${REFUSED}`,
    });
  });

  test('a decision of another principal was put into the chain, with a bond that fits', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const [head = '', first = ''] = lines;
    const row = JSON.parse(first);
    const body = row.body.replace('"principal":"anna"', '"principal":"bela"');
    const forged = { ...row, body, hash: link(JSON.parse(head).segments[0].previous, body) };
    const ran = await ofLines(path, lines.toSpliced(1, 1, JSON.stringify(forged)));
    expect(ran).toMatchObject({
      code: 1,
      out: `Decision-1 (row 1 of the chain of anna) is not of this period and principal, or not the one it says. ${REFUSED}`,
    });
  });

  test('the hash of a decision was changed', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const row = JSON.parse(lines[2] ?? '');
    const changed = lines.toSpliced(2, 1, JSON.stringify({ ...row, hash: 'a'.repeat(64) }));
    expect(await ofLines(path, changed)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Decision-3'),
    });
  });

  test('two decisions changed places', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const [, , second = '', third = ''] = lines;
    expect(await ofLines(path, lines.toSpliced(2, 2, third, second))).toMatchObject({
      code: 1,
      out: `The order was changed: decision-5 (row 3 of the chain of anna) stands where row 2 of the chain of anna belongs. ${REFUSED}`,
    });
  });

  test('a decision was moved to another chain', async () => {
    const { path, lines } = await exported();
    const row = { ...JSON.parse(lines[5] ?? ''), chain: 'principal:bela' };
    expect(await ofLines(path, lines.toSpliced(5, 1, JSON.stringify(row)))).toMatchObject({
      code: 1,
      out: `The last 1 row of the chain of anna was left out. ${REFUSED}`,
    });
  });

  test('its head was changed to fit: a whole chain gone, or rows gone and counts corrected', async () => {
    const { path, lines } = await exported();
    const head = JSON.parse(lines[0] ?? '');
    const [ofHome, ofAnna, ofBela] = head.segments;
    const without = { ...head, segments: [ofHome, ofBela] };
    const ran = await ofLines(path, [JSON.stringify(without), ...lines.toSpliced(3, 3).slice(1)]);
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining('changed after it was signed') });
    const last = JSON.parse(lines[7] ?? '');
    const cut = {
      ...head,
      segments: [ofHome, ofAnna, { ...ofBela, rows: 2, shown: 2, head: last.hash }],
    };
    const shorter = await ofLines(path, [JSON.stringify(cut), ...lines.toSpliced(8, 1).slice(1)]);
    expect(shorter).toMatchObject({ code: 1, out: expect.stringContaining('changed after it was signed') });
  });

  test('it is said to be of another principal', async () => {
    const { path, lines } = await exported({ principal: 'anna' });
    const head = { ...JSON.parse(lines[0] ?? ''), principal: 'bela' };
    expect(await ofLines(path, lines.toSpliced(0, 1, JSON.stringify(head)))).toMatchObject({
      code: 1,
      out: `It is of the principal bela, and holds the chain of anna. ${REFUSED}`,
    });
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
