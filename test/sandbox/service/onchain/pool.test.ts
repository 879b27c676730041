/** Direct launches in every combination: landed, traded, claimed, decoded by third parties. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../../../../sandbox/service/keys.ts';
import { at, list, text } from '../support.ts';
import { associated, ChainCaller, DAMM_V2, derived, TOKEN_2022_PROGRAM, WSOL } from './scene.ts';

const METADATA = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const SUPPLY = 1_000_000_000_000_000n;
const SOL = 1_000_000_000n;
const other = createKeyring('pools').get('other');

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

/** Returns a launch position and the holder of its NFT. */
function position(tokenMint: string, side: 'treasury' | 'feeClaimer', holders: readonly string[]) {
  const nft = caller.sandbox.service.keys.position(tokenMint, side).address;
  const made = derived(DAMM_V2, 'position_nft_account', nft);
  const held = [made, ...holders.map((holder) => associated(holder, nft, TOKEN_2022_PROGRAM))];
  const fields = caller.decoded(derived(DAMM_V2, 'position', nft), 'Position');
  return {
    locked: BigInt(String(fields.permanent_locked_liquidity)),
    unlocked: fields.unlocked_liquidity,
    heldAt: held.findIndex((address) => caller.tokens(address) === 1n),
  };
}

describe.each([
  ['service', 'v0'],
  ['service', 'v1'],
  ['service-wraps', 'v0'],
  ['wallet', 'v0'],
] as const)('a direct launch opened by %s in %s', (by, transactionFormat) => {
  beforeAll(() => caller.control('variants', { poolDeposits: by }));

  test('creates the token, then its pool with locked positions and a first buy with the expected proceeds', async () => {
    const { tokenMint, feeShareAuthority, ask } = await caller.direct([caller.wallet], { transactionFormat });
    const plan = await ask(SOL);
    const ids = ['launch-1', 'launch-2', ...(by === 'wallet' ? [] : ['launch-3'])];
    expect(list(plan, 'transactions').map((stage) => at(stage, 'id'))).toEqual(ids);
    expect(at(plan, 'operation')).toEqual({ kind: 'launch', baseMint: tokenMint, flow: 'damm_v2_direct' });
    const [, record] = await caller.landAll(plan);
    const pool = caller.poolOf(tokenMint, WSOL);
    const fields = caller.decoded(pool, 'Pool');
    expect(fields).toMatchObject({ token_a_mint: tokenMint, token_b_mint: WSOL, collect_fee_mode: 1 });
    expect(caller.mint(tokenMint)).toMatchObject({ supply: SUPPLY, mintAuthorityOption: 0 });
    expect(caller.data(derived(METADATA, 'metadata', METADATA, tokenMint)).toString('utf8')).toContain(
      'https://example.com/direct.json',
    );
    const claimers = position(tokenMint, 'feeClaimer', [feeShareAuthority]);
    expect(claimers).toMatchObject({ unlocked: '0', heldAt: 1 });
    const treasury = by === 'wallet' ? 0n : position(tokenMint, 'treasury', []).locked;
    expect(claimers.locked + treasury).toBe(BigInt(String(fields.liquidity)));
    expect(fields.permanent_lock_liquidity).toBe(String(fields.liquidity));
    const bought = caller.tokens(associated(caller.wallet, tokenMint));
    // 0.98 SOL at a starting price of 30 SOL for the supply.
    expect(bought).toBeGreaterThan((SUPPLY * 3n) / 100n);
    expect(bought).toBeLessThan((SUPPLY * 98n) / 3_000n);
    expect(caller.sandbox.chain.getAccount(associated(caller.wallet, WSOL))).toBeNull();
    const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
    expect(feed.find((each: unknown) => at(each, 'tokenMint') === tokenMint)).toMatchObject({
      status: 'MIGRATED',
      launchSignature: record?.signature,
      accountKeys: [caller.wallet, tokenMint],
      dbcPoolKey: null,
    });
  });

  test('without a first buy leaves the whole supply except two units in the pool', async () => {
    const { tokenMint, ask } = await caller.direct([caller.wallet], { transactionFormat });
    await caller.landAll(await ask(0n));
    const vault = derived(DAMM_V2, 'token_vault', tokenMint, caller.poolOf(tokenMint, WSOL));
    expect(SUPPLY - caller.tokens(vault)).toBeLessThanOrEqual(2n);
    await expect(ask(0n)).rejects.toThrow('already launched');
  });
});

describe('a direct launch', () => {
  beforeAll(() => caller.control('variants', { poolDeposits: 'service' }));

  test('is requested again step by step with the missing parts', async () => {
    const { tokenMint, feeShareAuthority, ask } = await caller.direct();
    const first = await ask(SOL);
    await caller.land(text(first, 'transactions.0.transaction'));
    const again = await ask(SOL);
    expect(list(again, 'transactions').map((stage) => at(stage, 'id'))).toEqual(['launch-2', 'launch-3']);
    await caller.land(text(again, 'transactions.0.transaction'));
    expect(position(tokenMint, 'feeClaimer', [feeShareAuthority]).heldAt).toBe(0);
    const last = await ask(SOL);
    expect(list(last, 'transactions').map((stage) => at(stage, 'id'))).toEqual(['launch-3']);
    await caller.landAll(last);
    expect(position(tokenMint, 'feeClaimer', [feeShareAuthority]).heldAt).toBe(1);
    await expect(ask(SOL)).rejects.toThrow('already launched');
  });

  test('pays the tip with its pool only', async () => {
    const { tracking } = caller.sandbox.service.keys;
    const { ask } = await caller.direct();
    const before = caller.lamports(tracking.address);
    await caller.landAll(await ask(SOL, { tipWallet: tracking.address, tipLamports: 777 }));
    expect(caller.lamports(tracking.address) - before).toBe(777n);
  });

  test('in another quote spends that quote', async () => {
    const dollar = [...caller.sandbox.service.quotes.values()].find(({ symbol }) => symbol === 'USDC');
    const quoteMint = dollar?.mint ?? '';
    const { tokenMint, feeShareAuthority, ask } = await caller.direct([caller.wallet], { quoteMint });
    const held = caller.tokens(associated(caller.wallet, quoteMint));
    await caller.landAll(await ask(5_000_000n));
    expect(held - caller.tokens(associated(caller.wallet, quoteMint))).toBe(5_000_000n);
    expect(position(tokenMint, 'feeClaimer', [feeShareAuthority]).heldAt).toBe(1);
  });

  test('is refused with a curve config, and before its config is on chain', async () => {
    const tokenMint = await caller.token({ metadataUrl: 'https://example.com/curve.json' });
    const body = {
      tokenMint,
      wallet: caller.wallet,
      quoteMint: WSOL,
      ipfs: 'https://example.com/curve.json',
    };
    const launch = (feeShareConfig: string) =>
      caller.post('/token-launch/damm-v2/create-transaction/v2', { ...body, feeShareConfig });
    expect(String((await launch(tokenMint)).body.error)).toContain('not on chain yet');
    const { feeShareConfig } = await caller.curveConfig(tokenMint);
    expect(String((await launch(feeShareConfig)).body.error)).toContain('was issued for the flow dbc');
  });
});

describe('a pool', () => {
  let tokenMint: string;
  let feeShareAuthority: string;
  const bought = () => caller.tokens(associated(caller.wallet, tokenMint));
  beforeEach(async () => {
    const launched = await caller.direct([caller.wallet, other.address]);
    ({ tokenMint, feeShareAuthority } = launched);
    await caller.landAll(await launched.ask(0n));
  });

  test.each(['venue', 'router'] as const)('swaps through the %s exactly as quoted', async (through) => {
    await caller.control('variants', { swapsThrough: through });
    const { quoted, record } = await caller.swapped(WSOL, tokenMint, SOL);
    expect(record.staticAccounts.includes(ROUTER)).toBe(through === 'router');
    expect(bought()).toBe(BigInt(text(quoted, 'outAmount')));
    expect(Number(text(quoted, 'priceImpactPct'))).toBeGreaterThan(0.03);
    const before = caller.lamports(caller.wallet);
    const sold = await caller.swapped(tokenMint, WSOL, bought() / 2n);
    const got = caller.lamports(caller.wallet) - before;
    const out = BigInt(text(sold.quoted, 'outAmount'));
    expect(out - got).toBeGreaterThan(0n);
    expect(out - got).toBeLessThan(10_000n);
  });

  test("pays a claimer its share of the position's fees at the service's expense", async () => {
    await caller.swapped(WSOL, tokenMint, 10n * SOL);
    // 2 % after the service's 1 %, less the venue's fifth, half of it for the claimers' position, less the deployer's
    // quarter.
    const earned = (((((10n * SOL * 99n) / 100n) * 2n) / 100n / 5n) * 2n * 3n) / 4n;
    const query = `/token-launch/claimable-positions/v2?wallet=${caller.wallet}`;
    const item = list(await caller.ok(caller.get(query)), 'items').find(
      (each) => at(each, 'tokenMint') === tokenMint,
    );
    expect(item).toMatchObject({ source: { kind: 'position' }, basisPoints: 9_000 });
    const amount = BigInt(text(item, 'claimableAmountRaw'));
    expect((earned * 9n) / 10n - amount).toBeLessThanOrEqual(2n);
    const body = { feeClaimer: caller.wallet, tokenMint, source: { kind: 'position' } };
    const claim = () => caller.post('/token-launch/create-claim-txs/v2', body);
    const plan = await caller.ok(claim());
    expect(at(plan, 'operation')).toEqual({
      kind: 'position_claim',
      baseMint: tokenMint,
      wallet: caller.wallet,
    });
    const before = caller.lamports(caller.wallet);
    await caller.landAll(plan);
    expect(caller.tokens(associated(caller.wallet, WSOL))).toBe(amount);
    expect(caller.lamports(caller.wallet)).toBe(before);
    expect(caller.tokens(associated(feeShareAuthority, WSOL))).toBeGreaterThan(0n);
    expect((await claim()).status).toBe(400);
    const events = `/fee-share/token/claim-events?tokenMint=${tokenMint}`;
    expect(list(await caller.ok(caller.get(events)), 'events')).toMatchObject([
      { wallet: caller.wallet, amount: String(amount) },
    ]);
  });
});
