import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMint, readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { ChainCaller, DAMM_V2, derived } from './onchain/scene.ts';
import { at, list, text } from './support.ts';

let caller: ChainCaller;
let wallet: string;
beforeAll(async () => {
  caller = await ChainCaller.start();
  wallet = caller.sandbox.wallet.address;
});
afterAll(() => caller.close());

const BUNDLE = '/token-launch/damm-v2/create-transaction';

async function registered(fields: Record<string, string> = {}) {
  const metadataUrl = `https://example.com/${Math.abs(fields.name?.length ?? 1)}.json`;
  return {
    tokenMint: await caller.token({ metadataUrl, ...fields }),
    ipfs: fields.metadataUrl ?? metadataUrl,
  };
}

async function statusOf(mint: string): Promise<unknown> {
  const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
  return at(
    feed.find((each: unknown) => at(each, 'tokenMint') === mint),
    'status',
  );
}

function tokens(mint: string, owner = wallet): bigint {
  const program = caller.sandbox.chain.getAccount(mint)?.owner ?? '';
  const address = associatedTokenAddress(owner, mint, program);
  const account = caller.sandbox.chain.getAccount(address);
  return account === null ? 0n : readTokenAccount(account.data).amount;
}

const ofType = (bundle: unknown, type: string) =>
  text(
    list(bundle, 'transactions').find((each) => at(each, 'type') === type),
    'transaction',
  );

async function landedConfig(tokenMint: string, extra: Record<string, unknown>) {
  const answer = await caller.ok(
    caller.post('/fee-share/config/v2', {
      baseMint: tokenMint,
      payer: wallet,
      claimersArray: [wallet],
      basisPointsArray: [10_000],
      ...extra,
    }),
  );
  await caller.landAll(at(answer, 'plan'));
  return answer;
}

async function quoteMint(symbol: string): Promise<string> {
  const answer = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  return text(
    list(answer, 'tokens').find((each) => at(each, 'symbol') === symbol),
    'mint',
  );
}

describe('a custody launch', () => {
  it('C-BUNDLE-02 C-BUNDLE-07 C-STATE-01 B39 lands as five transactions, the first buy inside the launch', async () => {
    const { tokenMint, ipfs } = await registered({
      name: 'Custody',
      metadataUrl: 'https://example.com/long/'.padEnd(200, 'a'),
    });
    const body = { tokenMint, ipfs, wallet, quoteMint: WSOL_MINT, initialBuyQuoteAmount: 2_000_000_000 };
    const bundle = await caller.ok(caller.post(BUNDLE, body));
    expect(list(bundle, 'transactions').map((each) => at(each, 'type'))).toEqual([
      'LUT_SETUP',
      'CREATE_TOKEN',
      'LAUNCH',
      'LUT_DEACTIVATE',
      'LUT_CLOSE',
    ]);
    expect(await statusOf(tokenMint)).toBe('PRE_LAUNCH');
    await expectLanded(ofType(bundle, 'LUT_SETUP'));
    await expectLanded(ofType(bundle, 'CREATE_TOKEN'));
    const { signature } = await expectLanded(ofType(bundle, 'LAUNCH'));
    expect(await statusOf(tokenMint)).toBe('MIGRATED');
    expect(tokens(tokenMint)).toBeGreaterThan(0n);
    const mint = readMint(caller.sandbox.chain.getAccount(tokenMint)?.data ?? new Uint8Array());
    expect(mint.mintAuthority).toBeUndefined();
    expect(caller.metadata(tokenMint)).toEqual({ name: 'Custody', symbol: 'TST', uri: ipfs });
    for (const position of ['treasuryPositionNftMint', 'feeClaimerPositionNftMint']) {
      const nft = text(bundle, `launch.${position}`);
      const held = derived(DAMM_V2, 'position_nft_account', nft);
      expect(caller.tokens(held)).toBe(1n);
      expect(caller.addressAt(caller.data(held), 32)).toBe(text(bundle, 'launch.custodyAuthority'));
      const { supply, mintAuthority } = caller.mint(nft);
      // The venue's keyless address could mint another; its program does not.
      expect([supply, mintAuthority.toBase58()]).toEqual([1n, derived(DAMM_V2, 'pool_authority')]);
    }
    await expectLanded(ofType(bundle, 'LUT_DEACTIVATE'));
    const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
    expect(
      at(
        feed.find((each: unknown) => at(each, 'tokenMint') === tokenMint),
        'launchSignature',
      ),
    ).toBe(signature);

    const again = await caller.post(BUNDLE, body);
    expect(again.status).toBe(400);
    expect(again.body.error).toContain('already launched');
    const quote = await caller.ok(
      caller.get(
        `/trade/v2/quote?inputMint=${WSOL_MINT}&outputMint=${tokenMint}&amount=1000000&taker=${wallet}`,
      ),
    );
    expect(BigInt(text(quote, 'outAmount'))).toBeGreaterThan(0n);
  });

  it('C-BUNDLE-09 closes its table only 513 slots after deactivating it', async () => {
    const { tokenMint, ipfs } = await registered();
    const body = { tokenMint, ipfs, wallet, quoteMint: WSOL_MINT };
    const bundle = await caller.ok(caller.post(BUNDLE, body));
    await expectLanded(ofType(bundle, 'LUT_SETUP'));
    await expectLanded(ofType(bundle, 'LUT_DEACTIVATE'));
    const table = text(bundle, 'launch.lookupTable');
    const early = await caller.land(ofType(bundle, 'LUT_CLOSE'));
    expect(early.err).not.toBeNull();
    expect(caller.sandbox.chain.getAccount(table)).not.toBeNull();
  });

  it("C-BUNDLE-09 gets its table's rent back once 513 slots have passed", async () => {
    const { tokenMint, ipfs } = await registered();
    const bundle = await caller.ok(caller.post(BUNDLE, { tokenMint, ipfs, wallet, quoteMint: WSOL_MINT }));
    await expectLanded(ofType(bundle, 'LUT_SETUP'));
    await expectLanded(ofType(bundle, 'LUT_DEACTIVATE'));
    caller.sandbox.advanceSlots(513);
    await expectLanded(refreshed(ofType(bundle, 'LUT_CLOSE')));
    expect(caller.sandbox.chain.getAccount(text(bundle, 'launch.lookupTable'))).toBeNull();
  });

  it('C-BUNDLE-06 leaves CREATE_TOKEN out of a rebuild once the mint is on chain', async () => {
    const { tokenMint, ipfs } = await registered();
    const body = {
      tokenMint,
      ipfs,
      wallet,
      quoteMint: await quoteMint('USDC'),
      initialBuyQuoteAmount: 5_000_000,
    };
    const first = await caller.ok(caller.post(BUNDLE, body));
    await expectLanded(ofType(first, 'CREATE_TOKEN'));
    caller.sandbox.advanceSlots(200);
    const second = await caller.ok(caller.post(BUNDLE, body));
    expect(list(second, 'transactions').map((each) => at(each, 'type'))).not.toContain('CREATE_TOKEN');
    await expectLanded(ofType(second, 'LUT_SETUP'));
    await expectLanded(ofType(second, 'LAUNCH'));
    expect(await statusOf(tokenMint)).toBe('MIGRATED');
  });

  it('C-BUNDLE-07 has no effect if a part of the launch fails', async () => {
    const { tokenMint, ipfs } = await registered();
    const body = {
      tokenMint,
      ipfs,
      wallet,
      quoteMint: await quoteMint('TAXQ'),
      initialBuyQuoteAmount: 5_000_000,
    };
    const bundle = await caller.ok(caller.post(BUNDLE, body));
    await expectLanded(ofType(bundle, 'LUT_SETUP'));
    await expectLanded(ofType(bundle, 'CREATE_TOKEN'));
    await caller.control('transfer-fee', {
      mint: body.quoteMint,
      basisPoints: 200,
      maximumFeeRaw: '5000000',
    });
    expect((await caller.land(ofType(bundle, 'LAUNCH'))).err).not.toBeNull();
    await caller.control('transfer-fee', {
      mint: body.quoteMint,
      basisPoints: 100,
      maximumFeeRaw: '5000000',
    });
    expect(await statusOf(tokenMint)).toBe('PRE_LAUNCH');
    await expectLanded(ofType(await caller.ok(caller.post(BUNDLE, body)), 'LUT_SETUP'));
  });

  it("B36 C-BUNDLE-04 C-ERR-03 is refused for another caller, another quote, or more than the wallet's balance", async () => {
    const { tokenMint, ipfs } = await registered();
    const body = { tokenMint, ipfs, wallet, quoteMint: WSOL_MINT };
    const login = await caller.otherKey('other');
    const foreign = await caller.http('POST', `/api/v1${BUNDLE}`, body, { 'x-api-key': login });
    expect(foreign.status).toBe(403);
    expect((await caller.post(BUNDLE, { ...body, quoteMint: await quoteMint('NEWQ') })).status).toBe(400);
    const rich = await caller.post(BUNDLE, { ...body, initialBuyQuoteAmount: 9_000_000_000_000 });
    expect(rich.status).toBe(400);
    expect(rich.body.error).toContain('holds less');
  });
});

describe('a launch with a fee share config', () => {
  it('C-CONFIG-19 C-DIRECT-01 needs the config on chain first, then lands as a plan', async () => {
    const { tokenMint, ipfs } = await registered();
    const quote = await quoteMint('USDC');
    const body = { tokenMint, ipfs, wallet, quoteMint: quote, initialBuyQuoteRaw: '3000000' };
    const path = '/token-launch/damm-v2/create-transaction/v2';
    const early = await caller.post(path, { ...body, feeShareConfig: wallet });
    expect(early.status).toBe(400);
    expect(early.body.error).toContain('not on chain yet');
    const config = await landedConfig(tokenMint, { flow: 'damm_v2_direct', quoteMint: quote });
    const plan = await caller.ok(
      caller.post(path, { ...body, feeShareConfig: text(config, 'feeShareConfig') }),
    );
    expect(list(plan, 'transactions').map((stage) => at(stage, 'dependsOn'))).toEqual([
      [],
      ['launch-1'],
      ['launch-2'],
    ]);
    await caller.landAll(plan);
    expect(await statusOf(tokenMint)).toBe('MIGRATED');
    expect(tokens(tokenMint)).toBeGreaterThan(0n);
  });

  it('lands in v1 as well', async () => {
    const { tokenMint, ipfs } = await registered();
    const config = await landedConfig(tokenMint, { flow: 'damm_v2_direct', transactionFormat: 'v1' });
    const plan = await caller.ok(
      caller.post('/token-launch/damm-v2/create-transaction/v2', {
        tokenMint,
        ipfs,
        wallet,
        quoteMint: WSOL_MINT,
        feeShareConfig: text(config, 'feeShareConfig'),
        transactionFormat: 'v1',
        tipWallet: caller.sandbox.service.keys.tracking.address,
        tipLamports: 7_000,
        initialBuyQuoteRaw: '1000000000',
      }),
    );
    await caller.landAll(plan);
    expect(await statusOf(tokenMint)).toBe('MIGRATED');
  });

  it('C-CURVE-01 C-STATE-01 on a curve is one bare transaction signed by the mint', async () => {
    const { tokenMint, ipfs } = await registered({
      metadataUrl: `https://example.com/${'a'.repeat(43)}.json`,
    });
    const config = await landedConfig(tokenMint, { flow: 'dbc' });
    const transaction = await caller.ok(
      caller.post('/token-launch/create-launch-transaction', {
        tokenMint,
        ipfs,
        wallet,
        configKey: text(config, 'venueConfigKey'),
        initialBuyLamports: 1_000_000_000,
      }),
    );
    await expectLanded(String(transaction));
    expect(await statusOf(tokenMint)).toBe('PRE_GRAD');
    expect(tokens(tokenMint)).toBeGreaterThan(0n);
  });

  it('on a curve accepts no metadata link of more than 200 characters', async () => {
    const { tokenMint, ipfs } = await registered({
      name: 'N'.repeat(32),
      metadataUrl: 'https://example.com/long/'.padEnd(500, 'a'),
    });
    const config = await landedConfig(tokenMint, { flow: 'dbc' });
    const answer = await caller.post('/token-launch/create-launch-transaction', {
      tokenMint,
      ipfs,
      wallet,
      configKey: text(config, 'venueConfigKey'),
      initialBuyLamports: 1_000_000_000,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('ipfs: must have at most 200 characters');
  });

  it('C-CURVE-02 on a curve in a custom quote is a plan', async () => {
    const { tokenMint, ipfs } = await registered();
    const quote = await quoteMint('TAXQ');
    const config = await landedConfig(tokenMint, { flow: 'dbc', quoteMint: quote });
    const plan = await caller.ok(
      caller.post('/token-launch/create-transaction/v2', {
        tokenMint,
        ipfs,
        wallet,
        quoteMint: quote,
        feeShareConfig: text(config, 'feeShareConfig'),
        configKey: text(config, 'venueConfigKey'),
        initialBuyQuoteRaw: '4000000',
      }),
    );
    await caller.landAll(plan);
    expect(await statusOf(tokenMint)).toBe('PRE_GRAD');
  });
});

async function expectLanded(transaction: string) {
  const record = await caller.land(transaction);
  if (record.err !== null) throw new Error(`${JSON.stringify(record.err)} ${record.logs.join('\n')}`);
  return record;
}

/** Replaces the blockhash by the newest, like the caller of a bundle. */
function refreshed(transaction: string): string {
  const bytes = Buffer.from(transaction, 'base64');
  const old = readTransaction(bytes).blockhash;
  const at = bytes.indexOf(Buffer.from(addressBytes(old)));
  Buffer.from(addressBytes(caller.sandbox.chain.latestBlockhash('confirmed').blockhash)).copy(bytes, at);
  return bytes.toString('base64');
}
