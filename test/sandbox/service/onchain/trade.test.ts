/** Curve swaps through the venue and through the router: landed and read from accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, text } from '../support.ts';
import { associated, ChainCaller, WSOL } from './scene.ts';

const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const SOL = 1_000_000_000n;

let caller: ChainCaller;
let mint: string;
let pool: string;
beforeAll(async () => {
  caller = await ChainCaller.start();
  ({ tokenMint: mint, pool } = await caller.launched());
});
afterAll(() => caller.close());

const quote = (inputMint: string, outputMint: string, amount: bigint, slippageBps = 100) =>
  caller.get(
    `/trade/v2/quote?inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${caller.wallet}&slippageMode=manual&slippageBps=${slippageBps}`,
  );
const swap = (quoted: unknown) =>
  caller.post('/trade/v2/swap', { requestId: text(quoted, 'requestId'), userPublicKey: caller.wallet });
const reserve = (side: 'base' | 'quote') =>
  BigInt(String(caller.decoded(pool, 'VirtualPool')[`${side}_reserve`]));
const treasury = () => caller.lamports(caller.sandbox.service.keys.treasury.address);

describe.each(['venue', 'router'] as const)('a swap through the %s', (through) => {
  beforeAll(() => caller.control('variants', { swapsThrough: through }));

  test('buys exactly the quoted amount and pays a hundredth of the SOL to the treasury', async () => {
    const quoted = await caller.ok(quote(WSOL, mint, SOL));
    const built = await caller.ok(swap(quoted));
    const [held, base, paid, fees] = [
      caller.tokens(associated(caller.wallet, mint)),
      reserve('base'),
      caller.lamports(caller.wallet),
      treasury(),
    ];
    const record = await caller.land(text(built, 'swapTransaction'));
    expect(record.err).toBeNull();
    expect(record.staticAccounts.includes(ROUTER)).toBe(through === 'router');
    const out = BigInt(text(quoted, 'outAmount'));
    expect(caller.tokens(associated(caller.wallet, mint)) - held).toBe(out);
    expect(base - reserve('base')).toBe(out);
    expect(treasury() - fees).toBe(SOL / 100n);
    expect(at(quoted, 'feeLamports')).toBe(String(SOL / 100n));
    const spent = paid - caller.lamports(caller.wallet);
    expect(spent - SOL).toBeGreaterThan(0n);
    expect(spent - SOL).toBeLessThan(3_000_000n);
  });

  test('sells for exactly the quoted amount, paid as SOL, with the fee deducted', async () => {
    const amount = caller.tokens(associated(caller.wallet, mint)) / 2n;
    const quoted = await caller.ok(quote(mint, WSOL, amount));
    const built = await caller.ok(swap(quoted));
    const [paid, fees, left] = [caller.lamports(caller.wallet), treasury(), reserve('quote')];
    expect((await caller.land(text(built, 'swapTransaction'))).err).toBeNull();
    const [out, fee] = [BigInt(text(quoted, 'outAmount')), BigInt(text(quoted, 'feeLamports'))];
    const got = caller.lamports(caller.wallet) - paid;
    expect(out - got).toBeGreaterThan(0n);
    expect(out - got).toBeLessThan(10_000n);
    expect(treasury() - fees).toBe(fee);
    expect(fee).toBe((out + fee) / 100n);
    expect(left - reserve('quote')).toBeGreaterThanOrEqual(out + fee);
    expect(caller.sandbox.chain.getAccount(associated(caller.wallet, WSOL))).toBeNull();
  });

  test('is refused on chain, and no longer built, once the price has moved past the slippage', async () => {
    const quoted = await caller.ok(quote(WSOL, mint, SOL, 10));
    const built = await caller.ok(swap(quoted));
    const other = await caller.ok(swap(await caller.ok(quote(WSOL, mint, 3n * SOL))));
    expect((await caller.land(text(other, 'swapTransaction'))).err).toBeNull();
    const before = reserve('base');
    expect((await caller.land(text(built, 'swapTransaction'))).err).not.toBeNull();
    expect(reserve('base')).toBe(before);
    expect((await swap(quoted)).status).toBe(400);
  });
});

test("a quote for more than the taker's balance is refused with the reason", async () => {
  const { status, body } = await quote(WSOL, mint, 1_000n * SOL);
  expect(status).toBe(400);
  expect(String(body.error)).toContain('this would fail');
});
