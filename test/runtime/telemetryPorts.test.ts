/** What the watched ports tell: how long a person took, why the ledger refused; what they pass on is what they were given. */
import { expect, onTestFinished, test } from 'vitest';
import type { Facts, Observer } from '../../src/base/observer.ts';
import { createLateObserver } from '../../src/base/observer.ts';
import type { LandingDeps } from '../../src/landing/ports.ts';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalRow, Ledger, PlanRows } from '../../src/ledger/types.ts';
import { observedDeps } from '../../src/runtime/telemetry/ports.ts';
import { handClock, newFile } from '../ledger/samples.ts';

/** An observer that keeps what it is told. */
function notebook() {
  const told: { readonly what: string; readonly facts: Facts }[] = [];
  const observer: Observer = {
    around: (what, work) => work((facts) => void told.push({ what: what.name, facts })),
    begin: (what) => {
      told.push({ what: `${what.name} begins`, facts: what.facts ?? {} });
      return (facts = {}) => void told.push({ what: `${what.name} ends`, facts });
    },
    count: (what, facts) => void told.push({ what, facts }),
  };
  return { told, observer };
}

const QUESTION = { id: 'approval-1', planId: 'plan-1', state: 'pending' } as ApprovalRow;

function watchedLedger(own: Partial<Ledger>) {
  const ledger = openLedger({ file: newFile(), clock: handClock() });
  onTestFinished(() => ledger.close());
  const { told, observer } = notebook();
  const deps = { ledger: { ...ledger, ...own }, chain: {}, wallets: {} } as unknown as LandingDeps;
  return { told, ledger: observedDeps(deps, observer).ledger };
}

test('a question is a span from asking until its answer is seen, once, however often it is asked or looked at', async () => {
  let answer: Partial<ApprovalRow> = {};
  const { told, ledger } = watchedLedger({
    askApproval: async () => QUESTION,
    planRows: async () => ({ approvals: [{ ...QUESTION, ...answer }] }) as unknown as PlanRows,
  });
  expect(await ledger.askApproval(QUESTION)).toBe(QUESTION);
  await ledger.askApproval(QUESTION);
  await ledger.planRows('plan-1');
  expect(told).toEqual([
    {
      what: 'approval begins',
      facts: { 'countersign.plan': 'plan-1', 'countersign.approval': 'approval-1' },
    },
  ]);
  answer = { state: 'denied', channel: 'page', reason: 'a text of a person' };
  await ledger.planRows('plan-1');
  await ledger.planRows('plan-1');
  expect(told.slice(1)).toEqual([
    { what: 'approval ends', facts: { 'countersign.answer': 'denied', 'countersign.channel': 'page' } },
  ]);
});

test('a ledger that refuses is counted by its code, without its words, and the caller gets the same error', async () => {
  const refusal = new LedgerError('LEDGER_UNHEALTHY', 'words that may hold a path');
  const { told, ledger } = watchedLedger({
    probe: () => Promise.reject(refusal),
    setMark: () => Promise.reject(new Error('words of a database')),
  });
  await expect(ledger.probe()).rejects.toBe(refusal);
  await expect(ledger.setMark('plan-1', { status: 'complete' })).rejects.toThrow('words of a database');
  expect(told).toEqual([
    { what: 'countersign.ledger.failures', facts: { 'error.type': 'LEDGER_UNHEALTHY' } },
    { what: 'countersign.ledger.failures', facts: { 'error.type': 'INTERNAL_ERROR' } },
  ]);
});

test('an observer that comes later misses what was before it, and no work waits for it', async () => {
  const late = createLateObserver();
  const { told, observer } = notebook();
  expect(await late.around({ name: 'early' }, async () => 1)).toBe(1);
  late.begin({ name: 'early' })();
  late.count('early', {});
  late.become(observer);
  late.count('now', {});
  expect(told).toEqual([{ what: 'now', facts: {} }]);
});
