/** `countersign read PLAN` compares what a plan's transactions do with the request the plan was asked with. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/index.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Home } from '../../landing/home.ts';
import { answered, ended, landed, realConfig, realHome } from '../../landing/real.ts';
import { ATTACKER } from '../../policy/recorded/stages.ts';
import { jsonOf, pageOf } from './pages.ts';

type Fields = Readonly<Record<string, unknown>>;

let home: Home;
let launch: Fields;
let config: { readonly planId: string; readonly configKey: string; readonly mint: string };
beforeAll(async () => {
  home = await realHome();
  const { mint, uri, request } = await realConfig(home, 'dbc');
  const { plan } = await landed(home, 'feeShareConfig', request);
  config = { planId: plan.planId, configKey: String(plan.answer.venueConfigKey), mint };
  launch = {
    ipfs: uri,
    tokenMint: mint,
    wallet: home.wallet,
    configKey: config.configKey,
    initialBuyLamports: 0,
  };
}, 120_000);
afterAll(() => ended(home));

const page = (planId: string, options = {}) => pageOf(dirname(home.file), planId, options);

/** A plan of the service's answer, stored as the answer to a request that may be another. */
async function planOf(
  endpoint: 'curveLaunch' | 'feeShareConfig',
  asked: Fields,
  answer: unknown,
): Promise<string> {
  const request = endpoints[endpoint].request.parse(asked);
  const begun = await home.landing.begin(endpoint, request);
  const read = endpoints[endpoint].response.parse(answer);
  return (await home.landing.open(endpoint, request, read, { begun })).plan?.planId ?? '';
}

describe('the page of a plan', () => {
  it('says that a launch takes the settings the request names, and stops asking to compare them', async () => {
    const { short } = await page(await planOf('curveLaunch', launch, await home.call('curveLaunch', launch)));
    expect(short).toMatch(
      /it takes the settings \[\d\] for good, the ones the request names; they say who earns its fees: pass --rpc-url/,
    );
    expect(short).toContain(
      `${config.configKey} the settings of the pool, which say for good who earns its fees. The request names it as configKey.`,
    );
    expect(short).not.toContain('the settings you made');
  });

  it('says that a launch takes other settings than the request names, with and without an RPC', async () => {
    const answer = await home.call('curveLaunch', launch);
    const planId = await planOf('curveLaunch', { ...launch, configKey: ATTACKER }, answer);
    for (const options of [{}, { 'rpc-url': home.place.rpcUrl }]) {
      const { short } = await page(planId, options);
      expect(short).toMatch(/for good, which are NOT the ones the request names \(\[\d+\]\)/);
      expect(short).toMatch(
        new RegExp(`${config.configKey} the settings of the pool.*?\\. The request does NOT name it\\.`),
      );
    }
  });

  it('names the fields of a config request that earners come from', async () => {
    const { short } = await page(config.planId);
    expect(short).toMatch(/earns 40% of the fees; .*\. The request names it as claimersArray\./);
    expect(short).not.toContain('NOT');
    expect(short).toContain(
      `${config.mint} the token whose fees are shared. The request names it as baseMint.`,
    );
    const { summary } = await jsonOf(dirname(home.file), config.planId);
    expect(summary.compare).toContainEqual(
      expect.objectContaining({ address: config.mint, field: 'baseMint' }),
    );
  });

  it('says that an earner gets another share than the request gives it', async () => {
    const { request } = await realConfig(home, 'dbc');
    const answer = await home.call('feeShareConfig', request);
    const planId = await planOf('feeShareConfig', { ...request, basisPointsArray: [9_000, 1_000] }, answer);
    expect((await page(planId)).short).toContain('earns 40% of the fees, NOT the 10% of the request');
  });

  it('says of a trade that an amount beside it is the fee the service states', async () => {
    const { quotes } = home.sandbox.service;
    const outputMint = [...quotes.keys()].find((mint) => mint !== WSOL_MINT) ?? '';
    const asked = { inputMint: WSOL_MINT, outputMint, amount: '100000000', taker: home.wallet };
    const quote = await home.call('tradeQuote', asked);
    const requestId = answered(quote, 'requestId');
    await home.landing.rememberQuote(requestId, asked, quote);
    const { plan } = await home.build('tradeSwap', { requestId, userPublicKey: home.wallet });
    const { short } = await page(plan?.planId ?? '', { 'rpc-url': home.place.rpcUrl });
    expect(short).toMatch(/gets [\d.]+ SOL, which the service states as its fee for this trade\./);
  });
});
