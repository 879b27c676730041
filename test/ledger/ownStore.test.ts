/** Custom store of an embedding program, in place of the built-in one: a class with private fields. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createCountersign } from '../../src/index.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger, Tables } from '../../src/ledger/types.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';

type Of<M extends keyof Ledger> = Ledger[M] extends (...of: infer P) => unknown ? P : never;

class OwnStore implements Ledger {
  readonly #kept: Ledger;
  constructor(kept: Ledger) {
    this.#kept = kept;
  }
  storePlan(...of: Of<'storePlan'>) {
    return this.#kept.storePlan(...of);
  }
  rows<T extends keyof Tables>(table: T, filter: Tables[T]['filter']) {
    return this.#kept.rows(table, filter);
  }
  count<T extends 'plans' | 'decisions'>(table: T, filter: Tables[T]['filter']) {
    return this.#kept.count(table, filter);
  }
  planRows(...of: Of<'planRows'>) {
    return this.#kept.planRows(...of);
  }
  setPlanNote(...of: Of<'setPlanNote'>) {
    return this.#kept.setPlanNote(...of);
  }
  view(...of: Of<'view'>) {
    return this.#kept.view(...of);
  }
  recordDecision(...of: Of<'recordDecision'>) {
    return this.#kept.recordDecision(...of);
  }
  lease(...of: Of<'lease'>) {
    return this.#kept.lease(...of);
  }
  reserve(...of: Of<'reserve'>) {
    return this.#kept.reserve(...of);
  }
  release(...of: Of<'release'>) {
    return this.#kept.release(...of);
  }
  journalSigned(...of: Of<'journalSigned'>) {
    return this.#kept.journalSigned(...of);
  }
  journalMove(...of: Of<'journalMove'>) {
    return this.#kept.journalMove(...of);
  }
  askApproval(...of: Of<'askApproval'>) {
    return this.#kept.askApproval(...of);
  }
  answerApproval(...of: Of<'answerApproval'>) {
    return this.#kept.answerApproval(...of);
  }
  freeze(...of: Of<'freeze'>) {
    return this.#kept.freeze(...of);
  }
  setNote(...of: Of<'setNote'>) {
    return this.#kept.setNote(...of);
  }
  leaseRequests(...of: Of<'leaseRequests'>) {
    return this.#kept.leaseRequests(...of);
  }
  time() {
    return this.#kept.time();
  }
  close() {
    return this.#kept.close();
  }
}

const objects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(Object) : [Object(value)];

it('executes a plan once and shows it in a second instance on the same store', async () => {
  const kept = openLedger({ home: temporaryHome(), clock: systemClock });
  const store = new OwnStore(kept);
  const instance = () => {
    const countersign = createCountersign({ store });
    onTestFinished(() => countersign.close());
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { structuredContent, isError, content } = await countersign.callTool(name, args);
      if (isError) throw new Error(content[0]?.text);
      return structuredContent;
    };
    return { ...countersign, call };
  };
  const first = instance();
  const token = await first.call('create_token_info', {
    ...{ name: 'Lighthouse', symbol: 'LITE', description: 'made by a test' },
    imageUrl: 'https://example.com/a.png',
  });
  const built = await first.call('create_fee_share_config', {
    ...{ baseMint: token.tokenMint, flow: 'damm_v2_direct', basisPointsArray: [10_000] },
    claimersArray: [(await first.call('get_wallet')).address],
  });
  const [plan] = objects(built.plan);
  const planId = String(plan?.planId);
  const submit = { planId, waitSeconds: 30 };
  expect(await first.call('submit_plan', submit)).toMatchObject({ plan: { status: 'complete' } });
  expect(await first.call('submit_plan', submit)).toMatchObject({ plan: { status: 'complete' } });
  await first.close();

  const second = instance();
  const [shown] = objects((await second.call('get_plan', { planId })).plan);
  expect(shown).toMatchObject({ planId, status: 'complete' });
  expect(objects((await second.call('list_plans')).plans)).toMatchObject([{ planId, status: 'complete' }]);
  expect(objects((await second.call('list_decisions')).decisions)).not.toEqual([]);
  const signed = await kept.rows('journal', { planId });
  expect(signed).toHaveLength(1);
  expect(objects(shown?.stages)).toMatchObject([{ signature: signed[0]?.signature }]);
});
