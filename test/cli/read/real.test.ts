/**
 * `countersign read` of transactions built by the service: amounts, parties and terms of the statement, before and
 * after landing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { type JsonPage, linesOf, sumOf } from './pages.ts';
import { other, partner, RealPages, type Seen, third } from './realPages.ts';

let pages: RealPages;
const page = (name: string): Seen => pages.page(name);

beforeAll(async () => {
  pages = await RealPages.make();
});
afterAll(() => pages.close());

/** Returns the fee shares by claimer, in basis points. */
const sharesIn = (of: JsonPage) =>
  Object.fromEntries(
    linesOf(of, 'earns', { of: 'fees' })
      .filter(({ shareBps }) => shareBps !== null)
      .map(({ party, shareBps }) => [party, shareBps]),
  );
const madeIn = ({ transactions }: JsonPage, kind: string): readonly string[] =>
  transactions.flatMap(({ made }) => Object.keys(made).filter((address) => made[address]?.kind === kind));
const leaves = (of: JsonPage) => linesOf(of, 'pays', { asset: 'SOL' });

describe('the statement of transactions built by the service', () => {
  it('shows claimers of a config, that the pool pays the fee share, and who can change it', () => {
    for (const seen of [page('config').offline, page('config').online]) {
      expect(sharesIn(seen)).toEqual({ [pages.wallet]: 9_000, [other]: 1_000 });
      expect(linesOf(seen, 'controls', { right: 'fee shares', party: pages.wallet })).toHaveLength(1);
      const [token] = linesOf(seen, 'final').map(({ of }) => of);
      const [claimer] = linesOf(seen, 'earns', { of: 'fees', shareBps: null });
      expect(seen.sentences.some((each) => each.includes(`fee share (${claimer?.party})`))).toBe(true);
      expect(linesOf(seen, 'earns', { of: 'leftover' })).toHaveLength(1);
      expect(token).toMatch(/^\w{43,44}$/);
      expect(seen.transactions[0]?.instructions.flatMap(({ inferred = [] }) => inferred)).not.toEqual([]);
    }
  });

  it('names the partner of a config, whose share is not in the transaction', () => {
    expect(
      linesOf(page('partner').offline, 'earns', { of: 'partner', party: partner, shareBps: null }),
    ).toHaveLength(1);
  });

  it('shows the config of a curve launch, and with an RPC its terms and beneficiaries', () => {
    const { offline, online } = page('launch');
    const [config] = madeIn(page('config').online, 'config');
    for (const seen of [offline, online])
      expect(linesOf(seen, 'uses', { kind: 'config', account: config })).toHaveLength(1);
    expect(linesOf(offline, 'terms', { terms: null })).toHaveLength(1);
    expect(sharesIn(offline)).toEqual({});
    expect(linesOf(online, 'terms', { terms: null })).toEqual([]);
    expect(sharesIn(online)).toEqual({ [pages.wallet]: 9_000, [other]: 1_000 });
    expect(linesOf(online, 'pays', { why: 'metadata', atMost: '10000000' })).toHaveLength(1);
    expect(linesOf(online, 'pays', { why: 'trade', atMost: '1000000000' })).toHaveLength(1);
    expect(linesOf(online, 'receives', { enforcedBy: 'program' })).toHaveLength(1);
  });

  it('shows the trade of a purchase or sale and the payments beside it', () => {
    const buy = page('buy').online;
    expect(linesOf(buy, 'pays', { why: 'trade', asset: 'SOL', atMost: '1980000000' })).toHaveLength(1);
    expect(linesOf(buy, 'pays', { why: 'payment', atMost: '20000000' })).toHaveLength(1);
    expect(linesOf(buy, 'controls')).toEqual([]);
    const sell = page('sell').online;
    expect(linesOf(sell, 'receives', { asset: 'SOL', atLeast: '1007200323' })).toHaveLength(1);
    expect(linesOf(sell, 'pays', { why: 'payment', atMost: '10173740' })).toHaveLength(1);
  });

  it('shows simulated payouts of claims, and reports them as unknown without an RPC', () => {
    for (const name of ['claim', 'position claim by service', 'position claim by wallet']) {
      const { offline, online } = page(name);
      const arrives = (seen: JsonPage) => sumOf(linesOf(seen, 'receives', { enforcedBy: 'simulation' }));
      expect(arrives(online), name).toBeGreaterThan(10_000_000n);
      expect(arrives(offline), name).toBe(0n);
      expect(
        offline.sentences.some((each) => each.includes('not known yet')),
        name,
      ).toBe(true);
      expect(
        online.sentences.some((each) => each.includes('not known yet')),
        name,
      ).toBe(false);
    }
  });

  it('shows every share of a changed split, and the previous shares with an RPC', () => {
    const { offline, online } = page('change');
    for (const seen of [offline, online])
      expect(sharesIn(seen)).toEqual({ [other]: 1_000, [pages.wallet]: 5_000, [third]: 4_000 });
    const sharesBefore = (seen: JsonPage) => {
      const rows: unknown = seen.facts.find(({ kind }) => kind === 'claimers')?.rows;
      return Array.isArray(rows) ? rows.map(({ before: bps }) => bps) : [];
    };
    expect(sharesBefore(online)).toEqual([9_000, 0, 1_000]);
    expect(sharesBefore(offline)).toEqual([undefined, undefined, undefined]);
  });

  it('lists each of many claimers, and none without the lookup table', () => {
    const { offline, online } = page('many 1');
    expect(Object.keys(sharesIn(online))).toHaveLength(30);
    expect(sharesIn(offline)).toEqual({});
    expect(linesOf(offline, 'unsupported')).toHaveLength(1);
    for (const name of ['many 1', 'buy', 'direct by wallet 2']) {
      expect(page(name).offline.facts.find(({ kind }) => kind === 'leaves')).toHaveProperty('mark');
      expect(page(name).online.facts.find(({ kind }) => kind === 'leaves')).not.toHaveProperty('mark');
    }
  });

  it('names entries of an unknown lookup table by index', () => {
    for (const name of ['buy', 'direct by wallet 2']) {
      const json = JSON.stringify(page(name).offline);
      expect(json).toMatch(/entry \d+ of the lookup table/);
      // Placeholders inside the program are not addresses of the transaction.
      const addresses = json.match(/(?<=")[1-9A-HJ-NP-Za-km-z]{43,44}(?=")/g) ?? [];
      expect(addresses.length).toBeGreaterThan(3);
      for (const each of addresses)
        expect(Buffer.from(addressBytes(each)).toString('latin1')).not.toContain('unknown entry');
    }
  });

  it('shows deposits into a pool and the owner of the position', () => {
    const { online: own } = page('own pool');
    expect(linesOf(own, 'pays', { why: 'pool', asset: 'SOL', atMost: '14693678755' })).toHaveLength(1);
    expect(linesOf(own, 'earns', { of: 'position', party: pages.wallet, shareBps: 10_000 })).toHaveLength(1);
    const { online } = page('pool');
    const [holder] = linesOf(online, 'earns', { of: 'position' }).map(({ party }) => party);
    expect(holder).not.toBe(pages.wallet);
    expect(online.sentences.some((each) => each.startsWith('!') && each.includes(String(holder)))).toBe(true);
  });

  it('shows the last owner of the position of a pool launch, and the permanent name', () => {
    const { online } = page('direct by wallet 2');
    expect(linesOf(online, 'earns', { of: 'position' })).toHaveLength(1);
    expect(linesOf(online, 'assures', { what: 'locked' })).toHaveLength(1);
    for (const seen of [page('direct by wallet 1').offline, page('direct by wallet 1').online]) {
      expect(linesOf(seen, 'assures', { what: 'noMinting' })).toHaveLength(1);
      expect(linesOf(seen, 'controls', { right: 'freeze authority', party: null })).toHaveLength(1);
      // The name is fixed by the transaction that gives a stranger the right to change it.
      expect(linesOf(seen, 'names', { mutable: false })).toHaveLength(1);
      expect(seen.sentences.some((each) => /can change name/.test(each))).toBe(false);
    }
  });

  it("does not count a trade into another's account as received", () => {
    const { offline, online } = page('stranger');
    for (const seen of [offline, online]) expect(linesOf(seen, 'receives')).toEqual([]);
    expect(linesOf(online, 'moves', { to: other, amount: '5', from: 'market' })).toHaveLength(1);
  });

  it("names the beneficiaries of a launch under another's config", () => {
    const { offline, online } = page('foreign settings');
    expect(linesOf(online, 'earns', { party: other, of: 'fees' })).toHaveLength(1);
    expect(online.sentences.some((each) => each.startsWith('!') && each.includes(other))).toBe(true);
    expect(linesOf(offline, 'earns')).toEqual([]);
  });
});

describe('confirmed transactions', () => {
  const PLAIN = [
    'config',
    'launch',
    'buy',
    'change',
    'table 1',
    'table 2',
    'table 3',
    'many 1',
    'many 2',
    'direct by wallet 1',
  ];

  it.each(PLAIN)('of "%s" took at most the stated amount and at least nine tenths of it', (name) => {
    const { left = 0n, online } = page(name);
    const most = sumOf(leaves(online));
    expect(left).toBeLessThanOrEqual(most);
    expect(left * 10n).toBeGreaterThanOrEqual(most * 9n);
  });

  it.each(['sell', 'claim'])('of "%s" paid out at least the stated amount', (name) => {
    const { left = 0n, online } = page(name);
    // Claims pay wrapped SOL into an account that counts as the wallet's.
    const wrapped = name === 'claim' ? sumOf(linesOf(online, 'receives')) : 0n;
    const net = sumOf(linesOf(online, 'receives', { asset: 'SOL' })) - sumOf(leaves(online));
    expect(wrapped - left).toBeGreaterThanOrEqual(net);
  });
});
