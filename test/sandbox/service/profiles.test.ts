import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { at, Caller, list, text } from './support.ts';

describe('the bags profile', () => {
  let caller: Caller;
  let wallet: string;
  beforeAll(async () => {
    caller = await Caller.start({ profile: 'bags' });
    wallet = caller.sandbox.wallet.address;
  });
  afterAll(() => caller.close());

  it('encodes bundles in base58 and plans in base64', async () => {
    const tokenMint = await caller.token();
    const uri = caller.sandbox.service.state.launches.get(tokenMint)?.uri;
    const bundle = await caller.ok(
      caller.post('/token-launch/damm-v2/create-transaction', {
        tokenMint,
        ipfs: uri,
        wallet,
        quoteMint: WSOL_MINT,
      }),
    );
    for (const { transaction } of list(bundle, 'transactions').map(Object)) {
      expect(readTransaction(bs58.decode(transaction)).staticAccounts[0]).toBe(wallet);
    }
    for (const type of ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH']) {
      const entry = list(bundle, 'transactions').find((each) => at(each, 'type') === type);
      expect((await caller.land(text(entry, 'transaction'), 'base58')).err).toBeNull();
    }
    const plan = await caller.ok(
      caller.post('/fee-share/config/v2', {
        baseMint: await caller.token(),
        payer: wallet,
        flow: 'dbc',
        claimersArray: [wallet],
        basisPointsArray: [10_000],
        bagsConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
      }),
    );
    await caller.landAll(at(plan, 'plan'));
    const record = [...caller.sandbox.service.state.configs.values()].at(-1);
    expect(record?.configType).toBe('d16d3585-6488-4a6c-9a6f-e6c39ca0fda3');
  });

  it('requires an image with every metadata link', async () => {
    const form = new FormData();
    for (const [key, value] of Object.entries({ name: 'n', symbol: 's', description: 'd' }))
      form.set(key, value);
    form.set('metadataUrl', 'https://example.com/m.json');
    const answer = await caller.http('POST', '/api/v1/token-launch/create-token-info', form);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('metadataUrl');
  });
});

describe('a sandbox on real time', () => {
  it('builds and lands a swap whose escrow every view shows', async () => {
    const caller = await Caller.start({ clock: 'auto', slotMs: 20 });
    const wallet = caller.sandbox.wallet.address;
    const feed = Object(await caller.ok(caller.get('/token-launch/feed')));
    const token = text(feed[feed.length - 1], 'tokenMint');
    const path = `/trade/v2/quote?inputMint=${WSOL_MINT}&outputMint=${token}&amount=5000000&taker=${wallet}`;
    const requestId = text(await caller.ok(caller.get(path)), 'requestId');
    const built = await caller.ok(caller.post('/trade/v2/swap', { requestId, userPublicKey: wallet }));
    const bytes = new Uint8Array(Buffer.from(text(built, 'swapTransaction'), 'base64'));
    expect(caller.sandbox.chain.simulate(bytes, { at: 'confirmed' }).err).toBeNull();
    expect((await caller.land(text(built, 'swapTransaction'))).err).toBeNull();
    await caller.close();
  });
});
