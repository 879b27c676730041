/**
 * What a question says comes from the stored expectation and from what the pinned bytes fix. The request, the service's
 * answer and newer builds change nothing of it; no unknown earner of 1 % or more is folded away.
 */
import { describe, expect, it } from 'vitest';
import { earnersFact, foldEarners } from '../../src/approval/question/earners.ts';
import { noEvidence } from '../../src/approval/question/evidence.ts';
import type { QuestionFact, ShownEarner } from '../../src/approval/question/facts.ts';
import { impactLine, price } from '../../src/approval/question/money.ts';
import { type People, peopleOf } from '../../src/approval/question/people.ts';
import { questionFacts } from '../../src/approval/question/question.ts';
import type { ApprovalEnvelope } from '../../src/approval/types.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Expectation, Opened } from '../../src/policy/decide/operations/expectation.ts';
import { keyNamed } from '../policy/people.ts';
import { asksFor, launchPlan, STRANGER, samplePolicy, TREASURY, WALLET } from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const policy = samplePolicy();

const expectation = (more: Partial<Expectation> = {}): Expectation => ({
  version: 1,
  operation: 'launch',
  wallet: WALLET,
  mostOut: [{ asset: 'SOL', amount: '500000000' }],
  leastIn: [],
  mostDeposits: '20000000',
  surcharges: '10000000',
  mostFees: '1000000',
  baseMint: MINT,
  earners: [
    { wallet: WALLET, bps: 1 },
    { wallet: STRANGER, bps: 9_999 },
  ],
  manager: STRANGER,
  token: { mint: MINT, uri: 'https://example.com/once.json' },
  rights: [],
  open: [],
  ...more,
});

const OPENED: readonly Opened[] = [
  { what: 'name', says: JSON.stringify(['Once', 'ONCE', false]) },
  { what: 'first buy', says: JSON.stringify(MINT), least: '1000000000' },
  { what: 'payment', says: JSON.stringify(STRANGER), paid: { asset: 'SOL', amount: '890880' } },
];

function facts(expected: Expectation, plan: Plan = launchPlan('sandbox'), opened = OPENED): QuestionFact[] {
  const envelope: ApprovalEnvelope = {
    network: plan.network,
    wallet: WALLET,
    policyHash: policy.hash,
    intentKey: plan.intentKey,
    requestDigest: plan.request.digest,
    stages: [],
    assets: [{ asset: 'SOL', mostOut: '531000000', leastIn: '0' }],
    authorityChanges: [],
    expectation: expected,
    opened,
  };
  const decided = [asksFor(policy, { expectation: expected, opened })];
  const evidence = noEvidence();
  evidence.tokens.set(MINT, { decimals: 6 });
  return questionFacts({ plan, envelope, decided, evidence, people: peopleOf(plan, policy.policy, []) });
}

const said = (all: readonly QuestionFact[]): string => JSON.stringify(all);
const textOf = (all: readonly QuestionFact[], kind: QuestionFact['kind']): string =>
  all
    .filter((fact) => fact.kind === kind)
    .flatMap((fact) => ('lines' in fact ? fact.lines.map(({ text }) => text) : []))
    .join(' ');

describe('what a question says', () => {
  it('names the stranger who earns and manages by the expectation, whatever the stored request says', () => {
    const plan = launchPlan('sandbox');
    const fields = {
      ...plan.request.fields,
      claimersArray: [WALLET],
      basisPointsArray: [10_000],
      admin: WALLET,
    };
    const lying: Plan = {
      ...plan,
      request: { ...plan.request, fields },
      answer: { note: 'all is well', admin: WALLET },
    };
    const all = facts(expectation(), lying);
    expect(all).toEqual(facts(expectation()));
    expect(textOf(all, 'control')).toContain(
      `${STRANGER} (not in your address book) can change who earns, at any time.`,
    );
    expect(said(all)).not.toContain('all is well');
  });

  it('tells a launch that gives away 99.99% from one that keeps it, with the deployer’s part and the token’s name', () => {
    const all = facts(expectation());
    const [earners] = all.filter((fact) => fact.kind === 'earners');
    expect(earners).toMatchObject({
      rows: [
        { address: STRANGER, bps: 9_999 },
        { address: WALLET, label: 'your wallet', bps: 1 },
      ],
    });
    expect(textOf(all, 'earners')).toContain('25% to the deployer');
    expect(all[0]).toMatchObject({
      kind: 'what',
      tokens: [{ mint: MINT, name: 'Once', symbol: 'ONCE', by: 'bytes' }],
    });
  });

  it('says what the pinned bytes fix: name, first buy, who is paid', () => {
    const other = facts(expectation(), launchPlan('sandbox'), [
      { what: 'name', says: JSON.stringify(['Twice', 'TWO', true]) },
    ]);
    expect(said(other)).toContain('Twice');
    expect(said(other)).not.toContain('Once');
    expect(textOf(other, 'later')).toContain('can be changed later');
    expect(textOf(facts(expectation()), 'price')).toBe('1 token: at most 0.0005 SOL.');
    expect(textOf(facts(expectation()), 'costs')).toContain(
      `A fee of 0.00089088 SOL, as built, to ${STRANGER}`,
    );
  });

  it('stands in one order, control before money, money before who earns', () => {
    expect(facts(expectation()).map(({ kind }) => kind)).toEqual([
      ...['what', 'control', 'leaves', 'arrives', 'price', 'costs', 'earners', 'final', 'later', 'halfway'],
    ]);
  });

  it('warns where a first buy may bring nothing, and where the wallet earns nothing', () => {
    const opened: Opened[] = [{ what: 'first buy', says: JSON.stringify(MINT), least: '0' }];
    expect(textOf(facts(expectation(), launchPlan('sandbox'), opened), 'price')).toContain('almost nothing');
    const all = facts(expectation({ earners: [{ wallet: STRANGER, bps: 10_000 }] }));
    expect(textOf(all, 'earners')).toContain('Your wallet earns none of these shares.');
  });
});

describe('the list of those who earn', () => {
  const known = Array.from({ length: 20 }, (_, i) => keyNamed(`known ${i}`).address);
  const people: Pick<People, 'isKnown'> = { isKnown: (address) => known.includes(address) };
  const strangers = (count: number, bps: number): ShownEarner[] =>
    Array.from({ length: count }, (_, i) => ({ address: keyNamed(`stranger ${bps} ${i}`).address, bps }));

  it('begins with the largest share, and with a stranger where shares are equal', () => {
    const rows = [
      { address: known[0] ?? '', bps: 500 },
      { address: STRANGER, bps: 500 },
      { address: known[1] ?? '', bps: 9_000 },
    ];
    const { rows: shown } = foldEarners(rows, people);
    expect(shown.map(({ address }) => address)).toEqual([known[1], STRANGER, known[0]]);
  });

  it('never folds a stranger with one percent or more, and folds the rest with its sum', () => {
    const all = [
      ...known.map((address) => ({ address, bps: 300 })),
      ...strangers(30, 100),
      ...strangers(10, 99),
    ];
    const { rows, more, folded } = foldEarners(all, people);
    expect(more).toHaveLength(30);
    expect(more.every(({ bps }) => bps === 100)).toBe(true);
    expect(folded.filter(({ address }) => !people.isKnown(address)).every(({ bps }) => bps === 99)).toBe(
      true,
    );
    expect(rows.length + more.length + folded.length).toBe(all.length);
  });

  it('shows who loses a share by a change, largest loss among those who earn nothing any more', () => {
    const before = [
      { wallet: TREASURY, bps: 2_000 },
      { wallet: STRANGER, bps: 8_000 },
    ];
    const expected = expectation({ operation: 'manager_update', earners: [{ wallet: WALLET, bps: 10_000 }] });
    const { rows } = earnersFact(expected, before, peopleOf(launchPlan('sandbox'), policy.policy, []));
    expect(rows).toEqual([
      { address: WALLET, label: 'your wallet', bps: 10_000, before: 0 },
      { address: STRANGER, bps: 0, before: 8_000 },
      { address: TREASURY, label: 'treasury', bps: 0, before: 2_000 },
    ]);
  });
});

describe('a price', () => {
  it('is cut to six digits, and absent where decimals are not known or nothing is bought', () => {
    const one = { units: 1_000_000_000n, decimals: 9 };
    expect(price(one, { units: 3_000_000n, decimals: 6 })).toBe('0.333333');
    expect(price(one, { units: 3_000_000n, decimals: undefined })).toBeUndefined();
    expect(price(one, { units: 0n, decimals: 6 })).toBeUndefined();
  });
});

describe('a price impact', () => {
  const said = (priceImpactPct: unknown) => impactLine({ request: {}, quote: { priceImpactPct } } as never);

  it('whose unit the service does not state is read as the fraction it may be, so that it is never said too small', () => {
    expect(said('0.0016')).toMatchObject([{ text: "Price impact 0.16%, by the service's quote." }]);
    expect(said(0.39)).toMatchObject([{ text: "Price impact 39%, by the service's quote.", tone: 'warn' }]);
    expect(said('-0.04')).toMatchObject([{ text: "Price impact 4%, by the service's quote.", tone: 'warn' }]);
    expect(said('0.00000001')).toMatchObject([{ text: "Price impact 0.01%, by the service's quote." }]);
    expect(said('7.5')).toMatchObject([{ text: "Price impact 7.5%, by the service's quote." }]);
    for (const none of [undefined, '', 'much', true]) expect(said(none)).toEqual([]);
  });
});
