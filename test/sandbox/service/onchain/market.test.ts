/** Initial tokens of a sandbox: listing, quotes both ways, swaps, fees. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { budgetFor } from '../../../../sandbox/service/build/compile.ts';
import { systemTransfer } from '../../../../sandbox/service/build/tokens.ts';
import { at, list, text } from '../support.ts';
import { associated, ChainCaller, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL } from './scene.ts';

let caller: ChainCaller;
let launches: readonly unknown[];
beforeAll(async () => {
  caller = await ChainCaller.start();
  launches = Object(await caller.ok(caller.get('/token-launch/feed')));
});
afterAll(() => caller.close());

const quoteOf = (symbol: string) => {
  const found = [...caller.sandbox.service.quotes.values()].find((each) => each.symbol === symbol);
  if (found === undefined) throw new Error(`no ${symbol}`);
  return found;
};
const mintOf = (symbol: string) =>
  text(
    launches.find((each) => at(each, 'symbol') === symbol),
    'tokenMint',
  );

test('are listed with the status of their pool or curve and their claimers', async () => {
  expect(launches.map((each) => [at(each, 'symbol'), at(each, 'status')])).toEqual([
    ['RUNG', 'PRE_GRAD'],
    ['TINLAN', 'MIGRATED'],
    ['KITE', 'MIGRATED'],
    ['HARBOR', 'MIGRATED'],
  ]);
  for (const launch of launches) {
    expect(at(launch, 'launchSignature')).toEqual(expect.any(String));
    const query = `/token-launch/creator/v3?tokenMint=${text(launch, 'tokenMint')}`;
    const creators = Object(await caller.ok(caller.get(query)));
    expect(creators.map((each: unknown) => at(each, 'royaltyBps'))).toEqual([6_000, 4_000]);
  }
});

test.each([
  ['HARBOR', 'SOL', 1_000_000_000n],
  ['KITE', 'USDC', 50_000_000n],
  ['TINLAN', 'TAXQ', 50_000_000n],
  ['RUNG', 'SOL', 1_000_000_000n],
])('%s is bought and sold for %s exactly as quoted', async (symbol, quoteSymbol, amount) => {
  const [mint, quote] = [mintOf(symbol), quoteOf(quoteSymbol)];
  const token = associated(caller.wallet, mint);
  const held = associated(caller.wallet, quote.mint, quote.tokenProgram);
  const start = caller.tokens(token);
  expect(start).toBe(1_000_000_000_000n);
  for (const through of ['venue', 'router']) {
    await caller.control('variants', { swapsThrough: through });
    const before = [caller.tokens(token), caller.tokens(held), caller.lamports(caller.wallet)] as const;
    const { quoted: bought, record } = await caller.swapped(quote.mint, mint, amount);
    expect(record.staticAccounts.length).toBeLessThan(16);
    const got = caller.tokens(token) - before[0];
    expect(got).toBe(BigInt(text(bought, 'outAmount')));
    const paid =
      quoteSymbol === 'SOL' ? before[2] - caller.lamports(caller.wallet) : before[1] - caller.tokens(held);
    expect(paid - amount).toBeGreaterThanOrEqual(0n);
    expect(paid - amount).toBeLessThan(quoteSymbol === 'SOL' ? 10_000n : 1n);
    const { quoted: sold } = await caller.swapped(mint, quote.mint, got);
    expect(caller.tokens(token)).toBe(before[0]);
    expect(BigInt(text(sold, 'outAmount'))).toBeLessThan(amount);
    expect(BigInt(text(sold, 'outAmount'))).toBeGreaterThan((amount * 9n) / 10n);
  }
});

test('USDC is swapped against SOL near the price of 150', async () => {
  const dollar = quoteOf('USDC').mint;
  const { quoted } = await caller.swapped(WSOL, dollar, 1_000_000_000n);
  const out = Number(text(quoted, 'outAmount'));
  expect(out).toBeGreaterThan(147_000_000);
  expect(out).toBeLessThan(149_000_000);
  const back = await caller.swapped(dollar, WSOL, BigInt(out));
  expect(Number(text(back.quoted, 'outAmount'))).toBeGreaterThan(970_000_000);
});

test('each token pays a claim of the amount shown to the wallet', async () => {
  const items = list(
    await caller.ok(caller.get(`/token-launch/claimable-positions/v2?wallet=${caller.wallet}`)),
    'items',
  );
  expect(items).toHaveLength(4);
  for (const item of items) {
    const mint = text(item, 'asset.mint');
    const held = associated(caller.wallet, mint, text(item, 'asset.tokenProgram'));
    const amount = BigInt(text(item, 'claimableAmountRaw'));
    expect(amount).toBeGreaterThan(0n);
    const before = caller.tokens(held);
    const body = {
      feeClaimer: caller.wallet,
      tokenMint: text(item, 'tokenMint'),
      quoteMint: mint,
      source: { kind: text(item, 'source.kind') },
    };
    await caller.landAll(await caller.ok(caller.post('/token-launch/create-claim-txs/v2', body)));
    const arrived = caller.tokens(held) - before;
    // Tokens with a transfer fee charge it here, too.
    if (text(item, 'asset.tokenProgram') === TOKEN_PROGRAM) expect(arrived).toBe(amount);
    else expect(arrived).toBeLessThan(amount);
    expect(arrived).toBeGreaterThan((amount * 9n) / 10n);
  }
  expect(items.map((item) => text(item, 'asset.tokenProgram'))).toContain(TOKEN_2022_PROGRAM);
});

test.each(['v0', 'v1'] as const)(
  'a %s transaction of the service lands once more in the same block',
  (format) => {
    const { keys, onchain } = caller.sandbox.service;
    const { sponsor, wallet } = keys;
    const instructions = [systemTransfer(sponsor.address, wallet.address, 1n)];
    const budget = budgetFor(1);
    const land = () =>
      onchain.land({ format, feePayer: sponsor.address, instructions, budget, signers: [sponsor] });
    expect(land().signature).not.toBe(land().signature);
  },
);
