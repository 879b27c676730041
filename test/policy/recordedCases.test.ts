/** Recorded cases, and the record of checks. */
import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decide as decideStage } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { parseCases, runCase } from '../../src/review/cases.ts';
import { redecide, unknownLimits } from '../../src/review/redecide.ts';
import { replay } from '../../src/review/replay.ts';
import { approvedView } from './approving.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { ATTACKER, decide as decideAny, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const swap = stage('swap of SOL');
const config = stage('plain config');
const usual = policyWith();

const asking = (operation: string) => (file: PolicyFile) => ({
  rules: file.rules.map((rule) =>
    rule.operation === operation ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

describe('a case file', () => {
  const file = (cases: unknown): string => JSON.stringify({ version: 1, cases }, null, 1);

  it('decides recorded inputs at another time and with other used amounts', () => {
    const night = policyWith((given) => ({
      rules: given.rules.map((rule) =>
        rule.operation === 'swap'
          ? { ...rule, hours: { from: '07:00', to: '22:00', timeZone: 'UTC' } }
          : rule,
      ),
    }));
    const parsed = parseCases(
      file([
        {
          name: 'by day',
          decision: 'decision-7',
          time: '2026-01-31T12:00:00Z',
          expect: { effect: 'allow', rule: 'trade' },
        },
        {
          name: 'by night',
          decision: 'decision-7',
          time: '2026-01-31T23:00:00Z',
          expect: { effect: 'deny', codes: ['NO_RULE'] },
        },
        {
          name: 'when the day is spent',
          decision: 'decision-7',
          time: '2026-01-31T12:00:00Z',
          view: { used: { 'sol-day': '99999999999' } },
          expect: { effect: 'deny', codes: ['LIMIT_EXCEEDED'] },
        },
      ]),
    );
    if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
    for (const each of parsed.cases) {
      expect(runCase(each, night, { inputs: swap, view: NOTHING_USED })).toMatchObject({
        name: each.name,
        ok: true,
        problems: [],
      });
    }
  });

  it('reports differences', () => {
    const parsed = parseCases(
      file([
        { name: 'x', decision: 'decision-7', expect: { effect: 'deny', codes: ['FROZEN'], rule: 'other' } },
      ]),
    );
    if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
    const [each] = parsed.cases;
    if (each === undefined) throw new Error('no case');
    expect(runCase(each, usual, { inputs: swap, view: NOTHING_USED }).problems).toEqual([
      'effect: expected deny, got allow',
      'codes: expected FROZEN, got none',
      'rule: expected other, got trade',
    ]);
    expect(runCase(each, usual, undefined)).toMatchObject({
      ok: false,
      problems: ['The inputs of decision-7 are not in this home.'],
    });
  });

  it.each([
    ['{', 1, /./],
    ['{ "version": 1, "cases": [] }', 1, /cases/],
    [file([{ name: 'x', expect: { effect: 'allow' } }]), 4, /decision-12/],
    [
      file([{ name: 'x', decision: 'decision-7', view: { used: { a: 5 } }, expect: { effect: 'deny' } }]),
      9,
      /used/,
    ],
    [file([{ name: 'x', decision: '7', expect: { effect: 'allow' } }]), 6, /decision-12/],
    [file([{ name: 'x', decision: 'decision-7', expect: { effect: 'maybe' } }]), 8, /effect/],
    [file([{ name: 'x', decision: 'decision-7', expects: 1, expect: { effect: 'allow' } }]), 4, /expects/],
  ])('is refused with its line: %s', (text, line, message) => {
    const parsed = parseCases(text);
    if (!('errors' in parsed)) throw new Error('accepted');
    expect(parsed.errors[0]).toMatchObject({ line });
    expect(parsed.errors[0]?.message).toMatch(message);
  });
});

describe('a recorded decision under another policy', () => {
  const recorded = (inputs: DecisionInputs, policy: LoadedPolicy, view = NOTHING_USED) => ({
    decision: decideStage(inputs, policy, view),
    inputs,
    view,
  });

  it('changes only if the files differ for it', () => {
    const next = policyWith(asking('swap'));
    expect(redecide(recorded(swap, usual), usual, next)).toMatchObject({
      changed: true,
      before: { effect: 'allow', ruleId: 'trade' },
      after: { effect: 'require_approval', reasonCodes: ['APPROVAL_REQUIRED'] },
    });
    expect(redecide(recorded(config, usual), usual, next).changed).toBe(false);
  });

  it('keeps a given approval, so that an unrelated change makes no difference', () => {
    const askPolicy = policyWith(asking('swap'));
    const first = decideStage(swap, askPolicy, NOTHING_USED);
    const view = approvedView(first, swap);
    const approved = recorded(swap, askPolicy, view);
    expect(approved.decision.effect).toBe('allow');
    const renamed = policyWith((file) => ({ ...asking('swap')(file), id: 'renamed' }));
    expect(redecide(approved, askPolicy, renamed)).toMatchObject({
      changed: false,
      after: { effect: 'allow' },
    });
    // Without a recorded approval none is invented.
    expect(redecide(recorded(swap, askPolicy), askPolicy, renamed).after.effect).toBe('require_approval');
  });

  it('carries used amounts over to a limit of the same kind under another id', () => {
    const spent = { used: { 'sol-day': '99999999999' } };
    const renamed = policyWith((file) => ({
      limits: file.limits.map((limit) => (limit.id === 'sol-day' ? { ...limit, id: 'per-day' } : limit)),
    }));
    const found = redecide(recorded(swap, usual, spent), usual, renamed);
    expect(found).toMatchObject({
      changed: false,
      after: { effect: 'deny', reasonCodes: ['LIMIT_EXCEEDED'] },
    });
    expect(unknownLimits(usual.policy, renamed.policy)).toEqual([]);
    const weekly = policyWith((file) => ({
      limits: [...file.limits, { id: 'sol-week', asset: 'SOL', window: { rolling: '7d' }, max: '5' }],
    }));
    expect(unknownLimits(usual.policy, weekly.policy)).toEqual(['sol-week']);
  });
});

describe('a replay', () => {
  it('is identical for the same inputs, view and policy', () => {
    for (const inputs of [swap, config]) {
      const decision = decideStage(inputs, usual, NOTHING_USED);
      expect(replay(decision, inputs, NOTHING_USED, [usual])).toEqual({ outcome: 'identical' });
    }
  });

  it('names the parts that differ', () => {
    const decision = decideStage(swap, usual, NOTHING_USED);
    const forged = { ...decision, effect: 'deny' as const, feeLamports: '1' };
    expect(replay(forged, swap, NOTHING_USED, [usual])).toMatchObject({
      outcome: 'different',
      parts: ['effect', 'feeLamports'],
      now: decision,
    });
    expect(replay(decision, { ...swap, time: swap.time + 1 }, NOTHING_USED, [usual])).toMatchObject({
      parts: ['inputsDigest'],
    });
  });

  it('needs the policy with the recorded hash', () => {
    const decision = decideStage(swap, usual, NOTHING_USED);
    expect(replay(decision, swap, NOTHING_USED, [policyWith(asking('swap'))])).toEqual({
      outcome: 'other_policy',
    });
  });

  it.each([
    ['there was none', undefined],
    ['it was not valid', { error: 'x' }],
    ['it had changed', { error: 'x', changed: true }],
  ] as const)('needs no file if %s', (_, policy) => {
    const decision = decideStage(swap, policy, NOTHING_USED);
    expect(replay(decision, swap, NOTHING_USED, [])).toEqual({ outcome: 'identical' });
  });
});

const read = inputs.stage.transaction.read();
const of = ({ checks }: Decision, name: string) => checks.find(({ id }) => id === name);
const declared = (more: DecisionInputs['stage']['declared']): Partial<DecisionInputs> => ({
  stage: { ...inputs.stage, declared: { ...inputs.stage.declared, ...more } },
});

describe('the record of transaction bytes', () => {
  it('keeps their length, or the reason why they do not have exactly one decoding', () => {
    expect(of(decide(), 'canonicalBytes')).toEqual({
      id: 'canonicalBytes',
      ok: true,
      observed: `${read.bytes.length} bytes`,
    });
    const broken = decide({ stage: { ...inputs.stage, transaction: new DecodedStage('AAAA') } });
    expectDenied(broken, 'NONCANONICAL_BYTES');
    expect(explain(broken)).toMatch(/^The transaction bytes are not in the canonical encoding \(.+\)\.$/);
  });

  it('keeps both hashes if the declared one differs', () => {
    const other = 'ab'.repeat(32);
    expect(explain(decide(declared({ messageSha256: other })))).toBe(
      `The message hash stated by the service is not the hash of the transaction (${read.messageSha256}; allowed: ${other}).`,
    );
  });

  it('keeps the signers, and the declared ones if they differ', () => {
    const name = 'declaredSigners';
    const signers = read.staticAccounts.slice(0, read.numRequiredSignatures);
    expect(of(decide(), name)).toEqual({ id: name, ok: true, observed: signers.join(', ') });
    const others = [WALLET, ATTACKER];
    expect(explain(decide(declared({ requiredSigners: others })))).toBe(
      `The signers are not the ones the service declares (${signers.join(', ')}; allowed: ${others.join(', ')}).`,
    );
  });

  it('counts valid signatures', () => {
    const name = 'signaturesValid';
    // A config has a signature of the service; a payment has only the wallet's slot.
    expect(of(decide(), name)?.observed).toBe('1 valid');
    expect(of(decideAny(stage('payment of SOL')), name)?.observed).toBe('0 valid');
  });

  it('keeps both blockhashes, and a declared height if displayable', () => {
    const other = keyNamed('another blockhash').address;
    const wrong = of(decide(declared({ blockhash: other })), 'declaredBlockhash');
    expect(wrong).toMatchObject({ ok: false, observed: read.blockhash, allowed: other });
    const height = of(decide(declared({ lastValidBlockHeight: '12 or so' })), 'declaredHeight');
    expect(height).toMatchObject({ ok: false, observed: 'a text of 8 characters' });
  });

  it('gives the reason for an unknown fee', () => {
    const twice = [1, 2].map((units) =>
      encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units } }),
    );
    const decision = decide(rewritten(inputs, (list) => list, { budget: twice }));
    expect(of(decision, 'feeKnown')).toMatchObject({ ok: false, observed: expect.stringMatching(/\w+ \w+/) });
  });
});

describe('the record of stage order', () => {
  const name = 'stagesLanded';
  const second = stage('config of many, second');
  const [first, mine] = second.siblings;
  if (first === undefined || mine === undefined) throw new Error('two stages');
  const beside = (...statuses: readonly (typeof first.status)[]) => ({
    ...second,
    stage: { ...second.stage, dependsOn: statuses.map((_, i) => `config-${i}`) },
    siblings: [
      mine,
      ...statuses.map((status, i) => ({ stage: { ...first.stage, id: `config-${i}` }, status })),
    ],
  });

  it('keeps the number of stages that have not landed, and nothing if all have', () => {
    expect(of(decideAny(beside('finalized', 'confirmed')), name)).toEqual({ id: name, ok: true });
    const open = decideAny(beside('sent', 'confirmed', 'ready'));
    expect(of(open, name)).toMatchObject({
      ok: false,
      code: 'STAGE_ORDER',
      observed: '2 earlier stages have not landed',
    });
  });

  it('keeps the previously signed message', () => {
    const earlier = { messageSha256: 'cd'.repeat(32), status: 'sent' } as const;
    const name = 'stageUnsigned';
    expect(of(decide(), name)).toEqual({ id: name, ok: true });
    const view: LedgerView = { ...NOTHING_USED, earlier };
    expect(of(decide({}, view), name)).toMatchObject({
      ok: false,
      code: 'IN_DOUBT',
      observed: earlier.messageSha256,
    });
  });

  it('keeps both networks if the policy or the plan is for another', () => {
    const network = keyNamed('another network').address;
    const elsewhere = under((file) => ({ ...file, network }));
    expect(explain(elsewhere)).toBe(
      `The policy is for another network than the one in use (${inputs.network}; allowed: ${network}).`,
    );
    const planned = decide({ plan: { ...inputs.plan, network: 'another' } });
    expect(of(planned, 'planNetwork')).toMatchObject({
      ok: false,
      observed: 'another',
      allowed: inputs.network,
    });
  });
});

describe('the record of the limits', () => {
  const payment = stage('payment of USDC');
  const limited = (limits: ReturnType<typeof policyWith>['policy']['limits']) =>
    decideAny(
      payment,
      policyWith(() => ({ addressBook: [{ label: 'friend', address: keyNamed('friend').address }], limits })),
    );

  it('refuses a paid token without a limit: only a sale asks the owner', () => {
    const sol = { id: 'sol', asset: 'SOL', window: 'transaction', max: '1000000000' } as const;
    const any = { id: 'tokens', asset: 'any', window: 'transaction', max: '1000000000000' } as const;
    expectDenied(limited([sol]), 'LIMIT_EXCEEDED');
    expect(limited([sol, any]).reasonCodes).toEqual(['APPROVAL_REQUIRED']);
  });

  it('keeps counts as numbers', () => {
    const view = { used: { often: '3' } };
    const often = policyWith((file) => ({
      ...file,
      limits: [...file.limits, { id: 'often', count: 'any', window: { rolling: '1h' }, max: 3 }],
    }));
    expect(decide({}, view, often).checks.find(({ params }) => params?.limitId === 'often')).toMatchObject({
      ok: false,
      code: 'RATE_LIMITED',
      observed: '3 used and 1 more',
      allowed: '3',
    });
  });
});
