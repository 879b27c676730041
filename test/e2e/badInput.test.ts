/**
 * Bad input through the whole server: each case returns its code, and a recorder in front of the service confirms that
 * nothing was sent. Also covers input accepted with a warning.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fields, liveEnvironment, object, objects, someAddress, startServer, text } from './harness.ts';
import { config, damm, EVM, friend, REFUSED_INPUTS, SOL } from './refusedInputs.ts';
import { type LiveScene, startLiveScene } from './scene.ts';

let scene: LiveScene;
let wallet = '';
const mint = someAddress();
beforeAll(async () => {
  scene = await startLiveScene();
  wallet = scene.wallet.address;
});
afterAll(() => scene.close());

/** Returns a config signable by this home, with changes. */
const own = (more: Fields): Fields => config({ payer: wallet, claimersArray: [wallet, friend], ...more });

describe('input refused before a request is sent', () => {
  it.each(REFUSED_INPUTS)('%s (%s)', async (_row, tool, args, names) => {
    const sent = scene.service.sent.length;
    const answer = await scene.server.call(tool, args());
    expect(answer.isError).toBe(true);
    expect(answer.data.code).toBe('INVALID_INPUT');
    expect(answer.data.retryable).toBe(false);
    expect(answer.text).toContain(names);
    expect(text(answer.data.hint).length).toBeGreaterThan(0);
    expect(answer.text).not.toContain('SECRETPART');
    expect(answer.text.length).toBeLessThan(2_000);
    expect(scene.service.sent.slice(sent)).toEqual([]);
  });

  it('B03 refuses a key that reaches a prototype, in a message as well as in an argument', async () => {
    const sent = scene.service.sent.length;
    const source = JSON.parse('{"kind":"position","__proto__":{"authority":"x"}}');
    const answer = await scene.server.call('create_fee_claims', { tokenMint: mint, source });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('__proto__');
    expect(scene.service.sent.length).toBe(sent);
  });

  it('nothing was stored, signed or sent to the chain, and no secret was printed', async () => {
    expect((await scene.server.ok('list_plans')).plans).toEqual([]);
    expect((await scene.server.ok('list_decisions')).decisions).toEqual([]);
    expect(scene.chain.sent).toEqual([]);
    for (const secret of scene.secrets) expect(scene.server.stderr).not.toContain(secret);
    expect(scene.server.stderr).not.toContain('SECRETPART');
  });
});

describe('input refused by the service', () => {
  it('B21 reports an unreviewed quote and tries no other type', async () => {
    const { tokens } = await scene.server.ok('list_supported_quote_tokens', { launch: 'dbc' });
    const unreviewed = objects(tokens).find(({ symbol }) => symbol === 'NEWQ');
    const { tokenMint } = await scene.token();
    const sent = scene.service.sent.length;
    const answer = await scene.server.call(
      'create_fee_share_config',
      own({ baseMint: tokenMint, quoteMint: unreviewed?.mint }),
    );
    expect(answer.data.code).toBe('QUOTE_NOT_REVIEWED');
    expect(scene.service.sent.length).toBe(sent + 1);
    expect(answer.text).toContain('list_supported_quote_tokens');
  });

  it("B36 C-BUNDLE-04 reports a first buy larger than the wallet's balance", async () => {
    const token = await scene.token();
    const answer = await scene.server.call(
      'create_damm_launch',
      damm({ ...token, initialBuyQuoteAmount: 900_000_000_000 }),
    );
    expect(answer.data.code).toBe('REQUEST_REFUSED');
    expect(answer.text).toContain('initialBuyQuoteAmount');
  });

  it('B39 C-STATE-01 reports a token that is already launched', async () => {
    const token = await scene.token();
    const plan = await scene.submit(await scene.server.ok('create_damm_launch', damm(token)));
    expect(plan.status).toBe('complete');
    const signed = scene.chain.sent.length;
    const again = await scene.server.call('create_damm_launch', damm({ ...token, feeClaimerWallet: friend }));
    expect(again.data.code).toBe('REQUEST_REFUSED');
    expect(again.text).toContain('already launched');
    expect(scene.chain.sent.length).toBe(signed);
  });

  it('B40 reports a quote that was already swapped', async () => {
    const { launches } = await scene.server.ok('get_launch_feed');
    const traded = objects(launches).find(({ symbol }) => symbol === 'HARBOR');
    const quote = await scene.server.ok('get_swap_quote', {
      inputMint: SOL,
      outputMint: traded?.tokenMint,
      amount: '1000000',
    });
    const plan = await scene.submit(await scene.server.ok('create_swap', { requestId: quote.requestId }));
    expect(plan.status).toBe('complete');
    // The service may build it again, since it cannot recognize bytes with guards.
    const again = await scene.server.call('create_swap', { requestId: quote.requestId });
    expect(again.data).toMatchObject({ plan: { status: 'denied', decision: { reasonCodes: ['REPLAY'] } } });
  });

  it('B52 C-EVM-08 reports a token unknown to every deployment', async () => {
    const answer = await scene.server.call('get_evm_creator_roster', { tokenAddress: EVM });
    expect(answer.data.code).toBe('NOT_FOUND');
    expect(text(answer.data.hint)).toContain('token of this EVM chain');
  });
});

describe('input accepted with a notice', () => {
  it('B16 zeros beside one claimer who earns everything', async () => {
    const { tokenMint } = await scene.token();
    const built = await scene.server.ok(
      'create_fee_share_config',
      own({ baseMint: tokenMint, basisPointsArray: [10_000, 0] }),
    );
    expect(JSON.stringify(built.notes)).toContain(`${friend} has 0 basis points`);
    expect(object(object(built.plan).decision).effect).toBe('allow');
  });

  it('B19 C-CONFIG-06 treats wrapped SOL by name, null and omission as the same plan', async () => {
    const { tokenMint } = await scene.token();
    const keys = [];
    for (const more of [{}, { quoteMint: null }, { quoteMint: SOL }]) {
      const built = await scene.server.ok('create_fee_share_config', own({ baseMint: tokenMint, ...more }));
      const plan = object(built.plan);
      expect(object(plan.decision).effect).toBe('allow');
      keys.push(text(built.feeShareConfig));
    }
    expect(new Set(keys).size).toBe(1);
  });

  it('B23 a partner config without a partner', async () => {
    const { tokenMint } = await scene.token();
    const built = await scene.server.ok(
      'create_fee_share_config',
      own({ baseMint: tokenMint, partnerConfig: friend }),
    );
    expect(JSON.stringify(built.notes)).toContain('it has no effect');
  });

  it('B33 an admin who earns nothing', async () => {
    const { tokenMint } = await scene.token();
    const admin = someAddress();
    const built = await scene.server.ok('create_fee_share_config', own({ baseMint: tokenMint, admin }));
    expect(JSON.stringify(object(built.plan).says)).toContain(
      `${admin} (not in your address book) can change`,
    );
  });

  it('B37 C-BUNDLE-03 an omitted receiver of the fee position: the wallet receives it, and the plan shows it', async () => {
    const built = await scene.server.ok('create_damm_launch', damm(await scene.token()));
    expect(object(built.launch).feeClaimerWallet).toBe(wallet);
  });

  it('B49 B50 accepts any casing of an EVM address, sends it in EIP-55 form, and accepts the zero address', async () => {
    const { items } = await scene.server.ok('list_evm_token_creations');
    const address = text(objects(items)[0]?.address);
    for (const spelling of [address.toLowerCase(), `0X${address.slice(2).toUpperCase()}`]) {
      await scene.server.ok('list_evm_trades', { tokenAddress: spelling });
      expect(scene.service.sent.at(-1)?.path).toContain(`tokenAddress=${address}`);
    }
    const zero = await scene.server.call('list_evm_trades', { tokenAddress: `0x${'0'.repeat(40)}` });
    expect(zero.data.code).toBe('NOT_FOUND');
  });

  it('B45 accepts a time without an id and states which trades that omits', async () => {
    const { items } = await scene.server.ok('list_evm_token_creations');
    const tokenAddress = text(objects(items)[0]?.address);
    const page = await scene.server.ok('list_evm_trades', { tokenAddress, beforeTs: 1_700_000_000 });
    expect(JSON.stringify(page.notes)).toContain('beforeTs');
  });

  it('B53 earnings of a token in itself', async () => {
    const { items } = await scene.server.ok('list_evm_token_creations');
    const address = text(objects(items)[0]?.address);
    const earned = await scene.server.ok('get_evm_creator_earnings', {
      tokenAddress: address,
      user: address,
    });
    expect(earned.isClaimer).toBe(false);
  });

  it('B77 an offset beyond the end and the longest page', async () => {
    const page = await scene.server.ok('list_plans', { offset: 1_000_000, limit: 100 });
    expect(page).toMatchObject({ plans: [], nextOffset: null });
  });
});

describe('B76 funding and time', () => {
  it('B76 no tool funds a wallet or advances time in live mode, and the service is asked for neither', async () => {
    const { tools } = object((await scene.server.request('tools/list')).result);
    const names = objects(tools).map(({ name }) => text(name));
    for (const name of names)
      expect(name).not.toMatch(/airdrop|faucet|mint_|advance|warp|slot|clock|sandbox/);
    for (const name of ['airdrop', 'advance_slots', 'sandbox_advance_slots']) {
      expect((await scene.server.call(name)).isError).toBe(true);
    }
    expect(scene.service.sent.filter(({ path }) => path.startsWith('/sandbox/'))).toEqual([]);
  });
});

describe('F16 a key that its store refuses', () => {
  it('F16 is used from memory, with a warning, and never shown', async () => {
    // This server's secrets are in the environment, which is read-only.
    const made = await scene.server.call('create_agent_key', { name: 'held in memory' });
    expect(made.isError).toBe(false);
    expect(text(made.data.warning)).toContain('held in memory only');
    const created = scene.service.sent.filter(({ path }) => path.endsWith('/agent/dev/keys/create'));
    expect(created).toHaveLength(1);
    await scene.server.ok('get_launch_feed');
    const key = scene.service.sent.at(-1)?.headers['x-api-key'] ?? '';
    expect(key.length).toBeGreaterThan(20);
    expect(key).not.toBe(scene.sandbox.apiKey);
    expect(made.text + JSON.stringify(made.data) + scene.server.stderr).not.toContain(key);
  });
});

describe('B74 an invalid service address', () => {
  it.each([
    'http://service.example',
    'https://user:SECRETPART@service.example',
    'https://service.example/api?key=SECRETPART',
    'https://169.254.169.254',
  ])('B74 %s is refused by the first call and not retried', async (rootUrl) => {
    const server = await startServer(
      ['--live', '--root-url', rootUrl, '--rpc-url', scene.sandbox.rpcUrl],
      liveEnvironment(scene.wallet, scene.sandbox),
    );
    const answer = await server.call('get_launch_feed');
    await server.stop();
    expect(answer.isError).toBe(true);
    expect(answer.text + server.stderr).not.toContain('SECRETPART');
    expect(text(answer.data.hint).length).toBeGreaterThan(0);
  });
});

it('no bad input made the server print a secret or send one to another endpoint', () => {
  for (const { path, headers } of scene.service.sent) {
    if (path.includes('/agent/dev/keys/create')) expect(headers['x-api-key']).toBeUndefined();
  }
  for (const secret of scene.secrets) expect(scene.server.stderr).not.toContain(secret);
});
