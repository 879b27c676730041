/** `countersign read PLAN`: statement of a stored plan and the policy decision on its request. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endpoints } from '../../../src/contract/index.ts';
import { approvalOfRow } from '../../../src/ledger/sqlite/approvals.ts';
import { amountsOf } from '../../../src/presentation/question/questionFacts.ts';
import { readApprovalView } from '../../../src/presentation/question/readView.ts';
import { withoutBigints } from '../../../src/statement/view.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { Home } from '../../execution/home.ts';
import { answered, ended, landed, realConfig, realHome } from '../../execution/real.ts';
import { launchRequest } from '../../execution/requests.ts';
import { ATTACKER } from '../../policy/recorded/stages.ts';
import { jsonOf, linesOf, textOf } from './pages.ts';

type Fields = Readonly<Record<string, unknown>>;

let home: Home;
let launch: Fields;
beforeAll(async () => {
  home = await realHome();
  const { mint, uri, request } = await realConfig(home, 'dbc');
  const { plan } = await landed(home, 'feeShareConfig', request);
  launch = {
    ...{ ipfs: uri, tokenMint: mint, wallet: home.wallet, initialBuyLamports: 0 },
    configKey: String(plan.answer.venueConfigKey),
  };
});
afterAll(() => ended(home));

const page = (planId: string, options = {}) => jsonOf(dirname(home.file), planId, options);

/** Stores a plan of the service's answer under a request that may differ. */
async function planOf(
  endpoint: 'curveLaunch' | 'feeShareConfig',
  asked: Fields,
  answer: unknown,
): Promise<string> {
  const request = endpoints[endpoint].request.parse(asked);
  const begun = await home.plans.begin(endpoint, request);
  const read = endpoints[endpoint].response.parse(answer);
  return (await home.plans.open(endpoint, request, read, { begun })).plan?.planId ?? '';
}

describe('a plan of this home', () => {
  it('has the statement of its transaction with the recorded facts, without an RPC', async () => {
    const planId = await planOf('curveLaunch', launch, await home.call('curveLaunch', launch));
    for (const options of [{}, { 'rpc-url': home.place.rpcUrl }]) {
      const { statement, ...rest } = await page(planId, options);
      const of = { ...rest, statement };
      expect(linesOf(of, 'uses', { kind: 'config', account: launch.configKey })).toHaveLength(1);
      // The config was looked up when the plan was decided.
      expect(linesOf(of, 'terms', { terms: null })).toEqual([]);
      expect(rest.decisions.map(({ decision }) => decision.effect)).not.toContain('deny');
    }
  });

  it("shows the policy's findings if the transaction does not match the request", async () => {
    const answer = await home.call('curveLaunch', launch);
    const foreign = await planOf('curveLaunch', { ...launch, configKey: ATTACKER }, answer);
    const { request } = await realConfig(home, 'dbc');
    const split = await home.call('feeShareConfig', request);
    const shares = await planOf('feeShareConfig', { ...request, basisPointsArray: [9_000, 1_000] }, split);
    for (const planId of [foreign, shares]) {
      const { decisions } = await page(planId);
      const found = decisions.find(({ decision }) => decision.effect === 'deny')?.decision;
      expect(found?.reasonCodes).toContain('REQUEST_MISMATCH');
      expect(found?.checks.some(({ ok }) => !ok)).toBe(true);
      expect(await textOf(dirname(home.file), planId)).toContain('[REQUEST_MISMATCH]');
    }
  });

  it('with an open question has the facts and the statement of that question', async () => {
    const asking = await Home.start({
      policy: (file) => ({
        ...file,
        rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
      }),
      deps: { channels: [{ name: 'page', available: async () => true, ask: async () => undefined }] },
    });
    onTestFinished(() => ended(asking));
    const { plan } = await asking.build('dammLaunch', await launchRequest(asking));
    const planId = plan?.planId ?? '';
    await asking.submit(planId);
    const [row] = await asking.ledger.rows('approvals', { planId });
    if (row === undefined) throw new Error('nothing was asked');
    const view = await readApprovalView(asking.ledger, row.id);
    const read = await jsonOf(dirname(asking.file), planId);
    expect(read.facts).toEqual(JSON.parse(JSON.stringify(view?.facts)));
    expect(read.statement).toEqual(withoutBigints(approvalOfRow(row).statement));
    const text = await textOf(dirname(asking.file), planId);
    for (const { units, words } of amountsOf(view?.facts ?? [], 'leaves')) {
      expect(units).not.toBe('0');
      expect(text).toContain(words);
    }
  });

  it('labels the payment beside a trade as the service fee', async () => {
    const { quotes } = home.sandbox.service;
    const outputMint = [...quotes.keys()].find((mint) => mint !== WSOL_MINT) ?? '';
    const request = { inputMint: WSOL_MINT, outputMint, amount: '100000000', taker: home.wallet };
    const quote = await home.call('tradeQuote', request);
    const requestId = answered(quote, 'requestId');
    await home.plans.rememberQuote(requestId, request, quote);
    const { plan } = await home.build('tradeSwap', { requestId, userPublicKey: home.wallet });
    const read = await page(plan?.planId ?? '');
    expect(linesOf(read, 'pays', { why: 'serviceFee', asset: 'SOL' })).toHaveLength(1);
    expect(linesOf(read, 'pays', { why: 'trade', asset: 'SOL' })).toHaveLength(1);
  });
});
