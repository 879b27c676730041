/** Question about a launch through an unsupported program: rehearsed effects are listed next to the unknowns. */
import { expect, onTestFinished, test } from 'vitest';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import { covers } from '../../src/statement/covers.ts';
import { rehearsedLines } from '../../src/statement/rehearsed.ts';
import type { Approval, Run } from '../../src/statement/types.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { launchRequest } from '../execution/requests.ts';
import { changesIn, movedBy, rehearsalOf } from './scene.ts';

test('a custody launch shows its rehearsed amounts beside the bounds, and they are its actual cost', async () => {
  const home = await Home.start();
  onTestFinished(() => ended(home));
  let fact: RehearsalFact | undefined;
  const rehearse = rehearsalOf(home);
  const on = home.again({
    policy: (file) => ({
      ...file,
      rules: file.rules.map((rule) =>
        rule.operation === 'launch' ? { ...rule, effect: 'require_approval' } : rule,
      ),
    }),
    deps: {
      rehearse: async (plan, own) => {
        fact = await rehearse(plan, own);
        return fact;
      },
    },
  });
  onTestFinished(() => on.close());
  const { plan } = await on.build('dammLaunch', await launchRequest(on));
  const planId = plan?.planId ?? '';
  const submitted = await on.submit(planId);
  expect(submitted).toMatchObject({ status: 'approval_required' });
  if (fact?.status !== 'done') throw new Error(`not rehearsed: ${JSON.stringify(fact)}`);
  const view = await readApprovalView(on.ledger, submitted.approval?.id ?? '');
  const linesOf = (wanted: string) =>
    (view?.facts ?? []).flatMap((fact) => (fact.kind === wanted && 'lines' in fact ? fact.lines : []));
  const [exposed, rehearsed] = linesOf('exposed');
  expect(exposed).toMatchObject({ tone: 'bad' });
  const spent = Object.values(changesIn(fact)).reduce((sum, { SOL = '0' }) => sum - BigInt(SOL), 0n);
  expect(rehearsed).toMatchObject({ tone: 'warn', text: expect.stringContaining(`${fact.slot}`) });
  expect(rehearsed?.text.replaceAll(',', '')).toContain((Number(spent) / 1e9).toString().slice(0, 6));
  // The agent receives the same text.
  expect(submitted.says).toContain(rehearsed?.text);
  expect(submitted.rehearsed).toMatchObject({
    slot: fact.slot,
    changes: [{ asset: 'SOL', raw: `-${spent}` }],
  });
  await on.ledger.answerApproval(submitted.approval?.id ?? '', { state: 'approved', channel: 'page' });
  expect(await on.submit(planId, 50)).toMatchObject({ status: 'complete' });
  expect(await movedBy(on, planId, Object.keys(changesIn(fact)))).toEqual(changesIn(fact));
});

const scope = {
  ...{ network: 'n', mode: 'sandbox', wallet: 'w', policyHash: 'p', intentKey: 'i', operation: 'swap' },
  ...{ endpoint: 'e', requestDigest: 'r' },
};
const line = (by: string) =>
  rehearsedLines(
    {
      ...{ status: 'done', slot: 1, programs: {} },
      stages: [{ id: 'a', units: 1, changes: [{ asset: 'SOL', by }], rights: [] }],
    },
    true,
  );

test('the line states that later parts of the plan are not built yet', () => {
  const later = { id: 'later', source: 'request', what: 'config' } as const;
  const fact = { status: 'done', slot: 1, programs: {}, stages: [] } as const;
  expect(rehearsedLines(fact, false, [later])).toMatchObject([{ partial: true }]);
  expect(rehearsedLines(fact, false, [])).toMatchObject([{ partial: false }]);
});

test('an approval ignores rehearsal lines in either direction', () => {
  const run = (by: string | undefined): Run => ({
    ...{ scope, time: 0, draws: new Map(), spentPins: [], request: [] },
    stages: [{ state: 'this', made: {}, lines: by === undefined ? [] : line(by) }],
  });
  const approval = (by: string | undefined): Approval => ({
    scope: { ...scope, expiresAt: 1 },
    statement: { version: 1, lines: by === undefined ? [] : line(by) },
    pins: [],
    decisionDigests: [],
  });
  for (const approved of ['-5', undefined])
    for (const now of ['-7', undefined])
      expect(covers(approval(approved), run(now))).toEqual({ covered: true });
});
