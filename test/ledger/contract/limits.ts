import type { Lease, Ledger, LimitSpec, ReserveOutcome } from '../../../src/ledger/types.ts';
import {
  HOUR,
  handClock,
  NETWORK,
  samplePlan,
  sampleReserve,
  sampleRow,
  sampleStage,
  solPerDay,
  twoClocks,
  usedIn,
  WALLET,
} from '../samples.ts';
import type { OpenStore, StoreTests } from './storeContract.ts';

export function limits({ runner, newStore }: StoreTests): void {
  const { afterEach, beforeEach, describe, expect, it } = runner;
  let open: OpenStore;
  let clock: ReturnType<typeof handClock>;
  let ledger: Ledger;
  let lease: Lease;

  beforeEach(async () => {
    open = await newStore();
    clock = handClock();
    ledger = await open(clock);
    lease = await held(ledger);
  });
  afterEach(() => ledger.close());

  async function held(of: Ledger): Promise<Lease> {
    const got = await of.lease({ wallet: WALLET, holder: 'test' }, 1e12);
    if (got === undefined) throw new Error('no lease');
    return got;
  }

  async function taken(outcome: Promise<ReserveOutcome>): Promise<string> {
    const result = await outcome;
    if (!result.ok) throw new Error(result.code);
    return result.reservationId;
  }

  const usedOf = async (limit: LimitSpec) => (await usedIn(ledger, [limit], WALLET, NETWORK))[limit.id];

  describe('limits', () => {
    it('allow up to the limit and not one lamport more', async () => {
      const limit = solPerDay(100n);
      expect(await ledger.reserve(sampleReserve(lease, 60n, [limit]))).toMatchObject({ ok: true });
      expect(await ledger.reserve(sampleReserve(lease, 41n, [limit]))).toEqual({
        ok: false,
        code: 'LIMIT_EXCEEDED',
        limitId: 'sol-day',
      });
      expect(await ledger.reserve(sampleReserve(lease, 40n, [limit]))).toMatchObject({ ok: true });
      expect(await usedOf(limit)).toBe(100n);
    });

    it('count as used after a lost ledger was accepted, until their windows have passed', async () => {
      const day = solPerDay(100n);
      const token: LimitSpec = { ...day, id: 'token', of: 'mint', max: 7n };
      const count: LimitSpec = { ...day, id: 'plans', kind: 'count', of: 'any', max: 3n };
      const calendar: LimitSpec = { ...day, id: 'today', window: { calendar: 'day', timeZone: 'UTC' } };
      const limits = [day, token, count, calendar];
      const accepted = clock.at;
      await ledger.setNote('accepted-ledger', JSON.stringify({ at: accepted, statement: '' }));
      const used = () => usedIn(ledger, limits, WALLET, NETWORK);
      expect(await used()).toEqual({ 'sol-day': 100n, token: 7n, plans: 3n, today: 100n });
      expect(await ledger.rows('uses', { limit: token, wallet: WALLET, network: NETWORK })).toEqual([
        { time: accepted, amount: 7n },
      ]);
      for (const limit of limits) {
        const request = { ...sampleReserve(lease, 1n, [limit]), uses: [{ limitId: limit.id, amount: 1n }] };
        expect(await ledger.reserve(request)).toEqual({
          ok: false,
          code: 'LIMIT_EXCEEDED',
          limitId: limit.id,
        });
      }
      const midnight = Math.ceil((accepted + 1) / (24 * HOUR)) * 24 * HOUR;
      expect((await ledger.view(sampleStage(limits))).exhausted).toEqual({
        'sol-day': accepted + 24 * HOUR,
        token: accepted + 24 * HOUR,
        plans: accepted + 24 * HOUR,
        today: midnight,
      });
      clock.at = midnight;
      expect(await used()).toMatchObject({ 'sol-day': 100n, today: 0n });
      clock.at = accepted + 24 * HOUR;
      expect(await used()).toEqual({ 'sol-day': 0n, token: 0n, plans: 0n, today: 0n });
      expect((await ledger.view(sampleStage(limits))).exhausted).toEqual({});
      expect(await ledger.reserve(sampleReserve(lease, 100n, [day]))).toMatchObject({ ok: true });
    });

    it('reserve nothing and record nothing if refused', async () => {
      const limit = solPerDay(10n);
      await ledger.reserve(sampleReserve(lease, 11n, [limit]));
      expect(await usedOf(limit)).toBe(0n);
      expect(await ledger.rows('decisions', {})).toEqual([]);
    });

    it("drop a use from a rolling window exactly at the window's age", async () => {
      const limit = solPerDay(100n);
      await taken(ledger.reserve(sampleReserve(lease, 100n, [limit])));
      clock.at += 24 * HOUR - 1;
      expect(await usedOf(limit)).toBe(100n);
      clock.at += 1;
      expect(await usedOf(limit)).toBe(0n);
    });

    it('keep a signature that may still land, however old, until it is settled or dead (T41)', async () => {
      const limit = solPerDay(100n);
      const plans: LimitSpec = { ...limit, id: 'plans', kind: 'count', of: 'any', max: 1n };
      const signed = async (amount: bigint, signature: string) => {
        const request = sampleReserve(lease, amount, [limit]);
        const reservation = await taken(ledger.reserve(request));
        await ledger.journalSigned(lease, reservation, sampleRow(request, signature));
        return request.decision.planId;
      };
      const planId = await signed(60n, 'stalled');
      await signed(40n, 'landed');
      const settled = { actual: [{ asset: 'SOL', amount: 40n }] };
      await ledger.journalMove('landed', 'finalized', { settled });
      clock.at += 48 * HOUR;
      const used = (of?: string) => usedIn(ledger, [limit, plans], WALLET, NETWORK, of);
      expect(await used()).toEqual({ 'sol-day': 60n, plans: 1n });
      expect(await used(planId)).toEqual({ 'sol-day': 60n, plans: 0n });
      expect(await ledger.rows('uses', { limit, wallet: WALLET, network: NETWORK })).toEqual([
        { time: clock.at, amount: 60n },
      ]);
      expect(await ledger.reserve(sampleReserve(lease, 41n, [limit]))).toMatchObject({ ok: false });
      expect(await ledger.reserve(sampleReserve(lease, 1n, [plans]))).toMatchObject({ ok: false });
      await ledger.journalMove('stalled', 'expired', { lease });
      expect(await used()).toEqual({ 'sol-day': 0n, plans: 0n });
      expect(await ledger.reserve(sampleReserve(lease, 100n, [limit]))).toMatchObject({ ok: true });
    });

    it('begin a calendar day at midnight of their time zone', async () => {
      const limit: LimitSpec = {
        ...solPerDay(100n),
        window: { calendar: 'day', timeZone: 'Europe/Berlin' },
      };
      clock.at = Date.parse('2027-06-10T21:59:00Z');
      await taken(ledger.reserve(sampleReserve(lease, 7n, [limit])));
      expect(await usedOf(limit)).toBe(7n);
      clock.at = Date.parse('2027-06-10T22:00:00Z');
      expect(await usedOf(limit)).toBe(0n);
    });

    it('stay used if the clock goes back, and across a restart (F47, F48)', async () => {
      const limit = solPerDay(100n);
      await taken(ledger.reserve(sampleReserve(lease, 100n, [limit])));
      clock.at -= 30 * 24 * HOUR;
      expect(await ledger.reserve(sampleReserve(lease, 1n, [limit]))).toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
      await ledger.close();
      ledger = await open(clock);
      lease = await held(ledger);
      expect(await ledger.reserve(sampleReserve(lease, 1n, [limit]))).toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
      // Time continues from the newest stored time, so the window still ends.
      clock.at += 24 * HOUR;
      expect(await usedOf(limit)).toBe(0n);
    });

    describe('F47 when the clock jumps ahead while a process runs', () => {
      const DAY = 24 * HOUR;
      const limit = solPerDay(100n);
      let clocks: ReturnType<typeof twoClocks>;
      let ownStore: OpenStore;
      let own: Ledger;
      let lock: Lease;
      beforeEach(async () => {
        clocks = twoClocks();
        ownStore = await newStore();
        own = await ownStore(clocks);
        lock = await held(own);
        await taken(own.reserve(sampleReserve(lock, 60n, [limit])));
      });
      afterEach(() => own.close());
      const used = async () => (await usedIn(own, [limit], WALLET, NETWORK))[limit.id];
      const take = (amount: bigint) => own.reserve(sampleReserve(lock, amount, [limit]));

      it('no window opens early, and it opens once a day has really passed', async () => {
        clocks.at += 30 * DAY;
        expect(await used()).toBe(60n);
        expect(await take(41n)).toMatchObject({ ok: false, code: 'LIMIT_EXCEEDED' });
        clocks.pass(DAY - 1);
        expect(await used()).toBe(60n);
        clocks.pass(1);
        expect(await used()).toBe(0n);
      });

      it('uses in the meantime stay in the window for a day, even after the clock is corrected or a restart', async () => {
        clocks.at += 30 * DAY;
        expect(await take(40n)).toMatchObject({ ok: true });
        clocks.pass(HOUR);
        clocks.at -= 30 * DAY;
        expect(await used()).toBe(100n);
        await own.close();
        own = await ownStore(clocks);
        expect(await used()).toBe(100n);
        clocks.pass(DAY - HOUR);
        expect(await used()).toBe(0n);
      });
    });

    it('F48 keep sums exact beyond 64 bits', async () => {
      const max = 0xffff_ffff_ffff_ffffn;
      const limit = solPerDay(max * 10n);
      for (let i = 0; i < 3; i++) await taken(ledger.reserve(sampleReserve(lease, max, [limit])));
      expect(await usedOf(limit)).toBe(max * 3n);
    });

    it('equal a plain sum over any times and windows', async () => {
      const uses: { at: number; amount: bigint }[] = [];
      let seed = 7;
      const random = () => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return seed / 2147483648;
      };
      const unlimited = solPerDay(10n ** 18n);
      for (let i = 0; i < 120; i++) {
        clock.at += Math.floor(10 ** (random() * 8));
        const amount = BigInt(Math.floor(random() * 1e12));
        uses.push({ at: clock.at, amount });
        await taken(ledger.reserve(sampleReserve(lease, amount, [unlimited])));
      }
      for (let i = 0; i < 120; i++) {
        const rollingMs = Math.max(1, Math.floor(10 ** (random() * 10)));
        const expected = uses.filter((use) => use.at > clock.at - rollingMs);
        const sum = expected.reduce((total, use) => total + use.amount, 0n);
        expect(await usedOf({ ...unlimited, window: { rollingMs } })).toBe(sum);
      }
    });
  });

  describe('a reservation', () => {
    const limit = solPerDay(100n);

    it('is settled with the actual outflow', async () => {
      const request = sampleReserve(lease, 100n, [limit]);
      const id = await taken(ledger.reserve(request));
      await ledger.journalSigned(lease, id, sampleRow(request, 'sig'));
      await ledger.journalMove('sig', 'finalized', { settled: { actual: [{ asset: 'SOL', amount: 30n }] } });
      expect(await usedOf(limit)).toBe(30n);
      expect(await ledger.rows('journal', { open: true })).toEqual([]);
    });

    it('is kept while its transaction is in doubt and returned once it never landed', async () => {
      const request = sampleReserve(lease, 100n, [limit]);
      const id = await taken(ledger.reserve(request));
      await ledger.journalSigned(lease, id, sampleRow(request, 'sig'));
      await ledger.journalMove('sig', 'unknown', { lease });
      expect(await usedOf(limit)).toBe(100n);
      await ledger.journalMove('sig', 'expired', { lease });
      expect(await usedOf(limit)).toBe(0n);
    });

    it('returned for a signature that landed after all is taken again, its plan counted', async () => {
      const launches: LimitSpec = {
        id: 'launches',
        kind: 'count',
        of: 'launch',
        window: { rollingMs: HOUR },
        max: 9n,
      };
      const plan = samplePlan({ planId: 'plan-l', intentKey: 'l', operation: 'launch' });
      await ledger.storePlan(plan);
      const request = sampleReserve(lease, 100n, [limit], { plan });
      const id = await taken(ledger.reserve(request));
      await ledger.journalSigned(lease, id, sampleRow(request, 'sig'));
      await ledger.journalMove('sig', 'expired', { lease });
      expect([await usedOf(limit), await usedOf(launches)]).toEqual([0n, 0n]);
      await ledger.journalMove('sig', 'confirmed', { slot: 7 });
      expect([await usedOf(limit), await usedOf(launches)]).toEqual([100n, 1n]);
      expect(await ledger.rows('journal', { open: true })).toMatchObject([
        { signature: 'sig', state: 'confirmed' },
      ]);
      await ledger.journalMove('sig', 'finalized', { settled: { actual: [{ asset: 'SOL', amount: 30n }] } });
      expect([await usedOf(limit), await usedOf(launches)]).toEqual([30n, 1n]);
      await ledger.close();
      ledger = await open(clock);
      await ledger.setNote('probe', '');
    });

    it('returned for one claim of a joined plan that landed after all counts as that kind of claim', async () => {
      const claims: LimitSpec = {
        id: 'claims',
        kind: 'count',
        of: 'position_claim',
        window: { rollingMs: HOUR },
        max: 9n,
      };
      const joined = samplePlan({ planId: 'plan-all', intentKey: 'all', operation: 'claim_all' });
      await ledger.storePlan(joined);
      const request = sampleReserve(lease, 0n, [claims], {
        plan: { ...joined, operation: 'position_claim' },
      });
      const id = await taken(ledger.reserve(request));
      await ledger.journalSigned(lease, id, sampleRow(request, 'sig'));
      await ledger.journalMove('sig', 'expired', { lease });
      expect(await usedOf(claims)).toBe(0n);
      await ledger.journalMove('sig', 'confirmed', { slot: 7 });
      expect(await usedOf(claims)).toBe(1n);
    });

    it('returned for a signature that landed after all is taken again from a limit of any token', async () => {
      const any: LimitSpec = { ...limit, id: 'any', of: 'any', max: 5000n };
      const made = sampleReserve(lease, 5n, [any]);
      const request = { ...made, uses: [{ limitId: 'any', amount: 1000n }] };
      const id = await taken(ledger.reserve(request));
      await ledger.journalSigned(lease, id, sampleRow(request, 'sig'));
      expect(await usedOf(any)).toBe(1000n);
      await ledger.journalMove('sig', 'expired', { lease });
      expect(await usedOf(any)).toBe(0n);
      await ledger.journalMove('sig', 'confirmed', { slot: 7 });
      expect([await usedOf(any), await usedOf(limit)]).toEqual([1000n, 5n]);
    });

    it('of several tokens under one limit takes their sum and is refused if the sum exceeds it', async () => {
      const any: LimitSpec = { ...limit, id: 'any', of: 'any', max: 100n };
      const of = (...amounts: bigint[]) => ({
        ...sampleReserve(lease, 5n, [any]),
        uses: amounts.map((amount) => ({ limitId: 'any', amount })),
      });
      expect(await ledger.reserve(of(60n, 60n))).toMatchObject({ ok: false, code: 'LIMIT_EXCEEDED' });
      await taken(ledger.reserve(of(40n, 50n)));
      expect(await usedOf(any)).toBe(90n);
    });

    it('of the same intent is refused while an earlier signature may still land', async () => {
      const plan = samplePlan({ planId: 'plan-a', intentKey: 'same' });
      const first = sampleReserve(lease, 1n, [limit], { plan, messageSha256: 'm1' });
      await ledger.journalSigned(lease, await taken(ledger.reserve(first)), sampleRow(first, 'sig'));
      const again = sampleReserve(lease, 1n, [limit], {
        plan: samplePlan({ planId: 'plan-b', intentKey: 'same' }),
        messageSha256: 'm2',
      });
      expect(await ledger.reserve(again)).toEqual({ ok: false, code: 'IN_DOUBT' });
    });

    it('of the same bytes is a replay, even after they landed', async () => {
      const first = sampleReserve(lease, 1n, [limit], { messageSha256: 'm1' });
      await ledger.journalSigned(lease, await taken(ledger.reserve(first)), sampleRow(first, 'sig'));
      await ledger.journalMove('sig', 'finalized', { slot: 5 });
      const replay = sampleReserve(lease, 1n, [limit], { messageSha256: 'm1' });
      expect(await ledger.reserve(replay)).toEqual({ ok: false, code: 'REPLAY' });
    });

    it('is refused while signing is frozen', async () => {
      await ledger.freeze('five denials');
      expect(await ledger.reserve(sampleReserve(lease, 1n, [limit]))).toEqual({ ok: false, code: 'FROZEN' });
      await ledger.freeze({ lifted: undefined });
      expect(await ledger.reserve(sampleReserve(lease, 1n, [limit]))).toMatchObject({ ok: true });
    });
  });

  describe('a count limit', () => {
    const launches: LimitSpec = {
      id: 'launches',
      kind: 'count',
      of: 'launch',
      window: { rollingMs: HOUR },
      max: 1n,
    };
    const plan = samplePlan({ planId: 'plan-l', intentKey: 'l', operation: 'launch' });
    const other = samplePlan({ planId: 'plan-m', intentKey: 'm', operation: 'launch' });

    it('counts a plan once, however many stages it has', async () => {
      await taken(ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'one' })));
      await taken(ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'two' })));
      expect(await usedOf(launches)).toBe(1n);
      expect(await usedIn(ledger, [launches], WALLET, NETWORK, plan.planId)).toEqual({ launches: 0n });
      expect(await ledger.reserve(sampleReserve(lease, 0n, [launches], { plan: other }))).toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
    });

    it('still counts a plan if the counted stage is returned but another is not', async () => {
      const first = await taken(
        ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'one' })),
      );
      await taken(ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'two' })));
      await ledger.release(first);
      expect(await usedOf(launches)).toBe(1n);
    });

    it('counts a plan when it begins, even if its decision did not treat it as the first (T69)', async () => {
      await taken(ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'one' })));
      const late = sampleReserve(lease, 0n, [launches], { plan: other, stageId: 'independent' });
      expect(await ledger.reserve({ ...late, uses: [] })).toMatchObject({
        code: 'LIMIT_EXCEEDED',
        limitId: 'launches',
      });
      // The counted plan continues.
      await taken(ledger.reserve(sampleReserve(lease, 0n, [launches], { plan, stageId: 'two' })));
    });

    it('includes uses from before the limit was written', async () => {
      await taken(ledger.reserve(sampleReserve(lease, 0n, [], { plan })));
      expect(await usedOf(launches)).toBe(1n);
    });
  });
}
