/** Cases, repeated decisions and replays on recorded inputs. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { parseCases, runCase } from '../../src/review/cases.ts';
import { redecide, unknownLimits } from '../../src/review/redecide.ts';
import { replay } from '../../src/review/replay.ts';
import { approvedView } from './approving.ts';
import { NOTHING_USED } from './people.ts';
import { policyWith, stage } from './recorded/stages.ts';

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
    decision: decide(inputs, policy, view),
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
    const first = decide(swap, askPolicy, NOTHING_USED);
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
      const decision = decide(inputs, usual, NOTHING_USED);
      expect(replay(decision, inputs, NOTHING_USED, [usual])).toEqual({ outcome: 'identical' });
    }
  });

  it('names the parts that differ', () => {
    const decision = decide(swap, usual, NOTHING_USED);
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
    const decision = decide(swap, usual, NOTHING_USED);
    expect(replay(decision, swap, NOTHING_USED, [policyWith(asking('swap'))])).toEqual({
      outcome: 'other_policy',
    });
  });

  it.each([
    ['there was none', undefined],
    ['it was not valid', { error: 'x' }],
    ['it had changed', { error: 'x', changed: true }],
  ] as const)('needs no file if %s', (_, policy) => {
    const decision = decide(swap, policy, NOTHING_USED);
    expect(replay(decision, swap, NOTHING_USED, [])).toEqual({ outcome: 'identical' });
  });
});
