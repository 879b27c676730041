import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partnerConfig } from '../../../sandbox/programs/feeShare.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import { ChainCaller } from './onchain/scene.ts';
import { at, list, text } from './support.ts';

const OTHER_TYPE = 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3';
const PATH = '/fee-share/config/v2';
const ring = createKeyring('claimers of the tests');
const claimer = (index: number) => ring.get(String(index)).address;

let caller: ChainCaller;
beforeEach(async () => {
  caller = await ChainCaller.start();
});
afterEach(() => caller.close());

async function request<E extends Record<string, unknown>>(count: number, extra: E = Object()) {
  const share = Math.floor(10_000 / count);
  return {
    baseMint: await caller.token(),
    payer: caller.sandbox.wallet.address,
    flow: 'damm_v2_direct',
    claimersArray: Array.from({ length: count }, (_, index) => claimer(index)),
    basisPointsArray: Array.from({ length: count }, (_, index) =>
      index === 0 ? 10_000 - share * (count - 1) : share,
    ),
    ...extra,
  };
}

const sharesOf = (body: Awaited<ReturnType<typeof request>>) =>
  body.claimersArray.map((address, index) => [address, body.basisPointsArray[index]]);

async function quoteMint(symbol: string): Promise<string> {
  const answer = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  return text(
    list(answer, 'tokens').find((each) => at(each, 'symbol') === symbol),
    'mint',
  );
}

describe('a fee share config', () => {
  it('C-CONFIG-18 C-PLAN-02 lands in order and then needs no creation', async () => {
    const body = await request(3);
    const first = await caller.ok(caller.post(PATH, body));
    expect(at(first, 'needsCreation')).toBe(true);
    expect(at(first, 'plan.readiness.status')).toBe('ready');
    expect(list(first, 'plan.transactions').map((stage) => at(stage, 'id'))).toEqual(['config-1']);
    for (const stage of list(first, 'plan.transactions')) {
      expect(at(stage, 'format')).toBe('v0');
      expect(at(stage, 'requiredSigners.0')).toBe(body.payer);
    }
    await caller.landAll(at(first, 'plan'));
    expect(caller.claimers(text(first, 'feeShareConfig'))).toEqual({
      shares: sharesOf(body),
      manager: body.payer,
      partner: undefined,
    });
    const again = await caller.ok(caller.post(PATH, body));
    expect(at(again, 'needsCreation')).toBe(false);
    expect(at(again, 'plan')).toBeNull();
  });

  it('C-PLAN-11 declares the hash of its message', async () => {
    const answer = await caller.ok(caller.post(PATH, await request(1)));
    const bytes = Buffer.from(text(answer, 'plan.transactions.0.transaction'), 'base64');
    const signers = list(answer, 'plan.transactions.0.requiredSigners').length;
    const message = bytes.subarray(1 + 64 * signers);
    expect(createHash('sha256').update(message).digest('hex')).toBe(
      text(answer, 'plan.transactions.0.messageSha256'),
    );
  });

  it('C-PLAN-07 C-CONFIG-06 is completed by another request after only its first stage landed', async () => {
    const body = await request(20);
    const first = await caller.ok(caller.post(PATH, body));
    expect(list(first, 'plan.transactions').map((stage) => at(stage, 'dependsOn'))).toEqual([
      [],
      ['config-1'],
    ]);
    await caller.land(text(first, 'plan.transactions.0.transaction'));
    const other = await caller.post(PATH, { ...body, claimersArray: body.claimersArray.toReversed() });
    expect(other.status).toBe(400);
    expect(other.body.error).toContain('another config of this token is partly on chain');
    const rest = await caller.ok(caller.post(PATH, body));
    expect(list(rest, 'plan.transactions').map((stage) => at(stage, 'id'))).toEqual(['config-2']);
    await caller.landAll(at(rest, 'plan'));
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });

  it('C-PLAN-15 C-CONFIG-03 with a hundred claimers sets up a lookup table first', async () => {
    const body = await request(100);
    const setup = await caller.ok(caller.post(PATH, body));
    expect(at(setup, 'plan.readiness.status')).toBe('setup_required');
    const stages = list(setup, 'plan.transactions');
    expect(stages.every((stage) => at(stage, 'kind') === 'lookup_table_setup')).toBe(true);
    await caller.land(text(stages[0], 'transaction'));
    const rest = await caller.ok(caller.post(PATH, body));
    expect(list(rest, 'plan.transactions')).toHaveLength(stages.length - 1);
    for (const stage of list(rest, 'plan.transactions')) {
      const { err } = await caller.land(text(stage, 'transaction'));
      expect(err).toBeNull();
    }
    const warming = await caller.ok(caller.post(PATH, body));
    expect(list(warming, 'plan.transactions')).toEqual([]);
    expect(at(warming, 'plan.readiness.status')).toBe('setup_required');
    caller.sandbox.advanceSlots(1);
    const ready = await caller.ok(caller.post(PATH, body));
    expect(at(ready, 'plan.readiness.status')).toBe('ready');
    await caller.landAll(at(ready, 'plan'));
    expect(caller.claimers(text(ready, 'feeShareConfig')).shares).toEqual(sharesOf(body));
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });

  it('C-FIELD-12 C-PLAN-08 with a hundred claimers needs no table in v1', async () => {
    const body = await request(100, { transactionFormat: 'v1' });
    const answer = await caller.ok(caller.post(PATH, body));
    expect(at(answer, 'plan.readiness.status')).toBe('ready');
    for (const stage of list(answer, 'plan.transactions')) expect(at(stage, 'format')).toBe('v1');
    await caller.landAll(at(answer, 'plan'));
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });

  it('C-CONFIG-06 with other claimers is the existing one once it is on chain', async () => {
    const body = await request(2);
    await caller.landAll(at(await caller.ok(caller.post(PATH, body)), 'plan'));
    const other = await caller.ok(caller.post(PATH, { ...body, basisPointsArray: [1, 9_999] }));
    expect(at(other, 'needsCreation')).toBe(false);
    const quote = await quoteMint('USDC');
    const moved = await caller.post(PATH, { ...body, quoteMint: quote });
    expect(moved.status).toBe(400);
    expect(moved.body.error).toContain('cannot be changed once the config is issued');
    expect((await caller.post(PATH, { ...body, flow: 'dbc' })).status).toBe(400);
  });

  it('C-CONFIG-01 C-CONFIG-08 C-CONFIG-10 accepts a partner, a tip, fee limits, every optional field, and pays the tip once', async () => {
    const { keys } = caller.sandbox.service;
    const quote = await quoteMint('TAXQ');
    const { tokenProgram } = caller.sandbox.service.asset(quote);
    const partner = keys.seeded('partner').address;
    const body = await request(3, {
      flow: 'dbc',
      quoteMint: quote,
      quoteTokenProgram: tokenProgram,
      partner,
      partnerConfig: partnerConfig(partner, { quoteMint: quote }),
      admin: claimer(0),
      enableFirstSwapWithMinFee: true,
      tipWallet: keys.tracking.address,
      tipLamports: 12_345,
      feeLimits: [{ asset: { mint: quote, tokenProgram }, basisPoints: 100, maximumFeeRaw: '5000000' }],
    });
    const before = caller.sandbox.chain.getAccount(keys.tracking.address)?.lamports ?? 0n;
    const answer = await caller.ok(caller.post(PATH, body));
    expect(at(answer, 'plan.feeLimits')).toEqual(body.feeLimits);
    expect(at(answer, 'asset')).toEqual({ mint: quote, tokenProgram, decimals: 6 });
    await caller.landAll(at(answer, 'plan'));
    expect((caller.sandbox.chain.getAccount(keys.tracking.address)?.lamports ?? 0n) - before).toBe(12_345n);
    expect(caller.claimers(text(answer, 'feeShareConfig'))).toEqual({
      shares: sharesOf(body),
      manager: claimer(0),
      partner,
    });
    expect(caller.decoded(text(answer, 'venueConfigKey'), 'PoolConfig')).toMatchObject({
      quote_mint: quote,
      fee_claimer: text(answer, 'feeShareAuthority'),
      enable_first_swap_with_min_fee: 1,
    });
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });
});

describe('a fee share config is refused', () => {
  const refused = async (extra: Record<string, unknown>, count = 1) => {
    const { status, body } = await caller.post(PATH, await request(count, extra));
    expect(status).toBe(400);
    return String(body.error);
  };

  it('B21 C-CONFIG-13 C-ERR-05 for a quote and type that were not reviewed, and only until they are', async () => {
    expect(await refused({ flow: 'dbc', quoteMint: await quoteMint('NEWQ') })).toBe('quote_not_reviewed');
    const body = await request(1, {
      flow: 'dbc',
      quoteMint: await quoteMint('TAXQ'),
      serviceConfigType: OTHER_TYPE,
    });
    expect((await caller.post(PATH, body)).body.error).toBe('quote_not_reviewed');
    caller.sandbox.service.quotes.get(String(body.quoteMint))?.configs.set(OTHER_TYPE, '1000000');
    expect((await caller.post(PATH, body)).status).toBe(200);
  });

  it('for a mint with unsupported extensions', async () => {
    expect(await refused({ quoteMint: await quoteMint('BADQ') })).toContain('unsupported asset profile');
  });

  it('B20 C-CONFIG-15 for the 85%-locked type in another quote', async () => {
    const serviceConfigType = '810faadb-030b-47de-a68b-7211c1cbbee3';
    const error = await refused({ flow: 'dbc', quoteMint: await quoteMint('USDC'), serviceConfigType });
    expect(error).toContain('85%-locked');
  });

  it('C-CONFIG-07 for a token program that does not own the quote', async () => {
    const quoteTokenProgram = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
    expect(await refused({ quoteTokenProgram })).toContain('quoteTokenProgram');
  });

  it('B32 C-CONFIG-04 for an invalid total of shares, unknown fields, and invalid tables', async () => {
    expect(await refused({ basisPointsArray: [9_999] })).toContain('10000');
    expect(await refused({ surprise: 1 })).toContain('surprise');
    expect(await refused({ additionalLookupTables: [claimer(1)] })).toContain('is not a lookup table');
  });
});
