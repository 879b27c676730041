/** Every kind of plan through the runner on a real chain: it lands and has its effect. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EndpointName } from '../../src/contract/index.ts';
import { changesOf } from '../../src/execution/readback/balances.ts';
import { accountOf } from '../../src/policy/decide/operations/chain.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';
import { codeOf } from './homes.ts';
import { buy, configRequest, landedConfig, launchRequest, seeded } from './requests.ts';

let home: Home;
beforeEach(async () => {
  home = await Home.withoutMarket();
});
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});

/** Builds and submits a plan, and checks on chain that every required stage landed once. */
async function land(endpoint: EndpointName, fields: Readonly<Record<string, unknown>>) {
  const { plan } = await home.build(endpoint, fields);
  expect(plan).toMatchObject({ status: 'ready', decision: { effect: 'allow' } });
  const before = home.signatures;
  const done = await home.submit(plan?.planId ?? '', 50);
  expect(done).toMatchObject({ planId: plan?.planId, status: 'complete' });
  for (const { signature = '' } of done.stages) {
    expect(home.sandbox.chain.status(signature)).toMatchObject({ err: null });
  }
  expect(home.signatures - before).toBe(done.stages.length);
  return done;
}

const exists = (address: string) => home.sandbox.chain.getAccount(address) !== null;
const lamports = () => home.sandbox.chain.getAccount(home.wallet)?.lamports ?? 0n;
/** Returns the wallet's SOL, wrapped SOL included, in lamports. */
const inSol = () => {
  const wrapped = home.sandbox.chain.getAccount(
    associatedTokenAddress(home.wallet, WSOL_MINT, TOKEN_PROGRAM),
  );
  return lamports() + (wrapped === null ? 0n : Buffer.from(wrapped.data).readBigUInt64LE(64));
};

describe('a change of claimers', () => {
  it('executes, and the account holds the new split', async () => {
    const { mint, config } = await landedConfig(home);
    const claimer = testKey('newly earning').address;
    const done = await land('updateFeeShareConfig', {
      baseMint: mint,
      payer: home.wallet,
      claimersArray: [home.wallet, claimer],
      basisPointsArray: [2500, 7500],
    });
    expect(done.operation).toBe('manager_update');
    const { value } = await home.deps.chain.accounts([config], 'confirmed');
    expect(accountOf(value[0], feeShareConfig)?.claimers).toEqual([
      { wallet: home.wallet, bps: 2500 },
      { wallet: claimer, bps: 7500 },
    ]);
  });
});

describe('a config', () => {
  /** Opens a home whose RPC shows other data or another owner for the config or the curve's terms. */
  async function shownAs(change: (account: AccountFact) => AccountFact) {
    const isConfig = (account: AccountFact) =>
      accountOf(account, feeShareConfig) !== undefined || accountOf(account, poolConfig) !== undefined;
    const other = home.again({
      chain: (port) => ({
        ...port,
        accounts: async (addresses, commitment) => {
          const { slot, value } = await port.accounts(addresses, commitment);
          return { slot, value: value.map((each) => (isConfig(each) ? change(each) : each)) };
        },
      }),
      deps: { timing: { askAgainMs: 10, askAgainMaxMs: 10, askAgainTimes: 3 } },
    });
    const { plan } = await other.build('feeShareConfig', await configRequest(other, 1));
    const done = await other.submit(plan?.planId ?? '', 50);
    const code = await codeOf(other, plan?.planId ?? '');
    await other.close();
    return { done, code };
  }

  it.each<[string, (account: AccountFact) => AccountFact]>([
    ['another program owns the account', (a) => ({ ...a, owner: WSOL_MINT })],
    ['the account is empty', (a) => ({ ...a, data: '' })],
  ])('that cannot be read on chain is incomplete: %s', async (_, change) => {
    const { done, code } = await shownAs(change);
    expect(done).toMatchObject({
      status: 'unknown',
      next: expect.stringContaining('the config was not verified on chain'),
    });
    expect(done.stages.map(({ status }) => status)).toEqual([expect.stringMatching(/confirmed|finalized/)]);
    expect(code).toBe('EFFECT_NOT_SEEN');
  });
});

describe('a launch', () => {
  it('into a direct pool with a fee share config executes', async () => {
    const { mint, uri, config } = await landedConfig(home);
    expect(exists(mint)).toBe(false);
    await land('dammLaunchV2', {
      tokenMint: mint,
      wallet: home.wallet,
      feeShareConfig: config,
      quoteMint: WSOL_MINT,
      ipfs: uri,
      initialBuyQuoteRaw: '50000000',
    });
    expect(exists(mint)).toBe(true);
    await buy(home, mint, '10000000');
  });

  it('onto a curve executes', async () => {
    const { mint, uri, configKey } = await landedConfig(home, { flow: 'dbc' });
    await land('curveLaunch', {
      ipfs: uri,
      tokenMint: mint,
      wallet: home.wallet,
      initialBuyLamports: 20_000_000,
      configKey,
    });
    expect(exists(mint)).toBe(true);
    await buy(home, mint, '10000000');
  });

  it('T94 onto a curve in another quote executes, and the chain shows the claimers', async () => {
    const quote = [...home.sandbox.service.quotes.values()].find(({ symbol }) => symbol === 'USDC');
    const { mint, uri, config, configKey } = await landedConfig(home, {
      flow: 'dbc',
      quoteMint: quote?.mint,
    });
    await land('curveLaunchV2', {
      ipfs: uri,
      tokenMint: mint,
      wallet: home.wallet,
      quoteMint: quote?.mint,
      feeShareConfig: config,
      configKey,
    });
    expect(exists(mint)).toBe(true);
  });
});

describe('a claim', () => {
  it('of a position, paid for by the service, pays out the fees', async () => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '1000000000');
    await home.plans.idle();
    const before = inSol();
    const done = await land('claimTxs', { feeClaimer: home.wallet, tokenMint: mint });
    expect(done.operation).toBe('position_claim');
    expect(done.stages[0]?.feePayer).not.toBe(home.wallet);
    expect(inSol()).toBeGreaterThan(before);
  });

  it('of a position held by a custody program pays out the fees', async () => {
    const request = await launchRequest(home);
    const { plan } = await home.build('dammLaunch', request);
    expect(await home.submit(plan?.planId ?? '', 50)).toMatchObject({ status: 'complete' });
    const mint = String(request.tokenMint);
    await buy(home, mint, '1000000000');
    const before = inSol();
    const done = await land('claimTxs', { feeClaimer: home.wallet, tokenMint: mint });
    expect(done.operation).toBe('position_claim');
    expect(inSol()).toBeGreaterThan(before);
  });

  it('of a holding, paid for by the wallet, pays out the fees', async () => {
    const mint = await seeded(home, 'RUNG');
    await buy(home, mint, '1000000000');
    await home.plans.idle();
    const before = inSol();
    const done = await land('claimTxs', {
      feeClaimer: home.wallet,
      tokenMint: mint,
      source: { kind: 'holding' },
    });
    expect(done.operation).toBe('holding_claim');
    expect(done.stages[0]?.feePayer).toBe(home.wallet);
    expect(inSol()).toBeGreaterThan(before);
  });

  it('of a vault pays out the fees', async () => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '1000000000');
    const done = await land('claimVault', { kind: 'deployer', wallet: home.wallet, quoteMint: WSOL_MINT });
    const [stage] = done.stages;
    const landed = await home.deps.chain.landed(stage?.signature ?? '');
    const arrived = landed?.tokensAfter.find(({ owner }) => owner === home.wallet);
    expect(arrived).toMatchObject({ mint: WSOL_MINT });
    expect(arrived?.amount).toBeGreaterThan(0n);
  });
});

describe('claims deferred by the service', () => {
  it('are counted when the plan is complete', async () => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '1000000000');
    const answer = Object(await home.call('deployerClaimTxs', { wallet: home.wallet }));
    const deferred = { tokenMint: mint, quoteMint: WSOL_MINT, claimableAmountRaw: '1' };
    vi.spyOn(home, 'call').mockResolvedValue({ ...answer, deferredClaims: [deferred] });
    const first = await land('deployerClaimTxs', { wallet: home.wallet });
    expect(first.next).toBe('Done. The service deferred 1 more: build the claims again for them.');
  });
});

describe('confirmed effects that are missing on chain', () => {
  it('leave a claim without payout incomplete', async () => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '1000000000');
    const { chain } = home.deps;
    const blind = home.again({
      chain: () => ({
        ...chain,
        landed: async (signature) => {
          const landed = await chain.landed(signature);
          if (landed === undefined) return undefined;
          return { ...landed, lamportsAfter: landed.lamportsBefore, tokensAfter: landed.tokensBefore };
        },
      }),
      deps: { timing: { askAgainMs: 1, askAgainMaxMs: 1, askAgainTimes: 2 } },
    });
    try {
      const { plan } = await blind.build('claimTxs', { feeClaimer: home.wallet, tokenMint: mint });
      const done = await blind.submit(plan?.planId ?? '');
      expect(done).toMatchObject({ status: 'unknown', next: expect.stringContaining('nothing arrived') });
      // A second submit with an honest view completes without another signature.
      await blind.plans.stop();
      const before = home.signatures;
      expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
      expect(home.signatures).toBe(before);
    } finally {
      await blind.close();
    }
  });

  const CLAIMS: readonly [EndpointName, string, (mint: string) => Readonly<Record<string, unknown>>][] = [
    ['claimVault', 'HARBOR', () => ({ kind: 'deployer', wallet: home.wallet, quoteMint: WSOL_MINT })],
    ['deployerClaimTxs', 'HARBOR', () => ({ wallet: home.wallet })],
    ['claimTxs', 'HARBOR', (tokenMint) => ({ feeClaimer: home.wallet, tokenMint })],
    [
      'claimTxs',
      'RUNG',
      (tokenMint) => ({ feeClaimer: home.wallet, tokenMint, source: { kind: 'holding' } }),
    ],
  ];
  it.each(
    CLAIMS.flatMap(([endpoint, token, fields]) =>
      (
        [
          [98n, 'landed_unverified'],
          [99n, 'complete'],
        ] as const
      ).map(([percent, status]) => [endpoint, token, percent, status, fields] as const),
    ),
  )('T167 %s of %s that brings %i percent is %s', async (endpoint, token, percent, status, fields) => {
    const mint = await seeded(home, token);
    await buy(home, mint, '1000000000');
    await home.plans.idle();
    const { chain } = home.deps;
    let arrived = 0n;
    const short = home.again({
      chain: () => ({
        ...chain,
        landed: async (signature) => {
          const landed = await chain.landed(signature);
          if (landed === undefined) return undefined;
          arrived = changesOf(home.wallet, landed).get('SOL') ?? 0n;
          const missing = (arrived * (100n - percent)) / 100n;
          const { accounts, lamportsAfter } = landed;
          return {
            ...landed,
            lamportsAfter: lamportsAfter.map((after, i) =>
              accounts[i] === home.wallet ? after - missing : after,
            ),
          };
        },
      }),
      deps: { timing: { askAgainMs: 1, askAgainMaxMs: 1, askAgainTimes: 2 } },
    });
    try {
      const { plan } = await short.build(endpoint, fields(mint));
      const done = await short.submit(plan?.planId ?? '');
      expect(done).toMatchObject({ status });
      expect(arrived).toBeGreaterThan(0n);
      // Both amounts are listed, in base units.
      const amounts = `${arrived - (arrived * (100n - percent)) / 100n} of ${arrived} `;
      if (status !== 'complete') expect(done.next).toContain(amounts);
      await short.plans.stop();
    } finally {
      await short.close();
    }
  });

  it('leave a change of claimers incomplete if the account differs', async () => {
    const { mint, request } = await landedConfig(home);
    const { chain } = home.deps;
    const old = await home.deps.chain.accounts(
      [String(Object(await home.call('feeShareConfig', request)).feeShareConfig)],
      'confirmed',
    );
    let stale = true;
    const lagging = home.again({
      chain: () => ({
        ...chain,
        accounts: async (addresses, commitment) => {
          const { slot, value } = await chain.accounts(addresses, commitment);
          const account = (each: (typeof value)[number]) =>
            old.value.find(({ address }) => stale && address === each.address) ?? each;
          return { slot, value: value.map(account) };
        },
      }),
      deps: { timing: { askAgainMs: 1, askAgainMaxMs: 1, askAgainTimes: 2 } },
    });
    try {
      const { plan } = await lagging.build('updateFeeShareConfig', {
        baseMint: mint,
        payer: home.wallet,
        claimersArray: [home.wallet],
        basisPointsArray: [10_000],
      });
      const id = plan?.planId ?? '';
      expect(await lagging.submit(id)).toMatchObject({
        status: 'unknown',
        next: expect.stringContaining(`claimer ${home.wallet}`),
      });
      stale = false;
      expect(await lagging.submit(id)).toMatchObject({ status: 'complete' });
    } finally {
      await lagging.close();
    }
  });
});
