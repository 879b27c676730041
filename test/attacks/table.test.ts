/** Attack table of `countersign demo --attacks --json` against the built command. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { runAttacks } from '../../sandbox/attacks/play.ts';
import { ATTACKS } from '../../sandbox/attacks/service/index.ts';
import type { Sighting } from '../../sandbox/attacks/world/world.ts';
import { COMMAND, type Fields, object } from '../e2e/harness.ts';
import { endsDifferently, NOT_OF_THE_INVENTORY, observedHarms } from './witness.ts';

let code: number | null;
let rows: Fields[];
let summary: Fields;
/** Effects of each attack on a copy of the chain, by step. */
const sightings = new Map<string, readonly Sighting[]>();
beforeAll(async () => {
  const lines: Fields[] = [];
  let seen: Sighting[] = [];
  const write = (text: string) => {
    const line = object(JSON.parse(text));
    lines.push(line);
    sightings.set(String(line.step), seen);
    seen = [];
  };
  const witness = (sighting: Sighting) => void seen.push(sighting);
  const now = () => performance.now();
  code = await runAttacks({ json: true, command: COMMAND, out: { write }, now, witness, seed: 'table' });
  rows = lines.filter((line) => line.row !== undefined);
  summary = lines.find((line) => line.step === 'summary') ?? {};
});

const named = (condition: (row: Fields) => boolean) => rows.filter(condition).map(({ step }) => step);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

describe('the attack table', () => {
  it('holds in every row', () => {
    expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(code).toBe(0);
  });

  it('signs nothing and refuses each attack for its expected reason', () => {
    expect(named(({ signed }) => signed !== false)).toEqual([]);
    expect(named(({ codes, expectedCode }) => !texts(codes).includes(String(expectedCode)))).toEqual([]);
    expect(named(({ explain }) => !/^[A-Z].{10,}/.test(String(explain)))).toEqual([]);
  });

  it('has a row for each row of the threat model', () => {
    expect(rows.length).toBeGreaterThanOrEqual(140);
    expect(new Set(rows.map(({ expectedCode }) => expectedCode)).size).toBeGreaterThanOrEqual(35);
    expect(new Set(rows.map(({ step }) => step)).size).toBe(rows.length);
    const played = new Set(rows.map(({ row }) => row));
    const model = readFileSync('docs/safety.md', 'utf8');
    const all = [...model.matchAll(/^\| (T\d+) \|/gm)].map((match) => match[1] ?? '');
    // Not played here, since the sandbox has no means for it; the coverage page names the tests of each. T62, T80, T81,
    // T86 to T88, T90, T120 to T128: other processes, the page, webhooks, HTTP and signers. T69: plans of no endpoint
    // today. T70, T73: text of results and questions. T72: output of `policy init`. T76: plans of several unsupported
    // launch stages. T94: effects absent from instructions. T95: programs on a public network. T111 to T114: payments
    // and table closings built here, and their questions. T129, T130: joined claims. T131: quotes traded twice. T132:
    // wallet labels. T133, T134: writers of the ledger.
    const elsewhere = 'T62 T69 T70 T72 T73 T76 T80 T81 T86 T87 T88 T90 T94 T95 T111 T112 T113 T114';
    const overHttp = 'T120 T121 T122 T123 T124 T125 T126 T127 T128 T129 T130 T131 T132 T133 T134';
    const byNumber = (a: string, b: string) => Number(a.slice(1)) - Number(b.slice(1));
    expect(all.filter((row) => !played.has(row)).sort(byNumber)).toEqual(
      // T135, T136: telemetry. T138 to T143: stages that never land, router places, pools, and accounts created by
      // others or an earlier run. T144: an issuer. T152: payments that require approval with real money. T164: a
      // token's transfer fee. T167: the proceeds of a claim. T183: a first purchase with real money. T188: plans
      // approved in advance. T189: unwrapping. T190: rehearsal results. T195: incorporations. T199: second signatures
      // and failures on chain. T200: the plan card. T201: login by wallet signature.
      `${elsewhere} ${overHttp} T135 T136 T138 T139 T140 T141 T142 T143 T144 T152 T164 T167 T183 T188 T189 T190 T195 T199 T200 T201`.split(
        ' ',
      ),
    );
  });

  it('refuses each row for a reason named in the threat model', () => {
    const model = readFileSync('docs/safety.md', 'utf8');
    const unexplained = rows.filter(({ row, expectedCode }) => {
      const line = model.split('\n').find((each) => each.startsWith(`| ${String(row)} |`)) ?? '';
      return !line.includes(`\`${String(expectedCode)}\``);
    });
    expect(unexplained.map(({ row, step, expectedCode }) => [row, step, expectedCode])).toEqual([]);
  });

  it('runs every attack the sandbox implements', () => {
    const played = new Set(rows.map(({ does }) => does));
    expect([...ATTACKS].filter(([, { does }]) => !played.has(does)).map(([name]) => name)).toEqual([]);
  });

  it("simulates each transaction's effect on a copy of the chain, or states why not", () => {
    expect(named(({ executed }) => executed === true).length).toBeGreaterThanOrEqual(115);
    expect(named((row) => row.executed !== true && typeof row.notExecuted !== 'string')).toEqual([]);
    const alike = named(({ executed, step }) => {
      const seen = sightings.get(String(step)) ?? [];
      return executed === true && seen.length > 0 && seen.every((sighting) => !endsDifferently(sighting));
    });
    // The attacker decides whether it lands, which no account shows.
    expect(alike).toEqual(['cosignature-withheld']);
  });

  it('takes the stated SOL amount', () => {
    const lost = (step: string) => object(rows.find((row) => row.step === step)?.lostIfSigned);
    const sol = (step: string) => BigInt(String(object(lost(step).assets).SOL));
    const beyondFees = (step: string) => sol(step) - BigInt(String(lost(step).extraFees));
    for (const step of ['append-transfer', 'second-recipient', 'hidden-in-program', 'second-key']) {
      expect([step, beyondFees(step)]).toEqual([step, 1_000_000_000n]);
    }
    // A second key adds a signature fee.
    expect(lost('second-key').extraFees).toBe('5000');
    expect(lost('append-transfer').extraFees).toBe('0');
    expect(sol('assign-wallet')).toBeGreaterThan(90_000_000_000n);
    // The attacker withdraws it from the transferred account.
    expect(sol('give-nonce-away')).toBeGreaterThan(499_000_000n);
  });

  it('executes an honest twin for each attack, signed separately', () => {
    const twins = rows.filter(({ executed }) => executed === true).map((row) => row.twinSignature);
    expect(twins.filter((signature) => typeof signature !== 'string')).toEqual([]);
    expect(new Set(twins).size).toBe(twins.length);
  });

  it('lists the attacks stopped by a single check, and most others fail several', () => {
    const alone = named(({ singleCheck }) => typeof singleCheck === 'string');
    expect(alone).toContain('supply-unsealed');
    expect(alone).not.toContain('assign-wallet');
    expect(alone).not.toContain('rent-drain');
    // Code that is harmless in simulation is detected by its deployment alone (T34).
    expect(alone).toContain('accepted-program-replaced');
    expect(alone.length).toBeLessThan(rows.length / 2);
  });

  it('counts the demonstrated attacks', () => {
    expect(summary).toMatchObject({
      ok: true,
      attacks: rows.length,
      refused: rows.length,
      executed: named(({ executed }) => executed === true).length,
      reasons: new Set(rows.map(({ expectedCode }) => expectedCode)).size,
    });
  });

  it("reduces the inventory of the wallet's assets wherever those are attacked", () => {
    const silent = rows
      .filter(({ executed, step }) => executed === true && sightings.get(String(step))?.length)
      .map(({ step }) => String(step))
      .filter((step) => sightings.get(step)?.every((sighting) => observedHarms(sighting).length === 0));
    expect(silent.sort()).toEqual(Object.values(NOT_OF_THE_INVENTORY).flat().sort());
    const judged = [...sightings.values()].filter((seen) => seen.length > 0);
    expect(judged.length).toBeGreaterThanOrEqual(115);
  });
});

it('prints row by row from the command', async () => {
  const command = spawn(process.execPath, [COMMAND, 'demo', '--attacks', '--json']);
  try {
    for await (const line of createInterface({ input: command.stdout })) {
      expect(object(JSON.parse(line))).toMatchObject({ ok: true, signed: false });
      break;
    }
  } finally {
    command.kill();
  }
});
