/** Configs, launches, swaps and claims in quotes other than SOL, with the sandbox's own fee share program. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '../support.ts';
import { associated, ChainCaller, derived, QUOTE_SHARE } from './scene.ts';

const DOLLARS = 1_000_000n;

let caller: ChainCaller;
let usdc: string;
beforeAll(async () => {
  caller = await ChainCaller.start();
  const known = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  usdc = text(
    list(known, 'tokens').find((each) => at(each, 'symbol') === 'USDC'),
    'mint',
  );
});
afterAll(() => caller.close());

describe('a token quoted in another token than SOL', () => {
  test("has its config at the sandbox's own program, is launched with a first buy, traded, and pays its claimer", async () => {
    const ipfs = 'https://example.com/dollars.json';
    const tokenMint = await caller.token({ metadataUrl: ipfs });
    const config = await caller.curveConfig(tokenMint, [caller.wallet], { quoteMint: usdc });
    expect(config.feeShareConfig).toBe(derived(QUOTE_SHARE, 'fee_share_config', tokenMint, usdc));
    expect(caller.decoded(config.venueConfigKey, 'PoolConfig')).toMatchObject({
      quote_mint: usdc,
      fee_claimer: config.feeShareAuthority,
    });

    const spend = 100n * DOLLARS;
    const held = caller.tokens(associated(caller.wallet, usdc));
    const plan = await caller.ok(
      caller.post('/token-launch/create-transaction/v2', {
        ...{ tokenMint, ipfs, wallet: caller.wallet, quoteMint: usdc },
        ...{ configKey: config.venueConfigKey, feeShareConfig: config.feeShareConfig },
        initialBuyQuoteRaw: String(spend),
      }),
    );
    await caller.landAll(plan);
    expect(held - caller.tokens(associated(caller.wallet, usdc))).toBe(spend);
    expect(caller.tokens(associated(caller.wallet, tokenMint))).toBeGreaterThan(0n);

    const query = `inputMint=${usdc}&outputMint=${tokenMint}&amount=${spend}&taker=${caller.wallet}`;
    const quoted = await caller.ok(caller.get(`/trade/v2/quote?${query}`));
    const body = { requestId: text(quoted, 'requestId'), userPublicKey: caller.wallet };
    const built = await caller.ok(caller.post('/trade/v2/swap', body));
    const before = caller.tokens(associated(caller.wallet, tokenMint));
    expect((await caller.land(text(built, 'swapTransaction'))).err).toBeNull();
    expect(caller.tokens(associated(caller.wallet, tokenMint)) - before).toBe(
      BigInt(text(quoted, 'outAmount')),
    );
    const { treasury } = caller.sandbox.service.keys;
    expect(caller.tokens(associated(treasury.address, usdc))).toBe(spend / 100n);

    const paid = caller.tokens(associated(caller.wallet, usdc));
    const claim = await caller.ok(
      caller.post('/token-launch/create-claim-txs/v2', {
        ...{ feeClaimer: caller.wallet, tokenMint, quoteMint: usdc },
        source: { kind: 'holding', authority: config.feeShareAuthority },
      }),
    );
    await caller.landAll(claim);
    // 2 % of both buys (the second after the service's 1 %), less the venue's fifth.
    const fees = (spend * 2n) / 100n + (((spend * 99n) / 100n) * 2n) / 100n;
    expect(caller.tokens(associated(caller.wallet, usdc)) - paid).toBe((fees * 4n) / 5n);
  });
});
