/** The custody launch and the vaults of partners and deployers: landed, traded, claimed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../../../../sandbox/service/keys.ts';
import { at, list, text } from '../support.ts';
import { associated, ChainCaller, DAMM_V2, derived, TOKEN_2022_PROGRAM, WSOL } from './scene.ts';

const SOL = 1_000_000_000n;
const URI = 'https://example.com/custody.json';
const [partner, stranger] = ['partner', 'stranger'].map((name) => createKeyring('custody').get(name));
if (partner === undefined || stranger === undefined) throw new Error('no keys');

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

async function bundle(extra: object = {}, spend = SOL) {
  const tokenMint = await caller.token({ metadataUrl: URI });
  const body = {
    ...{ ipfs: URI, tokenMint, wallet: caller.wallet, quoteMint: WSOL },
    ...{ initialBuyQuoteAmount: Number(spend), ...extra },
  };
  const ask = () => caller.ok(caller.post('/token-launch/damm-v2/create-transaction', body));
  return { tokenMint, ask };
}
const landed = async (answer: unknown, types: readonly string[]) => {
  for (const each of list(answer, 'transactions').filter((one) => types.includes(text(one, 'type')))) {
    const { err, logs } = await caller.land(text(each, 'transaction'));
    if (err !== null) throw new Error(`${text(each, 'type')}: ${JSON.stringify(err)} ${logs.join('\n')}`);
    caller.sandbox.advanceSlots(2);
  }
};
const vaults = async (wallet: string) =>
  list(await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`)), 'vaults');

describe('the custody bundle', () => {
  test('launches a pool in one transaction, with two locked positions held by the custody', async () => {
    const { tokenMint, ask } = await bundle();
    const answer = await ask();
    expect(list(answer, 'transactions').map((each) => at(each, 'type'))).toEqual([
      ...['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH', 'LUT_DEACTIVATE', 'LUT_CLOSE'],
    ]);
    await landed(answer, ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH']);
    const pool = caller.poolOf(tokenMint, WSOL);
    expect(at(answer, 'launch')).toMatchObject({
      ...{ tokenMint, quoteMint: WSOL, pool, feeClaimerWallet: caller.wallet },
      launchPriceQuotePerToken: 30 / 1e9,
      impliedLaunchFdvUsd: 4_500,
    });
    const fields = caller.decoded(pool, 'Pool');
    expect(fields.permanent_lock_liquidity).toBe(String(fields.liquidity));
    for (const side of ['treasuryPositionNftMint', 'feeClaimerPositionNftMint']) {
      const nft = text(answer, `launch.${side}`);
      const held = caller.data(derived(DAMM_V2, 'position_nft_account', nft));
      expect(caller.addressAt(held, 32)).toBe(text(answer, 'launch.custodyAuthority'));
      expect(caller.tokens(associated(caller.wallet, nft, TOKEN_2022_PROGRAM))).toBe(0n);
    }
    expect(caller.tokens(associated(caller.wallet, tokenMint))).toBeGreaterThan(0n);
    const creators = await caller.ok(caller.get(`/token-launch/creator/v3?tokenMint=${tokenMint}`));
    expect(Object(creators)).toMatchObject([{ wallet: caller.wallet, royaltyBps: 10_000 }]);
    await landed(answer, ['LUT_DEACTIVATE']);
    caller.sandbox.advanceSlots(520);
    await landed(await fresh(answer), ['LUT_CLOSE']);
    expect(caller.sandbox.chain.getAccount(text(answer, 'launch.lookupTable'))).toBeNull();
    await expect(ask()).rejects.toThrow('already launched');
  });

  test('is rebuilt without a token already on chain', async () => {
    const { ask } = await bundle();
    await landed(await ask(), ['CREATE_TOKEN']);
    const again = await ask();
    expect(list(again, 'transactions').map((each) => at(each, 'type'))).not.toContain('CREATE_TOKEN');
    await landed(again, ['LUT_SETUP', 'LAUNCH']);
  });

  test("pays the fees of the claimers' position to the fee claimer and its partner, and the rest to the treasury", async () => {
    const { tokenMint, ask } = await bundle({ partner: partner.address }, 0n);
    await landed(await ask(), ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH']);
    await caller.swapped(WSOL, tokenMint, 10n * SOL);
    const earned = ((((10n * SOL * 99n) / 100n) * 2n) / 100n / 5n) * 2n;
    const [part] = await vaults(partner.address);
    expect(part).toMatchObject({ kind: 'partner', quoteMint: WSOL });
    const amount = BigInt(text(part, 'claimableAmountRaw'));
    expect(earned / 4n - amount).toBeLessThanOrEqual(2n);
    const body = { kind: 'partner', wallet: partner.address, quoteMint: WSOL };
    const answer = await caller.ok(caller.post('/token-launch/damm-v2/claim-vault', body));
    const paid = await caller.land(text(answer, 'transaction'), 'base64', partner.secretKey);
    expect(paid.err).toBeNull();
    expect(caller.tokens(associated(partner.address, WSOL))).toBe(amount);
    expect((await caller.post('/token-launch/damm-v2/claim-vault', body)).status).toBe(400);

    const before = [caller.tokens(associated(caller.wallet, WSOL)), caller.lamports(caller.wallet)] as const;
    const claim = { feeClaimer: caller.wallet, tokenMint, source: { kind: 'position' } };
    const plan = await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim));
    expect(at(plan, 'operation.kind')).toBe('position_claim');
    await caller.landAll(plan);
    const got = caller.tokens(associated(caller.wallet, WSOL)) - before[0];
    expect((earned * 3n) / 4n - got).toBeLessThanOrEqual(2n);
    expect(caller.lamports(caller.wallet)).toBe(before[1]);
  });

  test("can leave the fee claimer's position with its wallet, which claims from the pool directly", async () => {
    await caller.control('variants', { claimerPosition: 'wallet' });
    const { tokenMint, ask } = await bundle({}, 0n);
    const answer = await ask();
    await caller.control('variants', { claimerPosition: 'custody' });
    await landed(answer, ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH']);
    const nft = text(answer, 'launch.feeClaimerPositionNftMint');
    const held = caller.data(derived(DAMM_V2, 'position_nft_account', nft));
    expect(caller.addressAt(held, 32)).toBe(caller.wallet);
    await caller.swapped(WSOL, tokenMint, 10n * SOL);
    const earned = ((((10n * SOL * 99n) / 100n) * 2n) / 100n / 5n) * 2n;
    const before = caller.tokens(associated(caller.wallet, WSOL));
    const claim = { feeClaimer: caller.wallet, tokenMint, source: { kind: 'position' } };
    const plan = await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim));
    expect(at(plan, 'operation.kind')).toBe('position_claim');
    expect(list(plan, 'transactions.0.requiredSigners')).toHaveLength(2);
    const lamports = caller.lamports(caller.wallet);
    const [record] = await caller.landAll(plan);
    expect(record?.staticAccounts).toContain(DAMM_V2);
    expect(caller.lamports(caller.wallet)).toBe(lamports);
    const got = caller.tokens(associated(caller.wallet, WSOL)) - before;
    expect(earned - got).toBeLessThanOrEqual(2n);
    expect((await caller.post('/token-launch/create-claim-txs/v2', claim)).status).toBe(400);
  });

  test('is refused for an unsupported quote, and a stranger claims nothing', async () => {
    const badged = await bundle({ quoteMint: stranger.address });
    await expect(badged.ask()).rejects.toThrow('is not a supported quote token');
    const { tokenMint, ask } = await bundle();
    await landed(await ask(), ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH']);
    const claim = { feeClaimer: stranger.address, tokenMint, source: { kind: 'position' } };
    const { status } = await caller.post('/token-launch/create-claim-txs/v2', claim);
    expect(status).toBe(400);
  });
});

describe('a deployer', () => {
  let tokenMint: string;
  /** Quarter of the curve's 2 % fee of a 10 SOL buy, after the venue's fifth. */
  const share = ((((10n * SOL * 99n) / 100n) * 2n) / 100n / 5n) * 4n;
  beforeEach(async () => {
    await caller.close();
    caller = await ChainCaller.start();
    ({ tokenMint } = await caller.launched([stranger.address], { admin: caller.wallet }));
    // Claims the earnings of the initial tokens first.
    const all = await caller.ok(claimAll());
    for (const each of list(all, 'transactions')) await caller.land(text(each, 'transaction'));
    await caller.swapped(WSOL, tokenMint, 10n * SOL);
  });
  const claimAll = (extra: object = {}) =>
    caller.post('/fee-share/deployer/claim-txs', { wallet: caller.wallet, ...extra });
  const wrapped = () => caller.tokens(associated(caller.wallet, WSOL));

  test("is shown a quarter of the claimers' pool and paid at the service's expense", async () => {
    const query = `/fee-share/deployer/claimable-positions?wallet=${caller.wallet}`;
    expect(list(await caller.ok(caller.get(query)), 'positions')).toEqual([
      { tokenMint, quoteMint: WSOL, claimableAmountRaw: String(share / 4n) },
    ]);
    const before = [wrapped(), caller.lamports(caller.wallet)] as const;
    const answer = await caller.ok(claimAll());
    expect(list(answer, 'transactions')).toMatchObject([
      { tokenMint, quoteMint: WSOL, amountRaw: String(share / 4n) },
    ]);
    expect((await caller.land(text(answer, 'transactions.0.transaction'))).err).toBeNull();
    expect(wrapped() - before[0]).toBe(share / 4n);
    expect(caller.lamports(caller.wallet)).toBe(before[1]);
    expect((await claimAll()).status).toBe(400);
  });

  test('may claim the vault as well, and only the requested part is collected', async () => {
    expect((await claimAll({ tokenMints: [caller.wallet] })).status).toBe(400);
    expect(await vaults(caller.wallet)).toMatchObject([
      { kind: 'deployer', claimableAmountRaw: String(share / 4n) },
    ]);
    const body = { kind: 'deployer', wallet: caller.wallet, quoteMint: WSOL };
    const before = wrapped();
    const answer = await caller.ok(caller.post('/token-launch/damm-v2/claim-vault', body));
    expect((await caller.land(text(answer, 'transaction'))).err).toBeNull();
    expect(wrapped() - before).toBe(share / 4n);
  });
});

/** Replaces the blockhash of a bundle's transactions that only the wallet signs. */
async function fresh(answer: unknown): Promise<unknown> {
  const { blockhash } = caller.sandbox.chain.latestBlockhash('confirmed');
  return {
    transactions: list(answer, 'transactions').map((each) => ({
      type: at(each, 'type'),
      transaction: caller.withBlockhash(text(each, 'transaction'), blockhash),
    })),
  };
}
