/** Swaps are decided by the quote of their id; a stored quote is never replaced (T68). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepQuote, readQuote } from '../../src/execution/deciding/quotes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { HOUR, handClock, newFile } from '../ledger/samples.ts';
import { useHomes } from './homes.ts';
import { freshQuote } from './requests.ts';

const { start } = useHomes();

describe('a second quote under a stored id', () => {
  it('is refused, so that a swap denied against the first quote stays denied', async () => {
    const home = await start();
    const large = await freshQuote(home, '5000000000');
    const small = await freshQuote(home, '100000000');
    const id = large.request.requestId;
    // The service returns the small quote under the id of the large swap it will build.
    await home.plans.rememberQuote(id, small.quoteRequest, { ...Object(small.quote), requestId: id });
    const { plan } = await home.build('tradeSwap', large.request);
    const planId = plan?.planId ?? '';
    expect((await home.submit(planId)).decision).toMatchObject({ effect: 'deny' });

    await expect(home.plans.rememberQuote(id, large.quoteRequest, large.quote)).rejects.toMatchObject({
      code: 'QUOTE_CONFLICT',
      class: 'security',
      retryable: false,
    });
    expect((await home.submit(planId)).decision).toMatchObject({ effect: 'deny' });
    expect(home.signatures).toBe(0);
  });

  it('is accepted if equal or under an id of its own; the swap executes', async () => {
    const home = await start();
    const { quoteRequest, quote, request } = await freshQuote(home);
    await home.plans.rememberQuote(request.requestId, quoteRequest, quote);
    // The same content in another field order.
    const turned = Object.fromEntries(Object.entries(Object(quote)).reverse());
    await home.plans.rememberQuote(request.requestId, quoteRequest, turned);
    const another = await freshQuote(home);
    await home.plans.rememberQuote(another.request.requestId, another.quoteRequest, another.quote);
    const { plan } = await home.build('tradeSwap', request);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });
});

describe('a traded quote', () => {
  it('is not traded again, though the service builds it again; another quote for the same trade is', async () => {
    const home = await start();
    const [first, second] = [await freshQuote(home), await freshQuote(home)];
    await home.plans.rememberQuote(first.request.requestId, first.quoteRequest, first.quote);
    const { plan } = await home.build('tradeSwap', first.request);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    const before = home.signatures;
    const answer = await home.call('tradeSwap', second.request);
    const calls = vi.spyOn(home, 'call').mockResolvedValue(answer);
    const again = await home.build('tradeSwap', first.request);
    expect(await home.submit(again.plan?.planId ?? '')).not.toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(before);
    calls.mockRestore();
    const third = await freshQuote(home);
    await home.plans.rememberQuote(third.request.requestId, third.quoteRequest, third.quote);
    const next = await home.build('tradeSwap', third.request);
    expect(await home.submit(next.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(before + 1);
  });
});

describe('the id of a quote', () => {
  let ledger: Ledger | undefined;
  afterEach(() => ledger?.close());

  it('is never free again, even after the quote is deleted', async () => {
    const clock = handClock();
    const { keep, read } = quotesIn(openLedger({ file: newFile(), clock }));
    expect(await keep('first', '1', clock.at + 60_000)).toBe(true);
    expect(await keep('first', '5', clock.at + 60_000)).toBe(false);
    expect((await read('first'))?.quote).toEqual({ amount: '1' });
    clock.at += 8 * 24 * HOUR;
    expect(await keep('second', '2', clock.at + 60_000)).toBe(true);
    expect(await read('first')).toBeUndefined();
    expect(await keep('first', '5', clock.at + 60_000)).toBe(false);
    expect(await keep('first', '1', clock.at + 60_000)).toBe(false);
    expect(await read('first')).toBeUndefined();
  });

  it('keeps the expiry of its first quote and is free for another principal', async () => {
    const clock = handClock();
    const { keep, read } = quotesIn(openLedger({ file: newFile(), clock }));
    await keep('first', '1', clock.at + 60_000);
    expect(await keep('first', '1', clock.at + 600_000)).toBe(true);
    expect((await read('first'))?.expiresAt).toBe(clock.at + 60_000);
    expect(await keep('first', '5', clock.at + 60_000, 'anna')).toBe(true);
    expect((await read('first', 'anna'))?.quote).toEqual({ amount: '5' });
    expect((await read('first'))?.quote).toEqual({ amount: '1' });
  });

  const quotesIn = (opened: Ledger) => {
    ledger = opened;
    return {
      keep: (id: string, amount: string, expiresAt: number, principal?: string) =>
        keepQuote(opened, id, principal, { request: {}, quote: { amount }, expiresAt }),
      read: (id: string, principal?: string) => readQuote(opened, id, principal),
    };
  };
});
