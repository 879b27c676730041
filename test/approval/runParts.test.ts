/** Parts of a run missing from the ledger: its scope, the lines of open stages, and the bounds of the request. */
import { describe, expect, it } from 'vitest';
import { type DecidedStage, runPartsOf } from '../../src/approval/run.ts';
import { jsonDigest } from '../../src/base/canonicalJson.ts';
import { requestDigest } from '../../src/plan/intent.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { ExpectedOutcome } from '../../src/policy/decide/operations/expectedOutcome.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
import { FEE_SHARE_PROGRAM, feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import { runOf } from '../../src/statement/run.ts';
import type { Line, Pays } from '../../src/statement/types.ts';
import { sampleDecision, samplePlan, sampleStatement } from '../ledger/samples.ts';
import { STRANGER, stage, TREASURY, WALLET } from './samples.ts';

const HASH = 'a'.repeat(64);
const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const WSOL = 'So11111111111111111111111111111111111111112';
const CONFIG = feeShareConfigAddress(MINT, WSOL);
const READY = { readiness: { status: 'ready', complete: true } } as const;
const SETUP = { readiness: { status: 'setup_required', complete: false } } as const;

const expectedOutcome: ExpectedOutcome = {
  ...{ version: 1, operation: 'config', wallet: WALLET, maxOut: [], minIn: [], maxDeposits: '9000' },
  ...{ baseMint: MINT, quoteMint: WSOL, manager: STRANGER, partner: TREASURY, rights: [], open: [] },
  claimers: [
    { wallet: WALLET, bps: 7_500 },
    { wallet: STRANGER, bps: 2_500 },
  ],
};

const plan = (more: Partial<Plan> = {}): Plan =>
  samplePlan({
    ...{ operation: 'config', principal: 'anna', wallet: WALLET, ...READY },
    request: { endpoint: 'feeShareConfig', fields: { claimersArray: [WALLET, STRANGER] }, digest: '' },
    stages: [stage('one', 'config'), stage('two', 'config'), stage('close', 'lookup_table_close')],
    ...more,
  });

const paid = (why: Pays['why'], atMost: bigint): Line => ({
  ...{ id: 'pays', source: 'transaction', asset: 'SOL', atMost, why, returns: 'never' },
  ...{ to: TREASURY, owner: TREASURY },
});

/** A stage that pays this network fee, and other payments. */
const decided = (
  id: string,
  fee: string,
  more: readonly Line[] = [],
  decision: Partial<Decision> = {},
): DecidedStage => ({
  id,
  decision: sampleDecision({ statement: sampleStatement([], fee, more), ...decision }),
});

const DENIED: DecidedStage = {
  id: 'two',
  decision: sampleDecision({ effect: 'deny', statement: undefined }),
};
const first = decided('one', '5000');

const ofRequest = (parts: { readonly request: readonly Line[] }, why: Pays['why']) =>
  parts.request.filter(
    (line): line is Pays & { source: Line['source'] } => line.id === 'pays' && line.why === why,
  );

describe('the approval scope of a run', () => {
  it('includes its plan and the policy', () => {
    const { scope } = runPartsOf(plan(), HASH, [first]);
    const { network, mode, intentKey, request } = plan();
    expect(scope).toEqual({
      ...{ network, mode, wallet: WALLET, principal: 'anna', policyHash: HASH, intentKey },
      ...{ operation: 'config', endpoint: 'feeShareConfig', requestDigest: requestDigest(request.fields) },
    });
    expect(runPartsOf(plan({ principal: undefined }), HASH, [first]).scope).not.toHaveProperty('principal');
  });

  it('covers only runs of the same plan', () => {
    const run = (of: Plan) => runOf(runPartsOf(of, HASH, [first], 'one'), [], 0);
    const approval = approvalOf(run(plan()), 1, []);
    expect(covers(approval, run(plan())).covered).toBe(true);
    const { request } = plan();
    for (const other of [
      { network: 'other' },
      { mode: 'live' as const },
      { wallet: STRANGER },
      { principal: 'bela' },
      { intentKey: 'other' },
      { operation: 'launch' as const },
      { request: { ...request, endpoint: 'dammLaunch' as const } },
      { request: { ...request, fields: { claimersArray: [STRANGER] } } },
    ])
      expect(covers(approval, run(plan(other))).covered, JSON.stringify(other)).toBe(false);
  });
});

describe('open stages', () => {
  it('have the lines, the policy pin and the decision digests; a denied stage has none', () => {
    const pin = { digest: 'd', programs: [] };
    const one = decided('one', '5000', [], { pin });
    const { open } = runPartsOf(plan(), HASH, [one, DENIED, decided('close', '6000')]);
    expect(open).toMatchObject([
      { stageId: 'one', decisionDigest: jsonDigest(one.decision), pin, made: {} },
      { stageId: 'close', made: {} },
    ]);
    expect(open[0]?.lines).toMatchObject([{ id: 'pays', why: 'networkFee', atMost: 5000n }]);
    expect(open[1]).not.toHaveProperty('pin');
  });

  it('include optional stages and the stage about to be signed', () => {
    const close = { ...stage('close', 'lookup_table_close'), optional: true };
    const parts = runPartsOf(plan({ stages: [stage('one', 'config'), close] }), HASH, [first], 'one');
    expect(parts).toMatchObject({ optional: ['close'], stageId: 'one' });
    expect(runPartsOf(plan(), HASH, [first])).not.toHaveProperty('stageId');
  });
});

describe('the "more follows" flag of a run', () => {
  const later = (of: Partial<Plan>, stages: readonly DecidedStage[]) =>
    runPartsOf(plan(of), HASH, stages).later;

  it('is unset if every stage is built and decided', () => {
    expect(later(READY, [first])).toBeUndefined();
    expect(later({ readiness: undefined }, [first])).toBeUndefined();
    expect(runPartsOf(plan(), HASH, [first])).not.toHaveProperty('later');
  });

  it('is set if stages are unbuilt or a required stage is denied', () => {
    expect(later(SETUP, [first])).toBe('config');
    expect(later(READY, [first, DENIED])).toBe('config');
    const optional = { ...stage('two', 'config'), optional: true };
    expect(later({ ...READY, stages: [stage('one', 'config'), optional] }, [first, DENIED])).toBeUndefined();
  });
});

describe('bounds of the request', () => {
  const parts = (of: Partial<Plan>, stages: readonly DecidedStage[]) => runPartsOf(plan(of), HASH, stages);

  it('allow network fees of up to four times the current fees', () => {
    const [fee, ...others] = ofRequest(parts(READY, [first, decided('two', '7000')]), 'networkFee');
    expect(fee).toEqual({
      ...{ id: 'pays', source: 'request', asset: 'SOL', returns: 'never', atMost: 48_000n },
      ...{ to: 'validators', owner: 'validators', why: 'networkFee' },
    });
    expect(others).toEqual([]);
    expect(ofRequest(parts(READY, []), 'networkFee')).toMatchObject([{ atMost: 0n }]);
  });

  it('count unbuilt stages at twice the highest current fee, if that is more', () => {
    // A config of two claimers has at most six transactions: 2 x 6 x 7,000.
    const stages = [decided('one', '7000'), first];
    expect(ofRequest(parts(SETUP, stages), 'networkFee')).toMatchObject([{ atMost: 84_000n }]);
    const many = Array.from({ length: 5 }, () => decided('one', '7000'));
    expect(ofRequest(parts(SETUP, many), 'networkFee')).toMatchObject([{ atMost: 140_000n }]);
    // Other payments are not network fees.
    const paying = decided('one', '5000', [paid('tip', 900_000n)]);
    expect(ofRequest(parts(READY, [paying]), 'networkFee')).toMatchObject([{ atMost: 20_000n }]);
  });

  it('allow a service fee to rise by a twentieth and no other payment', () => {
    const paying = decided('one', '5000', [paid('serviceFee', 1_000n), paid('tip', 1_000n)]);
    const { request } = parts(READY, [paying]);
    expect(request.filter((line) => line.id === 'pays' && line.why !== 'networkFee')).toEqual([
      { ...paid('serviceFee', 1_050n), source: 'request' },
    ]);
  });
});

describe('shares of a config with unbuilt stages', () => {
  const missing = (
    of: Partial<ExpectedOutcome> = {},
    readiness: Partial<Plan> = SETUP,
    more: readonly Line[] = [],
  ) =>
    runPartsOf(plan(readiness), HASH, [
      first,
      decided('two', '5000', more, { expectedOutcome: { ...expectedOutcome, ...of } }),
    ]).request.slice(1);

  it('equal the requested shares, with every claimer', () => {
    expect(missing()).toEqual([
      {
        ...{ id: 'pays', source: 'request', asset: 'SOL', atMost: 9_000n, to: CONFIG },
        ...{ owner: FEE_SHARE_PROGRAM, why: 'deposit', returns: 'never' },
      },
      {
        ...{ id: 'earns', source: 'request', party: WALLET, shareBps: 7_500 },
        from: MINT,
        of: 'fees',
        asset: 'SOL',
      },
      {
        ...{ id: 'earns', source: 'request', party: STRANGER, shareBps: 2_500 },
        from: MINT,
        of: 'fees',
        asset: 'SOL',
      },
      { id: 'earns', source: 'request', party: TREASURY, shareBps: null, from: MINT, of: 'partner' },
      {
        ...{ id: 'controls', source: 'request', right: 'fee shares' },
        of: MINT,
        party: STRANGER,
        asset: 'SOL',
      },
      { id: 'final', source: 'request', what: 'shares', of: MINT },
    ]);
  });

  it('have no partner and no manager if the request names none', () => {
    const ids = (of: Partial<ExpectedOutcome>) => missing(of).map((line) => line.id);
    expect(ids({ partner: undefined })).toEqual(['pays', 'earns', 'earns', 'controls', 'final']);
    for (const manager of [null, undefined])
      expect(ids({ manager })).toEqual(['pays', 'earns', 'earns', 'earns', 'final']);
  });

  it('cost at most what the lines do not already deposit', () => {
    const deposits = (amount: bigint) => missing({}, SETUP, [paid('deposit', amount), paid('tip', 9n)])[0];
    expect(deposits(4_000n)).toMatchObject({ why: 'deposit', atMost: 5_000n });
    expect(deposits(9_000n)).toMatchObject({ atMost: 0n });
    expect(deposits(10_000n)).toMatchObject({ atMost: 0n });
  });

  it('are omitted if every stage is built and for plans without a config', () => {
    expect(missing({}, READY)).toEqual([]);
    for (const none of [{ baseMint: undefined }, { quoteMint: undefined }, { claimers: undefined }])
      expect(missing(none)).toEqual([]);
    expect(runPartsOf(plan(SETUP), HASH, [first]).request).toHaveLength(1);
  });
});
