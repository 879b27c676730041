import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import { at, Caller, list, text } from './support.ts';

let caller: Caller;
let wallet: string;
beforeAll(async () => {
  caller = await Caller.start();
  wallet = caller.sandbox.wallet.address;
});
afterAll(() => caller.close());

async function tokenBySymbol(symbol: string): Promise<string> {
  const feed = await caller.ok(caller.get('/token-launch/feed'));
  const entry = Object(feed).find((each: unknown) => at(each, 'symbol') === symbol);
  return text(entry, 'tokenMint');
}

async function quoteBySymbol(symbol: string) {
  const answer = await caller.ok(caller.get('/token-launch/supported-quote-tokens'));
  const entry = list(answer, 'tokens').find((each) => at(each, 'symbol') === symbol);
  return { mint: text(entry, 'mint'), tokenProgram: text(entry, 'tokenProgram') };
}

function balance(mint: string, owner = wallet): bigint {
  if (mint === WSOL_MINT) return caller.sandbox.chain.getAccount(owner, 'confirmed')?.lamports ?? 0n;
  const program = caller.sandbox.chain.getAccount(mint)?.owner ?? '';
  const account = caller.sandbox.chain.getAccount(associatedTokenAddress(owner, mint, program), 'confirmed');
  return account === null ? 0n : readTokenAccount(account.data).amount;
}

const quotePath = (inputMint: string, outputMint: string, amount: string, taker = wallet) =>
  `/trade/v2/quote?inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${taker}`;

async function swap(inputMint: string, outputMint: string, amount: string) {
  const quote = await caller.ok(caller.get(quotePath(inputMint, outputMint, amount)));
  const built = await caller.ok(
    caller.post('/trade/v2/swap', { requestId: text(quote, 'requestId'), userPublicKey: wallet }),
  );
  const before = { input: balance(inputMint), output: balance(outputMint) };
  const record = await caller.land(text(built, 'swapTransaction'));
  if (record.err !== null) throw new Error(`${JSON.stringify(record.err)} ${record.logs.join('\n')}`);
  return {
    quote,
    built,
    record,
    spent: before.input - balance(inputMint),
    received: balance(outputMint) - before.output,
  };
}

describe('a swap', () => {
  it('C-TRADE-07 spends SOL for exactly the quoted tokens, compiled against the global lookup table', async () => {
    const token = await tokenBySymbol('HARBOR');
    const { quote, built, record, spent, received } = await swap(WSOL_MINT, token, '1000000000');
    expect(received).toBe(BigInt(text(quote, 'outAmount')));
    expect(spent).toBeGreaterThanOrEqual(1_000_000_000n);
    expect(spent).toBeLessThan(1_000_100_000n);
    expect(at(built, 'feeMint')).toBe(WSOL_MINT);
    expect(at(built, 'feeSide')).toBe('input');
    expect(at(built, 'feeLamports')).toBe('10000000');
    expect(record.version).toBe(0);
    expect(record.loadedAddresses.writable.length + record.loadedAddresses.readonly.length).toBeGreaterThan(
      3,
    );
  });

  it('C-TRADE-05 contains no signature', async () => {
    const token = await tokenBySymbol('HARBOR');
    const quote = await caller.ok(caller.get(quotePath(WSOL_MINT, token, '1000000')));
    const body = { requestId: text(quote, 'requestId'), userPublicKey: wallet };
    const built = await caller.ok(caller.post('/trade/v2/swap', body));
    const read = readTransaction(Buffer.from(text(built, 'swapTransaction'), 'base64'));
    expect(read.signatures).toEqual([null]);
    expect(read.staticAccounts[0]).toBe(wallet);
  });

  it('C-TRADE-06 sells a token for SOL, with fees deducted from the proceeds', async () => {
    const token = await tokenBySymbol('HARBOR');
    const { quote, built, spent, received } = await swap(token, WSOL_MINT, '50000000000');
    expect(spent).toBe(50_000_000_000n);
    expect(at(built, 'feeSide')).toBe('output');
    const fees = BigInt(text(quote, 'outAmount')) - received;
    expect(fees).toBeGreaterThan(0n);
    expect(fees).toBeLessThan(100_000n);
  });

  it('C-TRADE-07 pays its fee in USDC for a USDC pool and creates the treasury account once', async () => {
    const token = await tokenBySymbol('KITE');
    const { mint } = await quoteBySymbol('USDC');
    const treasury = caller.sandbox.service.keys.treasury.address;
    const { quote, built, spent, received } = await swap(mint, token, '10000000');
    expect(spent).toBe(10_000_000n);
    expect(received).toBe(BigInt(text(quote, 'outAmount')));
    expect(at(built, 'feeMint')).toBe(mint);
    expect(balance(mint, treasury)).toBe(100_000n);
    const back = await swap(token, mint, '1000000000');
    expect(back.received).toBe(BigInt(text(back.quote, 'outAmount')));
    expect(balance(mint, treasury)).toBe(100_000n + BigInt(text(back.built, 'feeLamports')));
  });

  it('buys and sells against a Token-2022 quote with a transfer fee', async () => {
    const token = await tokenBySymbol('TINLAN');
    const { mint } = await quoteBySymbol('TAXQ');
    const bought = await swap(mint, token, '20000000');
    expect(bought.spent).toBe(20_000_000n);
    expect(bought.received).toBe(BigInt(text(bought.quote, 'outAmount')));
    const sold = await swap(token, mint, '2000000000');
    expect(sold.received).toBe(BigInt(text(sold.quote, 'outAmount')));
    expect(sold.received).toBeGreaterThan(0n);
  });

  it('C-FIELD-09 fails on chain if the transfer fee was raised after it was built', async () => {
    const token = await tokenBySymbol('TINLAN');
    const { mint } = await quoteBySymbol('TAXQ');
    const quote = await caller.ok(caller.get(quotePath(mint, token, '20000000')));
    const body = { requestId: text(quote, 'requestId'), userPublicKey: wallet };
    const built = await caller.ok(caller.post('/trade/v2/swap', body));
    await caller.control('transfer-fee', { mint, basisPoints: 500, maximumFeeRaw: '5000000' });
    const { err } = await caller.land(text(built, 'swapTransaction'));
    await caller.control('transfer-fee', { mint, basisPoints: 100, maximumFeeRaw: '5000000' });
    expect(err).not.toBeNull();
  });

  it('B40 is equivalent when requested again', async () => {
    const token = await tokenBySymbol('HARBOR');
    const quote = await caller.ok(caller.get(quotePath(WSOL_MINT, token, '2000000')));
    const body = { requestId: text(quote, 'requestId'), userPublicKey: wallet };
    const first = await caller.ok(caller.post('/trade/v2/swap', body));
    const second = await caller.ok(caller.post('/trade/v2/swap', body));
    expect((await caller.land(text(second, 'swapTransaction'))).err).toBeNull();
    expect(at(first, 'feeLamports')).toBe(at(second, 'feeLamports'));
    const third = await caller.post('/trade/v2/swap', body);
    expect(third.status).toBe(400);
    expect(third.body.error).toContain('swapped already');
  });

  it("C-TRADE-04 is refused for a wallet other than the quote's", async () => {
    const token = await tokenBySymbol('HARBOR');
    const quote = await caller.ok(caller.get(quotePath(WSOL_MINT, token, '1000000')));
    const other = caller.sandbox.service.keys.treasury.address;
    const answer = await caller.post('/trade/v2/swap', {
      requestId: text(quote, 'requestId'),
      userPublicKey: other,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('taker');
  });

  it('C-TRADE-03 is not found once its quote is a minute old, and a new quote has the same terms', async () => {
    caller.sandbox.advanceSlots(151);
    const token = await tokenBySymbol('HARBOR');
    const quote = await caller.ok(caller.get(quotePath(WSOL_MINT, token, '1000000000')));
    const body = { requestId: text(quote, 'requestId'), userPublicKey: wallet };
    const built = await caller.ok(caller.post('/trade/v2/swap', body));
    caller.sandbox.advanceSlots(151);
    const answer = await caller.post('/trade/v2/swap', body);
    expect(answer.status).toBe(404);
    await expect(caller.land(text(built, 'swapTransaction'))).rejects.toThrow('BlockhashNotFound');
    const again = await caller.ok(caller.get(quotePath(WSOL_MINT, token, '1000000000')));
    expect(at(again, 'outAmount')).toBe(at(quote, 'outAmount'));
  });

  it('requires a route', async () => {
    const { mint } = await quoteBySymbol('NEWQ');
    const answer = await caller.get(quotePath(WSOL_MINT, mint, '1000'));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ success: false, error: 'no route between inputMint and outputMint' });
  });
});
