/** Tenant ledgers: a principal's writes carry its name, and rows of other principals are not readable. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allFrozen, frozenFor } from '../../src/ledger/frozen.ts';
import { movesIn } from '../../src/ledger/plans/recordedMoves.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import type { Plan } from '../../src/plan/types.ts';
import { forEachDatabase } from './databases.ts';
import {
  HOUR,
  handClock,
  NETWORK,
  sampleDecision,
  sampleInput,
  samplePlan,
  sampleQuestion,
  sampleReserve,
  sampleRow,
  sampleStage,
  solPerDay,
  spending,
  usedIn,
  WALLET,
} from './samples.ts';

const SOL = solPerDay(1_000n);
const LIMITS = [SOL];
const TOO_MANY = 'Too many transactions were denied for security.';

forEachDatabase(({ newPlace }) => {
  let ledger: HomeLedger;
  let anna: Ledger;
  let bela: Ledger;
  const annas = samplePlan({ planId: 'plan-anna', intentKey: 'a'.repeat(64), principal: 'anna' });
  const belas = samplePlan({ planId: 'plan-bela', intentKey: 'b'.repeat(64), principal: 'bela' });

  /** Each has a plan with a note, a decision, a landed signature with movements, an approval and a quote. */
  beforeEach(async () => {
    const clock = handClock();
    ledger = openLedger({ ...(await newPlace()), clock });
    anna = tenantLedger(ledger, { principal: 'anna' });
    bela = tenantLedger(ledger, { principal: 'bela' });
    const lease = await ledger.lease({ wallet: WALLET, holder: 'test' }, HOUR);
    if (lease === undefined) throw new Error('no lease');
    for (const [own, plan] of [
      [anna, annas],
      [bela, belas],
    ] as const) {
      await own.storePlan(plan);
      await own.setPlanNote(plan.planId, { status: 'running' });
      await own.recordDecision(sampleInput(plan, 'swap', sampleDecision()));
      const request = sampleReserve(lease, 400n, LIMITS, { plan });
      const reserved = await own.reserve(request);
      if (!reserved.ok) throw new Error(reserved.code);
      await own.journalSigned(lease, reserved.reservationId, sampleRow(request, plan.principal ?? ''));
      await own.askApproval(
        sampleQuestion(plan, [spending('swap', 1n)], { id: `approval-${plan.principal}` }),
      );
    }
  });
  afterEach(() => ledger.close());

  describe('T123 from another principal', () => {
    test('no plan, revision, checkpoint, decision, signature or approval can be read', async () => {
      const { planId, intentKey, mode } = annas;
      expect(await bela.planRows(planId, 10)).toBeUndefined();
      expect(await bela.rows('plans', { intentKey, mode })).toEqual([]);
      expect(await bela.rows('signed', { intentKey })).toEqual([]);
      expect(await bela.rows('decisions', { planId })).toEqual([]);
      expect(await bela.rows('journal', { planId })).toEqual([]);
      expect(await bela.rows('journal', { intentKey })).toEqual([]);
      expect(await bela.rows('journal', { signature: 'anna' })).toEqual([]);
      expect(movesIn(await bela.rows('journal', { planId }))).toEqual([]);
      for (const filter of [{ planId }, { id: 'approval-anna' }])
        expect(await bela.rows('approvals', filter)).toEqual([]);
    });

    test('nothing is listed', async () => {
      const names = (rows: readonly { readonly planId: string }[]) => [
        ...new Set(rows.map(({ planId }) => planId)),
      ];
      expect(names(await bela.rows('plans', {}))).toEqual(['plan-bela']);
      expect(names(await bela.rows('plans', { wallet: WALLET, network: NETWORK }))).toEqual(['plan-bela']);
      expect(names(await bela.rows('decisions', { limit: 100 }))).toEqual(['plan-bela']);
      expect(names(await bela.rows('approvals', { state: 'pending' }))).toEqual(['plan-bela']);
      expect(names(await bela.rows('journal', { open: true }))).toEqual(['plan-bela']);
    });

    test('an open signature is followed by every user of the wallet, since its signer may never return', async () => {
      const open = await bela.rows('journal', { open: true, wallet: WALLET, network: NETWORK });
      expect(open.map(({ planId }) => planId).sort()).toEqual(['plan-anna', 'plan-bela']);
    });

    test('no checkpoint can be set or removed, and no plan can be stored in its name', async () => {
      await bela.setPlanNote('plan-anna', { status: 'failed' });
      await bela.setPlanNote('plan-anna', {});
      expect((await anna.planRows('plan-anna'))?.planNotes).toMatchObject([{ status: 'running' }]);
      await expect(bela.storePlan({ ...annas, planId: 'plan-new' })).rejects.toThrow('another principal');
    });
  });

  describe('T127 a freeze', () => {
    const denied = (own: Ledger, plan: Plan, message: string) =>
      own.recordDecision(
        sampleInput(
          plan,
          'swap',
          sampleDecision({ effect: 'deny', class: 'security', messageSha256: message.repeat(64) }),
        ),
        { count: 3, windowMs: HOUR },
      );
    const reserveNow = async (own: Ledger, plan: Plan, name: string) => {
      const lease = await ledger.lease({ wallet: WALLET, holder: 'test' }, HOUR);
      if (lease === undefined) throw new Error('no lease');
      const request = sampleReserve(lease, 10n, LIMITS, { plan, stageId: 'other', messageSha256: name });
      return own.reserve(request);
    };

    test('caused by denials counts and stops one principal only', async () => {
      for (const message of ['1', '2', '3']) {
        await denied(bela, belas, '4');
        expect(await ledger.rows('freezes', {})).toEqual([]);
        await denied(anna, annas, message);
      }
      expect(await frozenFor(anna, 'anna')).toMatchObject({ reason: TOO_MANY, principal: 'anna' });
      expect(await frozenFor(bela)).toBeUndefined();
      expect(await frozenFor(ledger)).toBeUndefined();
      expect(await bela.rows('freezes', {})).toEqual([]);
      expect(await reserveNow(anna, annas, 'of anna')).toEqual({ ok: false, code: 'FROZEN' });
      expect(await reserveNow(bela, belas, 'of bela')).toMatchObject({ ok: true });
      expect(await frozenFor(ledger, 'anna')).toMatchObject({ principal: 'anna' });
      expect(await frozenFor(ledger, 'bela')).toBeUndefined();
      expect(await allFrozen(ledger)).toMatchObject({ reason: `For the principal anna: ${TOO_MANY}` });
    });

    test("by a person stops all, and lifting a principal's freeze leaves it", async () => {
      await anna.freeze('Too many.');
      await ledger.freeze('A person did.');
      for (const own of [anna, bela])
        expect(await frozenFor(own, 'anna')).toMatchObject({ reason: 'A person did.' });
      expect(await reserveNow(bela, belas, 'of bela')).toEqual({ ok: false, code: 'FROZEN' });
      await ledger.freeze({ lifted: undefined }, 'anna');
      expect(await frozenFor(anna, 'anna')).toMatchObject({ reason: 'A person did.' });
      await ledger.freeze({ lifted: undefined });
      expect(await frozenFor(bela)).toBeUndefined();
      expect(await reserveNow(anna, annas, 'of anna')).toMatchObject({ ok: true });
    });

    test('T57 known to this process is in the view although its row is gone', async () => {
      const frozen = { since: 1, reason: 'Enough.' };
      const server = tenantLedger(ledger, { frozen: async () => frozen });
      expect((await server.view(sampleStage(LIMITS))).frozen).toEqual(frozen);
      expect((await tenantLedger(ledger).view(sampleStage(LIMITS))).frozen).toBeUndefined();
    });

    test("is lifted by a person only, never through a principal's ledger", async () => {
      await anna.freeze('Too many.');
      await expect(anna.freeze({ lifted: undefined })).rejects.toThrow('only the home as a whole');
      expect(await frozenFor(anna, 'anna')).toBeDefined();
    });
  });

  test('T123 decision inputs, approvals and records of another principal cannot be read by id', async () => {
    const [own] = await anna.rows('decisions', { limit: 1 });
    const id = own?.id ?? '';
    expect((await anna.rows('decisions', { id, inputs: true }))[0]?.made).toBeDefined();
    expect((await bela.rows('decisions', { id, inputs: true }))[0]?.made).toBeUndefined();
    expect(await anna.rows('signedStages', { planId: 'plan-anna' })).toMatchObject([{ stageId: 'swap' }]);
    expect(await bela.rows('signedStages', { planId: 'plan-anna' })).toEqual([]);
    await expect(
      bela.answerApproval('approval-anna', { state: 'approved', channel: 'elicitation' }),
    ).rejects.toThrow('another principal');
    await expect(bela.freeze({ lifted: undefined })).rejects.toThrow('only the home as a whole');
    await bela.close();
    expect((await ledger.planRows(annas.planId))?.plan).toBeDefined();
  });

  test('every decision names its principal, in the record and in listings', async () => {
    const record = await ledger.rows('decisions', { limit: 100 });
    expect(record.length).toBe(4);
    for (const { planId, principal } of record) expect(`plan-${principal}`).toBe(planId);
    expect(await ledger.verifyDecisions()).toMatchObject({ rows: 4 });
    expect((await ledger.verifyDecisions()).brokenAt).toBeUndefined();
  });

  test('all users of a wallet share its limits', async () => {
    expect(await usedIn(anna, LIMITS, WALLET, NETWORK)).toEqual({ [SOL.id]: 800n });
    expect(await usedIn(bela, LIMITS, WALLET, NETWORK)).toEqual({ [SOL.id]: 800n });
  });

  test('the stdio server sees the whole home, and a plan without principal belongs to none', async () => {
    await ledger.storePlan(samplePlan({ planId: 'plan-home', intentKey: 'c'.repeat(64) }));
    expect((await ledger.rows('plans', {})).map(({ planId }) => planId).sort()).toEqual([
      'plan-anna',
      'plan-bela',
      'plan-home',
    ]);
    expect((await ledger.planRows('plan-home'))?.plan.principal).toBeUndefined();
    expect(await anna.planRows('plan-home')).toBeUndefined();
  });
});
