/** Bonding curve launches: landed with the wallet's key and decoded by third-party decoders. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list } from '../support.ts';
import { associated, ChainCaller, derived, WSOL } from './scene.ts';

const METADATA = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const METADATA_FEE = 10_000_000n;
const SUPPLY = 1_000_000_000_000_000n;
const SPEND = 1_000_000_000n;

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

const statusOf = async (mint: string) => {
  const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
  return Object(feed.find((each: unknown) => at(each, 'tokenMint') === mint));
};

/** Creates a token with a curve config. Returns the arguments of its two launch endpoints. */
async function configured(uri = 'https://example.com/token.json') {
  const tokenMint = await caller.token({ metadataUrl: uri });
  const config = await caller.curveConfig(tokenMint);
  const common = { tokenMint, ipfs: uri, wallet: caller.wallet, configKey: config.venueConfigKey };
  return {
    ...config,
    tokenMint,
    bare: async (initialBuyLamports: bigint, extra: object = {}) => {
      const body = { ...common, initialBuyLamports: Number(initialBuyLamports), ...extra };
      const answer = await caller.ok(caller.post('/token-launch/create-launch-transaction', body));
      return caller.land(String(answer));
    },
    staged: (initialBuyQuoteRaw: bigint, extra: object = {}) => {
      const body = { ...common, feeShareConfig: config.feeShareConfig, quoteMint: WSOL, ...extra };
      const quoted = { ...body, initialBuyQuoteRaw: String(initialBuyQuoteRaw) };
      return caller.ok(caller.post('/token-launch/create-transaction/v2', quoted));
    },
  };
}

describe('a launch on the curve', () => {
  test('bare with a first buy creates token, name and pool, and pays out the bought tokens', async () => {
    const { tokenMint, venueConfigKey, pool, bare } = await configured();
    expect((await statusOf(tokenMint)).status).toBe('PRE_LAUNCH');
    const before = caller.lamports(caller.wallet);
    const { err, signature } = await bare(SPEND);
    expect(err).toBeNull();
    expect(caller.decoded(pool, 'VirtualPool')).toMatchObject({
      config: venueConfigKey,
      creator: caller.wallet,
      base_mint: tokenMint,
      quote_reserve: String((SPEND * 98n) / 100n),
    });
    const bought = caller.tokens(associated(caller.wallet, tokenMint));
    expect(bought).toBeGreaterThan(0n);
    expect(BigInt(String(caller.decoded(pool, 'VirtualPool').base_reserve))).toBe(SUPPLY - bought);
    expect(caller.mint(tokenMint)).toMatchObject({ supply: SUPPLY, decimals: 6, mintAuthorityOption: 0 });
    const metadata = derived(METADATA, 'metadata', METADATA, tokenMint);
    expect(caller.data(metadata).toString('utf8')).toContain('https://example.com/token.json');
    const made = [tokenMint, pool, metadata, associated(caller.wallet, tokenMint)];
    const vaults = ['base_vault', 'quote_vault'].map((name) =>
      String(caller.decoded(pool, 'VirtualPool')[name]),
    );
    const rents = [...made, ...vaults].reduce((sum, address) => sum + caller.lamports(address), 0n);
    expect(caller.lamports(metadata)).toBe(caller.sandbox.chain.rent(679) + METADATA_FEE);
    // The quote vault holds the spent amount and its rent; two signatures and a small priority fee are the rest.
    const fees = before - caller.lamports(caller.wallet) - rents;
    expect(fees).toBeGreaterThanOrEqual(10_000n);
    expect(fees).toBeLessThan(12_000n);
    expect(await statusOf(tokenMint)).toMatchObject({
      status: 'PRE_GRAD',
      launchSignature: signature,
      dbcPoolKey: pool,
      dbcConfigKey: venueConfigKey,
    });
  });

  test('staged is one stage, co-signed by the mint, and pays the tip once', async () => {
    const { tracking } = caller.sandbox.service.keys;
    const { tokenMint, pool, staged } = await configured();
    const before = caller.lamports(tracking.address);
    const plan = await staged(SPEND, { tipWallet: tracking.address, tipLamports: 777 });
    expect(list(plan, 'transactions').map((stage) => at(stage, 'id'))).toEqual(['launch-1']);
    expect(list(plan, 'transactions.0.requiredSigners')).toEqual([caller.wallet, tokenMint]);
    await caller.landAll(plan);
    expect(caller.lamports(tracking.address) - before).toBe(777n);
    expect(caller.decoded(pool, 'VirtualPool').creator).toBe(caller.wallet);
    expect(caller.tokens(associated(caller.wallet, tokenMint))).toBeGreaterThan(0n);
    expect(caller.sandbox.chain.getAccount(associated(caller.wallet, WSOL))).toBeNull();
  });

  test.each(['bare', 'staged'] as const)(
    '%s without a first buy leaves the whole supply in the pool',
    async (how) => {
      const { tokenMint, pool, bare, staged } = await configured();
      if (how === 'bare') expect((await bare(0n)).err).toBeNull();
      else await caller.landAll(await staged(0n));
      expect(caller.decoded(pool, 'VirtualPool').base_reserve).toBe(String(SUPPLY));
      expect(caller.tokens(associated(caller.wallet, tokenMint))).toBe(0n);
      await expect(bare(0n)).rejects.toThrow('already launched');
    },
  );

  test('is refused before its config is on chain, for another config, and for a direct pool', async () => {
    const uri = 'https://example.com/early.json';
    const tokenMint = await caller.token({ metadataUrl: uri });
    const body = { tokenMint, ipfs: uri, wallet: caller.wallet, initialBuyLamports: 0 };
    const launch = (configKey: string) =>
      caller.post('/token-launch/create-launch-transaction', { ...body, configKey });
    expect(String((await launch(tokenMint)).body.error)).toContain('not on chain yet');
    await caller.curveConfig(tokenMint);
    expect(String((await launch(caller.wallet)).body.error)).toContain('is not the venueConfigKey');
  });
});
