/**
 * Every tool of the catalogue through a server spawned from the build, with plans that land. The same suite runs
 * against both deployments of the contract.
 */
import { expect, it } from 'vitest';
import { CONFIG_TYPES, DEFAULT_CONFIG_TYPE as DEFAULT_TYPE } from '../../src/contract/index.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { catalogue } from '../../tools/index.ts';
import { type Fields, type McpProcess, object, objects, someAddress, text } from '../e2e/harness.ts';
import { UNFINISHED } from '../e2e/scene.ts';

export const SOL = 'So11111111111111111111111111111111111111112';

/** Running server, and independent access to its effects. */
export interface Place {
  readonly server: McpProcess;
  /** Wallet of the server. */
  readonly wallet: string;
  /** Values that must not appear in the server's output. */
  readonly secrets: readonly string[];
  rpc(method: string, params?: unknown[]): Promise<unknown>;
  control(name: string, body: Fields): Promise<Fields>;
}

/** Runs every tool at a place; the tests build on each other, like the steps of a launch. */
export function everyTool(place: () => Place): void {
  const called = new Set<string>();
  const heard: string[] = [];

  /** Calls a tool, which must succeed with a result of its declared shape. */
  async function use(name: string, args: Fields = {}): Promise<Fields> {
    const answer = await place().server.call(name, args);
    heard.push(answer.text, JSON.stringify(answer.data));
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    const tool = catalogue.find((each) => each.name === name);
    expect(tool?.output.safeParse(answer.data).error?.issues ?? [], name).toEqual([]);
    expect(answer.text.length, `${name} says something`).toBeGreaterThan(0);
    called.add(name);
    return answer.data;
  }

  /** Submits the plan of a build result until it is complete, and looks up every landed signature on chain. */
  async function land(built: Fields): Promise<Fields> {
    const planId = text(object(built.plan).planId);
    for (;;) {
      const plan = object((await use('submit_plan', { planId, waitSeconds: 30 })).plan);
      if (UNFINISHED.includes(text(plan.status))) continue;
      expect(plan.status, JSON.stringify(plan.decision)).toBe('complete');
      const signatures = objects(plan.stages).flatMap(({ signature }) => signature ?? []);
      expect(signatures.length).toBeGreaterThan(0);
      const found = object(
        await place().rpc('getSignatureStatuses', [signatures, { searchTransactionHistory: true }]),
      );
      expect(objects(found.value).map(({ err }) => err)).toEqual(signatures.map(() => null));
      return plan;
    }
  }

  const registered = async (symbol: string) => {
    const made = await use('create_token_info', {
      name: `Token ${symbol}`,
      symbol,
      description: 'made by a test',
      imageUrl: 'https://example.com/a.png',
    });
    return { tokenMint: text(made.tokenMint), ipfs: text(made.tokenMetadata) };
  };
  const configured = async (symbol: string, flow: string, extra: Fields = {}) => {
    const token = await registered(symbol);
    const config = await use('create_fee_share_config', {
      baseMint: token.tokenMint,
      flow,
      claimersArray: [place().wallet, friend],
      basisPointsArray: [6000, 4000],
      admin: place().wallet,
      ...extra,
    });
    await land(config);
    return { ...token, config };
  };
  const buy = async (outputMint: string, amount: string) => {
    const quote = await use('get_swap_quote', { inputMint: SOL, outputMint, amount });
    await land(await use('create_swap', { requestId: text(quote.requestId) }));
  };

  const friend = someAddress();
  let usdc = '';
  let shared = '';
  let custody = '';
  let planId = '';

  it('get_status, get_wallet and get_policy state the mode', async () => {
    const status = await use('get_status');
    expect(status).toMatchObject({ service: 'answering', wallet: place().wallet, frozen: false });
    expect(object(status.rateLimit).limit).toBe(5000);
    const wallet = await use('get_wallet');
    expect(wallet.address).toBe(place().wallet);
    expect(BigInt(text(wallet.lamports))).toBeGreaterThan(10_000_000_000n);
    expect((await use('get_policy')).policyId).toBe('sandbox');
  });

  it('C-AUTH-05 C-KEY-04 create_agent_key stores a key and shows none', async () => {
    const key = await use('create_agent_key', { name: 'every tool' });
    expect(key).toMatchObject({ status: 'active', name: 'every tool' });
    expect(Object.keys(key)).not.toContain('key');
  });

  it('C-QUOTE-01 C-QUOTE-02 C-QUOTE-03 list_supported_quote_tokens answers for every kind of launch', async () => {
    for (const launch of ['dbc', 'damm_v2_direct', 'custody']) {
      const { tokens } = await use('list_supported_quote_tokens', { launch });
      expect(objects(tokens).length).toBeGreaterThan(1);
      usdc = text(objects(tokens).find(({ symbol }) => symbol === 'USDC')?.mint);
    }
    await place().control('mint-quote', { mint: usdc, wallet: place().wallet, amountRaw: '100000000' });
  });

  it('C-CONFIG-18 C-DIRECT-01 create_fee_share_config executes and is shown as existing afterwards', async () => {
    const made = await configured('SHARE', 'damm_v2_direct', { serviceConfigType: DEFAULT_TYPE });
    shared = made.tokenMint;
    planId = text(object(made.config.plan).planId);
    const again = await use('create_fee_share_config', {
      baseMint: shared,
      flow: 'damm_v2_direct',
      claimersArray: [place().wallet, friend],
      basisPointsArray: [6000, 4000],
      admin: place().wallet,
      serviceConfigType: DEFAULT_TYPE,
    });
    expect(again).toMatchObject({ needsCreation: false, plan: null });
    const launch = await use('create_fee_share_damm_launch', {
      tokenMint: shared,
      ipfs: made.ipfs,
      quoteMint: SOL,
      feeShareConfig: text(made.config.feeShareConfig),
      initialBuyQuoteRaw: '1000000000',
    });
    await land(launch);
  });

  it('create_fee_share_config builds one plan for a launch configuration by label and by id', async () => {
    const { tokenMint } = await registered('LABEL');
    const split = { flow: 'dbc', claimersArray: [place().wallet], basisPointsArray: [10_000] };
    const built = async (serviceConfigType: string) =>
      use('create_fee_share_config', { tokenMint, ...split, serviceConfigType });
    const { id, label } = CONFIG_TYPES['a7c8e1f2-3d4b-5a6c-9e0f-1b2c3d4e5f6a'];
    const { planId: byLabel } = object((await built(label)).plan);
    expect(object((await built(id)).plan).planId).toBe(byLabel);
    expect(object((await built(CONFIG_TYPES[DEFAULT_TYPE].label)).plan).planId).not.toBe(byLabel);
  });

  it('C-UPDATE-01 C-CREATOR-01 update_fee_share_config changes the split that the roster shows', async () => {
    await land(
      await use('update_fee_share_config', {
        baseMint: shared,
        claimersArray: [place().wallet, friend],
        basisPointsArray: [7000, 3000],
      }),
    );
    const { creators } = await use('get_launch_creators', { tokenMint: shared });
    expect(objects(creators).map(({ royaltyBps }) => royaltyBps)).toEqual([7000, 3000]);
  });

  it('C-BUNDLE-02 C-BUNDLE-09 create_damm_launch executes its five transactions, the close after 513 slots', async () => {
    const token = await registered('CUST');
    custody = token.tokenMint;
    const built = await use('create_damm_launch', {
      ...token,
      quoteMint: SOL,
      initialBuyQuoteAmount: 1_000_000_000,
      partner: place().wallet,
    });
    const plan = await land(built);
    const kinds = objects(plan.stages).map(({ kind }) => kind);
    expect(kinds).toHaveLength(5);
    const statusOf = (stages: unknown, kind: string) =>
      objects(stages).find((each) => each.kind === kind)?.status;
    expect(statusOf(plan.stages, 'lookup_table_close')).not.toBe('confirmed');
    await place().control('advance-slots', { slots: 521 });
    const id = text(plan.planId);
    const closed = async () =>
      statusOf(
        object((await use('submit_plan', { planId: id, waitSeconds: 5 })).plan).stages,
        'lookup_table_close',
      );
    await expect.poll(closed).toMatch(/confirmed|finalized/);
  });

  it('C-CURVE-01 C-CURVE-02 C-STATE-01 create_curve_launch executes in SOL and in a custom quote', async () => {
    const inSol = await configured('CRV', 'dbc');
    const launch = await use('create_curve_launch', {
      tokenMint: inSol.tokenMint,
      ipfs: inSol.ipfs,
      configKey: text(inSol.config.venueConfigKey),
      initialBuyLamports: 500_000_000,
    });
    // The curve's terms contain the decimals of its token.
    const [buys] = objects(object(object(launch.plan).expected).arrivesAtLeast);
    expect(buys).toMatchObject({ asset: inSol.tokenMint, symbol: 'CRV' });
    expect(Number(buys?.amount)).toBeGreaterThan(1_000_000);
    await land(launch);
    const inDollars = await configured('CRVUSD', 'dbc', { quoteMint: usdc });
    await land(
      await use('create_curve_launch', {
        tokenMint: inDollars.tokenMint,
        ipfs: inDollars.ipfs,
        configKey: text(inDollars.config.venueConfigKey),
        quoteMint: usdc,
        feeShareConfig: text(inDollars.config.feeShareConfig),
        initialBuyQuoteRaw: '1000000',
      }),
    );
    const marketOf = async (tokenMint: string) =>
      object((await use('get_token_facts', { tokenMint })).market);
    const market = await marketOf(inSol.tokenMint);
    expect(market).toMatchObject({ venue: 'curve', progress: expect.stringMatching(/^0\.\d+%$/) });
    // Graduation takes 85 SOL; 0.5 SOL less the fee was paid in.
    expect(Number.parseFloat(String(market.progress))).toBeCloseTo((0.49 / 85) * 100, 1);
    expect(Number(market.price)).toBeGreaterThan(0);
    expect(await marketOf(inDollars.tokenMint)).toMatchObject({ venue: 'curve', quoteMint: usdc });
    const launches = objects((await use('get_launch_feed')).launches);
    const statusOf = (mint: string) => launches.find(({ tokenMint }) => tokenMint === mint)?.status;
    expect([inSol.tokenMint, inDollars.tokenMint, custody, shared].map(statusOf)).toEqual([
      'PRE_GRAD',
      'PRE_GRAD',
      'MIGRATED',
      'MIGRATED',
    ]);
  });

  it('C-TRADE-04 C-CLAIM-01 C-VAULT-04 C-DEPLOY-03 get_swap_quote and create_swap buy, and every role can claim its share', async () => {
    await buy(custody, '2000000000');
    await buy(shared, '2000000000');

    const { items } = await use('list_claimable_positions');
    expect(objects(items).map(({ tokenMint }) => tokenMint)).toContain(shared);
    await land(await use('create_fee_claims', { tokenMint: shared }));
    const { events } = await use('list_claim_events', { tokenMint: shared });
    expect(objects(events).map(({ wallet }) => wallet)).toEqual([place().wallet]);

    const { claimables } = await use('list_deployer_claimables');
    expect(JSON.stringify(claimables)).toContain(shared);
    await land(await use('create_deployer_claims'));

    const { vaults } = await use('list_vault_claimables');
    expect(objects(vaults).map(({ kind }) => kind)).toContain('partner');
    for (const { kind, quoteMint } of objects(vaults))
      await land(await use('create_vault_claim', { kind, quoteMint }));
    expect(objects((await use('list_vault_claimables')).vaults)).toEqual([]);
  });

  it('C-WALLET-01 C-WALLET-02 C-WALLET-03 resolve_fee_share_wallet finds the wallet of a handle, on Twitter and elsewhere', async () => {
    const wallets = new Set<string>();
    for (const provider of ['twitter', 'tiktok', 'kick', 'github']) {
      const found = await use('resolve_fee_share_wallet', { provider, username: 'ada' });
      expect(text(found.wallet)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
      wallets.add(text(found.wallet));
    }
    expect(wallets.size).toBe(4);
  });

  it('C-EVM-01 C-EVM-05 C-EVM-06 list_evm_trades pages over every trade of each contract version, newest first', async () => {
    const { items } = await use('list_evm_token_creations', { limit: 100 });
    const byVersion = new Map(objects(items).map((item) => [text(item.version), text(item.address)]));
    expect([...byVersion.keys()].sort()).toEqual(['v1', 'v2', 'v3']);
    for (const [version, tokenAddress] of byVersion) {
      const whole = await allTrades(tokenAddress, 200);
      expect(new Set(whole.ids).size).toBe(whole.ids.length);
      expect(whole.times).toEqual(whole.times.toSorted((a, b) => b - a));
      for (const limit of version === 'v1' ? [7, 40, 199] : [33]) {
        expect((await allTrades(tokenAddress, limit)).ids).toEqual(whole.ids);
      }
      const roster = await use('get_evm_creator_roster', { tokenAddress });
      const user = text(objects(roster.recipients)[0]?.address);
      expect(await use('get_evm_creator_earnings', { tokenAddress, user })).toMatchObject({ user });
    }
  });

  async function allTrades(tokenAddress: string, limit: number) {
    const ids: string[] = [];
    const times: number[] = [];
    let cursor: Fields = {};
    do {
      const page = await use('list_evm_trades', { tokenAddress, limit, ...cursor });
      expect(page.contractViolations ?? []).toEqual([]);
      expect(objects(page.trades).length).toBeLessThanOrEqual(limit);
      for (const trade of objects(page.trades)) {
        ids.push(text(trade.id));
        times.push(Number(trade.timestamp));
      }
      cursor = page.nextBeforeTs === null ? {} : { beforeTs: page.nextBeforeTs, beforeId: page.nextBeforeId };
    } while (cursor.beforeTs !== undefined);
    return { ids, times };
  }

  it('C-INCORP-01 C-INCORP-02 C-INCORP-03 start_incorporation and list_incorporations keep founders anonymous', async () => {
    expect(await use('start_incorporation', { tokenAddress: shared })).toMatchObject({
      tokenAddress: shared,
      incorporationStarted: true,
    });
    const { projects } = await use('list_incorporations');
    const [project] = objects(projects);
    expect(project).toMatchObject({ tokenAddress: shared, incorporationShareBasisPoint: 1000 });
    expect(Object.keys(objects(project?.founders)[0] ?? {})).not.toContain('firstName');
  });

  it("get_token_facts shows a token's identity, holders and price", async () => {
    const facts = await use('get_token_facts', { tokenMint: shared });
    expect(facts).toMatchObject({ mint: shared, decimals: 6, mintAuthority: null, freezeAuthority: null });
    // The service's quote includes its fee and the price impact; the on-chain price does not.
    const { venue, price } = object(facts.market);
    expect(venue).toBe('pool');
    expect(Number(price) / Number(facts.price)).toBeGreaterThan(0.9);
    expect(Number(price) / Number(facts.price)).toBeLessThan(1);
    const { tokens } = await use('get_wallet');
    expect(facts.held).toBe(objects(tokens).find(({ mint }) => mint === shared)?.amount);
    const holders = objects(facts.holders);
    expect(holders.length).toBeGreaterThan(1);
    expect(holders.map(({ owner }) => owner)).toContain(place().wallet);
    const shares = holders.map(({ shareBps }) => Number(shareBps));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    await expect(use('get_token_facts', { tokenMint: place().wallet })).rejects.toThrow('is no mint');
  });

  it("C-STATS-01 C-STATS-02 C-STATS-03 get_lifetime_fees, list_creator_tokens and list_top_tokens agree on a token's fees", async () => {
    const earned = await use('get_lifetime_fees', { tokenMint: shared });
    const [token] = objects(earned.tokens);
    expect(Number(token?.fees)).toBeGreaterThan(0);
    const mine = objects(earned.claimers).find(({ wallet }) => wallet === place().wallet);
    expect(mine).toMatchObject({ shareBps: 7000 });
    expect(Number(mine?.claimed)).toBeGreaterThan(0);
    const { tokens } = await use('list_creator_tokens');
    const ours = objects(tokens).find(({ tokenMint }) => tokenMint === shared);
    expect(ours).toMatchObject({ shareBps: 7000, launched: true, manages: true });
    const all = await use('get_lifetime_fees', { wallet: place().wallet });
    const same = objects(all.tokens).find(({ tokenMint }) => tokenMint === shared);
    expect(same?.feesRaw).toBe(token?.feesRaw);
    expect(Number(all.total)).toBeGreaterThanOrEqual(Number(token?.fees));
    const top = objects((await use('list_top_tokens', { limit: 100 })).tokens);
    expect(top.find(({ tokenMint }) => tokenMint === shared)?.feesRaw).toBe(token?.feesRaw);
    const unlisted = await use('list_creator_tokens', { provider: 'github', username: 'ada' });
    expect(unlisted).toMatchObject({ handle: 'github/ada', tokens: [] });
  });

  it('C-PARTNER-01 C-ADMIN-01 get_partner_stats and list_admin_tokens answer for the wallet', async () => {
    const stats = await use('get_partner_stats');
    expect(stats).toMatchObject({ wallet: place().wallet, claimed: expect.stringMatching(/^[0-9.]+$/) });
    expect((await use('list_admin_tokens')).tokens).toContainEqual({ tokenMint: shared });
  });

  it('claim_all_fees builds one plan of all claimable fees', async () => {
    await buy(shared, '1000000000');
    const built = await use('claim_all_fees');
    const plan = object(built.plan);
    expect(plan.operation).toBe('claim_all');
    const claims = objects(plan.claims);
    expect(claims.map(({ asked }) => asked)).toContain(`claim of the fees of ${shared}`);
    // One of them has a quote other than SOL: an unsupported program opens a fee share account for it.
    const { items } = await use('list_claimable_positions');
    const other = objects(items).filter(
      ({ source, quoteMint }) => object(source).kind === 'holding' && quoteMint !== WSOL_MINT,
    );
    const claimTexts = claims.map(({ asked }) => text(asked));
    for (const { tokenMint, quoteMint } of other)
      expect(
        claimTexts.some((name) => name.includes(text(tokenMint)) && name.includes(text(quoteMint))),
      ).toBe(true);
    expect(other).not.toEqual([]);
    expect(claims.filter(({ status }) => status === 'denied')).toEqual([]);
    await land(built);
  });

  it('send pays no wallet the policy does not name, and reclaim_rent closes no table in use', async () => {
    const built = object((await use('send', { to: friend, amountRaw: '1000000' })).plan);
    expect(object(built.decision)).toMatchObject({ effect: 'deny', reasonCodes: ['RECIPIENT_NOT_ALLOWED'] });
    expect(built.asked).toBe(`payment of 0.001 SOL to ${friend}`);
    await expect(use('reclaim_rent')).rejects.toThrow('No lookup table of this home can be closed now');
    // test/execution/send.test.ts covers closings: no plan of these tests leaves a table.
    called.add('reclaim_rent');
  });

  it('unwrap_sol converts the wrapped SOL of claims to SOL', async () => {
    const wrapped = async () =>
      objects((await use('get_wallet')).tokens).find(({ symbol }) => symbol === 'wSOL');
    if ((await wrapped()) === undefined) {
      await expect(use('unwrap_sol')).rejects.toThrow('no wrapped SOL');
      called.add('unwrap_sol');
    } else {
      await land(await use('unwrap_sol'));
      expect(await wrapped()).toBeUndefined();
    }
  });

  it('review_plan, get_plan, list_plans and list_decisions show the history', async () => {
    const plan = object((await use('get_plan', { planId })).plan);
    expect(plan).toMatchObject({ planId, operation: 'config', status: 'complete' });
    expect(object((await use('review_plan', { planId })).plan).status).toBe('complete');
    const { plans } = await use('list_plans', { limit: 100 });
    expect(objects(plans).map((each) => each.planId)).toContain(planId);
    const { decisions } = await use('list_decisions', { planId });
    expect(objects(decisions).length).toBeGreaterThan(0);
  });

  it("get_activity shows events and the wallet's value, and cancel_plan stops a pending plan", async () => {
    const quote = await use('get_swap_quote', { inputMint: 'SOL', outputMint: shared, amount: '1000000' });
    const built = object((await use('create_swap', { requestId: text(quote.requestId) })).plan);
    const waiting = await use('get_activity', { hours: 1, worth: false });
    expect(objects(waiting.pending).map((each) => each.planId)).toContain(built.planId);
    expect(Number(object(waiting.outcomes).landed)).toBeGreaterThan(3);
    expect(object((await use('cancel_plan', { planId: text(built.planId) })).plan).status).toBe('cancelled');
    const activity = await use('get_activity', { hours: 1 });
    expect(objects(activity.pending).map((each) => each.planId)).not.toContain(built.planId);
    expect(Number(object(activity.worth).total)).toBeGreaterThan(1);
    const ours = objects(object(activity.worth).tokens).find(({ mint }) => mint === shared);
    expect(Number(ours?.worth)).toBeGreaterThan(0);
    expect(objects(object(activity.cost).serviceFees).length).toBeGreaterThan(0);
    const seen: unknown[] = [];
    for (let page: Fields | undefined = activity; page !== undefined; ) {
      seen.push(...objects(page.happened).map((each) => each.planId));
      const counted = Object.values(object(page.outcomes)).reduce(
        (sum: number, each) => sum + Number(each),
        0,
      );
      expect(Number(object(page.more ?? { happened: 0 }).happened)).toBe(counted - seen.length);
      const offset: unknown = page.nextOffset;
      page = offset === undefined ? undefined : await use('get_activity', { hours: 1, worth: false, offset });
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('every tool was used, and no secret was printed', async () => {
    const { tools } = object((await place().server.request('tools/list')).result);
    expect([...called].sort()).toEqual(
      objects(tools)
        .map((tool) => text(tool.name))
        .sort(),
    );
    expect(called.size).toBe(46);
    const output = heard.join('\n') + place().server.stderr;
    for (const secret of place().secrets) expect(output.includes(secret)).toBe(false);
  });
}
