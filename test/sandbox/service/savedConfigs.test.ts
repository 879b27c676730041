/** Administrator's saved configs for a quote, and the part kept by launches. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConfigTypeId, DEFAULT_CONFIG_TYPE } from '../../../src/contract/index.ts';
import { partnerConfigAddress } from '../../../src/programs/feeShare/addresses.ts';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { ChainCaller } from './onchain/scene.ts';
import { at, list, text } from './support.ts';

const OTHER_TYPE = 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3';
let caller: ChainCaller;
let wallet: string;
let friend: string;
let dollar: string;
beforeAll(async () => {
  caller = await ChainCaller.start();
  wallet = caller.sandbox.wallet.address;
  friend = caller.sandbox.service.keys.seeded('friend').address;
  const answer = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  dollar = text(
    list(answer, 'tokens').find((each) => at(each, 'symbol') === 'USDC'),
    'mint',
  );
});
afterAll(() => caller.close());

const save = (graduationThresholdRaw: string | null, configType: ConfigTypeId = DEFAULT_CONFIG_TYPE) => {
  const configs = caller.sandbox.service.quotes.get(dollar)?.configs;
  if (graduationThresholdRaw === null) configs?.delete(configType);
  else configs?.set(configType, graduationThresholdRaw);
};

const configBody = (baseMint: string, extra: Record<string, unknown> = {}) => ({
  baseMint,
  payer: wallet,
  flow: 'dbc',
  quoteMint: dollar,
  claimersArray: [wallet, friend],
  basisPointsArray: [6000, 4000],
  ...extra,
});
const config = (body: Record<string, unknown>) => caller.post('/fee-share/config/v2', body);

async function launched(): Promise<string> {
  const tokenMint = await caller.token();
  const made = await caller.ok(config(configBody(tokenMint)));
  await caller.landAll(at(made, 'plan'));
  const plan = await caller.ok(
    caller.post('/token-launch/create-transaction/v2', {
      tokenMint,
      ipfs: caller.sandbox.service.state.launches.get(tokenMint)?.uri,
      wallet,
      quoteMint: dollar,
      feeShareConfig: text(made, 'feeShareConfig'),
      configKey: text(made, 'venueConfigKey'),
    }),
  );
  await caller.landAll(plan);
  return tokenMint;
}

async function trade(inputMint: string, outputMint: string, amount: string): Promise<void> {
  const fields = new URLSearchParams({ inputMint, outputMint, amount, taker: wallet });
  const requestId = text(await caller.ok(caller.get(`/trade/v2/quote?${fields}`)), 'requestId');
  const built = await caller.ok(caller.post('/trade/v2/swap', { requestId, userPublicKey: wallet }));
  const { err } = await caller.land(text(built, 'swapTransaction'));
  if (err !== null) throw new Error(JSON.stringify(err));
}

async function statusOf(mint: string): Promise<unknown> {
  const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
  return at(
    feed.find((each: unknown) => at(each, 'tokenMint') === mint),
    'status',
  );
}

const claimableOf = async (owner: string, tokenMint: string) => {
  const answer = await caller.ok(caller.get(`/token-launch/claimable-positions/v2?wallet=${owner}`));
  return list(answer, 'items').filter((each) => at(each, 'tokenMint') === tokenMint);
};

describe('a launch in a quote other than wrapped SOL', () => {
  it('C-CONFIG-14 C-CONFIG-16 graduates at the threshold stored when its config was issued', async () => {
    save('50000000');
    const early = await launched();
    save('400000000000');
    const late = await launched();
    expect([await statusOf(early), await statusOf(late)]).toEqual(['PRE_GRAD', 'PRE_GRAD']);
    const thresholdOf = (token: string) => {
      const issued = caller.sandbox.service.state.configs.get(token);
      return caller.decoded(issued?.venueConfigKey ?? '', 'PoolConfig').migration_quote_threshold;
    };
    expect([early, late].map(thresholdOf)).toEqual(['50000000', '400000000000']);
    for (const token of [early, late]) await trade(dollar, token, '40000000');
    expect([await statusOf(early), await statusOf(late)]).toEqual(['PRE_GRAD', 'PRE_GRAD']);
    for (const token of [early, late]) await trade(dollar, token, '11535766');
    expect([await statusOf(early), await statusOf(late)]).toEqual(['MIGRATING', 'PRE_GRAD']);

    // Neither a later request with another type nor withdrawal of the pair changes issued configs.
    save('1', OTHER_TYPE);
    const answer = await caller.ok(config(configBody(late, { serviceConfigType: OTHER_TYPE })));
    expect(at(answer, 'needsCreation')).toBe(false);
    save(null);
    expect((await config(configBody(early))).status).toBe(200);
    expect([await statusOf(early), await statusOf(late)]).toEqual(['MIGRATING', 'PRE_GRAD']);
  });

  it('C-CONFIG-14 ignores a threshold in the request', async () => {
    const answer = await config(configBody(await caller.token(), { graduationThresholdRaw: '1' }));
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('graduationThresholdRaw');
  });

  it('C-CONFIG-14 collects its fees in the quote only and compounds nothing', async () => {
    save('400000000000');
    const token = await launched();
    await trade(dollar, token, '100000000');
    await trade(token, dollar, '1000000000');
    const pool = caller.decoded(
      caller.sandbox.service.state.launches.get(token)?.venue?.pool ?? '',
      'VirtualPool',
    );
    expect([pool.partner_base_fee, pool.protocol_base_fee]).toEqual(['0', '0']);
    const gross = BigInt(String(pool.partner_quote_fee));
    const [mine, theirs] = await Promise.all([claimableOf(wallet, token), claimableOf(friend, token)]);
    const shares = [...mine, ...theirs].map((each) => BigInt(text(each, 'claimableAmountRaw')));
    expect([...mine, ...theirs].map((each) => at(each, 'quoteMint'))).toEqual([dollar, dollar]);
    // The whole amount is claimable, to the base unit: nothing returned to the pool or to a deployer.
    const total = shares.reduce((sum, share) => sum + share, 0n);
    expect(gross).toBeGreaterThan(1_584_000n);
    expect(gross - total).toBeLessThanOrEqual(1n);
  });

  it('C-CONFIG-13 C-ERR-05 is not created with an unreviewed type, issued before or not', async () => {
    save('400000000000');
    save(null, OTHER_TYPE);
    const tokenMint = await caller.token();
    expect((await config(configBody(tokenMint, { serviceConfigType: OTHER_TYPE }))).body.error).toBe(
      'quote_not_reviewed',
    );
    expect((await config(configBody(tokenMint))).status).toBe(200);
    expect((await config(configBody(tokenMint, { serviceConfigType: OTHER_TYPE }))).body.error).toBe(
      'quote_not_reviewed',
    );
    save(null);
    // Default needs its own entry: there is no fallback to another type.
    save('1000000', OTHER_TYPE);
    expect((await config(configBody(await caller.token()))).body.error).toBe('quote_not_reviewed');
    expect((await config(configBody(await caller.token(), { quoteMint: WSOL_MINT }))).status).toBe(200);
  });
});

describe('a launch', () => {
  it('C-INFO-04 is free until it is on chain', async () => {
    const before = caller.sandbox.chain.getAccount(wallet)?.lamports;
    const token = await caller.token();
    expect(caller.sandbox.chain.getAccount(token)).toBeNull();
    expect(caller.sandbox.chain.getAccount(wallet)?.lamports).toBe(before);
  });

  it('C-DEPLOY-04 has one deployer vault, which every withdrawal empties even with a filter', async () => {
    const shared = async () => {
      const tokenMint = await caller.token();
      const made = await caller.ok(
        config(configBody(tokenMint, { flow: 'damm_v2_direct', quoteMint: WSOL_MINT })),
      );
      await caller.landAll(at(made, 'plan'));
      const plan = await caller.ok(
        caller.post('/token-launch/damm-v2/create-transaction/v2', {
          tokenMint,
          ipfs: caller.sandbox.service.state.launches.get(tokenMint)?.uri,
          wallet,
          quoteMint: WSOL_MINT,
          feeShareConfig: text(made, 'feeShareConfig'),
        }),
      );
      await caller.landAll(plan);
      await trade(WSOL_MINT, tokenMint, '10000000000');
      return tokenMint;
    };
    // The initial tokens have earned fees for this deployer, too; they are claimed first.
    await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`));
    const drained = await caller.ok(
      caller.post('/token-launch/damm-v2/claim-vault', { kind: 'deployer', wallet, quoteMint: WSOL_MINT }),
    );
    expect((await caller.land(text(drained, 'transaction'))).err).toBeNull();
    const [first, second] = [await shared(), await shared()];
    // The vault holds the first token's fees; the claim is filtered to the second.
    await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`));
    await trade(WSOL_MINT, second, '10000000000');
    const claims = await caller.ok(
      caller.post('/fee-share/deployer/claim-txs', { wallet, tokenMints: [second] }),
    );
    const account = associatedTokenAddress(wallet, WSOL_MINT, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
    const wrapped = () => {
      const found = caller.sandbox.chain.getAccount(account);
      return found === null ? 0n : readTokenAccount(found.data).amount;
    };
    const before = wrapped();
    for (const { transaction } of list(claims, 'transactions').map(Object)) {
      expect((await caller.land(transaction)).err).toBeNull();
    }
    // A quarter of the fees of three 10 SOL buys for the claimers' half of a pool, the first token's too: 2 % after the
    // service's 1 %, less the venue's fifth.
    const share = (3n * 9_900_000_000n * 4n) / 50n / 5n / 2n / 4n;
    expect(share - (wrapped() - before)).toBeLessThanOrEqual(3n);
    expect(wrapped() - before).toBeLessThanOrEqual(share);
    const roster = await caller.ok(caller.get(`/token-launch/creator/v3?tokenMint=${first}`));
    expect(Object(roster).map((entry: unknown) => at(entry, 'royaltyBps'))).toEqual([6000, 4000]);
  });

  it('C-CREATOR-01 C-CREATOR-02 lists its claimers in the roster, and no deployer outside them', async () => {
    const tokenMint = await caller.token();
    const made = await caller.ok(
      config({
        ...configBody(tokenMint, { flow: 'damm_v2_direct', quoteMint: WSOL_MINT, admin: friend }),
        claimersArray: [friend],
        basisPointsArray: [10_000],
      }),
    );
    await caller.landAll(at(made, 'plan'));
    const roster = Object(await caller.ok(caller.get(`/token-launch/creator/v3?tokenMint=${tokenMint}`)));
    expect(roster.map((entry: unknown) => at(entry, 'wallet'))).toEqual([friend]);
    expect(JSON.stringify(roster)).not.toContain(wallet);
  });
});

it('C-CONFIG-06 the settings of wrapped SOL are built in', async () => {
  const made = await caller.ok(config(configBody(await caller.token(), { quoteMint: WSOL_MINT })));
  expect(at(made, 'needsCreation')).toBe(true);
});

it('a partner is a wallet that can sign', async () => {
  const countConfigs = async (partner: string) => {
    const extra = { quoteMint: WSOL_MINT, partner, partnerConfig: partnerConfigAddress(partner) };
    return (await config(configBody(await caller.token(), extra))).status;
  };
  expect(await countConfigs(friend)).toBe(200);
  expect(await countConfigs(partnerConfigAddress(friend))).toBe(400);
});
