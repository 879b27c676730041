/** Differences of policy files. */
import { describe, expect, it } from 'vitest';
import type { PolicyFile, UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { diffPolicies } from '../../src/review/diffPolicy.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import type { PolicyChange } from '../../src/review/policyChange.ts';
import { classWords } from '../../src/review/policyFormat.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';
import { keyNamed, load, unsupportedProgram } from './people.ts';
import { VENUE, WALLET } from './recorded/stages.ts';

const wallet = keyNamed('wallet').address;
const FRIEND = keyNamed('friend').address;
const PROGRAM = keyNamed('program').address;
const MINT = keyNamed('mint').address;

type Rule = PolicyFile['rules'][number];
const trade = {
  id: 'trade',
  operation: 'swap',
  effect: 'allow',
  minOutOfQuoteBps: 9900,
  why: 'ordinary trading',
} satisfies Rule;
const split = {
  id: 'split',
  operation: 'config',
  effect: 'require_approval',
  claimers: 'addressBook',
  why: 'who earns',
} satisfies Rule;
const splitOwn = {
  id: 'split-own',
  operation: 'config',
  effect: 'allow',
  claimers: 'own',
  why: 'only us',
} satisfies Rule;

const BASE: PolicyFile = {
  ...policyTemplate('trader', { wallet: wallet, network: 'devnet' }),
  addressBook: [{ label: 'friend', address: FRIEND }],
  rules: [trade, split, splitOwn],
};

const changes = (change: Partial<PolicyFile>): PolicyChange[] =>
  diffPolicies(load(BASE).policy, load({ ...BASE, ...change }).policy);
const changeTexts = (change: Partial<PolicyFile>): string[] =>
  changes(change).map(({ way, text }) => `${way}: ${text}`);
const rules = (...list: PolicyFile['rules']): Partial<PolicyFile> => ({ rules: list });
describe('the difference of two policies', () => {
  it.each(TEMPLATE_NAMES)('is empty for the template %s and itself', (name) => {
    const { policy } = load(policyTemplate(name, { wallet: wallet, network: 'devnet' }));
    expect(diffPolicies(policy, policy)).toEqual([]);
  });

  it('gives the direction of a changed limit, in SOL', () => {
    const [first, ...rest] = BASE.limits;
    expect(
      changeTexts({
        limits: [{ id: 'sol-tx', asset: 'SOL', window: 'transaction', max: '600000000' }, ...rest],
      }),
    ).toEqual([
      'wider: Limit sol-tx: At most 0.5 SOL (500,000,000 lamports) may leave in one transaction. → ' +
        'At most 0.6 SOL (600,000,000 lamports) may leave in one transaction.',
    ]);
    expect(
      changeTexts({ limits: [{ id: 'sol-tx', asset: 'SOL', window: 'transaction', max: '1' }, ...rest] })[0],
    ).toMatch(/^narrower: Limit sol-tx/);
    expect(changeTexts({ limits: rest })[0]).toMatch(/^wider: Limit sol-tx is gone: At most 0\.5 SOL/);
    expect(changeTexts({ limits: first === undefined ? [] : [first] })).toHaveLength(rest.length);
  });

  it('calls the first limit of an asset wider, since it allows the asset to leave', () => {
    const token = { id: 'token-tx', asset: MINT, window: 'transaction', max: '5' } as const;
    expect(changeTexts({ limits: [...BASE.limits, token] })[0]).toMatch(/^wider: New limit token-tx/);
    const day = { id: 'sol-week', asset: 'SOL', window: { rolling: '7d' }, max: '5' } as const;
    expect(changeTexts({ limits: [...BASE.limits, day] })[0]).toMatch(/^narrower: New limit sol-week/);
    expect(
      changeTexts({ limits: [] }).filter((text) => text.startsWith('narrower: Limit sol-')),
    ).toHaveLength(2);
  });

  it('lists changes of a rule, field by field', () => {
    expect(changeTexts(rules({ ...trade, effect: 'require_approval' }, split, splitOwn))).toEqual([
      'narrower: Rule trade (Swap tokens): signed without asking → signed only with your approval.',
    ]);
    expect(changeTexts(rules({ ...split, claimers: 'any' }, splitOwn, trade))).toContain(
      'wider: Rule split, claimers: "addressBook" → "any".',
    );
    expect(changeTexts(rules({ ...trade, minOutOfQuoteBps: 9000 }, split, splitOwn))).toEqual([
      'wider: Rule trade, minOutOfQuoteBps: 9900 → 9000.',
    ]);
    expect(changeTexts(rules({ ...trade, maxServiceFeeBps: 50 }, split, splitOwn))).toEqual([
      'narrower: Rule trade, maxServiceFeeBps: not said → 50.',
    ]);
    const hours = { from: '07:00', to: '22:00', timeZone: 'UTC' };
    expect(changeTexts(rules({ ...trade, hours }, split, splitOwn))[0]).toMatch(
      /^narrower: Rule trade, hours: not said → /,
    );
    expect(changeTexts(rules({ ...trade, why: 'for fun' }, split, splitOwn))).toEqual([
      'other: Rule trade, why: "ordinary trading" → "for fun".',
    ]);
  });

  it('states what an added or removed rule allows', () => {
    const launch = { id: 'launch', operation: 'launch', effect: 'allow', why: 'launches' } as const;
    expect(changeTexts(rules(trade, split, splitOwn, launch))[0]).toMatch(
      /^wider: New rule launch: Launch a token, signed without asking\. Must be this wallet or one in your address book/,
    );
    expect(changeTexts(rules(trade, split))).toEqual([
      'narrower: Rule split-own is gone: Set up who shares the fees, signed without asking.',
    ]);
    const stop = { id: 'stop', operation: 'swap', effect: 'deny', why: 'not now' } as const;
    expect(changeTexts(rules(trade, split, splitOwn, stop))[0]).toMatch(/^narrower: New rule stop/);
  });

  it('reports reordered rules of one operation, and no others', () => {
    expect(changeTexts(rules(trade, splitOwn, split)).join()).toContain(
      'order of rules about the same job changed',
    );
    expect(changeTexts(rules(split, splitOwn, trade))).toEqual([]);
  });

  it.each<[string, Partial<PolicyFile>, string]>([
    ['incorporations', { incorporations: [MINT] }, `wider: Incorporation of ${MINT}: now started.`],
    ['a name', { id: 'other' }, 'other: The name of the policy: "trader" → "other".'],
    ['the network', { network: 'testnet' }, 'other: The network: devnet → testnet.'],
    [
      'a new address in the address book',
      { addressBook: [...(BASE.addressBook ?? []), { label: 'new', address: MINT }] },
      `wider: New address book entry "new": ${MINT}.`,
    ],
    [
      'an address gone from the address book',
      { addressBook: [] },
      `narrower: No longer in the address book: "friend", ${FRIEND}.`,
    ],
    [
      'an address with a new label',
      { addressBook: [{ label: 'pal', address: FRIEND }] },
      `other: The address book entry ${FRIEND} is now called "pal", not "friend".`,
    ],
    [
      'a program judged by its effects',
      {
        programs: [
          ...BASE.programs,
          unsupportedProgram(PROGRAM, { label: 'Fee program', operations: ['swap'], deployedSlot: 9 }),
        ],
      },
      `wider: Fee program (${PROGRAM}): now allowed, unsupported: 01 in swap.`,
    ],
    [
      'a listed token',
      { tokens: { mints: ['SOL', MINT], extensions: { deny: [...(BASE.tokens?.extensions?.deny ?? [])] } } },
      `narrower: Only these may be traded or received now: SOL and token ${MINT}.`,
    ],
    [
      'a token right',
      { tokens: { extensions: { deny: (BASE.tokens?.extensions?.deny ?? []).slice(1) } } },
      'wider: Tokens with permanentDelegate: no longer refused.',
    ],
    [
      'the fee',
      { transaction: { ...BASE.transaction, maxFeeLamports: '1000000' } },
      'narrower: Highest network fee: 0.002 SOL (2,000,000 lamports) → 0.001 SOL (1,000,000 lamports).',
    ],
    [
      'a format',
      { transaction: { ...BASE.transaction, formats: ['v0', 'v1'] } },
      'narrower: Transactions of format legacy: no longer accepted.',
    ],
    [
      'simulation',
      { simulation: { required: false } },
      'wider: Simulating a transaction first is no longer required.',
    ],
    [
      'a second RPC',
      { simulation: { required: true, secondRpcAbove: '5000000000' } },
      'narrower: A second RPC must agree: never → above 5 SOL (5,000,000,000 lamports).',
    ],
    [
      'the approval lifetime',
      { approval: { ttlSeconds: 60, channels: ['page', 'command'] } },
      'narrower: An approval is valid for: 10 minutes → 1 minute.',
    ],
    [
      'a way to answer',
      { approval: { ttlSeconds: 600, channels: ['page', 'command', 'elicitation'] } },
      'wider: Answering by elicitation: now possible.',
    ],
    [
      'the freeze',
      { freeze: { afterDenials: { count: 9, windowSeconds: 600 } } },
      'wider: Everything stops after: 5 suspicious transactions in 10 minutes → 9 suspicious transactions in 10 minutes.',
    ],
  ])('reports %s', (_, change, text) => {
    expect(changeTexts(change)).toEqual([text]);
  });
});

describe('unsupported programs in a policy file', () => {
  // A private chain, since public networks require more of such an entry.
  const base = policyTemplate('trader', { wallet: WALLET, network: WALLET });
  const file = (...programs: PolicyFile['programs']) =>
    load({ ...base, programs: [...base.programs, ...programs] }).policy;
  const plain = { address: VENUE, label: 'Venue' };
  const diff = (was: PolicyFile['programs'][number], is: PolicyFile['programs'][number]) =>
    diffPolicies(file(was), file(is)).map(({ way, text }) => `${way}: ${text}`);

  it('differ if their reader is enabled, or their code is pinned or unpinned', () => {
    const [exact, effects] = [
      { ...plain, binding: 'exact' } as const,
      unsupportedProgram(VENUE, { label: 'Venue', operations: ['swap', 'launch'], atMost: 2 }),
    ];
    const of = (deployedSlot: number) => ({ ...effects, deployedSlot });
    const name = `Venue (${VENUE})`;
    expect(diff(exact, effects)).toEqual([
      `wider: ${name}: each instruction read → unsupported: 01 in swap and 01 in launch.`,
    ]);
    expect(diff(effects, exact)).toEqual([
      `narrower: ${name}: unsupported: 01 in swap and 01 in launch → each instruction read.`,
    ]);
    expect(diff(effects, of(7))).toEqual([`narrower: ${name}: any deployed code → only the code of slot 7.`]);
    expect(diff(of(7), effects)).toEqual([`wider: ${name}: only the code of slot 7 → any deployed code.`]);
    expect(diff(of(7), of(8))).toEqual([
      `other: ${name}: only the code of slot 7 → only the code of slot 8.`,
    ]);
    expect(diff(of(7), of(7))).toEqual([]);
  });

  it('differ by the listed instructions, operations or number', () => {
    const of = (operations: UnsupportedProgram['operations'], instructions: string[], atMost = 1) =>
      unsupportedProgram(VENUE, { label: 'Venue', operations, instructions, atMost });
    const name = `Venue (${VENUE})`;
    const one = of(['swap'], ['aa']);
    expect(diff(one, of(['swap', 'launch'], ['aa']))).toEqual([
      `wider: ${name}: now called unsupported: aa in launch.`,
    ]);
    expect(diff(one, of(['launch'], ['aa']))).toEqual([
      `narrower: ${name}: no longer called unsupported: aa in swap.`,
      `wider: ${name}: now called unsupported: aa in launch.`,
    ]);
    expect(diff(one, of(['swap'], ['aa'], 3))).toEqual([`wider: ${name}: aa in swap, at most: 1 → 3.`]);
    expect(diff(of(['swap'], ['aa'], 3), one)).toEqual([`narrower: ${name}: aa in swap, at most: 3 → 1.`]);
    expect(diff(one, of(['swap'], []))).toEqual([
      `narrower: ${name}: no longer called unsupported: aa in swap.`,
    ]);
  });

  it('name the code a supported program was written for', () => {
    const exact = { ...plain, binding: 'exact' } as const;
    const name = `Venue (${VENUE})`;
    expect(diff(exact, { ...exact, deployedSlot: 7 })).toEqual([
      `narrower: ${name}: any deployed code → asks if the code is not that of slot 7.`,
    ]);
    expect(diff({ ...exact, deployedSlot: 7 }, exact)).toEqual([
      `wider: ${name}: asks if the code is not that of slot 7 → any deployed code.`,
    ]);
  });

  it('ask the owner about claimers only if something may be signed', () => {
    const page = (effect: 'allow' | 'require_approval' | 'deny') => {
      const { policy } = load({
        ...base,
        programs: [...base.programs, unsupportedProgram(VENUE)],
        rules: [{ id: 'r', operation: 'swap', effect, why: 'x' }],
      });
      const { sections } = explainPolicy(policy);
      const approvalSection = sections.find(({ heading }) => heading.startsWith('What needs your approval'));
      return [
        approvalSection?.statements.length,
        approvalSection?.lead,
        sections.some(({ heading }) => heading === 'How you are asked'),
      ];
    };
    expect(page('allow')).toEqual([1, undefined, true]);
    expect(page('require_approval')).toEqual([2, undefined, true]);
    expect(page('deny')).toEqual([0, undefined, false]);
  });

  it('name the recipient class any as any address', () => {
    expect(classWords('any', file())).toBe('any address');
  });
});
