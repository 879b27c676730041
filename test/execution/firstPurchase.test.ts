/** Held tokens: a token counts as held once a swap or launch of this home is final, regardless of balances (T183). */
import { expect, it } from 'vitest';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Home } from './home.ts';
import { useHomes } from './homes.ts';
import { freshQuote, landedConfig, launchRequest } from './requests.ts';

const { start } = useHomes();
const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) => (rule.operation === 'swap' ? { ...rule, firstPurchase: 'ask' } : rule)),
});

/** Builds a plan that buys a token with SOL. */
async function builtSwap(home: Home, outputMint: string) {
  const request = { inputMint: WSOL_MINT, outputMint, amount: '10000000', taker: home.wallet };
  const quote = Object(await home.call('tradeQuote', request));
  await home.plans.rememberQuote(quote.requestId, request, quote);
  return (await home.build('tradeSwap', { requestId: quote.requestId, userPublicKey: home.wallet })).plan;
}
async function tokenOfOthers(home: Home): Promise<string> {
  await home.sandbox.service.ready();
  const { launches } = home.sandbox.service.state;
  return [...launches.values()].find(({ venue }) => venue !== undefined)?.tokenMint ?? '';
}
const askedPlan = {
  status: 'approval_required',
  decision: { reasonCodes: ['APPROVAL_REQUIRED', 'FIRST_PURCHASE'] },
};

it('asks about the first purchase of a token, and not about the next one once the first is final', async () => {
  const home = await start({ policy: asking });
  const mint = await tokenOfOthers(home);
  const first = await builtSwap(home, mint);
  expect(first).toMatchObject(askedPlan);
  const planId = first?.planId ?? '';
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(home.signatures).toBe(0);
  expect(await builtSwap(home, mint)).toMatchObject(askedPlan);
  const [row] = await home.ledger.rows('approvals', { planId });
  await home.ledger.answerApproval(row?.id ?? '', { state: 'approved', channel: 'page' });
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  await home.plans.idle();

  const second = await builtSwap(home, mint);
  expect(second).toMatchObject({ status: 'ready', decision: { effect: 'allow' } });
  expect(await home.submit(second?.planId ?? '')).toMatchObject({ status: 'complete' });
});

it('requires approval for the first purchase of a token that the wallet has only received', async () => {
  const home = await start({ policy: asking });
  const mint = String(Object((await freshQuote(home)).quote).outputMint);
  const sent = await fetch(`${home.place.rootUrl}/sandbox/mint-quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mint, wallet: home.wallet, amountRaw: '1000000' }),
  });
  expect(sent.status).toBe(200);
  expect((await builtSwap(home, mint))?.decision?.reasonCodes).toContain('FIRST_PURCHASE');
});

it("does not ask about a token launched from this home, and asks about another's token", async () => {
  const home = await start({ policy: asking });
  expect(await builtSwap(home, await tokenOfOthers(home))).toMatchObject(askedPlan);
  const { mint, uri, config } = await landedConfig(home);
  await home.plans.idle();
  const { plan } = await home.build(
    'dammLaunchV2',
    await launchRequest(home, { ipfs: uri, tokenMint: mint, feeShareConfig: config }),
  );
  expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  await home.plans.idle();
  expect(await builtSwap(home, mint)).toMatchObject({ status: 'ready', decision: { effect: 'allow' } });
});
