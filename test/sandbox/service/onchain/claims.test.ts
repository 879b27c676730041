/** Fee claims: landed with the wallet's key, amounts read from accounts. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from '../../../../sandbox/service/keys.ts';
import { at, list, text } from '../support.ts';
import { associated, ChainCaller, derived, WSOL } from './scene.ts';

const FEE_SHARE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
const SOL = 1_000_000_000n;
/** Pool fees of a buy: 1 % to the service, then 2 % to the pool, less the venue's fifth. */
const COLLECTED = ((((10n * SOL * 99n) / 100n) * 2n) / 100n / 5n) * 4n;
/** Claimers' part: three quarters, after the deployer's quarter. */
const EARNED = (COLLECTED * 3n) / 4n;
const other = createKeyring('claims').get('other');

let caller: ChainCaller;
beforeEach(async () => {
  caller = await ChainCaller.start();
  return () => caller.close();
});

async function bought(mint: string, amount = 10n * SOL) {
  const query = `inputMint=${WSOL}&outputMint=${mint}&amount=${amount}&taker=${caller.wallet}`;
  const quoted = await caller.ok(caller.get(`/trade/v2/quote?${query}`));
  const body = { requestId: text(quoted, 'requestId'), userPublicKey: caller.wallet };
  const built = await caller.ok(caller.post('/trade/v2/swap', body));
  const { err } = await caller.land(text(built, 'swapTransaction'));
  if (err !== null) throw new Error(JSON.stringify(err));
}
/** Returns a wallet's displayed earnings of a token. */
const positions = async (wallet: string, tokenMint: string) =>
  list(await caller.ok(caller.get(`/token-launch/claimable-positions/v2?wallet=${wallet}`)), 'items').filter(
    (item) => at(item, 'tokenMint') === tokenMint,
  );
const claim = (tokenMint: string, feeClaimer = caller.wallet) =>
  caller.post('/token-launch/create-claim-txs/v2', { feeClaimer, tokenMint, source: { kind: 'holding' } });

describe('a claim', () => {
  test("collects from the curve and pays the wallet its share at the wallet's expense, leaving the other shares", async () => {
    const launched = await caller.launched([caller.wallet, other.address]);
    await bought(launched.tokenMint);
    const mine = (EARNED * 9n) / 10n;
    expect(await positions(caller.wallet, launched.tokenMint)).toMatchObject([
      {
        claimableAmountRaw: String(mine),
        basisPoints: 9_000,
        source: { authority: launched.feeShareAuthority },
      },
    ]);
    const plan = await caller.ok(claim(launched.tokenMint));
    expect(list(plan, 'transactions').map((stage) => at(stage, 'id'))).toEqual(['claim-1']);
    expect(list(plan, 'transactions.0.requiredSigners')).toEqual([caller.wallet]);
    const [record] = await caller.landAll(plan);
    expect(caller.tokens(associated(caller.wallet, WSOL))).toBe(mine);
    expect(caller.tokens(associated(launched.feeShareAuthority, WSOL))).toBe(COLLECTED - mine);
    expect(caller.decoded(launched.pool, 'VirtualPool').partner_quote_fee).toBe('0');
    expect(await positions(caller.wallet, launched.tokenMint)).toMatchObject([{ claimableAmountRaw: '0' }]);
    expect(await positions(other.address, launched.tokenMint)).toMatchObject([
      { claimableAmountRaw: String(EARNED - mine) },
    ]);
    expect((await claim(launched.tokenMint)).status).toBe(400);
    const events = await caller.ok(
      caller.get(
        `/fee-share/token/claim-events?tokenMint=${launched.tokenMint}&mode=offset&limit=5&offset=0`,
      ),
    );
    expect(list(events, 'events')).toMatchObject([
      { wallet: caller.wallet, isCreator: true, amount: String(mine), signature: record?.signature },
    ]);
  });

  test('emits an event, and the newest event comes first', async () => {
    const { tokenMint } = await caller.launched();
    const signatures: unknown[] = [];
    for (const amount of [SOL, 2n * SOL]) {
      await bought(tokenMint, amount);
      const [record] = await caller.landAll(await caller.ok(claim(tokenMint)));
      signatures.unshift(record?.signature);
    }
    const events = await caller.ok(caller.get(`/fee-share/token/claim-events?tokenMint=${tokenMint}`));
    expect(list(events, 'events').map((event) => at(event, 'signature'))).toEqual(signatures);
  });

  test("of a partner is paid for by the service and collects the partner's share of every curve", async () => {
    const partner = createKeyring('claims').get('partner');
    const launched = await caller.launched([caller.wallet], {
      partner: partner.address,
      partnerConfig: derived(FEE_SHARE, 'partner_config', partner.address),
    });
    await bought(launched.tokenMint);
    const part = COLLECTED / 4n;
    expect(await positions(caller.wallet, launched.tokenMint)).toMatchObject([
      { claimableAmountRaw: String(((COLLECTED - part) * 3n) / 4n) },
    ]);
    const body = { kind: 'partner', wallet: partner.address, quoteMint: WSOL };
    const answer = await caller.ok(caller.post('/token-launch/damm-v2/claim-vault', body));
    expect(at(answer, 'claimable.claimableAmountRaw')).toBe(String(part));
    const { err } = await caller.land(text(answer, 'transaction'), 'base64', partner.secretKey);
    expect(err).toBeNull();
    expect(caller.tokens(associated(partner.address, WSOL))).toBe(part);
    expect(caller.lamports(partner.address)).toBe(0n);
    expect((await caller.post('/token-launch/damm-v2/claim-vault', body)).status).toBe(400);
  });

  test('of a removed claimer pays its vault as SOL; for a curve the wallet pays the fee', async () => {
    const launched = await caller.launched([caller.wallet, other.address]);
    await bought(launched.tokenMint);
    await caller.landAll(await caller.ok(claim(launched.tokenMint)));
    const change = await caller.ok(
      caller.post('/fee-share/admin/update-config/v2', {
        baseMint: launched.tokenMint,
        payer: caller.wallet,
        claimersArray: [caller.wallet],
        basisPointsArray: [10_000],
      }),
    );
    await caller.landAll(change);
    expect(caller.claimers(launched.feeShareConfig).shares).toEqual([[caller.wallet, 10_000]]);
    const vault = derived(FEE_SHARE, 'user_fee_vault', other.address, launched.tokenMint, WSOL);
    const held = associated(vault, WSOL);
    expect(caller.tokens(held)).toBe(EARNED / 10n);
    const all = caller.lamports(held);
    expect(await positions(other.address, launched.tokenMint)).toMatchObject([
      { claimableAmountRaw: String(EARNED / 10n) },
    ]);
    caller.sandbox.chain.airdrop(other.address, SOL);
    await caller.sandbox.service.onchain.confirmed();
    const plan = await caller.ok(claim(launched.tokenMint, other.address));
    const record = await caller.land(text(plan, 'transactions.0.transaction'), 'base64', other.secretKey);
    expect(record.err).toBeNull();
    expect(caller.lamports(other.address)).toBe(SOL + all - BigInt(record.fee));
    expect(caller.lamports(held)).toBe(0n);
  });
});
