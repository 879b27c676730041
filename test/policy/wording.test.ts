/**
 * What is said about a policy, variant by variant: how each differs from a plain one in both directions, which lines
 * its page gains and loses, and what its page warns about. Approved as explained/variants.txt.
 */
import { describe, expect, it } from 'vitest';
import * as base from '../../src/base/words.ts';
import * as plan from '../../src/plan/words.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import type { Policy, PolicyFile } from '../../src/policy/file/schema.ts';
import { diffPolicies } from '../../src/review/diffPolicy.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import { lint } from '../../src/review/lint.ts';
import * as policy from '../../src/review/words.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { keyNamed, load, unreadProgram } from './people.ts';

const [WALLET, OTHER, FRIEND, PROGRAM, MINT] = ['wallet', 'other wallet', 'friend', 'program', 'mint'].map(
  (name) => keyNamed(name).address,
) as [string, string, string, string, string];

type Rule = PolicyFile['rules'][number];
const why = 'because';
const hours = { from: '07:00', to: '22:00', timeZone: 'UTC' };
const trade = { id: 'trade', operation: 'swap', effect: 'allow', why } as const satisfies Rule;
const split = { id: 'split', operation: 'config', effect: 'require_approval', why } as const satisfies Rule;
const stop = { id: 'stop', operation: 'vault_claim', effect: 'deny', why } as const satisfies Rule;
const launch = { id: 'launch', operation: 'launch', effect: 'allow', why } as const satisfies Rule;
const anyAddress = { claimers: 'any', admin: 'any', partner: 'any', tip: 'any' } as const;
const sol = { id: 'sol', asset: 'SOL', window: 'transaction', max: '1000000000' } as const;
const day = { id: 'day', asset: 'SOL', window: { rolling: '24h' }, max: '5000000000' } as const;
const exact = { address: SYSTEM_PROGRAM, binding: 'exact' } as const;
const opaque = unreadProgram(PROGRAM, { operations: ['swap'], deployedSlot: 5 });

const BASE: PolicyFile = {
  version: 2,
  id: 'base',
  network: 'devnet',
  wallets: [{ label: 'agent', address: WALLET }],
  transaction: { formats: ['v0'], maxFeeLamports: '100000', maxComputeUnits: 1_000_000 },
  programs: [exact],
  tokens: { extensions: { deny: ['permanentDelegate'] } },
  limits: [sol, day],
  rules: [trade, split, stop],
};
const withRules = (...rules: readonly Rule[]): Partial<PolicyFile> => ({ rules: [...rules] });
const withLimits = (...limits: PolicyFile['limits']): Partial<PolicyFile> => ({ limits });

const VARIANTS: Readonly<Record<string, Partial<PolicyFile>>> = {
  'another id': { id: 'other' },
  'mainnet by name': { network: 'mainnet-beta' },
  'mainnet by its hash': { network: GENESIS['mainnet-beta'] ?? '' },
  'a chain of its own': { network: FRIEND },
  'a second wallet': { wallets: [...BASE.wallets, { label: 'second', address: OTHER }] },
  'another wallet': { wallets: [{ label: 'agent', address: OTHER }] },
  'a renamed wallet': { wallets: [{ label: 'robot', address: WALLET }] },
  'an address book': { addressBook: [{ label: 'friend', address: FRIEND }] },
  'two wallets and an address book': {
    wallets: [...BASE.wallets, { label: 'second', address: OTHER }],
    addressBook: [{ label: 'friend', address: FRIEND }],
    rules: [trade, { ...split, admin: 'own' }, stop],
  },
  'every format': { transaction: { ...BASE.transaction, formats: ['legacy', 'v0', 'v1'] } },
  'a higher fee and fewer units': {
    transaction: { ...BASE.transaction, maxFeeLamports: '200000', maxComputeUnits: 900_000 },
  },
  'a lower fee and more units': {
    transaction: { ...BASE.transaction, maxFeeLamports: '1', maxComputeUnits: 1_400_000 },
  },
  'no programs': { programs: [] },
  'an unread program': { programs: [exact, opaque] },
  'an unread program of one code': { programs: [exact, { ...opaque, label: 'Venue', deployedSlot: 7 }] },
  'a program read exactly': { programs: [exact, { address: PROGRAM, binding: 'exact' }] },
  'a program with a label': { programs: [{ ...exact, label: 'The System' }] },
  'a known program': { programs: [exact, { address: TOKEN_PROGRAM, binding: 'exact' }] },
  'no denied power': { tokens: { extensions: { deny: [] } } },
  'other denied powers': { tokens: { extensions: { deny: ['transferFeeConfig', 'somethingNew'] } } },
  'listed tokens': { tokens: { ...BASE.tokens, mints: ['SOL', MINT] } },
  'no limits': withLimits(),
  'one limit fewer': withLimits(sol),
  'a limit only over time': withLimits(day),
  'a higher limit': withLimits({ ...sol, max: '2000000000' }, day),
  'a lower limit': withLimits({ ...sol, max: '1' }, day),
  'a limit over another time': withLimits(sol, { ...day, window: { rolling: '7d' } }),
  'a limit by the calendar': withLimits(sol, {
    ...day,
    window: { calendar: 'month', timeZone: 'Europe/Berlin' },
  }),
  'a limit with a reason': withLimits({ ...sol, why: 'small steps' }, day),
  'a limit of a token': withLimits(sol, day, { id: 'token', asset: MINT, window: 'transaction', max: '5' }),
  'a limit of a token over time': withLimits(sol, day, {
    id: 'token',
    asset: MINT,
    window: { rolling: '1h' },
    max: '5',
  }),
  'a limit of any token': withLimits(sol, day, { id: 'any', asset: 'any', window: 'transaction', max: '5' }),
  'any amount of any token': withLimits(sol, day, {
    id: 'any',
    asset: 'any',
    window: 'transaction',
    max: '18446744073709551615',
  }),
  'no limit of SOL': withLimits({ id: 'token', asset: MINT, window: { rolling: '1m' }, max: '5' }),
  counts: withLimits(
    sol,
    day,
    { id: 'trades', count: 'swap', window: { rolling: '1h' }, max: 1 },
    { id: 'jobs', count: 'any', window: { calendar: 'day', timeZone: 'UTC' }, max: 12 },
    { id: 'none', count: 'launch', window: { rolling: '30m' }, max: 0 },
    { id: 'nothing', count: 'any', window: { rolling: '2d' }, max: 0 },
  ),
  'a rule that asks now': withRules({ ...trade, effect: 'require_approval' }, split, stop),
  'a rule that forbids now': withRules({ ...trade, effect: 'deny' }, split, stop),
  'a rule that no longer forbids': withRules(trade, split, { ...stop, effect: 'allow' }),
  'a rule about another job': withRules({ ...trade, operation: 'holding_claim' }, split, stop),
  'a rule for another reason': withRules({ ...trade, why: 'for fun' }, split, stop),
  hours: withRules({ ...trade, hours }, split, stop),
  'other hours at night': withRules(
    { ...trade, hours: { ...hours, from: '22:00', to: '07:00' } },
    split,
    stop,
  ),
  'hours for a denial': withRules(trade, split, { ...stop, hours }),
  'terms of trade': withRules(
    {
      ...trade,
      minOutOfQuoteBps: 9_950,
      maxServiceFeeBps: 25,
      minRates: [{ input: 'SOL', output: MINT, perInput: '1000000000', minOutput: '5' }],
    },
    split,
    stop,
  ),
  'easier terms of trade': withRules({ ...trade, minOutOfQuoteBps: 0, maxServiceFeeBps: 150 }, split, stop),
  'any address may share': withRules(trade, { ...split, effect: 'allow', ...anyAddress }, stop),
  'only own wallets may share': withRules(
    trade,
    { ...split, claimers: 'own', admin: 'own', partner: 'own', tip: 'own' },
    stop,
  ),
  'said as it was unsaid': withRules(trade, { ...split, claimers: 'addressBook' }, stop),
  launches: withRules(trade, split, stop, launch),
  'launches for any address, at a bounded price': withRules(trade, split, stop, {
    ...launch,
    ...anyAddress,
    feeClaimer: 'any',
    maxFirstBuyValue: [{ quote: 'SOL', max: '30000000000' }],
  }),
  'a change of shares': withRules(trade, split, stop, {
    id: 'change',
    operation: 'manager_update',
    effect: 'allow',
    claimers: 'any',
    why,
  }),
  claims: withRules(
    trade,
    split,
    ...(['holding_claim', 'position_claim', 'deployer_claim'] as const).map(
      (operation): Rule => ({ id: operation.replace('_', '-'), operation, effect: 'allow', why }),
    ),
    { id: 'vault', operation: 'vault_claim', effect: 'allow', why: 'another reason' },
  ),
  'everything forbidden': withRules(
    ...(
      [
        'config',
        'manager_update',
        'launch',
        'holding_claim',
        'position_claim',
        'vault_claim',
        'deployer_claim',
        'swap',
        'lookup_table_setup',
        'lookup_table_deactivate',
        'lookup_table_close',
      ] as const
    ).map((operation, i): Rule => ({ id: `no-${i}`, operation, effect: 'deny', why })),
  ),
  'two jobs forbidden': withRules(trade, stop, { ...stop, id: 'stop-2', operation: 'launch' }),
  'jobs forbidden for two reasons': withRules(trade, stop, {
    ...stop,
    id: 'stop-2',
    operation: 'launch',
    why: 'no',
  }),
  'a denial after a rule': withRules(trade, split, stop, { ...stop, id: 'no-trade', operation: 'swap' }),
  'a denial for some hours': withRules(trade, split, stop, {
    ...stop,
    id: 'no-trade',
    operation: 'swap',
    hours,
  }),
  'the same rule twice': withRules(trade, { ...trade, id: 'again' }, split, stop),
  'a narrower rule behind a wide one': withRules(
    trade,
    { ...split, effect: 'allow', ...anyAddress },
    { ...split, id: 'narrow', claimers: 'own' },
    stop,
  ),
  'a wider rule behind a narrow one': withRules(
    trade,
    { ...split, claimers: 'own' },
    { ...split, id: 'wide', ...anyAddress },
    stop,
  ),
  'a rule behind one with hours': withRules(
    trade,
    { ...split, ...anyAddress, hours },
    { ...split, id: 'second', ...anyAddress },
    { ...split, id: 'third', ...anyAddress, hours },
    stop,
  ),
  'launches behind launches': withRules(
    trade,
    { ...launch, ...anyAddress, feeClaimer: 'any' },
    { ...launch, id: 'second', feeClaimer: 'own' },
    stop,
  ),
  'changes behind changes': withRules(
    trade,
    { id: 'one', operation: 'manager_update', effect: 'require_approval', claimers: 'own', why },
    { id: 'two', operation: 'manager_update', effect: 'require_approval', claimers: 'own', why },
    { id: 'three', operation: 'manager_update', effect: 'require_approval', claimers: 'any', why },
  ),
  'rules in another order': withRules({ ...trade, id: 'second' }, trade, split, stop),
  'no simulation': { simulation: { required: false } },
  'a second RPC': { simulation: { required: true, secondRpcAbove: '1500000000' } },
  'every way to answer': { approval: { ttlSeconds: 90, channels: ['page', 'command', 'elicitation'] } },
  'answers in the client, for several jobs': {
    approval: { ttlSeconds: 86_400, channels: ['elicitation'] },
    rules: [trade, split, { ...launch, effect: 'require_approval' }],
  },
  'answers in the client, with nothing to answer': {
    approval: { ttlSeconds: 60, channels: ['elicitation'] },
    rules: [trade],
  },
  'a freeze at once': { freeze: { afterDenials: { count: 1, windowSeconds: 600 } } },
  'a freeze over an hour': { freeze: { afterDenials: { count: 5, windowSeconds: 3600 } } },
  'a freeze over a second': { freeze: { afterDenials: { count: 5, windowSeconds: 1 } } },
  'a later freeze over longer': { freeze: { afterDenials: { count: 9, windowSeconds: 7200 } } },
};

const page = ({ policy, hash }: { policy: Policy; hash?: string }): string[] => {
  const { title, lead, sections } = explainPolicy(policy, hash);
  const lines = sections.flatMap(({ heading, lead: first, statements }) => [
    heading,
    ...(first === undefined ? [] : [first]),
    ...statements.flatMap(({ text, more }) => [text, ...(more ?? []).map((each) => `  ${each}`)]),
  ]);
  return [title, lead, ...lines];
};

describe('a variant of a policy', () => {
  it('is told by what is different, in both directions', async () => {
    const base = load(BASE);
    const basePage = page({ policy: base.policy });
    const said = Object.entries(VARIANTS).map(([name, change]) => {
      const { policy } = load({ ...BASE, ...change });
      const lines = page({ policy });
      const diff = (from: Policy, to: Policy) =>
        diffPolicies(from, to).map(({ part, way, text }) => `${part}, ${way}: ${text}`);
      return [
        `== ${name}`,
        ...diff(base.policy, policy).map((line) => `there  ${line}`),
        ...diff(policy, base.policy).map((line) => `back   ${line}`),
        ...lines.filter((line) => !basePage.includes(line)).map((line) => `+ ${line}`),
        ...basePage.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
        ...lint(policy)
          .filter((line) => !basePage.includes(line))
          .map((line) => `look   ${line}`),
      ].join('\n');
    });
    const whole = page({ policy: base.policy, hash: 'the hash' }).join('\n');
    await expect(`${whole}\n\n${said.join('\n\n')}\n`).toMatchFileSnapshot('explained/variants.txt');
  });

  it.each(Object.keys(VARIANTS))('%s: is nothing but itself', (name) => {
    const { policy } = load({ ...BASE, ...VARIANTS[name] });
    expect(diffPolicies(policy, policy)).toEqual([]);
    expect(new Set(lint(policy)).size).toBe(lint(policy).length);
  });
});

const words = { ...base, ...plan, ...policy };

describe('words', () => {
  it.each([
    [0n, 0, '0'],
    [5n, 9, '0.000000005'],
    [1_500_000_000n, 9, '1.5'],
    [1_000_000_000n, 9, '1'],
    [1_234_567n, 0, '1,234,567'],
    [123n, 0, '123'],
    [1_234_567_000_000_000n, 9, '1,234,567'],
    [-1_500n, 3, '-1.5'],
  ])('%s with %i decimals is %s', (units, decimals, text) => {
    expect(words.decimal(units, decimals)).toBe(text);
  });

  it.each([
    [1, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [90, '90 seconds'],
    [3_600, '1 hour'],
    [7_200, '2 hours'],
    [86_400, '1 day'],
    [172_800, '2 days'],
    [90_000, '25 hours'],
  ])('%i seconds are %s', (seconds, text) => {
    expect(words.secondsWords(seconds)).toBe(text);
  });

  it('name shares, lists and windows', () => {
    expect([1, 100, 2_500, 10_000].map(words.percent)).toEqual(['0.01%', '1%', '25%', '100%']);
    expect(words.listWords([])).toBe('');
    expect(words.listWords(['a'])).toBe('a');
    expect(words.listWords(['a', 'b'])).toBe('a and b');
    expect(words.listWords(['a', 'b', 'c'], 'or')).toBe('a, b or c');
    expect(['1m', '10m', '1h', '24h', '1d', '7d'].map((rolling) => words.windowWords({ rolling }))).toEqual([
      'in any minute',
      'in any 10 minutes',
      'in any hour',
      'in any 24 hours',
      'in any day',
      'in any 7 days',
    ]);
    expect(words.capital('')).toBe('');
    expect(words.several(1_000, 'launch', 'launches')).toBe('1,000 launches');
    expect(words.several(0, 'job')).toBe('0 jobs');
    expect(words.countWords(1, 'launch')).toBe('1 launch');
    expect(words.countWords(2, 'any')).toBe('2 jobs of any kind');
    expect(words.countWords(1, 'any')).toBe('1 job');
    expect(words.limitAmountWords(18_446_744_073_709_551_615n, 'SOL')).toMatch(
      /^18,446,744,073\.709551615 SOL/,
    );
  });
});
