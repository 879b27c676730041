/** History of a day of ten plans: events, costs, and sums that match the chain. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { balanceCommand } from '../../../src/cli/money/balance.ts';
import { exportCommand } from '../../../src/cli/money/export.ts';
import { historyCommand } from '../../../src/cli/money/history.ts';
import { limitsCommand } from '../../../src/cli/money/limits.ts';
import { run } from '../terminal.ts';
import { type Balances, type Day, removeDay, tenPlans } from './tenPlans.ts';

let day: Day;
let files: string;

beforeAll(async () => {
  day = await tenPlans();
  files = mkdtempSync(join(tmpdir(), 'ten-plans-'));
});
afterAll(async () => {
  await removeDay(day);
  rmSync(files, { recursive: true, force: true });
});

const history = (options = {}, columns = 80) => run(historyCommand, { home: day.folder, options, columns });

/** Returns the lines of one plan. */
function entry(out: string, name: string): string {
  const found = out.split('\n\n').find((text) => text.includes(day.plans[name] ?? 'no such plan'));
  return (found ?? '').replace(/\s+/g, ' ');
}

describe('countersign history', () => {
  it('shows how each of the ten plans ended, and the reason of the failed ones', async () => {
    const { out, code, error } = await history();
    expect([code, error]).toEqual([0, undefined]);
    for (const name of ['config 2', 'config 3', 'swapped', 'launched']) {
      expect(entry(out, name)).toMatch(
        /: landed \(sandbox\) what .*at most 0\.\d+ SOL leaves.* moved .*-\d.* SOL .*fees 0\.\d+ SOL in \d+ transaction/,
      );
    }
    for (const name of ['too much', 'far too much']) {
      expect(entry(out, name)).toMatch(
        /Swap tokens: denied \(sandbox\) what swap of [39] SOL for \w+.* why A limit would be exceeded: limit sol-tx/,
      );
    }
    expect(entry(out, 'said no')).toMatch(/Launch a token: denied \(sandbox\) what .*leaves.* why .*denied/);
    expect(entry(out, 'lost')).toMatch(/: expired \(sandbox\) what .*0\.12\d* SOL .* why .*quote/);
    expect(entry(out, 'lost')).not.toContain('fees');
    expect(entry(out, 'unanswered')).toMatch(
      /: expired \(sandbox\) .* why The question expired without an answer/,
    );
    expect(entry(out, 'failed')).toMatch(
      /: failed \(sandbox\) .* why "Swap" landed and failed \(.*moved nothing fees 0\.0/,
    );
    expect(out).toMatch(/\n {2}wallet \w{32,44}\n/);
    expect(out).toMatch(/All together \(sandbox\)\n {2}plans +4 landed, 3 denied, 2 expired and 1 failed\n/);
  });

  it('sums outflows as the chain shows them', async () => {
    const { out } = await history({ json: true });
    const { totals, plans: shown } = JSON.parse(out);
    expect(shown).toHaveLength(10);
    const [{ feeLamports, changes }] = totals;
    const moved = BigInt(changes.find(({ asset }: { asset: string }) => asset === 'SOL').units);
    expect(day.before.get('SOL') ?? 0n).toBe((day.after.get('SOL') ?? 0n) - moved + BigInt(feeLamports));
  });

  it.each([60, 80, 100])('fits %i columns', async (columns) => {
    const { out } = await history({}, columns);
    const wide = out.split('\n').filter((line) => line.length > columns && line.trim().split(' ').length > 1);
    expect(wide).toEqual([]);
  });

  it('filters by the given period and refuses an invalid time', async () => {
    const none = await history({ until: '2020-01-01' });
    expect(none.out).toBe('No activity in this period.');
    const few = await history({ limit: '1' });
    expect(few.out).toContain('9 older plans not shown; use --limit N.');
    expect((await history({ since: 'yesterday' })).error).toMatchObject({ code: 'NOT_SET_UP' });
    expect((await history({ since: '2026-02-01', until: '2026-01-01' })).error).toMatchObject({
      message: '--since must be before --until.',
    });
  });
});

const COLUMNS =
  'time,plan,operation,outcome,why,mode,network,wallet,stage,signature,slot,kind,asset,base_units,decimals,amount';

/** Cells of RFC 4180. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
  );

function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.replaceAll('\r', '').trim().split('\n');
  expect(head).toBe(COLUMNS);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = cellsOf(line);
    expect(cells).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

function addsUp(rows: readonly Record<string, unknown>[]): void {
  const sums: Balances = new Map(day.before);
  for (const { asset, base_units: units } of rows) {
    if (units !== '') sums.set(`${asset}`, (sums.get(`${asset}`) ?? 0n) + BigInt(`${units}`));
  }
  const held = (all: Balances) => Object.fromEntries([...all].filter(([, units]) => units !== 0n).sort());
  expect(held(sums)).toEqual(held(day.after));
}

describe('countersign export', () => {
  it("prints CSV whose rows add up exactly to the chain's balance of every asset", async () => {
    const out = join(files, 'money.csv');
    const ran = await run(exportCommand, { home: day.folder, options: { out } });
    expect([ran.code, ran.error, ran.out]).toEqual([0, undefined, out]);
    expect(statSync(out).mode & 0o077).toBe(0);
    const rows = rowsOf(readFileSync(out, 'utf8'));
    expect(new Set(rows.map(({ plan }) => plan)).size).toBe(10);
    addsUp(rows);
    const kinds = rows.filter(({ plan }) => plan === day.plans.lost).map(({ kind }) => kind);
    expect(kinds).toEqual(['none']);
    expect(rows.filter(({ plan }) => plan === day.plans.failed).map(({ kind }) => kind)).toEqual(['fee']);
  });

  it('prints the same data as JSON, to stdout without --out', async () => {
    const ran = await run(exportCommand, { home: day.folder, options: { json: true } });
    addsUp(JSON.parse(ran.out));
  });

  it('refuses to export anything else', async () => {
    expect((await run(exportCommand, { home: day.folder, words: ['keys'] })).error).toMatchObject({
      code: 'NOT_SET_UP',
    });
  });
});

describe('countersign limits', () => {
  const limits = (options = {}, columns = 80) => run(limitsCommand, { home: day.folder, options, columns });

  it('shows used and remaining amounts of every limit of the newest sandbox, in SOL, and when they free up', async () => {
    const { out, code } = await limits();
    expect(code).toBe(0);
    expect(out).toContain(day.home.wallet);
    expect(out).toMatch(
      / {2}[\w-]+: at most [\d.,]+ SOL in any 24 hours\n {4}used +[\d.]+ SOL\n {4}left +[\d.,]+ SOL\n/,
    );
    expect(out).toMatch(/frees +[\d.]+ SOL on \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ, all by/);
    expect(out).toContain('anew in every transaction');
  });

  it("prints the ledger's counts as JSON: used plus remaining equals the limit, and uses expire in order", async () => {
    const { out } = await limits({ json: true });
    const shown: {
      limitId: string;
      kind: string;
      of: string;
      max: string;
      used?: string;
      left?: string;
      frees?: { at: string; all: string };
    }[] = JSON.parse(out).limits;
    const windows = shown.filter(({ used }) => used !== undefined);
    expect(windows.length).toBeGreaterThan(1);
    for (const { max, used = '', left = '' } of windows)
      expect(BigInt(used) + BigInt(left)).toBe(BigInt(max));
    const swaps = windows.find(({ of, kind }) => kind === 'asset' && of === 'SOL');
    expect(BigInt(swaps?.used ?? 0)).toBeGreaterThan(0n);
    expect((swaps?.frees?.at ?? '') <= (swaps?.frees?.all ?? '')).toBe(true);
  });

  it('needs a policy in live mode', async () => {
    expect((await limits({ live: true })).error).toMatchObject({
      hint: expect.stringContaining('countersign init'),
    });
  });
});

describe('countersign balance', () => {
  it('shows SOL and tokens of a wallet in whole units, equal to the chain', async () => {
    const options = { 'rpc-url': day.home.sandbox.rpcUrl, wallet: day.home.wallet };
    const { out, code } = await run(balanceCommand, { home: day.folder, options, columns: 60 });
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(day.home.wallet);
    const lamports = `${day.after.get('SOL')}`.padStart(10, '0');
    const whole = Number(lamports.slice(0, -9)).toLocaleString('en-US');
    const part = lamports.slice(-9).replace(/0+$/, '');
    expect(out.split('\n')[1]).toBe(`  ${whole}${part === '' ? '' : `.${part}`} SOL`);
    for (const mint of day.after.keys())
      if (mint !== 'SOL') expect(out.replace(/\s+/g, ' ')).toContain(`of ${mint}`);
  });

  it('reports a missing RPC and a missing wallet', async () => {
    expect((await run(balanceCommand, { home: day.folder })).error).toMatchObject({
      message: 'A balance is read from your own RPC.',
    });
    const options = { 'rpc-url': day.home.sandbox.rpcUrl };
    expect((await run(balanceCommand, { home: day.folder, options })).error).toMatchObject({
      message: 'There is no wallet in this home.',
    });
  });
});
