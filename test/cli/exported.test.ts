/** Exported decisions: the owner's signature is verified by a command that needs no home. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/money/export.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { link } from '../../src/ledger/chains/chains.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import {
  handClock,
  sampleDecision,
  sampleInput,
  samplePlan,
  sampleReserve,
  sampleRow,
  WALLET,
} from '../ledger/samples.ts';
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
    const own = tenantLedger(ledger, { principal: principal });
    await own.storePlan(plan);
    await own.recordDecision(sampleInput(plan, 'swap', sampleDecision({ ruleId: `Number ${index}.` })));
    clock.at += HOUR;
  }
  await ledger.close();
});
afterEach(() => {
  for (const folder of [home, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const timeOf = (hours: number): string => new Date(began + hours * HOUR).toISOString().replace(/\.\d+Z/, 'Z');

async function exported({ principal, ...options }: Record<string, string> = {}): Promise<{
  path: string;
  lines: string[];
}> {
  const path = join(elsewhere, 'decisions.jsonl');
  const ran = await run(exportCommand, {
    home,
    words: ['decisions', ...(principal === undefined ? [] : [principal])],
    options: { ...options, out: path },
    typed: [OWNER_PASSPHRASE],
  });
  expect(ran).toMatchObject({ code: 0, prompts: ['Owner passphrase: (hidden)'] });
  return { path, lines: readFileSync(path, 'utf8').trimEnd().split('\n') };
}

/** Verifies a file without the home, with the public key alone. */
const verified = (path: string, key: readonly string[] = [owner]): Promise<Ran> =>
  run(auditCommand, { home: elsewhere, words: ['verify', path, ...key] });

async function ofLines(path: string, lines: readonly string[]): Promise<Ran> {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return verified(path);
}

const REFUSED = 'Nothing in this file is proven.';

test('an export of one principal and period is a segment of its own chain and contains no other rows', async () => {
  const { path, lines } = await exported({ principal: 'anna', since: timeOf(1), until: timeOf(5) });
  expect(lines.length).toBe(1 + 2 + 1);
  expect(lines.join('\n')).toContain('Number 2.');
  expect(lines.join('\n')).toContain('Number 4.');
  for (const other of ['Number 0.', 'Number 1.', 'Number 3.', 'Number 5.', 'bela'])
    expect(lines.join('\n')).not.toContain(other);
  const ran = await verified(path);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(/^Whole: 2 decisions of the principal anna, from row 2 of the chain of anna on/);
  expect(ran.out).toContain(owner);
});

test('an export of everything contains every chain with its start and verifies as complete', async () => {
  const { path } = await exported();
  const { out } = await verified(path);
  expect(out).toContain('Whole: 6 decisions of all principals');
  for (const chain of ["the home's chain", 'the chain of anna', 'the chain of bela'])
    expect(out).toContain(`row 1 of ${chain}`);
});

test('CSV contains no formula, whatever an RPC called a mint (T201), and numbers as numbers', async () => {
  const mints = ['-1+HYPERLINK("http://evil.example","x")', '=1+1', '-7'];
  const ledger = openLedger({ home, clock: handClock() });
  const lease = await ledger.lease({ wallet: WALLET, holder: 'one' }, HOUR);
  if (lease === undefined) throw new Error('no lease');
  const plan = samplePlan({ planId: 'plan-0', intentKey: '0'.repeat(64), principal: 'anna' });
  const request = sampleReserve(lease, 5n, [], { plan });
  const reserved = await ledger.reserve(request);
  if (!reserved.ok) throw new Error(reserved.code);
  await ledger.journalSigned(lease, reserved.reservationId, sampleRow(request, 'signature-1'));
  const changes = mints.map((asset) => ({ asset, units: -125n, decimals: 2 }));
  const moves = { slot: 5, feeLamports: 5_000n, changes };
  await ledger.journalMove('signature-1', 'finalized', { slot: 5, settled: { actual: [], moves } });
  await ledger.close();
  const { out, code } = await run(exportCommand, { home });
  expect(code).toBe(0);
  expect(out).toContain(`,change,"'-1+HYPERLINK(""http://evil.example"",""x"")",-125,2,-1.25`);
  expect(out).toContain(",change,'=1+1,-125,2,-1.25");
  expect(out).toContain(',change,-7,-125,2,-1.25');
});

test('a file that is not an export is never reported as complete: empty, garbage, without head, or missing', async () => {
  const { path, lines } = await exported();
  for (const content of [[], ['not an export'], ['{}'], lines.slice(1)])
    expect(await ofLines(path, content)).toMatchObject({ code: 1, out: expect.stringContaining(REFUSED) });
  expect((await verified(join(elsewhere, 'missing.jsonl'))).error).toMatchObject({ name: 'SetupError' });
});

describe('a file is refused if', () => {
  /** Exports, changes the lines, and checks the changed file. */
  const changed = async (change: (lines: string[]) => string[], options: Record<string, string> = {}) => {
    const { path, lines } = await exported(options);
    return ofLines(path, change(lines));
  };
  const inHead = (change: (head: { segments: Record<string, unknown>[] }) => object) => (lines: string[]) =>
    lines.with(0, JSON.stringify(change(JSON.parse(lines[0] ?? ''))));

  test.each<[string, (lines: string[]) => string[], string]>([
    ['a decision in its middle is missing', (lines) => lines.toSpliced(2, 1), 'row 2 of the chain of anna'],
    ['its last decision is missing', (lines) => lines.toSpliced(3, 1), 'row 3 of the chain of anna'],
    [
      'two decisions are swapped',
      (lines) => lines.toSpliced(2, 2, lines[3] ?? '', lines[2] ?? ''),
      'row 2 of the chain of anna',
    ],
    ['a decision is duplicated', (lines) => lines.toSpliced(3, 0, lines[3] ?? ''), '1 row more'],
    [
      'a decision was changed',
      (lines) => lines.map((line) => line.replace('Number 2.', 'Number 9.')),
      'changed',
    ],
    ['the statement is missing', (lines) => lines.slice(0, -1), 'statement at its end is missing'],
    [
      'it names another principal',
      inHead((head) => ({ ...head, principal: 'bela' })),
      'holds the chain of anna',
    ],
    ['it names another period', inHead((head) => ({ ...head, from: began + HOUR })), 'not of this period'],
    [
      'the head was cut to fit fewer rows',
      (lines) =>
        inHead((head) => ({
          ...head,
          segments: head.segments.map((each) => ({
            ...each,
            rows: 2,
            head: link(link(String(each.previous), lines[1] ?? ''), lines[2] ?? ''),
          })),
        }))(lines).toSpliced(3, 1),
      'changed after it was signed',
    ],
  ])('%s', async (_, change, problem) => {
    const ran = await changed(change, { principal: 'anna' });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(problem);
    expect(ran.out).toContain(REFUSED);
  });

  test('a whole chain is missing from it, or from its head too', async () => {
    const without = (lines: string[]) => lines.toSpliced(3, 3);
    expect((await changed(without)).out).toContain('row 1 of the chain of anna');
    const cut = inHead((head) => ({
      ...head,
      segments: head.segments.filter(({ chain }) => chain !== 'principal:anna'),
    }));
    expect((await changed((lines) => cut(without(lines)))).out).toContain('changed after it was signed');
  });

  test('it is signed by another key', async () => {
    const { path } = await exported();
    const stranger = (await (await withOwner(mkdtempSync(join(elsewhere, 'stranger-'))))()) ?? '';
    expect(await verified(path, [stranger])).toMatchObject({
      code: 1,
      out: expect.stringContaining('not signed by'),
    });
  });

  test('the expected key is not given; the key is then requested', async () => {
    const { path } = await exported();
    expect((await verified(path, [])).error).toMatchObject({
      hint: expect.stringContaining('verify FILE KEY'),
    });
  });
});
