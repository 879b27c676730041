/**
 * Waits of one host that another host ends. The clock of these tests stands still, so a polling wait would never check
 * again.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { waitForApproval } from '../../src/execution/deciding/answered.ts';
import { WalletLeases } from '../../src/execution/lease.ts';
import { LIVE_TIMING } from '../../src/execution/ports.ts';
import { LISTENER } from '../../src/ledger/postgres/listener.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { answerOf, createWakes, type Hearing, waitFor, wakeKey } from '../../src/ledger/wakes.ts';
import { eventually } from '../eventually.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { handClock, newFile, samplePlan, sampleQuestion, spending, WALLET } from './samples.ts';

/** Returns a clock whose sleeps end on demand; records their durations. */
function stoppedClock(): Clock & { readonly polls: number[] } {
  const polls: number[] = [];
  return {
    polls,
    now: () => 1_800_000_000_000,
    sleep: (ms, signal) => {
      polls.push(ms);
      return new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  };
}

const PAUSE = { pollMs: 1_000, notifiedMs: 10_000 };
const never = new AbortController().signal;

describe.skipIf(noPostgres !== undefined)(
  `hosts of one ledger on PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres;
    let database: string;
    let hosts: Ledger[];
    beforeAll(() => {
      postgres = startPostgres();
    });
    afterAll(() => postgres?.end());
    beforeEach(async () => {
      database = await postgres.newLedger();
      hosts = [];
      return async () => void (await Promise.all(hosts.map((host) => host.close())));
    });
    const open = (clock: Clock = stoppedClock()): Ledger => {
      const host = openLedger({ database, clock });
      hosts.push(host);
      return host;
    };
    const listeners = async (): Promise<unknown[]> =>
      (
        await postgres.query(
          database,
          `SELECT pid FROM pg_stat_activity WHERE application_name = '${LISTENER}' AND query LIKE 'LISTEN%' AND state = 'idle'`,
        )
      ).map(({ pid }) => pid);
    /** Starts a wait on a host whose listening connection is open. */
    const listening = async (ledger: Ledger, clock: Clock & { readonly polls: number[] }) => {
      const first = waitFor(ledger, 'anything')(clock, PAUSE);
      await eventually(async () => expect(await listeners()).toHaveLength(1));
      await first;
      clock.polls.length = 0;
    };
    const waitForAnswer = async (ledger: Ledger): Promise<void> => {
      await ledger.storePlan(samplePlan());
      await ledger.askApproval(
        sampleQuestion(samplePlan(), [spending('stage', 1n)], { expiresAt: 1_800_000_900_000 }),
      );
      await ledger.setPlanNote('plan-1', { status: 'approval_required', ref: 'approval-1' });
    };

    it('continue as soon as a person answered on another host, without polling', async () => {
      const clock = stoppedClock();
      const [here, there] = [open(), open()];
      await listening(here, clock);
      await waitForAnswer(here);
      const waits = waitForApproval({ ledger: here, clock }, LIVE_TIMING, 'plan-1', never);
      await eventually(() => expect(clock.polls).toEqual([10 * LIVE_TIMING.answerMs]));
      await there.answerApproval('approval-1', { state: 'approved', channel: 'command' });
      expect(await waits).toBe('approval-1');
      expect(clock.polls).toHaveLength(1);
    });

    it('continue after the listening connection was lost: it reconnects and reads the tables once', async () => {
      const clock = stoppedClock();
      const [here, there] = [open(), open()];
      await listening(here, clock);
      await waitForAnswer(here);
      const waits = waitForApproval({ ledger: here, clock }, LIVE_TIMING, 'plan-1', never);
      await eventually(() => expect(clock.polls).toHaveLength(1));
      const [before] = await listeners();
      await postgres.query(database, `SELECT pg_terminate_backend(${before})`);
      await eventually(async () => {
        const [now] = await listeners();
        expect(now).toBeDefined();
        expect(now).not.toBe(before);
        expect(clock.polls.at(-1)).toBe(10 * LIVE_TIMING.answerMs);
        expect(clock.polls.length).toBeGreaterThan(1);
      });
      await there.answerApproval('approval-1', { state: 'approved', channel: 'command' });
      expect(await waits).toBe('approval-1');
    });

    it('take a wallet as soon as another host released it', async () => {
      const clock = stoppedClock();
      const [here, there] = [open(), open()];
      await listening(here, clock);
      const lease = await there.lease({ wallet: WALLET, holder: 'there:1:x' }, 60_000);
      if (lease === undefined) throw new Error('no lease');
      const leases = new WalletLeases(
        { ledger: here, clock, holder: 'here:1:x' },
        LIVE_TIMING,
        async () => {},
      );
      const entered = leases.enter(WALLET);
      await eventually(() => expect(clock.polls).toEqual([LIVE_TIMING.busyMs]));
      await there.lease(lease, 0);
      const work = await entered;
      expect(work.lease).toMatchObject({ holder: 'here:1:x', fence: lease.fence + 1 });
      await work.leave();
    });

    it('are not notified of a rolled-back write, and notifications carry no plan, wallet or answer', async () => {
      const heard: string[] = [];
      const clock = stoppedClock();
      const [here, there] = [open(), open()];
      await listening(here, clock);
      await waitForAnswer(here);
      const pg = (await import('pg')).default;
      const client = new pg.Client({ connectionString: database });
      client.on('notification', ({ payload = '' }) => heard.push(payload));
      await client.connect();
      await client.query('LISTEN countersign');
      await there.answerApproval('approval-1', { state: 'approved', channel: 'command' });
      await expect(
        there.answerApproval('approval-1', { state: 'denied', channel: 'command' }),
      ).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
      await client.query('SELECT 1');
      expect(heard).toEqual([wakeKey(answerOf('plan-1'))]);
      expect(heard[0]).toMatch(/^[0-9a-f]{16}$/);
      await client.end();
    });
  },
);

describe('a wait', () => {
  const startWakes = (): { wakes: ReturnType<typeof createWakes>; hearing: Hearing } => {
    const hearings: Hearing[] = [];
    const wakes = createWakes((hearing) => {
      hearings.push(hearing);
      return async () => {};
    });
    void wakes.watch('begin');
    const [hearing] = hearings;
    if (hearing === undefined) throw new Error('nothing listens');
    return { wakes, hearing };
  };

  it('notices a change notified while the tables were read', async () => {
    const { wakes, hearing } = startWakes();
    const clock = stoppedClock();
    const wait = wakes.watch('plan');
    hearing.heard(wakeKey('plan'));
    await wait(clock, PAUSE);
    expect(clock.polls).toEqual([]);
  });

  it("is not ended by another change, and ends with its signal's reason", async () => {
    const { wakes, hearing } = startWakes();
    const [clock, stop] = [stoppedClock(), new AbortController()];
    const wait = wakes.watch('plan');
    hearing.heard(wakeKey('another plan'));
    const waits = wait(clock, PAUSE, stop.signal);
    hearing.heard(wakeKey('another plan'));
    expect(clock.polls).toEqual([PAUSE.pollMs]);
    const reason = new Error('stopping');
    stop.abort(reason);
    await expect(waits).rejects.toBe(reason);
  });

  it('reads again if more changes were notified than are remembered', async () => {
    const { wakes, hearing } = startWakes();
    const clock = stoppedClock();
    const wait = wakes.watch('plan');
    for (let times = 0; times < 2_000; times++) hearing.heard(wakeKey(`plan ${times}`));
    await wait(clock, PAUSE);
    expect(clock.polls).toEqual([]);
  });

  it('polls seldom while notifications arrive and often while they do not, and ends when that changes', async () => {
    const { wakes, hearing } = startWakes();
    const clock = stoppedClock();
    for (const is of [true, false, true]) {
      const waits = wakes.watch('plan')(clock, PAUSE);
      hearing.listening(is);
      await waits;
    }
    expect(clock.polls).toEqual([PAUSE.pollMs, PAUSE.notifiedMs, PAUSE.pollMs]);
  });

  it('over SQLite polls as before', async () => {
    const ledger = openLedger({ file: newFile(), clock: handClock() });
    const slept: number[] = [];
    const clock = { sleep: async (ms: number) => void slept.push(ms) };
    expect(ledger.wakes).toBeUndefined();
    await waitFor(ledger, 'plan')(clock, PAUSE);
    expect(slept).toEqual([PAUSE.pollMs]);
    await ledger.close();
  });
});
