/**
 * Homes of a test file: several processes over one sandbox, closed after each test; and RPCs with scripted behaviour.
 */
import { afterEach, expect } from 'vitest';
import { readSnapshot } from '../../src/execution/status.ts';
import type { Chain, SendOutcome } from '../../src/rpc/types.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import { eventually } from '../eventually.ts';
import { Home, type HomeOptions } from './home.ts';

/** Short timings for resends, doubts and waits for a wallet. */
export const FAST = { deps: { timing: { resendMs: 60, doubtMs: 500, busyMs: 100 } } };
export const LOST: SendOutcome = { outcome: 'unclear', reason: 'lost' };
export const never = new Promise<never>(() => {});

/** Starts homes and closes them after the test, the sandbox last. */
export function useHomes() {
  const homes: Home[] = [];
  afterEach(async () => {
    for (const home of homes) await home.close();
    await homes[0]?.sandbox.close();
    homes.length = 0;
  });
  const keep = (home: Home): Home => {
    homes.push(home);
    return home;
  };
  return {
    start: async (options?: HomeOptions) => keep(await Home.withoutMarket(options)),
    /** Opens another process of the same home, concurrent with the first. */
    beside: (home: Home, options?: HomeOptions) => keep(home.again(options)),
    /** Opens another process of the same home after the first was cut off. */
    restart: async (after: Home, options?: HomeOptions) => {
      await after.plans.stop();
      return keep(after.again(options));
    },
  };
}

/** Returns a chain port whose sends follow `send`, call by call. */
export const sending = (send: (call: number, bytes: Uint8Array, chain: Chain) => Promise<SendOutcome>) => {
  let calls = 0;
  return {
    chain: (chain: Chain): Chain => ({
      ...chain,
      send: (bytes) => {
        calls += 1;
        return send(calls, bytes, chain);
      },
    }),
  };
};

/** Returns the wallet's on-chain transactions. */
export const landed = (home: Home) =>
  home.sandbox.chain
    .transactionsFor(home.wallet)
    .filter(({ bytes }) => requiredSigners(readTransaction(bytes)).includes(home.wallet));

/** Returns the stages recorded as landed, sorted, with duplicates. */
export async function landedStages(home: Home, planId: string): Promise<string[]> {
  const rows = await home.ledger.rows('journal', { planId });
  return rows
    .filter(({ state }) => state === 'confirmed' || state === 'finalized')
    .map(({ stageId }) => stageId)
    .sort();
}

/** Submits a plan and returns once its first signature is journaled and sent to the RPC. */
export async function begin(home: Home, planId = ''): Promise<void> {
  await home.submit(planId, 0);
  await eventually(async () =>
    expect((await home.ledger.rows('journal', { planId }))[0]?.state).toBe('sent'),
  );
}

/** Returns the noted code of a plan. */
export const codeOf = async (home: Home, planId: string): Promise<string | undefined> =>
  (await readSnapshot(home.ledger, planId))?.planNote?.code;
