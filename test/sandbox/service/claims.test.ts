import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { at, Caller, list, text } from './support.ts';

let caller: Caller;
let wallet: string;
beforeEach(async () => {
  caller = await Caller.start();
  wallet = caller.sandbox.wallet.address;
});
afterEach(() => caller.close());

/** Fees of a 10 SOL buy for the claimers' half of a pool: 2 % after the service's 1 %, less the venue's fifth. */
const COLLECTED = ((9_900_000_000n / 50n / 5n) * 4n) / 2n;
/** Curves and pools round down each share. */
const near = (amount: bigint, expected: bigint) => {
  expect(amount).toBeLessThanOrEqual(expected);
  expect(amount).toBeGreaterThanOrEqual(expected - 3n);
};
const owedOf = async (tokenMint: string) => BigInt(text(await position(tokenMint), 'claimableAmountRaw'));

const lamports = (owner = wallet) => caller.sandbox.chain.getAccount(owner)?.lamports ?? 0n;

function tokens(mint: string, owner = wallet): bigint {
  const program = caller.sandbox.chain.getAccount(mint)?.owner ?? '';
  const account = caller.sandbox.chain.getAccount(associatedTokenAddress(owner, mint, program));
  return account === null ? 0n : readTokenAccount(account.data).amount;
}

async function seeded(symbol: string) {
  const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
  return text(
    feed.find((each: unknown) => at(each, 'symbol') === symbol),
    'tokenMint',
  );
}

async function quoteMint(symbol: string): Promise<string> {
  const answer = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  return text(
    list(answer, 'tokens').find((each) => at(each, 'symbol') === symbol),
    'mint',
  );
}

/** Swaps, leaving a pool fee of 2 % of the amount after the service's 1 %. */
async function buy(token: string, quote: string, amount: string) {
  const path = `/trade/v2/quote?inputMint=${quote}&outputMint=${token}&amount=${amount}&taker=${wallet}`;
  const requestId = text(await caller.ok(caller.get(path)), 'requestId');
  const built = await caller.ok(caller.post('/trade/v2/swap', { requestId, userPublicKey: wallet }));
  const { err } = await caller.land(text(built, 'swapTransaction'));
  if (err !== null) throw new Error(JSON.stringify(err));
}

/** Launches a token whose pool is in custody, with the wallet as fee claimer. */
async function custodyLaunch(extra: object): Promise<string> {
  const tokenMint = await caller.token();
  const ipfs = caller.sandbox.service.state.launches.get(tokenMint)?.uri;
  const body = { tokenMint, ipfs, wallet, ...extra };
  const bundle = await caller.ok(caller.post('/token-launch/damm-v2/create-transaction', body));
  for (const transaction of list(bundle, 'transactions').slice(0, 3)) {
    expect((await caller.land(text(transaction, 'transaction'))).err).toBeNull();
  }
  return tokenMint;
}

const claim = (body: object) =>
  caller.post('/token-launch/create-claim-txs/v2', { feeClaimer: wallet, ...body });
const positions = () => caller.ok(caller.get(`/token-launch/claimable-positions/v2?wallet=${wallet}`));

async function position(tokenMint: string) {
  return list(await positions(), 'items').find((each) => at(each, 'tokenMint') === tokenMint);
}

describe('fees of a SOL-quoted config', () => {
  it('C-CONFIG-12 C-DEPLOY-01 are paid one quarter to the deployer and the rest by the split to the claimers', async () => {
    const token = await seeded('HARBOR');
    const deployed = async () => {
      const answer = await caller.ok(caller.get(`/fee-share/deployer/claimable-positions?wallet=${wallet}`));
      const found = list(answer, 'positions').find((each) => at(each, 'tokenMint') === token);
      return BigInt(text(found, 'claimableAmountRaw'));
    };
    const before = { owed: await owedOf(token), deployed: await deployed() };
    await buy(token, WSOL_MINT, '10000000000');
    near((await owedOf(token)) - before.owed, (((COLLECTED * 3n) / 4n) * 6n) / 10n);
    near((await deployed()) - before.deployed, COLLECTED / 4n);
  });

  it('C-CLAIM-03 C-ERR-06 are claimed as a sponsored position claim, once', async () => {
    const token = await seeded('HARBOR');
    await buy(token, WSOL_MINT, '10000000000');
    const owed = BigInt(text(await position(token), 'claimableAmountRaw'));
    const plan = await caller.ok(claim({ tokenMint: token }));
    expect(at(plan, 'operation')).toEqual({ kind: 'position_claim', baseMint: token, wallet });
    const read = readTransaction(Buffer.from(text(plan, 'transactions.0.transaction'), 'base64'));
    expect(read.staticAccounts[0]).not.toBe(wallet);
    const before = { sol: lamports(), wrapped: tokens(WSOL_MINT) };
    await caller.landAll(plan);
    expect(tokens(WSOL_MINT) - before.wrapped).toBe(owed);
    expect(lamports()).toBe(before.sol);
    expect(at(await position(token), 'claimableAmountRaw')).toBe('0');
    const again = await claim({ tokenMint: token });
    expect(again.status).toBe(400);
    expect(again.body.error).toBe('Nothing to claim');
  });

  it('C-CLAIM-02 C-CLAIM-03 of a curve are claimed as a holding that the wallet pays for', async () => {
    const token = await seeded('RUNG');
    await buy(token, WSOL_MINT, '5000000000');
    const refused = await claim({ tokenMint: token });
    expect(refused.status).toBe(400);
    const plan = await caller.ok(claim({ tokenMint: token, source: { kind: 'holding' } }));
    expect(at(plan, 'operation.kind')).toBe('holding_claim');
    const read = readTransaction(Buffer.from(text(plan, 'transactions.0.transaction'), 'base64'));
    expect(read.staticAccounts[0]).toBe(wallet);
    const owed = await owedOf(token);
    expect(owed).toBeGreaterThan(0n);
    const before = { sol: lamports(), wrapped: tokens(WSOL_MINT) };
    await caller.landAll(plan);
    expect(tokens(WSOL_MINT) - before.wrapped).toBe(owed);
    expect(lamports()).toBeLessThan(before.sol);
  });

  it('C-VAULT-03 C-VAULT-04 C-VAULT-05 C-DEPLOY-03 reach the deployer through its vault, by claim-vault or by claim-txs', async () => {
    const [harbor, rung] = [await seeded('HARBOR'), await seeded('RUNG')];
    const vaultNow = async () => {
      const vaults = await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`));
      const vault = list(vaults, 'vaults')[0];
      expect(at(vault, 'kind')).toBe('deployer');
      return BigInt(text(vault, 'claimableAmountRaw'));
    };
    const lying = await vaultNow();
    await buy(harbor, WSOL_MINT, '10000000000');
    const amount = await vaultNow();
    near(amount - lying, COLLECTED / 4n);
    const body = { kind: 'deployer', wallet, quoteMint: WSOL_MINT };
    const built = await caller.ok(caller.post('/token-launch/damm-v2/claim-vault', body));
    expect(at(built, 'claimable.claimableDisplayAmount')).toBe(Number(amount) / 1e9);
    const bytes = Buffer.from(text(built, 'transaction'), 'base64');
    expect(readTransaction(bytes).staticAccounts[0]).not.toBe(wallet);
    const [spent, wrapped] = [lamports(), tokens(WSOL_MINT)];
    const record = await caller.land(text(built, 'transaction'));
    expect(record.err).toBeNull();
    expect(lamports()).toBe(spent);
    expect(tokens(WSOL_MINT) - wrapped).toBe(amount);
    const none = await caller.post('/token-launch/damm-v2/claim-vault', body);
    expect(none.status).toBe(400);

    await buy(harbor, WSOL_MINT, '1000000000');
    await buy(rung, WSOL_MINT, '1000000000');
    // There is one vault per quote for all tokens of a deployer, so one withdrawal empties it.
    const dollar = await quoteMint('USDC');
    const inDollars = await custodyLaunch({ quoteMint: dollar });
    await buy(inDollars, dollar, '100000000');
    await vaultNow();
    const claims = await caller.ok(
      caller.post('/fee-share/deployer/claim-txs', { wallet, maxTransactions: 1 }),
    );
    expect(list(claims, 'transactions').map((each) => at(each, 'quoteMint'))).toEqual([WSOL_MINT]);
    const [deferred, another] = list(claims, 'deferredClaims');
    expect([at(deferred, 'quoteMint'), another]).toEqual([dollar, undefined]);
    const before = { wrapped: tokens(WSOL_MINT), dollars: tokens(dollar) };
    expect((await caller.land(text(claims, 'transactions.0.transaction'))).err).toBeNull();
    expect(String(tokens(WSOL_MINT) - before.wrapped)).toBe(at(claims, 'transactions.0.amountRaw'));
    const rest = await caller.ok(caller.post('/fee-share/deployer/claim-txs', { wallet }));
    expect(list(rest, 'deferredClaims')).toEqual([]);
    expect(at(rest, 'transactions.0.amountRaw')).toBe(text(deferred, 'claimableAmountRaw'));
    expect((await caller.land(text(rest, 'transactions.0.transaction'))).err).toBeNull();
    expect(String(tokens(dollar) - before.dollars)).toBe(text(deferred, 'claimableAmountRaw'));
    expect((await caller.post('/fee-share/deployer/claim-txs', { wallet })).status).toBe(400);
  });
});

describe('fees of a custody launch', () => {
  it("C-BUNDLE-03 C-BUNDLE-05 C-VAULT-01 are paid half each to the fee claimer's and the treasury's position, after the partner's quarter", async () => {
    const tokenMint = await custodyLaunch({ quoteMint: WSOL_MINT, partner: wallet });
    await buy(tokenMint, WSOL_MINT, '10000000000');
    near(await owedOf(tokenMint), (COLLECTED / 4n) * 3n);
    await caller.landAll(await caller.ok(claim({ tokenMint })));
    const vaults = await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`));
    const vault = list(vaults, 'vaults').find((each) => at(each, 'kind') === 'partner');
    const amount = BigInt(text(vault, 'claimableAmountRaw'));
    near(amount, COLLECTED / 4n);
    const before = tokens(WSOL_MINT);
    const body = { kind: 'partner', wallet, quoteMint: WSOL_MINT };
    const built = await caller.ok(caller.post('/token-launch/damm-v2/claim-vault', body));
    expect((await caller.land(text(built, 'transaction'))).err).toBeNull();
    expect(tokens(WSOL_MINT) - before).toBe(amount);
  });
});

describe('fees in another quote', () => {
  it('pay no share to a deployer', async () => {
    const token = await seeded('KITE');
    const dollar = await quoteMint('USDC');
    const lying = await owedOf(token);
    await buy(token, dollar, '100000000');
    const vaults = await caller.ok(caller.get(`/token-launch/damm-v2/vault-claimables?wallet=${wallet}`));
    expect(list(vaults, 'vaults').filter((each) => at(each, 'quoteMint') === dollar)).toEqual([]);
    const owed = await owedOf(token);
    near(owed - lying, (792_000n * 6n) / 10n);
    const before = tokens(dollar);
    await caller.landAll(await caller.ok(claim({ tokenMint: token, quoteMint: dollar })));
    expect(tokens(dollar) - before).toBe(owed);
  });

  it('C-FIELD-09 are not claimed above the fee limits: no plan is built once the transfer fee exceeds them, and an earlier one pays what the current fee leaves', async () => {
    const token = await seeded('TINLAN');
    const mint = await quoteMint('TAXQ');
    const { tokenProgram } = caller.sandbox.service.asset(mint);
    await buy(token, mint, '100000000');
    const limits = (basisPoints: number) => ({
      tokenMint: token,
      quoteMint: mint,
      feeLimits: [{ asset: { mint, tokenProgram }, basisPoints, maximumFeeRaw: '5000000' }],
    });
    expect((await claim(limits(99))).status).toBe(400);
    const plan = await caller.ok(claim(limits(100)));
    expect(at(plan, 'feeLimits')).toEqual(limits(100).feeLimits);
    await caller.control('transfer-fee', { mint, basisPoints: 101, maximumFeeRaw: '5000000' });
    const refused = await claim(limits(100));
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('feeLimits');
    // The transfer fee is charged both into and out of the fee share.
    const owed = await owedOf(token);
    const arriving = (sent: bigint) => sent - (sent * 101n + 9_999n) / 10_000n;
    const before = tokens(mint);
    await caller.landAll(plan);
    near(tokens(mint) - before, arriving(arriving(owed)));
  });
});

describe('claim events', () => {
  it('C-EVENT-01 C-EVENT-02 C-EVENT-03 are the claims that landed, by offset or by time', async () => {
    const token = await seeded('KITE');
    const dollar = await quoteMint('USDC');
    const landed: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await buy(token, dollar, '100000000');
      const plan = await caller.ok(claim({ tokenMint: token, quoteMint: dollar }));
      landed.unshift(...(await caller.landAll(plan)).map(({ signature }) => signature));
      caller.sandbox.advanceSlots(100);
    }
    const path = `/fee-share/token/claim-events?tokenMint=${token}`;
    const all = list(await caller.ok(caller.get(path)), 'events');
    expect(all.map((event) => at(event, 'signature'))).toEqual(landed);
    expect(at(all[0], 'isCreator')).toBe(false);
    const page = await caller.ok(caller.get(`${path}&limit=1&offset=1`));
    expect(list(page, 'events').map((event) => at(event, 'signature'))).toEqual([landed[1]]);
    const second = Date.parse(text(all[1], 'timestamp')) / 1000;
    const timed = await caller.ok(caller.get(`${path}&mode=time&from=${second}&to=${second}`));
    expect(list(timed, 'events')).toEqual([all[1]]);
    const backwards = await caller.get(`${path}&mode=time&from=5&to=4`);
    expect(backwards.status).toBe(400);
    expect(backwards.body).toHaveProperty('response');
  });
});

describe('the manager of a config', () => {
  it('C-UPDATE-01 C-UPDATE-02 changes the split; previously accrued fees stay with the previous claimers', async () => {
    const token = await seeded('KITE');
    const dollar = await quoteMint('USDC');
    const other = caller.sandbox.service.keys.seeded('creator').address;
    const lying = await owedOf(token);
    await buy(token, dollar, '100000000');
    const earned = await owedOf(token);
    near(earned - lying, (792_000n * 6n) / 10n);
    const plan = await caller.ok(
      caller.post('/fee-share/admin/update-config/v2', {
        baseMint: token,
        payer: wallet,
        claimersArray: [other],
        basisPointsArray: [10_000],
      }),
    );
    expect(at(plan, 'operation.kind')).toBe('manager_update');
    await caller.landAll(plan);
    const roster = await caller.ok(caller.get(`/token-launch/creator/v3?tokenMint=${token}`));
    expect(Object(roster)).toHaveLength(1);
    await buy(token, dollar, '100000000');
    near(await owedOf(token), earned);
    const kept = await owedOf(token);
    const before = tokens(dollar);
    await caller.landAll(await caller.ok(claim({ tokenMint: token, quoteMint: dollar })));
    expect(tokens(dollar) - before).toBe(kept);
    expect(await position(token)).toBeUndefined();
    const foreign = await caller.post('/fee-share/admin/update-config/v2', {
      baseMint: token,
      payer: other,
      claimersArray: [other],
      basisPointsArray: [10_000],
    });
    expect(foreign.status).toBe(403);
  });

  it('can extend the list', async () => {
    const token = await seeded('KITE');
    const { keys } = caller.sandbox.service;
    const plan = await caller.ok(
      caller.post('/fee-share/admin/update-config/v2', {
        baseMint: token,
        payer: wallet,
        claimersArray: Array.from({ length: 20 }, (_, index) => keys.seeded(`claimer ${index}`).address),
        basisPointsArray: Array.from({ length: 20 }, () => 500),
      }),
    );
    await caller.landAll(plan);
    expect(caller.sandbox.service.state.claimersOf(token)).toHaveLength(20);
  });
});
