/**
 * A question shows the stored expected outcome and the terms fixed by the pinned bytes, unaffected by the request, the
 * service's answer and newer builds. Unknown claimers of 1 % or more are never folded away.
 */
import { describe, expect, it } from 'vitest';
import { runPartsOf } from '../../src/approval/run.ts';
import type { Plan } from '../../src/plan/types.ts';
import { claimersFact, foldClaimers } from '../../src/presentation/question/claimers.ts';
import { noEvidence } from '../../src/presentation/question/evidence.ts';
import { impactLine, price } from '../../src/presentation/question/money.ts';
import { type People, peopleOf } from '../../src/presentation/question/people.ts';
import { questionFacts } from '../../src/presentation/question/question.ts';
import type { QuestionFact, ShownClaimer } from '../../src/presentation/question/questionFacts.ts';
import { statementOf } from '../../src/statement/aggregate.ts';
import { runOf } from '../../src/statement/run.ts';
import type { Line } from '../../src/statement/types.ts';
import { sampleStatement } from '../ledger/samples.ts';
import { keyNamed } from '../policy/people.ts';
import {
  approvalDecision,
  launchLines,
  launchPlan,
  STRANGER,
  samplePolicy,
  TREASURY,
  WALLET,
} from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const policy = samplePolicy();

/** A launch with a first buy and these claimers and manager. */
function facts(
  shares: Readonly<Record<string, number>> = { [WALLET]: 1, [STRANGER]: 9_999 },
  more: readonly Line[] = [],
  { plan = launchPlan('sandbox'), least = '1000000000', mutable = false } = {},
): QuestionFact[] {
  const lines: Line[] = [
    ...launchLines(shares, STRANGER),
    { id: 'names', source: 'transaction', mint: MINT, name: 'Once', symbol: 'ONCE', uri: '', mutable },
    ...more,
  ];
  const changes = [
    { asset: 'SOL', out: '500000000', in: '0' },
    { asset: MINT, out: '0', in: least },
  ];
  const decision = approvalDecision(policy, { changes, statement: sampleStatement(changes, '5000', lines) });
  const run = runPartsOf(plan, policy.hash, [{ id: 'LAUNCH', decision }]);
  const evidence = noEvidence();
  evidence.tokens.set(MINT, { decimals: 6 });
  return questionFacts({
    ...{ plan, statement: statementOf(runOf(run, [], 0)), decided: [decision], evidence },
    people: peopleOf(plan, policy.policy, []),
  });
}

const factText = (all: readonly QuestionFact[]): string => JSON.stringify(all);
const textOf = (all: readonly QuestionFact[], kind: QuestionFact['kind']): string =>
  all
    .filter((fact) => fact.kind === kind)
    .flatMap((fact) => ('lines' in fact ? fact.lines.map(({ text }) => text) : []))
    .join(' ');

describe('the content of a question', () => {
  it('names unknown claimers and managers from the statement, regardless of the stored request', () => {
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
    const all = facts(undefined, undefined, { plan: lying });
    expect(all).toEqual(facts());
    expect(textOf(all, 'control')).toContain(`${STRANGER} (not in your address book) can change who earns`);
    expect(factText(all)).not.toContain('all is well');
  });

  it("differs between a launch that gives away 99.99% and one that keeps it, with the deployer's share and the token name", () => {
    const all = facts();
    const [claimers] = all.filter((fact) => fact.kind === 'claimers');
    expect(claimers).toMatchObject({
      rows: [
        { address: STRANGER, bps: 9_999 },
        { address: WALLET, label: 'your wallet', bps: 1 },
      ],
    });
    expect(textOf(all, 'claimers')).toContain('25% to the deployer');
    expect(all[0]).toMatchObject({
      kind: 'what',
      tokens: [{ mint: MINT, name: 'Once', symbol: 'ONCE', by: 'bytes' }],
    });
  });

  it('states the facts of the transaction: a mutable name, the price of the first buy, the payees', () => {
    expect(textOf(facts(undefined, [], { mutable: true }), 'later')).toContain('can be changed later');
    expect(textOf(facts(), 'price')).toMatch(/^1 SOL buys at least 2,000 /);
    const fee: Line = {
      ...{ id: 'pays', source: 'transaction', asset: 'SOL', atMost: 890_880n, to: STRANGER, owner: STRANGER },
      ...{ why: 'serviceFee', returns: 'never' },
    };
    const costs = facts(undefined, [fee]).flatMap((fact) => (fact.kind === 'costs' ? fact.lines : []));
    expect(costs.find(({ text }) => text.includes('0.000935424 SOL'))).toMatchObject({ tone: 'warn' });
    expect(textOf(facts(undefined, [fee]), 'costs')).toContain('0.000935424 SOL');
  });

  it('has a fixed order: beneficiaries and irreversible effects, then money, then terms', () => {
    expect(facts().map(({ kind }) => kind)).toEqual([
      ...['what', 'control', 'final', 'leaves', 'arrives', 'price', 'costs', 'claimers', 'terms', 'later'],
      'halfway',
    ]);
  });

  it('warns if a first buy may yield nothing or the wallet earns nothing', () => {
    const nothing: Line = {
      ...{ id: 'receives', source: 'transaction', asset: MINT, atLeast: 0n, from: 'market', into: WALLET },
      enforcedBy: 'program',
    };
    expect(textOf(facts(undefined, [nothing], { least: '0' }), 'price')).toContain('almost nothing');
    expect(textOf(facts({ [STRANGER]: 10_000 }), 'claimers')).toContain(
      'Your wallet earns none of these shares.',
    );
  });
});

describe('the list of claimers', () => {
  const known = Array.from({ length: 20 }, (_, i) => keyNamed(`known ${i}`).address);
  const people: Pick<People, 'isKnown'> = { isKnown: (address) => known.includes(address) };
  const strangers = (count: number, bps: number): ShownClaimer[] =>
    Array.from({ length: count }, (_, i) => ({ address: keyNamed(`stranger ${bps} ${i}`).address, bps }));

  it('sorts by share, unknown addresses first among equal shares', () => {
    const rows = [
      { address: known[0] ?? '', bps: 500 },
      { address: STRANGER, bps: 500 },
      { address: known[1] ?? '', bps: 9_000 },
    ];
    const { rows: shown } = foldClaimers(rows, people);
    expect(shown.map(({ address }) => address)).toEqual([known[1], STRANGER, known[0]]);
  });

  it('never folds an unknown claimer with one percent or more, and folds the rest with its sum', () => {
    const all = [
      ...known.map((address) => ({ address, bps: 300 })),
      ...strangers(30, 100),
      ...strangers(10, 99),
    ];
    const { rows, more, folded } = foldClaimers(all, people);
    expect(more).toHaveLength(30);
    expect(more.every(({ bps }) => bps === 100)).toBe(true);
    expect(folded.filter(({ address }) => !people.isKnown(address)).every(({ bps }) => bps === 99)).toBe(
      true,
    );
    expect(rows.length + more.length + folded.length).toBe(all.length);
  });

  it('shows who loses share in an update, with the largest loss first among claimers who no longer earn', () => {
    const before = [
      { wallet: TREASURY, bps: 2_000 },
      { wallet: STRANGER, bps: 8_000 },
    ];
    const plan = launchPlan('sandbox', { operation: 'manager_update' });
    const fact = claimersFact(
      { version: 1, lines: launchLines({ [WALLET]: 10_000 }, WALLET) },
      new Map([[MINT, { claimers: before, manager: WALLET }]]),
      plan,
      peopleOf(plan, policy.policy, []),
    );
    const { rows } = fact ?? { rows: [] };
    expect(rows).toEqual([
      { address: WALLET, label: 'your wallet', bps: 10_000, before: 0 },
      { address: STRANGER, bps: 0, before: 8_000 },
      { address: TREASURY, label: 'treasury', bps: 0, before: 2_000 },
    ]);
  });
});

describe('a price', () => {
  it('is stated in units a person reads, never rounded up, and omitted if decimals are unknown', () => {
    const sol = { units: 1_000_000_000n, decimals: 9, token: 'SOL' };
    const light = (units: bigint) => ({ units, decimals: 6, token: 'LIGHT' });
    expect(price(sol, light(333_333_999n))).toBe('1 SOL buys at least 333.333 LIGHT.');
    expect(price(sol, light(32_639_999_000_000n))).toBe('1 SOL buys at least 32.6 million LIGHT.');
    expect(price(light(1_000_000_000_000n), sol)).toBe('1 million LIGHT brings at least 1 SOL.');
    expect(price(sol, { ...light(1n), decimals: undefined })).toBeUndefined();
    expect(price(sol, light(0n))).toBeUndefined();
  });
});

describe('a price impact', () => {
  const impactOf = (priceImpactPct: unknown) =>
    impactLine({ request: {}, quote: { priceImpactPct } } as never);

  it('with an unspecified unit is read as a fraction, so that it is never understated', () => {
    expect(impactOf('0.0016')).toMatchObject([{ text: "Price impact 0.16%, by the service's quote." }]);
    expect(impactOf(0.39)).toMatchObject([
      { text: "Price impact 39%, by the service's quote.", tone: 'warn' },
    ]);
    expect(impactOf('-0.04')).toMatchObject([
      { text: "Price impact 4%, by the service's quote.", tone: 'warn' },
    ]);
    expect(impactOf('0.00000001')).toMatchObject([{ text: "Price impact 0.01%, by the service's quote." }]);
    expect(impactOf('7.5')).toMatchObject([{ text: "Price impact 7.5%, by the service's quote." }]);
    for (const none of [undefined, '', 'much', true]) expect(impactOf(none)).toEqual([]);
  });
});
