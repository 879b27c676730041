/** C-WIRE-07: deviations that reads tolerate, for every endpoint; answers that lead to a signature tolerate none. */
import { describe, expect, it } from 'vitest';
import { type EndpointName, endpoints, unreadRows } from '../../src/contract/index.ts';
import { documented } from '../contract/documented.ts';
import { validRequests } from '../contract/validRequests.ts';
import { clientFor, errorOf, ok, serving } from './localServer.ts';

const answeredBy = async (name: EndpointName, answer: unknown) => {
  const server = await serving((_, response) =>
    // The ping has no envelope.
    endpoints[name].envelope === 'none' ? response.end(JSON.stringify(answer)) : ok(response, answer),
  );
  return clientFor(server.origin).client.call(name, validRequests[name] as never);
};

const mapped = (value: unknown, scalar: (value: unknown) => unknown, more: object = {}): unknown => {
  if (Array.isArray(value)) return value.map((each) => mapped(each, scalar, more));
  if (typeof value !== 'object' || value === null) return scalar(value);
  const fields = Object.entries(value).map(([key, field]) => [key, mapped(field, scalar, more)]);
  return { ...Object.fromEntries(fields), ...more };
};
const text = (value: unknown) => (typeof value === 'number' ? String(value) : value);
const number = (value: unknown) =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** The first list of an answer, where the check expects rows. */
const listOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null
      ? Object.values(value).map(listOf).find(Boolean)
      : undefined;
const broken = (row: unknown) =>
  typeof row === 'object' && row !== null
    ? Object.fromEntries(Object.keys(row).map((name) => [name, { not: 'it' }]))
    : { not: 'it' };

const isExact = (name: EndpointName) => {
  const endpoint = endpoints[name];
  return endpoint.effect === 'build' || 'exact' in endpoint;
};
const reads = documented
  .filter(([, name]) => endpoints[name].effect === 'read' && !isExact(name))
  .map(([, name, answer]) => [name, answer] as const);

it('the table of documented answers covers every read', () => {
  const all = Object.entries(endpoints).filter(([, { effect }]) => effect === 'read');
  const known = new Set<string>(documented.map(([, name]) => name));
  expect(all.map(([name]) => name).filter((name) => !known.has(name))).toEqual(['ping']);
});

describe.each(reads)('%s', (name, honest) => {
  it('parses numbers as text and added fields', async () => {
    const answer = await answeredBy(name, mapped(honest, text, { futureField: { a: 1 } }));
    expect({ answer: mapped(answer, text) }).toMatchObject({ answer: mapped(honest, text) });
    // Numbers of the contract stay numbers, except in fields that allow both.
    const again = endpoints[name].response.safeParse(answer);
    expect(again.success).toBe(true);
  });

  it('parses decimal text as numbers', async () => {
    const answer = await answeredBy(name, mapped(honest, number));
    expect(mapped(answer, text)).toEqual(mapped(honest, text));
    expect(endpoints[name].response.safeParse(answer).success).toBe(true);
  });
});

/** Lists whose rows have no published fields. */
const WITHOUT_ROWS: readonly EndpointName[] = ['deployerClaimables'];
const lists = reads.filter(([name, answer]) => listOf(answer) !== undefined && !WITHOUT_ROWS.includes(name));

it.each(lists)('%s drops a broken row, keeps the others and counts it', async (name, honest) => {
  const copy: unknown = structuredClone(honest);
  const rows = listOf(copy) ?? [];
  const good = rows.slice(0, 1);
  rows.splice(0, rows.length, broken(good[0]), ...good);
  const answer = await answeredBy(name, copy);
  expect(listOf(answer)).toEqual(good);
  expect(unreadRows(answer)).toBe(1);
});

const page = { trades: [], nextBeforeTs: null, nextBeforeId: null };
const trade = {
  id: 'a',
  kind: 'buy',
  account: '0x0',
  tokenWei: '1',
  blockNumber: 1,
  timestamp: 2,
  txHash: '0x',
  logIndex: 3,
};

it.each([
  ...['1e3', ' 5', '0x5', '', '9007199254740993'].map((blockNumber) => ({ blockNumber })),
  // Beyond 2^53 digits are lost before the answer is parsed.
  { tokenWei: 9_007_199_254_740_992 },
])('an ambiguous value is not guessed: %j', async (change) => {
  const answer = await answeredBy('evmTrades', { ...page, trades: [trade, { ...trade, ...change }] });
  expect(answer).toMatchObject({ trades: [trade] });
  expect(unreadRows(answer)).toBe(1);
});

it('a page without its cursor is refused, and one without trades is empty', async () => {
  for (const answer of [{ trades: [trade] }, { ...page, trades: { not: 'it' } }])
    expect((await errorOf(answeredBy('evmTrades', answer))).code).toBe('UPSTREAM_BAD_BODY');
});

const exact = documented
  .filter(([, name]) => isExact(name))
  .map(([, name, answer]) => [name, answer] as const);
it('C-TRADE-03 C-TRADE-05 quotes and swaps are parsed exactly', async () => {
  const honest = Object.fromEntries(exact);
  const change = {
    tradeQuote: { slippageBps: '50' },
    tradeSwap: { lastValidBlockHeight: '5' },
  };
  for (const [name, field] of Object.entries(change)) {
    const answer = { ...Object(honest[name]), ...field };
    expect((await errorOf(answeredBy(name as EndpointName, answer))).code, name).toBe('UPSTREAM_BAD_BODY');
  }
});
