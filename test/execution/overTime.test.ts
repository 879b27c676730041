/** Money and limits over time: what a chart draws is what the ledger counts at each moment. */
import { describe, expect, it } from 'vitest';
import type { RecordedMoves } from '../../src/ledger/plans/recordedMoves.ts';
import { chainErrorWords } from '../../src/presentation/chainError.ts';
import { solByDay, stepsOf } from '../../src/presentation/history/overTime.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { NETWORK, WALLET } from '../ledger/samples.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);

const at = (time: number, sol: bigint, more: RecordedMoves['changes'] = []): RecordedMoves => ({
  signature: `${time}`,
  planId: 'plan',
  stageId: 'stage',
  wallet: WALLET,
  network: NETWORK,
  slot: 1,
  time,
  recordedAt: NOON,
  feeLamports: 5_000n,
  changes: [{ asset: 'SOL', units: sol, decimals: 9 }, ...more],
});

describe('steps of what is used of a limit', () => {
  const taken = [
    { time: NOON - 30 * HOUR, amount: 5n },
    { time: NOON - 20 * HOUR, amount: 2n },
    { time: NOON - 2 * HOUR, amount: 1n },
  ];

  it('rise when something is taken and fall when it leaves a rolling window', () => {
    const limit = { window: { rollingMs: 24 * HOUR } };
    expect(stepsOf(limit, taken, NOON - 28 * HOUR, NOON)).toEqual([
      { at: NOON - 28 * HOUR, used: 5n },
      { at: NOON - 20 * HOUR, used: 7n },
      { at: NOON - 6 * HOUR, used: 2n },
      { at: NOON - 2 * HOUR, used: 3n },
    ]);
  });

  it('fall to nothing when a day of the calendar begins, in its time zone', () => {
    const utc = { window: { calendar: 'day' as const, timeZone: 'UTC' } };
    expect(stepsOf(utc, taken, NOON - 28 * HOUR, NOON)).toEqual([
      { at: NOON - 28 * HOUR, used: 5n },
      { at: NOON - 20 * HOUR, used: 7n },
      { at: NOON - 12 * HOUR, used: 0n },
      { at: NOON - 2 * HOUR, used: 1n },
    ]);
    // In Tokyo it is nine hours later: what was taken at 16:00 UTC belongs to the day of this noon.
    const tokyo = { window: { calendar: 'day' as const, timeZone: 'Asia/Tokyo' } };
    expect(stepsOf(tokyo, taken, NOON - 28 * HOUR, NOON)).toEqual([
      { at: NOON - 28 * HOUR, used: 5n },
      { at: NOON - 21 * HOUR, used: 0n },
      { at: NOON - 20 * HOUR, used: 2n },
      { at: NOON - 2 * HOUR, used: 3n },
    ]);
  });
});

describe('SOL by day', () => {
  it('counts native and wrapped SOL of a transaction together, on the day of its block', () => {
    const wrapped = [{ asset: WSOL_MINT, units: 30n, decimals: 9 }];
    const days = solByDay([at(NOON - 26 * HOUR, -100n, wrapped), at(NOON - HOUR, 40n), at(NOON, -7n)], {
      days: 3,
      now: NOON,
      timeZone: 'UTC',
    });
    expect(days).toEqual([
      { day: Date.UTC(2026, 10, 19), left: 0n, arrived: 0n, fees: 0n },
      { day: Date.UTC(2026, 10, 20), left: 70n, arrived: 0n, fees: 5_000n },
      { day: Date.UTC(2026, 10, 21), left: 7n, arrived: 40n, fees: 10_000n },
    ]);
  });
});

describe('errors of the chain', () => {
  it('are said in words, with the instruction counted from one', () => {
    expect(chainErrorWords('{"InstructionError":[3,{"Custom":1}]}')).toBe(
      'instruction 4 of it: error 1 of its program',
    );
    expect(chainErrorWords('{"InstructionError":[0,"InsufficientFunds"]}')).toBe(
      'instruction 1 of it: insufficient funds',
    );
    expect(chainErrorWords('"AccountNotFound"')).toBe('account not found');
    expect(chainErrorWords('an RPC that words it itself')).toBe('an RPC that words it itself');
  });
});
