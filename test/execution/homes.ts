/** Homes of one test file: several processes over one sandbox, closed after each test; and RPCs that do as told. */
import { afterEach, expect } from 'vitest';
import { readSnapshot } from '../../src/execution/status.ts';
import type { Chain, SendOutcome } from '../../src/rpc/types.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import { eventually } from '../eventually.ts';
import { Home, type HomeOptions } from './home.ts';

/** Sends again, doubts and waits for a wallet in no time. */
export const FAST = { deps: { timing: { resendMs: 60, doubtMs: 500, busyMs: 100 } } };
export const LOST: SendOutcome = { outcome: 'unclear', reason: 'lost' };
export const never = new Promise<never>(() => {});

/** Starts homes that are closed after the test, the sandbox last. */
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
    /** Another process of the same home, beside the first. */
    beside: (home: Home, options?: HomeOptions) => keep(home.again(options)),
    /** Another process of the same home, started after the first was cut off. */
    restart: async (after: Home, options?: HomeOptions) => {
      await after.plans.stop();
      return keep(after.again(options));
    },
  };
}

/** A chain port whose send does what it is told, call by call. */
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

/** Every transaction of the wallet that is on the chain. */
export const landed = (home: Home) =>
  home.sandbox.chain
    .transactionsFor(home.wallet)
    .filter(({ bytes }) => requiredSigners(readTransaction(bytes)).includes(home.wallet));

/** The stages whose rows say that they landed, sorted: one that landed twice is in it twice. */
export async function landedStages(home: Home, planId: string): Promise<string[]> {
  const rows = await home.ledger.rows('journal', { planId });
  return rows
    .filter(({ state }) => state === 'confirmed' || state === 'finalized')
    .map(({ stageId }) => stageId)
    .sort();
}

/** Submits a plan and returns once its first signature is in the journal and handed to the RPC. */
export async function begin(home: Home, planId = ''): Promise<void> {
  await home.submit(planId, 0);
  await eventually(async () =>
    expect((await home.ledger.rows('journal', { planId }))[0]?.state).toBe('sent'),
  );
}

/** The code that was noted about a plan. */
export const codeOf = async (home: Home, planId: string): Promise<string | undefined> =>
  (await readSnapshot(home.ledger, planId))?.planNote?.code;
