/** Random sequences of reservations, signatures, landings and clock changes, compared with a naive model of one limit. */
import { afterEach, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { JournalState, Lease, Ledger, ReserveRequest } from '../../src/ledger/types.ts';
import fc from '../fc.ts';
import {
  HOUR,
  NETWORK,
  newFile,
  sampleReserve,
  sampleRow,
  solPerDay,
  twoClocks,
  usedIn,
  WALLET,
} from './samples.ts';

const DAY = 24 * HOUR;
const MAX = 100n;
const LIMIT = solPerDay(MAX);
const FEE = 1n;
const RUNS = 8;

/** One reservation, as the model sees it. */
interface Entry {
  readonly request: ReserveRequest;
  readonly id: string;
  readonly signature: string;
  /** True time of the reservation. */
  readonly at: number;
  amount: bigint;
  state: 'held' | 'open' | 'dead' | 'settled' | 'released';
  row: JournalState;
}

const STEPS: readonly (readonly [row: JournalState, from: readonly JournalState[]])[] = [
  ['sent', ['signed', 'unknown', 'confirmed']],
  ['unknown', ['signed', 'sent', 'confirmed', 'failed']],
  ['confirmed', ['signed', 'sent', 'unknown', 'failed', 'expired']],
  ['expired', ['signed', 'sent', 'unknown', 'failed']],
  ['failed', ['signed', 'sent', 'unknown', 'confirmed', 'expired']],
  ['finalized', ['signed', 'sent', 'unknown', 'confirmed', 'failed', 'expired']],
];

const pick = fc.nat({ max: 1_000 });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('reserve' as const), amount: fc.bigInt(1n, 60n) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('sign' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      pick,
      step: fc.nat({ max: STEPS.length - 1 }),
      settles: fc.boolean(),
      actual: fc.bigInt(0n, 60n),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 14 * HOUR }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set clock' as const),
      ms: fc.integer({ min: -3 * DAY, max: 3 * DAY }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take over' as const) }) },
);

let ledger: Ledger;
afterEach(() => ledger.close());

it('limits reserve exactly what fits beside all that left or can still leave within the window (T41)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
      const file = newFile();
      const clock = twoClocks();
      let truth = clock.at;
      ledger = openLedger({ file, clock });
      let holders = 0;
      const take = async (): Promise<Lease> => {
        holders += 1;
        const lease = await ledger.lease({ wallet: WALLET, holder: `gone:1:${holders}` }, 1);
        if (lease === undefined) throw new Error('no lease');
        return lease;
      };
      let lease = await take();
      const entries: Entry[] = [];
      const used = () =>
        entries.reduce((sum, { state, at, amount }) => {
          const isIn = at > truth - DAY && (state === 'held' || state === 'settled');
          const counts = state === 'open' || isIn;
          return counts ? sum + amount : sum;
        }, 0n);
      const signed = () => entries.filter(({ state }) => !['held', 'released'].includes(state));
      for (const [i, each] of actions.entries()) {
        const held = entries.filter(({ state }) => state === 'held');
        if (each.do === 'reserve') {
          const request = sampleReserve(lease, each.amount, [LIMIT]);
          const outcome = await ledger.reserve(request);
          expect([outcome.ok, used(), each.amount]).toEqual([
            used() + each.amount <= MAX,
            used(),
            each.amount,
          ]);
          if (outcome.ok)
            entries.push({
              request,
              id: outcome.reservationId,
              signature: `s${i}`,
              at: truth,
              amount: each.amount,
              state: 'held',
              row: 'signed',
            });
        } else if (each.do === 'sign' || each.do === 'release') {
          const entry = held[each.pick % (held.length || 1)];
          if (entry === undefined) continue;
          if (each.do === 'release') await ledger.release(entry.id);
          else
            expect(
              await ledger.journalSigned(lease, entry.id, sampleRow(entry.request, entry.signature)),
            ).toMatchObject({ ok: true });
          entry.state = each.do === 'release' ? 'released' : 'open';
        } else if (each.do === 'move') {
          const all = signed();
          const entry = all[each.pick % (all.length || 1)];
          const [row, from] = STEPS[each.step] ?? ['sent', []];
          if (entry === undefined || !from.includes(entry.row)) continue;
          const isSettling = row === 'finalized' || (row === 'failed' && each.settles);
          // A settled failure is final here.
          if (entry.state === 'settled') continue;
          const amount = row === 'failed' ? FEE : each.actual;
          const settled = isSettling ? { settled: { actual: [{ asset: 'SOL', amount }] } } : {};
          await ledger.journalMove(entry.signature, row, { lease, ...settled });
          entry.row = row;
          if (row === 'expired') entry.state = 'dead';
          else if (isSettling) [entry.state, entry.amount] = ['settled', amount];
          else entry.state = 'open';
        } else if (each.do === 'pass') {
          clock.pass(each.ms);
          truth += each.ms;
        } else if (each.do === 'set clock') {
          clock.at = truth + each.ms;
        } else if (each.do === 'restart') {
          await ledger.close();
          clock.at = truth;
          ledger = openLedger({ file, clock });
        } else {
          clock.pass(1_000);
          truth += 1_000;
          lease = await take();
          for (const entry of held) entry.state = 'released';
        }
        expect((await usedIn(ledger, [LIMIT], WALLET, NETWORK))['sol-day']).toBe(used());
      }
      await ledger.close();
    }),
    { numRuns: RUNS },
  );
});
