/** Output about a home with history: plans, decisions, and the proof of the record. */
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { plansCommand } from '../../src/cli/records/plans.ts';
import { systemClock } from '../../src/clock.ts';
import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import { deflate, inflate } from '../../src/ledger/sqlite/deflated.ts';
import { Home } from '../execution/home.ts';
import { configRequest } from '../execution/requests.ts';
import { type RecordedHome, recordedHome } from './recorded.ts';
import { run } from './terminal.ts';

let recorded: RecordedHome;
beforeAll(async () => {
  recorded = await recordedHome();
});
afterAll(() => recorded.close());

const plans = (words: readonly string[] = [], options = {}, columns = 80) =>
  run(plansCommand, { home: recorded.folder, words, options, columns });
const audit = (words: readonly string[], options = {}) =>
  run(auditCommand, { home: recorded.folder, words, options });

/** Returns lines wider than the terminal, except those of one long word. */
const tooWide = (text: string, columns: number) =>
  text.split('\n').filter((line) => line.length > columns && line.trim().split(' ').length > 1);

describe('a home without records', () => {
  it.each([
    ['plans', plansCommand, []],
    ['audit verify', auditCommand, ['verify']],
    ['audit show', auditCommand, ['show']],
  ] as const)('is reported by %s, which creates nothing', async (_, command, words) => {
    const home = mkdtempSync(join(tmpdir(), 'empty-'));
    const ran = await run(command, { home, words });
    expect([ran.error, ran.code]).toEqual([undefined, 0]);
    expect(ran.err).toContain(`Nothing was recorded in ${home} yet.`);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('countersign plans', () => {
  it('sorts plans by urgency, with finished ones last in one line each', async () => {
    const { code, out } = await plans();
    expect(code).toBe(0);
    const { landed, swapped, refused, openPlan: asked, waiting } = recorded.plans;
    const order = [
      'Waiting for you',
      asked,
      'Not finished',
      waiting,
      'Finished in a sandbox',
      refused,
      swapped,
      landed,
    ];
    const positions = order.map((text) => out.indexOf(text));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions).not.toContain(-1);
    expect(out).toMatch(
      new RegExp(`${landed} {2}done +\\d{4}-\\d\\d-\\d\\d {2}Set up who shares the fees$`, 'm'),
    );
    expect(out).not.toContain('In doubt');
  });

  it('names the command that answers an open question', async () => {
    const [row] = await recorded.home.ledger.rows('approvals', { planId: recorded.plans.openPlan });
    const { out } = await plans();
    const text = out.replace(/\s+/g, ' ');
    expect(text).toContain(`countersign approve ${row?.id}`);
    expect(text).toContain(`countersign deny ${row?.id}`);
    expect(text).toContain('None of its 4 stages has landed.');
  });

  it.each([60, 80, 100])('fits %i columns', async (columns) => {
    expect(tooWide((await plans([], {}, columns)).out, columns)).toEqual([]);
    for (const planId of Object.values(recorded.plans)) {
      expect(tooWide((await plans([planId], {}, columns)).out, columns)).toEqual([]);
    }
  });

  it('shows one plan with stages, signatures and the next step', async () => {
    const [row] = await recorded.home.ledger.rows('journal', { planId: recorded.plans.landed });
    const done = await plans([recorded.plans.landed]);
    expect(done.out).toContain(`Write the fee shares on chain: final\n      ${row?.signature}`);
    expect(done.out).toMatch(
      /Known\n {2}Its only stage has landed\.\n\nIn doubt\n {2}Nothing\.\n\nNext\n {2}Nothing\.$/,
    );

    const refused = await plans([recorded.plans.refused]);
    expect(refused.out).toContain('calls a program the');
    expect(refused.out).toContain('A person who trusts the program can add it to "programs"');
    expect(refused.out).not.toMatch(/^ {6}[1-9A-HJ-NP-Za-km-z]{80,}$/m);
  });

  it('prints the same as JSON', async () => {
    const { out } = await plans([], { json: true });
    const shown: { plans: { planId: string; urgency: string; doubt: unknown[] }[] } = JSON.parse(out);
    const urgency = Object.fromEntries(shown.plans.map((plan) => [plan.planId, plan.urgency]));
    const { landed, swapped, refused, openPlan: asked, waiting } = recorded.plans;
    expect(urgency).toEqual({
      [landed]: 'done',
      [swapped]: 'done',
      [refused]: 'done',
      [asked]: 'person',
      [waiting]: 'open',
    });
  });

  it('shows the newest plans and reports that there are older ones', async () => {
    const { out } = await plans([], { limit: '2' });
    expect(out).toContain(recorded.plans.waiting);
    expect(out).not.toContain(recorded.plans.landed);
    expect(out).toContain('Older plans exist; use --limit N to see more.');
    expect((await plans([], { limit: '0' })).error).toMatchObject({ code: 'NOT_SET_UP' });
  });

  it('refuses an id that is not a plan of this home', async () => {
    expect((await plans(['plan-unknown'])).error).toMatchObject({
      message: 'No plan in this home has this id.',
    });
  });

  it('reads only the ledger: no network, no key', async () => {
    const before = globalThis.fetch;
    globalThis.fetch = () => {
      throw new Error('the network was asked');
    };
    try {
      expect((await plans()).code).toBe(0);
      expect((await plans([recorded.plans.landed])).code).toBe(0);
    } finally {
      globalThis.fetch = before;
    }
  });
});

describe('countersign audit', () => {
  it('shows decisions newest first, each with result, reason and plan', async () => {
    const { out, err } = await audit(['show'], { limit: '3' });
    expect(out.match(/^decision-\d+/gm)).toHaveLength(3);
    expect(out).toMatch(/^decision-\d+ {2}ALLOWED {2}preview {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m);
    expect(err).toContain('--limit');
    const refused = await audit(['show', recorded.plans.refused]);
    expect(refused.out).toContain('DENIED  at signing');
    expect(refused.out.replace(/\s+/g, ' ')).toContain('[PROGRAM_NOT_ALLOWED');
    expect(refused.out).not.toContain(recorded.plans.landed);
  });

  it('shows one decision with every check, amount, recipient and both forms of the hash', async () => {
    const [record] = await recorded.home.ledger.rows('decisions', {
      planId: recorded.plans.landed,
      limit: 1,
    });
    const { out } = await audit(['show', record?.id ?? '']);
    const hash = record?.decision.messageSha256 ?? '';
    expect(out).toContain(hash);
    expect(out).toMatch(/in base58 {4}[1-9A-HJ-NP-Za-km-z]{43,44}$/m);
    expect(out.match(/^ {2}ok {2}/gm)).toHaveLength(record?.decision.checks.length ?? 0);
    for (const { address } of record?.decision.recipients ?? []) expect(out).toContain(address);
    expect(out).toMatch(/at most 0\.\d+ SOL/);
    expect((await audit(['show', 'decision-9999'])).error).toMatchObject({ code: 'NOT_SET_UP' });
  });

  it('verifies the hash chain of decisions', async () => {
    const { code, out } = await audit(['verify']);
    const rows = (await recorded.home.ledger.verifyDecisions()).rows;
    expect([code, out]).toEqual([0, `The chain of ${rows} decisions is whole.`]);
  });

  it('replays every decision byte for byte under its policy', async () => {
    const { code, out } = await audit(['replay'], { policy: recorded.policyFile });
    const { rows } = await recorded.home.ledger.verifyDecisions();
    expect([code, out]).toEqual([0, `${rows} decisions came out exactly as recorded, 0 differently.`]);
    const one = await audit(['replay', 'decision-1', 'decision-3'], {
      policy: recorded.policyFile,
      json: true,
    });
    expect(JSON.parse(one.out).decisions).toMatchObject([
      { id: 'decision-3', outcome: 'identical' },
      { id: 'decision-1', outcome: 'identical' },
    ]);
  });

  it('refuses to replay without the policy and names the required hash', async () => {
    const [{ decision } = { decision: { policyHash: '' } }] = await recorded.home.ledger.rows('decisions', {
      limit: 1,
    });
    for (const options of [{}, { policy: recorded.otherPolicyFile }]) {
      const { out } = await audit(['replay'], options);
      expect(out).toContain('0 decisions came out exactly as recorded');
      expect(out).toContain(decision.policyHash);
    }
    expect((await audit(['replay', 'decision-9999'])).error).toMatchObject({ code: 'NOT_SET_UP' });
  });
});

describe('a record modified outside Countersign', () => {
  /** Copies the ledger and changes it behind the program's back. */
  function changed(sql: string): string {
    const home = mkdtempSync(join(tmpdir(), 'tampered-'));
    const source = new Libsql(recorded.home.file);
    source.exec(`VACUUM INTO '${join(home, 'ledger.db')}'`);
    source.close();
    const copy = new Libsql(join(home, 'ledger.db'));
    expect(copy.prepare(sql).run([]).changes).toBeGreaterThan(0);
    copy.close();
    chmodSync(join(home, 'ledger.db'), 0o600);
    return home;
  }
  const verify = (home: string) => run(auditCommand, { home, words: ['verify'] });

  it.each([
    [
      "UPDATE decisions SET body = replace(body, 'A', 'B') WHERE sequence = 4",
      'decision-4: the row was changed',
    ],
    ['DELETE FROM decisions WHERE sequence = 5', 'decision-5: the row is missing'],
    [
      "UPDATE decision_inputs SET inputs = replace(inputs, 'A', 'B') WHERE sequence = 2",
      'decision-2: the stored inputs are not those',
    ],
    ['DELETE FROM decision_inputs WHERE sequence = 3', 'decision-3: the stored inputs are missing'],
  ])('is reported at the first broken row: %s', async (sql, named) => {
    const { code, out } = await verify(changed(sql));
    expect(code).toBe(1);
    expect(out.replace(/\s+/g, ' ')).toContain(`The record breaks at ${named}`);
    expect(out).not.toContain('The chain of');
  });

  it('is reported by a replay if a decision contradicts its inputs', async () => {
    const home = changed(`UPDATE decisions SET effect = effect WHERE plan_id = '${recorded.plans.refused}'`);
    const db = await openDatabase(join(home, 'ledger.db'), systemClock);
    for (const row of (
      await db.all('SELECT * FROM decisions WHERE plan_id = ?', recorded.plans.refused)
    ).reverse()) {
      const body = inflate(row.text('body')).replace('"effect":"deny"', '"effect":"allow"');
      await db.write((db) =>
        db.run('UPDATE decisions SET body = ? WHERE sequence = ?', deflate(body), row.number('sequence')),
      );
    }
    await db.close();
    const ran = await run(auditCommand, {
      home,
      words: ['replay'],
      options: { policy: recorded.policyFile },
    });
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/decision-\d+ comes out differently: effect/);
  });
});

describe('a transaction in doubt', () => {
  it('is shown by plans with the reserved amounts', async () => {
    const planId = await recorded.leaveInDoubt();
    const { out } = await plans();
    const [row] = await recorded.home.ledger.rows('journal', { planId });
    expect(out.indexOf('In doubt')).toBe(0);
    expect(out).toContain(row?.signature);
    expect(out.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`it can land until block height ${row?.deadHeight}\\. 0\\.\\d+ SOL stays reserved`),
    );

    // The next server sends the same bytes again, and they land.
    await recorded.home.submit(planId);
    await recorded.home.plans.idle();
    expect((await plans()).out).not.toContain('In doubt');
  });
});

describe('an unconfigured sandbox', () => {
  it('is replayed without a policy file: the policy follows from its wallet and chain', async () => {
    const home = await Home.start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(plan?.planId ?? '');
    await home.plans.idle();
    const { code, out } = await run(auditCommand, { home: dirname(home.file), words: ['replay'] });
    const { rows } = await home.ledger.verifyDecisions();
    expect([code, out]).toEqual([0, `${rows} decisions came out exactly as recorded, 0 differently.`]);
    await home.close();
    await home.sandbox.close();
  });
});
