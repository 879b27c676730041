/**
 * Bad input through the whole server (docs/faults.md, B rows): each is answered with its code, and a recorder in
 * front of the service shows that nothing was sent. What is allowed with a remark is here too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fields, liveEnvironment, object, objects, someAddress, startServer, text } from './harness.ts';
import { type LiveScene, startLiveScene } from './scene.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const LOCKED_85 = '810faadb-030b-47de-a68b-7211c1cbbee3';
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const IPFS = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';

let scene: LiveScene;
let wallet = '';
const [friend, mint, usd] = [someAddress(), someAddress(), someAddress()];
beforeAll(async () => {
  scene = await startLiveScene();
  wallet = scene.wallet.address;
});
afterAll(() => scene.close());

const config = (more: Fields): Fields => ({
  baseMint: mint,
  payer: wallet,
  flow: 'dbc',
  claimersArray: [wallet, friend],
  basisPointsArray: [6000, 4000],
  ...more,
});
const damm = (more: Fields): Fields => ({ tokenMint: mint, ipfs: IPFS, quoteMint: SOL, ...more });
const limit = (more: Fields): Fields => ({
  feeLimits: [{ asset: { mint: usd, tokenProgram: mint }, basisPoints: 1, maximumFeeRaw: '1', ...more }],
});
const jwt = (part: string) => `${part}.${part}.${part}`;

/** What is wrong: the row, the tool, its arguments, and the field the answer must name. */
type BadInput = readonly [row: string, tool: string, args: () => Fields, names: string];

const refused: readonly BadInput[] = [
  ['B01 an argument nobody knows', 'get_launch_feed', () => ({ confirmed: true }), 'confirmed'],
  ['B01 an argument nobody knows', 'submit_plan', () => ({ planId: 'p', force: true }), 'force'],
  ['B02 a missing argument', 'create_fee_share_config', () => ({ flow: 'dbc' }), 'baseMint'],
  ['B02 null where a value is needed', 'get_launch_creators', () => ({ tokenMint: null }), 'tokenMint'],
  ['B02 an array for an object', 'create_fee_claims', () => ({ tokenMint: mint, source: [] }), 'source'],
  ['B03 a key called constructor', 'get_wallet', () => ({ constructor: {} }), 'constructor'],
  ['B04 a fraction for a whole number', 'list_plans', () => ({ limit: 1.5 }), 'limit'],
  ['B04 a text for a number', 'list_plans', () => ({ limit: '5' }), 'limit'],
  ['B05 a text of a megabyte', 'list_claim_events', () => ({ tokenMint: 'x'.repeat(1 << 20) }), ''],
  ['B08 a key of 31 bytes', 'get_launch_creators', () => ({ tokenMint: '1'.repeat(31) }), 'tokenMint'],
  ['B08 a key of 33 bytes', 'get_launch_creators', () => ({ tokenMint: '1'.repeat(33) }), 'tokenMint'],
  ['B08 letters base58 lacks', 'get_launch_creators', () => ({ tokenMint: '0OIl'.repeat(11) }), 'tokenMint'],
  ['B08 a line break behind a key', 'get_launch_creators', () => ({ tokenMint: `${mint}\n` }), 'tokenMint'],
  ['B08 a number for a key', 'get_launch_creators', () => ({ tokenMint: 1 }), 'tokenMint'],
  ['B09 an EVM address for a mint', 'get_launch_creators', () => ({ tokenMint: EVM }), 'EVM'],
  ['B09 a mint for an EVM address', 'list_evm_trades', () => ({ tokenAddress: mint }), 'tokenAddress'],
  ['B10 a program that pays', 'create_fee_share_config', () => config({ payer: '1'.repeat(32) }), 'payer'],
  [
    'B11 nobody earns',
    'create_fee_share_config',
    () => config({ claimersArray: [], basisPointsArray: [] }),
    'claimersArray',
  ],
  [
    'B11 more than a hundred earn',
    'create_fee_share_config',
    () =>
      config({
        claimersArray: Array.from({ length: 101 }, someAddress),
        basisPointsArray: [...Array.from({ length: 100 }, () => 99), 100],
      }),
    'claimersArray',
  ],
  [
    'B12 somebody earns twice',
    'create_fee_share_config',
    () => config({ claimersArray: [friend, friend] }),
    'claimersArray',
  ],
  [
    'B13 a share too many',
    'create_fee_share_config',
    () => config({ basisPointsArray: [6000, 3000, 1000] }),
    'basisPointsArray',
  ],
  [
    'B14 9,999 basis points',
    'create_fee_share_config',
    () => config({ basisPointsArray: [5999, 4000] }),
    '9999',
  ],
  [
    'B14 10,001 basis points',
    'update_fee_share_config',
    () => ({ baseMint: mint, claimersArray: [wallet, friend], basisPointsArray: [6001, 4000] }),
    '10001',
  ],
  [
    'B15 a share below nothing',
    'create_fee_share_config',
    () => config({ basisPointsArray: [-1, 10_001] }),
    'basisPointsArray',
  ],
  [
    'B15 a share as text',
    'create_fee_share_config',
    () => config({ basisPointsArray: ['6000', 4000] }),
    'basisPointsArray',
  ],
  [
    'B17 fractions that round to the total',
    'create_fee_share_config',
    () => config({ basisPointsArray: [6666.6667, 3333.3333] }),
    'basisPointsArray',
  ],
  ['B18 another spelling of a flow', 'create_fee_share_config', () => config({ flow: 'DBC' }), 'flow'],
  [
    'B20 the locked type with another quote',
    'create_fee_share_config',
    () => config({ quoteMint: usd, serviceConfigType: LOCKED_85 }),
    'serviceConfigType',
  ],
  [
    'B22 a token program that is none',
    'create_fee_share_config',
    () => config({ quoteTokenProgram: mint }),
    'quoteTokenProgram',
  ],
  [
    'B23 a partner without its config',
    'create_fee_share_config',
    () => config({ partner: friend }),
    'partnerConfig',
  ],
  [
    'B24 a label for a config type',
    'create_fee_share_config',
    () => config({ serviceConfigType: 'Default' }),
    'serviceConfigType',
  ],
  [
    'B24 a config type in capitals',
    'create_fee_share_config',
    () => config({ serviceConfigType: LOCKED_85.toUpperCase() }),
    'serviceConfigType',
  ],
  [
    'B25 a tip of half a lamport',
    'create_fee_share_config',
    () => config({ tipWallet: friend, tipLamports: 0.5 }),
    'tipLamports',
  ],
  [
    'B25 a tip beyond what numbers hold',
    'create_fee_share_config',
    () => config({ tipWallet: friend, tipLamports: 2 ** 53 }),
    'tipLamports',
  ],
  ['B25 a tip nobody receives', 'create_fee_share_config', () => config({ tipLamports: 5 }), 'tipWallet'],
  [
    'B27 a format in capitals',
    'create_fee_share_config',
    () => config({ transactionFormat: 'V0' }),
    'transactionFormat',
  ],
  [
    'B28 five fee limits',
    'create_fee_share_config',
    () => config({ feeLimits: Array.from({ length: 5 }, () => limit({}).feeLimits) }),
    'feeLimits',
  ],
  [
    'B29 a leading zero in an amount',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ maximumFeeRaw: '01' }) }),
    'maximumFeeRaw',
  ],
  [
    'B29 an amount of 2^64',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ maximumFeeRaw: '18446744073709551616' }) }),
    'maximumFeeRaw',
  ],
  [
    'B30 a fee above everything',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ basisPoints: 10_001 }) }),
    'basisPoints',
  ],
  [
    'B31 an asset by its symbol',
    'create_fee_claims',
    () => ({ tokenMint: mint, ...limit({ asset: 'USDC' }) }),
    'asset',
  ],
  [
    'B32 nine lookup tables',
    'create_fee_share_config',
    () => config({ additionalLookupTables: Array.from({ length: 9 }, someAddress) }),
    'additionalLookupTables',
  ],
  [
    'B32 one lookup table twice',
    'create_fee_share_config',
    () => config({ additionalLookupTables: [mint, mint] }),
    'additionalLookupTables',
  ],
  [
    'B34 a metadata link of 201 characters',
    'create_damm_launch',
    () => damm({ ipfs: `ipfs://${'a'.repeat(194)}` }),
    'ipfs',
  ],
  [
    'B34 a control character in a link',
    'create_damm_launch',
    () => damm({ ipfs: 'ipfs://a\u0000b' }),
    'ipfs',
  ],
  ['B35 a link that runs code', 'create_damm_launch', () => damm({ ipfs: 'javascript:alert(1)' }), 'ipfs'],
  [
    'B35 a link to this machine',
    'create_token_info',
    () => ({ name: 'n', symbol: 's', description: 'd', imageUrl: 'https://127.0.0.1/a.png' }),
    'imageUrl',
  ],
  [
    'B36 a first buy below nothing',
    'create_damm_launch',
    () => damm({ initialBuyQuoteAmount: -1 }),
    'initialBuyQuoteAmount',
  ],
  [
    'B36 a first buy in fractions',
    'create_damm_launch',
    () => damm({ initialBuyQuoteAmount: 0.1 }),
    'initialBuyQuoteAmount',
  ],
  ['B40 an empty quote id', 'create_swap', () => ({ requestId: '' }), 'requestId'],
  [
    'B40 a quote id that climbs out of a path',
    'create_swap',
    () => ({ requestId: '../../quote' }),
    'requestId',
  ],
  ['B40 a quote id of ten kilobytes', 'create_swap', () => ({ requestId: 'x'.repeat(10_000) }), 'requestId'],
  ['B44 a page of no trades', 'list_evm_trades', () => ({ tokenAddress: EVM, limit: 0 }), 'limit'],
  ['B44 a page of 201 trades', 'list_evm_trades', () => ({ tokenAddress: EVM, limit: 201 }), 'limit'],
  ['B45 half a cursor', 'list_evm_trades', () => ({ tokenAddress: EVM, beforeId: 'x' }), 'beforeTs'],
  [
    'B46 milliseconds for seconds',
    'list_evm_trades',
    () => ({ tokenAddress: EVM, beforeTs: 1_700_000_000_000 }),
    'beforeTs',
  ],
  ['B46 a time before 1970', 'list_evm_trades', () => ({ tokenAddress: EVM, beforeTs: -1 }), 'beforeTs'],
  [
    'B49 an EVM address a digit short',
    'list_evm_trades',
    () => ({ tokenAddress: EVM.slice(0, -1) }),
    'tokenAddress',
  ],
  [
    'B49 an EVM address with another letter',
    'list_evm_trades',
    () => ({ tokenAddress: `${EVM.slice(0, -1)}g` }),
    'tokenAddress',
  ],
  ['B51 101 launches', 'list_evm_token_creations', () => ({ limit: 101 }), 'limit'],
  [
    'B51 a first second in the future',
    'list_evm_token_creations',
    () => ({ sinceTs: 4_000_000_000 }),
    'sinceTs',
  ],
  [
    'B57 a path for a mint',
    'start_incorporation',
    () => ({ tokenAddress: '../agent/dev/keys' }),
    'tokenAddress',
  ],
  [
    'B57 a percent-encoded path',
    'start_incorporation',
    () => ({ tokenAddress: '%2e%2e%2fkeys' }),
    'tokenAddress',
  ],
  [
    'B57 a query behind a mint',
    'start_incorporation',
    () => ({ tokenAddress: `${mint}?x=1` }),
    'tokenAddress',
  ],
  [
    'B59 a login of two parts',
    'create_agent_key',
    () => ({ name: 'n', token: 'SECRETPART.SECRETPART' }),
    'token',
  ],
  [
    'B59 a login with a line break',
    'create_agent_key',
    () => ({ name: 'n', token: `${jwt('SECRETPART')}\n` }),
    'token',
  ],
  [
    'B59 a login of 100 kB',
    'create_agent_key',
    () => ({ name: 'n', token: jwt('SECRETPART'.repeat(3_500)) }),
    'token',
  ],
  ['B60 a key without a name', 'create_agent_key', () => ({ name: '' }), 'name'],
  ['B60 a key name of 256 characters', 'create_agent_key', () => ({ name: 'n'.repeat(256) }), 'name'],
  ['B60 a key name that turns around', 'create_agent_key', () => ({ name: 'a\u202eb' }), 'name'],
  [
    'B62 a time range backwards',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 5, to: 4 }),
    'to',
  ],
  [
    'B62 a time range without its end',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 5 }),
    'to',
  ],
  [
    'B62 a page in a time range',
    'list_claim_events',
    () => ({ tokenMint: mint, mode: 'time', from: 4, to: 5, limit: 3 }),
    'limit',
  ],
];

describe('is refused before anything is sent', () => {
  it.each(refused)('%s (%s)', async (_row, tool, args, names) => {
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

  it('B03 a key that reaches for a prototype, as a message and not only as an argument', async () => {
    const sent = scene.service.sent.length;
    const source = JSON.parse('{"kind":"position","__proto__":{"authority":"x"}}');
    const answer = await scene.server.call('create_fee_claims', { tokenMint: mint, source });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('__proto__');
    expect(scene.service.sent.length).toBe(sent);
  });

  it('nothing was stored, signed or sent to the chain, and no secret was said', async () => {
    expect((await scene.server.ok('list_plans')).plans).toEqual([]);
    expect((await scene.server.ok('list_decisions')).decisions).toEqual([]);
    expect(scene.chain.sent).toEqual([]);
    for (const secret of scene.secrets) expect(scene.server.stderr).not.toContain(secret);
    expect(scene.server.stderr).not.toContain('SECRETPART');
  });
});

describe('is told by the service, with a code of its own', () => {
  it('B21 a quote nobody reviewed, and no other type is tried in its place', async () => {
    const { tokens } = await scene.server.ok('list_supported_quote_tokens', { launch: 'dbc' });
    const unreviewed = objects(tokens).find(({ symbol }) => symbol === 'NEWQ');
    const { tokenMint } = await scene.token();
    const sent = scene.service.sent.length;
    const answer = await scene.server.call(
      'create_fee_share_config',
      config({ baseMint: tokenMint, quoteMint: unreviewed?.mint }),
    );
    expect(answer.data.code).toBe('QUOTE_NOT_REVIEWED');
    expect(scene.service.sent.length).toBe(sent + 1);
    expect(answer.text).toContain('list_supported_quote_tokens');
  });

  it('B36 C-BUNDLE-04 a first buy larger than the wallet', async () => {
    const token = await scene.token();
    const answer = await scene.server.call(
      'create_damm_launch',
      damm({ ...token, initialBuyQuoteAmount: 900_000_000_000 }),
    );
    expect(answer.data.code).toBe('REQUEST_REFUSED');
    expect(answer.text).toContain('initialBuyQuoteAmount');
  });

  it('B39 C-STATE-01 a token that was launched already', async () => {
    const token = await scene.token();
    const plan = await scene.submit(await scene.server.ok('create_damm_launch', damm(token)));
    expect(plan.status).toBe('complete');
    const signed = scene.chain.sent.length;
    const again = await scene.server.call('create_damm_launch', damm({ ...token, feeClaimerWallet: friend }));
    expect(again.data.code).toBe('REQUEST_REFUSED');
    expect(again.text).toContain('already launched');
    expect(scene.chain.sent.length).toBe(signed);
  });

  it('B40 a quote that was swapped already', async () => {
    const { launches } = await scene.server.ok('get_launch_feed');
    const traded = objects(launches).find(({ symbol }) => symbol === 'HARBOR');
    const quote = await scene.server.ok('get_swap_quote', {
      inputMint: SOL,
      outputMint: traded?.tokenMint,
      amount: '1000000',
    });
    const plan = await scene.submit(await scene.server.ok('create_swap', { requestId: quote.requestId }));
    expect(plan.status).toBe('complete');
    const again = await scene.server.call('create_swap', { requestId: quote.requestId });
    expect(again.data.code).toBe('REQUEST_REFUSED');
  });

  it('B52 C-EVM-08 a token no deployment knows', async () => {
    const answer = await scene.server.call('get_evm_creator_roster', { tokenAddress: EVM });
    expect(answer.data.code).toBe('NOT_FOUND');
    expect(text(answer.data.hint)).toContain('token of this EVM chain');
  });
});

describe('is allowed, and said', () => {
  it('B16 zeros beside one who earns everything', async () => {
    const { tokenMint } = await scene.token();
    const built = await scene.server.ok(
      'create_fee_share_config',
      config({ baseMint: tokenMint, basisPointsArray: [10_000, 0] }),
    );
    expect(JSON.stringify(built.notes)).toContain(`${friend} has 0 basis points`);
    expect(object(object(built.plan).decision).effect).toBe('allow');
  });

  it('B19 C-CONFIG-06 wrapped SOL by name, by null and by silence, as one and the same plan', async () => {
    const { tokenMint } = await scene.token();
    const keys = [];
    for (const more of [{}, { quoteMint: null }, { quoteMint: SOL }]) {
      const built = await scene.server.ok(
        'create_fee_share_config',
        config({ baseMint: tokenMint, ...more }),
      );
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
      config({ baseMint: tokenMint, partnerConfig: friend }),
    );
    expect(JSON.stringify(built.notes)).toContain('it has no effect');
  });

  it('B33 an admin who earns nothing', async () => {
    const { tokenMint } = await scene.token();
    const admin = someAddress();
    const built = await scene.server.ok('create_fee_share_config', config({ baseMint: tokenMint, admin }));
    expect(JSON.stringify(built.notes)).toContain(`Admin ${admin} is not one of the claimers`);
  });

  it('B37 C-BUNDLE-03 nobody named to receive the fee position: the wallet does, and it is shown', async () => {
    const built = await scene.server.ok('create_damm_launch', damm(await scene.token()));
    expect(object(built.launch).feeClaimerWallet).toBe(wallet);
  });

  it('B49 B50 any casing of an EVM address, sent in EIP-55 form, and the zero address', async () => {
    const { items } = await scene.server.ok('list_evm_token_creations');
    const address = text(objects(items)[0]?.address);
    for (const spelling of [address.toLowerCase(), `0X${address.slice(2).toUpperCase()}`]) {
      await scene.server.ok('list_evm_trades', { tokenAddress: spelling });
      expect(scene.service.sent.at(-1)?.path).toContain(`tokenAddress=${address}`);
    }
    const zero = await scene.server.call('list_evm_trades', { tokenAddress: `0x${'0'.repeat(40)}` });
    expect(zero.data.code).toBe('NOT_FOUND');
  });

  it('B45 a time without an id, with what that leaves out', async () => {
    const { items } = await scene.server.ok('list_evm_token_creations');
    const tokenAddress = text(objects(items)[0]?.address);
    const page = await scene.server.ok('list_evm_trades', { tokenAddress, beforeTs: 1_700_000_000 });
    expect(JSON.stringify(page.notes)).toContain('beforeTs');
  });

  it('B53 earnings of a token with itself', async () => {
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

describe('B76 money from nowhere', () => {
  it('B76 no tool makes money or moves time in live mode, and the service is asked for neither', async () => {
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

describe('F16 a key that its store does not take', () => {
  it('F16 is used from memory, with a warning, and never shown', async () => {
    // The environment holds the secrets of this server, and it cannot be written.
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

describe('B74 a service address that is none', () => {
  it.each([
    'http://service.example',
    'https://somebody:SECRETPART@service.example',
    'https://service.example/api?key=SECRETPART',
    'https://169.254.169.254',
  ])('B74 %s is refused by the first call, and not repeated', async (rootUrl) => {
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

it('no bad input made the server say a secret, and none was sent to another endpoint than its own', () => {
  for (const { path, headers } of scene.service.sent) {
    if (path.includes('/agent/dev/keys/create')) expect(headers['x-api-key']).toBeUndefined();
  }
  for (const secret of scene.secrets) expect(scene.server.stderr).not.toContain(secret);
});
