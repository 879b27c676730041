import { afterAll, beforeAll, expect, it } from 'vitest';
import fc from '../../../fc.ts';
import { at, Caller, list, text } from '../support.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.start({ seed: 'paging' });
});
afterAll(() => caller.close());

/** Returns every trade of a token over HTTP, with page sizes cycling through the limits. */
async function trades(tokenAddress: string, limits: readonly number[]) {
  const found: { id: string; timestamp: number }[] = [];
  let cursor = '';
  for (let page = 0; ; page += 1) {
    const limit = limits[page % limits.length] ?? 1;
    const path = `/evm/rh/trades?tokenAddress=${tokenAddress}&limit=${limit}${cursor}`;
    const answer = await caller.ok(caller.get(path));
    const rows = list(answer, 'trades');
    expect(rows.length).toBeLessThanOrEqual(limit);
    for (const row of rows) found.push({ id: text(row, 'id'), timestamp: Number(at(row, 'timestamp')) });
    const [ts, id] = [at(answer, 'nextBeforeTs'), at(answer, 'nextBeforeId')];
    if (ts === null) {
      expect(id).toBeNull();
      return found;
    }
    cursor = `&beforeTs=${ts}&beforeId=${encodeURIComponent(String(id))}`;
  }
}

it('C-EVM-05 C-EVM-06 following the cursor over HTTP yields every trade once, newest first, whatever the limits', async () => {
  const items = list(await caller.ok(caller.get('/evm/rh/token-creations?limit=100')), 'items');
  const tokens = items.map((item) => text(item, 'address'));
  const whole = new Map<string, Awaited<ReturnType<typeof trades>>>();
  let busiest = 0;
  for (const token of tokens) {
    const all = await trades(token, [200]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.map(({ timestamp }) => timestamp)).toEqual(
      all.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
    );
    const ties = new Map<number, number>();
    for (const { timestamp } of all) ties.set(timestamp, (ties.get(timestamp) ?? 0) + 1);
    busiest = Math.max(busiest, ...ties.values());
    whole.set(token, all);
  }
  expect(busiest).toBeGreaterThan(100);
  const limits = fc.array(fc.oneof(fc.integer({ min: 15, max: 200 }), fc.constantFrom(9, 199)), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...tokens), limits, async (token, each) => {
      expect(await trades(token, each)).toEqual(whole.get(token));
    }),
    { numRuns: 20 },
  );
});

it('C-EVM-03 a time without an id starts at strictly older trades, over HTTP too', async () => {
  const [item] = list(await caller.ok(caller.get('/evm/rh/token-creations')), 'items');
  const token = text(item, 'address');
  const all = await trades(token, [200]);
  const middle = all[Math.floor(all.length / 2)]?.timestamp ?? 0;
  const page = await caller.ok(
    caller.get(`/evm/rh/trades?tokenAddress=${token}&limit=200&beforeTs=${middle}`),
  );
  expect(list(page, 'trades').map((row) => at(row, 'id'))).toEqual(
    all
      .filter(({ timestamp }) => timestamp < middle)
      .slice(0, 200)
      .map(({ id }) => id),
  );
});

it('C-EVM-09 C-FIELD-03 earnings name the wallet in one casing, however it was requested', async () => {
  const items = list(await caller.ok(caller.get('/evm/rh/token-creations?limit=100')), 'items');
  const [token, creator] = [text(items[0], 'address'), text(items[0], 'creator')];
  for (const user of [creator, creator.toLowerCase(), `0X${creator.slice(2).toUpperCase()}`]) {
    const path = `/evm/rh/creator-earnings?tokenAddress=${token}&user=${user}`;
    expect(at(await caller.ok(caller.get(path)), 'user')).toBe(creator);
  }
});
