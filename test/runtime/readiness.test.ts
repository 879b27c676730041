/** Readiness of a server, and its report for an unusable ledger, signer or chain. */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { ChainError } from '../../src/rpc/errors.ts';
import { createReadiness, type ReadinessParts } from '../../src/runtime/host/readiness.ts';
import { handClock, newFile } from '../ledger/samples.ts';

const parts = (more: Partial<ReadinessParts> = {}): ReadinessParts => ({
  ledger: { setNote: async () => true },
  chain: { head: async () => ({ slot: 1, blockHeight: 1 }) },
  wallets: async () => ['one', 'two'],
  signer: async () => ({}),
  clock: systemClock,
  ...more,
});
const rejects = (error: Error) => async () => {
  throw error;
};

test('a writable ledger, a responding chain and a signer for each wallet are ready', async () => {
  const ledger = openLedger({ file: newFile(), clock: handClock() });
  expect(await createReadiness(parts({ ledger }))()).toBeUndefined();
  await ledger.close();
});

test.each<[string, Partial<ReadinessParts>]>([
  [
    'the ledger cannot be used (LEDGER_UNHEALTHY)',
    { ledger: { setNote: rejects(new LedgerError('LEDGER_UNHEALTHY', 'The disk /home/anna is full.')) } },
  ],
  [
    'the chain cannot be used (RPC_UNREACHABLE)',
    { chain: { head: rejects(new ChainError('RPC_UNREACHABLE', 'https://rpc.example/secret')) } },
  ],
  ['the signer cannot be used (NO_WALLET)', { wallets: async () => [] }],
  ['the signer cannot be used (failed)', { signer: rejects(new Error('the key of /home/anna/key')) }],
  [
    'the ledger cannot be used (failed); the chain cannot be used (failed)',
    { ledger: { setNote: rejects(new Error('no')) }, chain: { head: rejects(new Error('no')) } },
  ],
])('%s is reported without other text of the error', async (message, more) => {
  expect(await createReadiness(parts(more))()).toBe(message);
});

test('a chain that never responds times out', async () => {
  // The timeout fires after every possible answer.
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const chain = { head: () => new Promise<never>(() => undefined) };
  expect(await createReadiness(parts({ chain, clock }))()).toBe('the chain cannot be used (no answer)');
});

test('concurrent queries share one check, and a later one checks again', async () => {
  let looks = 0;
  const clock = handClock();
  const ready = createReadiness(
    parts({
      clock: { ...clock, now: clock.now, sleep: systemClock.sleep },
      ledger: {
        setNote: async () => {
          looks += 1;
          return true;
        },
      },
    }),
  );
  await Promise.all(Array.from({ length: 50 }, ready));
  expect(looks).toBe(1);
  clock.at += 1_000;
  await ready();
  expect(looks).toBe(2);
});
