/** Result fields of a plan besides its status: expected and actual movements, claimers, missing stages, approval. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed } from '../policy/people.ts';
import type { Home } from './home.ts';
import { ended, realHome } from './real.ts';
import { buy, configRequest, landedConfig, seeded } from './requests.ts';

let home: Home;
let mint = '';
beforeAll(async () => {
  home = await realHome();
  mint = await seeded(home, 'RUNG');
});
afterAll(() => ended(home));

const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name);

async function quoted(inputMint: string, outputMint: string, amount: string) {
  const request = { inputMint, outputMint, amount, taker: home.wallet };
  const quote = await home.call('tradeQuote', request);
  const requestId = String(field(quote, 'requestId'));
  await home.plans.rememberQuote(requestId, request, quote);
  return { requestId, userPublicKey: home.wallet, amountOut: String(field(quote, 'outAmount')) };
}

const held = async (asset: string): Promise<bigint> => {
  const { value } = await home.deps.chain.tokenAccounts(home.wallet, 'confirmed');
  const { readTokenAccount } = await import('../../src/programs/token/accounts.ts');
  return value
    .map(({ data }) => readTokenAccount(Buffer.from(data, 'base64')))
    .reduce((sum, each) => (each.mint === asset ? sum + each.amount : sum), 0n);
};

describe('a swap', () => {
  it('shows limits before and moved amounts afterwards, as the chain shows them', async () => {
    const before = await held(mint);
    const { amountOut: _, ...request } = await quoted(WSOL_MINT, mint, '100000000');
    const { plan } = await home.build('tradeSwap', request);
    expect(plan).toMatchObject({
      asked: `swap of 0.1 SOL for ${mint}`,
      expected: {
        leavesAtMost: [{ asset: 'SOL', amount: expect.stringMatching(/^0\.10/) }],
        arrivesAtLeast: [{ asset: mint, symbol: 'RUNG', amount: expect.stringMatching(/^\d+(\.\d+)?$/) }],
      },
    });
    expect(plan).not.toHaveProperty('changes');
    const done = await home.submit(plan?.planId ?? '');
    expect(done.status).toBe('complete');
    const arrived = (await held(mint)) - before;
    expect(done.changes?.find(({ asset }) => asset === mint)).toMatchObject({
      symbol: 'RUNG',
      raw: `+${arrived}`,
    });
    const sol = done.changes?.find(({ asset }) => asset === 'SOL');
    expect(BigInt(sol?.raw ?? '0')).toBeLessThanOrEqual(-100_000_000n);
    expect(Number(sol?.amount)).toBeCloseTo(-0.1, 1);
    expect(Number(done.cost?.networkFee)).toBeGreaterThan(0);
    // The bounds shown to the owner are listed next to the actual movement, and hold.
    const [leaves] = done.expected?.leavesAtMost ?? [];
    const [least] = done.expected?.arrivesAtLeast ?? [];
    expect(-BigInt(sol?.raw ?? '0')).toBeLessThanOrEqual(BigInt(leaves?.raw ?? '0'));
    expect(arrived).toBeGreaterThanOrEqual(BigInt(least?.raw ?? '0'));
    expect(plan?.says).toContain('A swap cannot be undone.');
  });

  it('of more than the balance states the required and available amounts', async () => {
    await buy(home, mint, '50000000');
    const has = await held(mint);
    const { amountOut: _, ...whole } = await quoted(mint, WSOL_MINT, `${has}`);
    const { amountOut: __, ...most } = await quoted(mint, WSOL_MINT, `${has - 1000n}`);
    const first = await home.build('tradeSwap', most);
    expect(first.plan).not.toHaveProperty('lacks');
    const second = await home.build('tradeSwap', whole);
    expect((await home.submit(first.plan?.planId ?? '')).status).toBe('complete');
    const plan = await home.plans.review(second.plan?.planId ?? '');
    expect(plan.decision.reasonCodes).toContain('SIMULATION_FAILED');
    expect(plan.lacks).toEqual([
      {
        needs: expect.objectContaining({ asset: mint, symbol: 'RUNG', raw: `${has}` }),
        has: expect.objectContaining({ asset: mint, symbol: 'RUNG', raw: '1000' }),
      },
    ]);
    expect(plan.next).toMatch(/^get_wallet/);
  });

  it('is listed with time and request, and as expired once its quote is too old', async () => {
    const { amountOut: _, ...request } = await quoted(WSOL_MINT, mint, '30000000');
    const { plan } = await home.build('tradeSwap', request);
    const [fresh] = await home.plans.list({ limit: 1, offset: 0 });
    expect(fresh).toMatchObject({
      ...{ planId: plan?.planId, status: 'ready' },
      asked: `swap of 0.03 SOL for ${mint}`,
    });
    const later = home.again({ clock: (time) => ({ ...time, now: () => time.now() + 61_000 }) });
    const [old] = await later.plans.list({ limit: 1, offset: 0 });
    expect(old).toMatchObject({ planId: plan?.planId, status: 'expired', createdAt: plan?.createdAt });
    await later.close();
  });
});

describe('a split', () => {
  it("shows before submission its manager, the deployer's share and that others earn", async () => {
    const { admin: _, ...request } = await configRequest(home, 1);
    const [stranger] = Array.isArray(request.claimersArray) ? request.claimersArray : [];
    const { plan } = await home.build('feeShareConfig', request);
    const summary = plan?.says?.join('\n') ?? '';
    // One claimer of everything becomes the admin (C-CONFIG-09), and the deployer's quarter is for good (C-CONFIG-12).
    expect(summary).toMatch(new RegExp(`${stranger} .* can change who earns`));
    expect(summary).toContain('25% to the deployer');
    expect(summary).toContain('Your wallet earns none of these shares.');
  });

  it('names the receiver of a tip and counts it as an outflow, not a deposit', async () => {
    const [request, tipWallet] = [await configRequest(home, 2), keyNamed('tip').address];
    const { plan: plain } = await home.build('feeShareConfig', request);
    const tipped = { ...(await configRequest(home, 2)), tipWallet, tipLamports: 3_000_000 };
    const { plan } = await home.build('feeShareConfig', tipped);
    expect(plan?.says).toContain(`Tip: at most 0.003 SOL to ${tipWallet} (not in your address book).`);
    const leaves = (of: typeof plan) => BigInt(of?.expected?.leavesAtMost[0]?.raw ?? '0');
    expect(leaves(plan) - leaves(plain)).toBe(3_000_000n);
    expect(plan?.expected?.returns).toBe(plain?.expected?.returns);
  });

  it('shows the claimers, and for a change the previous ones', async () => {
    const { mint: token, request } = await landedConfig(home);
    const [first, second] = Array.isArray(request.claimersArray) ? request.claimersArray : [];
    const { plan } = await home.build('updateFeeShareConfig', {
      baseMint: token,
      payer: home.wallet,
      claimersArray: [first, second],
      basisPointsArray: [9000, 1000],
    });
    expect(plan?.claimers).toEqual({
      before: {
        count: 2,
        largest: [
          { wallet: first, share: '50%' },
          { wallet: second, share: '50%' },
        ],
      },
      after: {
        count: 2,
        largest: [
          { wallet: first, share: '90%' },
          { wallet: second, share: '10%' },
        ],
      },
    });
  });

  it('with many claimers lists the largest shares and sums the rest', async () => {
    const { shownClaimers } = await import('../../src/presentation/question/agentSummary.ts');
    const many = Array.from({ length: 37 }, (_, i) => ({ wallet: `w${i}`, bps: i === 20 ? 6400 : 100 }));
    expect(shownClaimers(many)).toMatchObject({
      count: 37,
      largest: [{ wallet: 'w20', share: '64%' }, {}, {}],
      rest: '34%',
    });
  });
});

describe('an unavailable RPC', () => {
  it('removes only the amounts from a plan', async () => {
    const [known] = (await home.plans.list({ limit: 20, offset: 0 })).filter(
      ({ status }) => status === 'complete',
    );
    const refuse = () => Promise.reject(new Error('down'));
    const blind = home.again({ chain: (chain) => ({ ...chain, accounts: refuse, landed: refuse }) });
    const shown = await blind.plans.get(known?.planId ?? '');
    expect(shown).toMatchObject({ planId: known?.planId, status: 'complete' });
    expect(shown).not.toHaveProperty('changes');
    await blind.close();
  });
});

describe('values stated by the service that decide nothing here', () => {
  it('of a plan: version, asset, fee limits, and per stage encoding, lifetime and budget', async () => {
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 2));
    const stated = await home.plans.stated(plan?.planId ?? '');
    expect(stated).toMatchObject({
      contractVersion: 1,
      asset: { mint: WSOL_MINT, decimals: 9 },
      feeLimits: [],
      stages: [{ encoding: 'base64', lifetime: { blockhash: expect.any(String) }, budget: {} }],
    });
    expect(JSON.stringify(stated)).not.toContain('"transaction"');
  });

  it("of a swap: its compute budget, its expiry and the service's fee", async () => {
    const { amountOut: _, ...request } = await quoted(WSOL_MINT, mint, '100000000');
    const { plan } = await home.build('tradeSwap', request);
    expect(await home.plans.stated(plan?.planId ?? '')).toEqual({
      computeUnitLimit: expect.any(Number),
      prioritizationFeeLamports: expect.any(Number),
      lastValidBlockHeight: expect.any(Number),
      revenueLamports: expect.any(String),
    });
  });
});
