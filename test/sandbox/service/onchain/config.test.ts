/** Fee share configs: built by the service, landed, and decoded by third-party decoders. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyring } from '../../../../sandbox/service/keys.ts';
import { at, list, text } from '../support.ts';
import { ChainCaller, derived, WSOL } from './scene.ts';

const FEE_SHARE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
const ring = createKeyring('claimers of the tests');
const claimer = (index: number) => ring.get(String(index)).address;

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

async function request(count: number, extra: Record<string, unknown> = {}) {
  const share = Math.floor(10_000 / count);
  return {
    baseMint: await caller.token(),
    payer: caller.wallet,
    flow: 'damm_v2_direct',
    claimersArray: Array.from({ length: count }, (_, index) => claimer(index)),
    basisPointsArray: Array.from({ length: count }, (_, i) =>
      i === 0 ? 10_000 - share * (count - 1) : share,
    ),
    ...extra,
  };
}
const ask = (body: object) => caller.ok(caller.post('/fee-share/config/v2', body));
const configOf = (baseMint: unknown) => derived(FEE_SHARE, 'fee_share_config', String(baseMint), WSOL);
const authorityOf = (baseMint: unknown) => derived(FEE_SHARE, 'fee_share_authority', String(baseMint), WSOL);
const sharesOf = (body: Awaited<ReturnType<typeof request>>) =>
  body.claimersArray.map((address, i) => [address, body.basisPointsArray[i]]);

describe('a fee share config', () => {
  test('is one transaction, is at its derived address, and needs no creation afterwards', async () => {
    const body = await request(3);
    const answer = await ask(body);
    expect(text(answer, 'feeShareConfig')).toBe(configOf(body.baseMint));
    expect(text(answer, 'feeShareAuthority')).toBe(authorityOf(body.baseMint));
    expect(at(answer, 'venueConfigKey')).toBeNull();
    expect(list(answer, 'plan.transactions').map((stage) => at(stage, 'id'))).toEqual(['config-1']);
    expect(list(answer, 'plan.transactions.0.requiredSigners')).toEqual([
      caller.wallet,
      caller.sandbox.service.keys.feeShareAuthority.address,
    ]);
    await caller.landAll(at(answer, 'plan'));
    expect(caller.claimers(configOf(body.baseMint))).toEqual({
      shares: sharesOf(body),
      manager: caller.wallet,
      partner: undefined,
    });
    expect(at(await ask(body), 'needsCreation')).toBe(false);
    expect(at(await ask(body), 'plan')).toBeNull();
  });

  test("for a curve includes its pool terms, created by the config's key, which pay the fee share", async () => {
    const admin = claimer(0);
    const body = await request(2, { flow: 'dbc', admin, enableFirstSwapWithMinFee: true });
    const answer = await ask(body);
    const venue = text(answer, 'venueConfigKey');
    expect(list(answer, 'plan.transactions')).toHaveLength(1);
    expect(list(answer, 'plan.transactions.0.requiredSigners')).toContain(venue);
    await caller.landAll(at(answer, 'plan'));
    expect(caller.claimers(configOf(body.baseMint)).manager).toBe(admin);
    expect(caller.decoded(venue, 'PoolConfig')).toMatchObject({
      quote_mint: WSOL,
      fee_claimer: authorityOf(body.baseMint),
      leftover_receiver: caller.sandbox.service.keys.treasury.address,
      migration_quote_threshold: '85000000000',
      token_decimal: 6,
      pre_migration_token_supply: '1000000000000000',
      enable_first_swap_with_min_fee: 1,
      creator_trading_fee_percentage: 0,
      pool_fees: { base_fee: { cliff_fee_numerator: '20000000' } },
    });
    expect(at(await ask(body), 'needsCreation')).toBe(false);
  });

  test('with a tip and a partner pays the tip once and names the partner, whose own config exists', async () => {
    const { keys } = caller.sandbox.service;
    const partner = keys.seeded('partner').address;
    const partnerConfig = derived(FEE_SHARE, 'partner_config', partner);
    const body = await request(2, {
      partner,
      partnerConfig,
      tipWallet: keys.tracking.address,
      tipLamports: 12_345,
    });
    const before = caller.lamports(keys.tracking.address);
    await caller.landAll(at(await ask(body), 'plan'));
    expect(caller.lamports(keys.tracking.address) - before).toBe(12_345n);
    expect(caller.claimers(configOf(body.baseMint)).partner).toBe(partner);
    expect(caller.decoded(partnerConfig, 'PartnerConfig')).toMatchObject({ partner, bps: 2_500 });
    const wrong = await caller.post('/fee-share/config/v2', {
      ...(await request(1, { partner })),
      partnerConfig: claimer(0),
    });
    expect(wrong.status).toBe(400);
  });

  test('is completed by another request after only its first stage landed, and by no other claimers', async () => {
    const body = await request(20);
    const first = await ask(body);
    expect(list(first, 'plan.transactions').map((stage) => at(stage, 'dependsOn'))).toEqual([
      [],
      ['config-1'],
    ]);
    await caller.land(text(first, 'plan.transactions.0.transaction'));
    expect(caller.claimers(configOf(body.baseMint)).manager).toBeUndefined();
    const other = await caller.post('/fee-share/config/v2', {
      ...body,
      claimersArray: body.claimersArray.toReversed(),
    });
    expect(other.status).toBe(400);
    expect(other.body.error).toContain('another config of this token is partly on chain');
    const rest = await ask(body);
    expect(list(rest, 'plan.transactions').map((stage) => at(stage, 'id'))).toEqual(['config-2']);
    await caller.landAll(at(rest, 'plan'));
    expect(caller.claimers(configOf(body.baseMint))).toMatchObject({
      shares: sharesOf(body),
      manager: caller.wallet,
    });
    expect(at(await ask(body), 'needsCreation')).toBe(false);
  });

  test.each(['damm_v2_direct', 'dbc'])(
    'with a hundred claimers (%s) sets up a lookup table, then creates and extends',
    async (flow) => {
      const body = await request(100, { flow });
      expect(at(await ask(body), 'plan.readiness.status')).toBe('setup_required');
      const stages = await caller.finish(() => ask(body));
      expect(stages.filter((id) => id.startsWith('lookup'))).not.toHaveLength(0);
      expect(stages.filter((id) => id.startsWith('config')).length).toBeGreaterThan(3);
      expect(caller.claimers(configOf(body.baseMint))).toMatchObject({
        shares: sharesOf(body),
        manager: caller.wallet,
      });
      expect(at(await ask(body), 'needsCreation')).toBe(false);
    },
  );

  test('with a hundred claimers needs no table in v1', async () => {
    const body = await request(100, { transactionFormat: 'v1' });
    expect(at(await ask(body), 'plan.readiness.status')).toBe('ready');
    await caller.finish(() => ask(body));
    expect(caller.claimers(configOf(body.baseMint)).shares).toEqual(sharesOf(body));
  });
});

describe('a changed split', () => {
  const change = (body: object) => caller.post('/fee-share/admin/update-config/v2', body);

  test.each([
    [2, 5],
    [5, 2],
    [3, 40],
    [40, 3],
  ])('of %i claimers to %i matches the account, and only its manager may have it built', async (from, to) => {
    const body = await request(from);
    await caller.finish(() => ask(body));
    const { claimersArray, basisPointsArray } = await request(to);
    const after = { baseMint: body.baseMint, claimersArray: claimersArray.toReversed(), basisPointsArray };
    expect((await change({ ...after, payer: claimer(0) })).status).toBe(403);
    const plan = await caller.ok(change({ ...after, payer: caller.wallet }));
    for (const stage of list(plan, 'transactions')) {
      expect(list(stage, 'requiredSigners')).toEqual([caller.wallet]);
    }
    await caller.landAll(plan);
    expect(caller.claimers(configOf(body.baseMint)).shares).toEqual(
      after.claimersArray.map((address, i) => [address, basisPointsArray[i]]),
    );
    expect((await change({ ...after, payer: caller.wallet })).status).toBe(400);
  });
});
