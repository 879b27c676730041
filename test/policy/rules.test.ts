/** The deciding rule. */

import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain, remedyOf } from '../../src/presentation/decisions/explain.ts';
import { expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { decide as decidedOn, decideUnder, policyWith, stage } from './recorded/stages.ts';

describe('rules', () => {
  const rules =
    (...list: PolicyFile['rules']) =>
    (file: PolicyFile) => ({ ...file, rules: list });
  const rule = (more: object): PolicyFile['rules'][number] => ({
    id: 'r',
    operation: 'config',
    effect: 'allow',
    claimers: 'any',
    admin: 'any',
    why: 'test',
    ...more,
  });

  it('an operation without a rule is denied (NO_RULE)', () => {
    const other = { id: 'x', operation: 'swap', effect: 'allow', why: 'test' } as const;
    expectDenied(under(rules(other)), 'NO_RULE', 'policy');
  });

  it('a matching denial takes precedence at any position', () => {
    const deny = { id: 'no', operation: 'config', effect: 'deny', why: 'not today' } as const;
    for (const list of [
      [deny, rule({})],
      [rule({}), deny],
    ]) {
      const decision = under(rules(...list));
      expectDenied(decision, 'NO_RULE');
      expect(explain(decision)).toContain('rule no');
    }
  });

  it('otherwise the first matching rule decides', () => {
    const own = rule({ id: 'own', claimers: 'own' });
    const askRule = rule({ id: 'asks', effect: 'require_approval' });
    expect(under(rules(own, askRule))).toMatchObject({ effect: 'require_approval', ruleId: 'asks' });
    expect(under(rules(rule({ id: 'first' }), askRule))).toMatchObject({ effect: 'allow', ruleId: 'first' });
  });

  it('claimers outside wallets and address book earn together no more than a rule allows (T64)', () => {
    const { claimersArray, basisPointsArray } = inputs.plan.request as {
      claimersArray: string[];
      basisPointsArray: number[];
    };
    const own = inputs.plan.wallet;
    const others = claimersArray.reduce(
      (sum, wallet, i) => sum + (wallet === own ? 0 : (basisPointsArray[i] ?? 0)),
      0,
    );
    expect(others).toBeGreaterThan(0);
    const askRule = rule({ id: 'asks', effect: 'require_approval' });
    const bounded = (maxOthersBps: number) => under(rules(rule({ maxOthersBps }), askRule));
    expect(bounded(others)).toMatchObject({ effect: 'allow', ruleId: 'r' });
    expect(bounded(others - 1)).toMatchObject({ effect: 'require_approval', ruleId: 'asks' });
    const refused = under(rules(rule({ maxOthersBps: 0 })));
    expectDenied(refused, 'RECIPIENT_NOT_ALLOWED', 'policy');
    expect(explain(refused)).toContain(claimersArray.find((wallet) => wallet !== own));
    const addressBook = claimersArray.map((address, i) => ({ label: `claimer ${i}`, address }));
    expect(under((file) => ({ ...rules(rule({ maxOthersBps: 0 }))(file), addressBook })).effect).toBe(
      'allow',
    );
  });

  it("recipients are of the rule's class (T64)", () => {
    const stranger = keyNamed('claimer 1').address;
    const decision = under(rules(rule({ claimers: 'own' })));
    expectDenied(decision, 'RECIPIENT_NOT_ALLOWED', 'policy');
    expect(explain(decision)).toContain(stranger);
    expectDenied(under(rules(rule({ claimers: undefined }))), 'RECIPIENT_NOT_ALLOWED');
    const known = (file: PolicyFile): PolicyFile => ({
      ...file,
      rules: [rule({ claimers: undefined, admin: 'own' })],
      addressBook: [{ label: 'partner in crime', address: stranger }],
    });
    const allowed = under(known);
    expect(allowed.effect).toBe('allow');
    expect(allowed.recipients).toContainEqual({
      address: stranger,
      role: 'claimer',
      label: 'partner in crime',
    });
  });

  it('apply within their hours, also across midnight', () => {
    const at = (time: string) => ({ time: Date.parse(`2026-11-21T${time}:00Z`) });
    const day = rules(rule({ hours: { from: '09:00', to: '17:00', timeZone: 'UTC' } }));
    expect(under(day, NOTHING_USED, at('09:00')).effect).toBe('allow');
    expect(under(day, NOTHING_USED, at('16:59')).effect).toBe('allow');
    expectDenied(under(day, NOTHING_USED, at('17:00')), 'NO_RULE');
    const night = rules(rule({ hours: { from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' } }));
    expect(under(night, NOTHING_USED, at('21:00')).effect).toBe('allow');
    expect(under(night, NOTHING_USED, at('04:59')).effect).toBe('allow');
    expectDenied(under(night, NOTHING_USED, at('12:00')), 'NO_RULE');
  });

  it('do not apply to a wallet of this home that the policy does not name', () => {
    const elsewhere = (file: PolicyFile) => ({
      ...file,
      wallets: [{ label: 'x', address: keyNamed('x').address }],
    });
    expectDenied(under(elsewhere), 'NO_RULE');
  });
});

describe('a rule that does not match is explained', () => {
  const explanation = (inputs: DecisionInputs, ...rules: PolicyFile['rules']) =>
    decideUnder(inputs, () => ({ rules }))
      .checks.filter(({ ok, id }) => !ok || id === 'ruleCovers')
      .map(({ id, params, observed, allowed, code }) => [code, params?.role ?? id, observed, allowed]);
  const why = 'test';

  it('for the closest of several, the first among equals', () => {
    const far = {
      id: 'far',
      operation: 'config',
      effect: 'allow',
      claimers: 'own',
      admin: 'own',
      partner: 'own',
      tip: 'own',
      why,
    } as const;
    const near = { ...far, id: 'near', claimers: 'any', admin: 'any', partner: 'any' } as const;
    const tip = keyNamed('tip').address;
    const wanted = [['RECIPIENT_NOT_ALLOWED', 'tip', tip, 'own']];
    const v0 = stage('config v0');
    expect(explanation(v0, far, near)).toEqual(wanted);
    expect(explanation(v0, near, far)).toEqual(wanted);
    expect(explanation(v0, { ...near, id: 'book', tip: 'addressBook' }, near)).toEqual([
      ['RECIPIENT_NOT_ALLOWED', 'tip', tip, 'addressBook'],
    ]);
    expect(explanation(v0, far).map(([, check]) => check)).toEqual(['claimer', 'admin', 'partner', 'tip']);
    expect(explanation(v0, { ...near, tip: 'any' })).toEqual([
      [undefined, 'ruleCovers', 'rule near', undefined],
    ]);
  });

  it('with an omitted role covering the address book and wallets', () => {
    const rule = { id: 'r', operation: 'launch', effect: 'allow', why } as const;
    const roles = explanation(stage('custody launch'), rule).flatMap(([, check, , allowed]) =>
      ['feeClaimer', 'partner'].includes(String(check)) ? [[check, allowed]] : [],
    );
    expect(roles).toEqual([
      ['partner', 'addressBook'],
      ['feeClaimer', 'addressBook'],
    ]);
    expect(
      explanation(stage('custody launch'), { ...rule, feeClaimer: 'any', partner: 'any' }).map(
        ([, check]) => check,
      ),
    ).toContain('ruleCovers');
    expect(
      explanation(stage('direct launch'), { ...rule, tip: 'any', claimers: 'own', admin: 'own' })[0]?.[1],
    ).toBe('ruleCovers');
    expect(explanation(stage('direct launch'), rule).map(([, check]) => check)).toEqual(['tip']);
    const update = { id: 'u', operation: 'manager_update', effect: 'allow', why } as const;
    expect(explanation(stage('manager update to fewer'), update).map(([, check]) => check)).toEqual([
      'claimer',
    ]);
    expect(explanation(stage('manager update to fewer'), { ...update, claimers: 'any' })[0]?.[1]).toBe(
      'ruleCovers',
    );
  });

  it("if the recipient of a payment is outside the rule's class", () => {
    const payment = stage('payment of SOL');
    const [friend] = decidedOn(payment).recipients;
    const addressBook = [{ label: 'friend', address: friend?.address ?? '' }];
    const rule = { id: 's', operation: 'send', effect: 'allow', why } as const;
    const found = (recipient: 'own' | 'addressBook') =>
      decideUnder(payment, () => ({ addressBook, rules: [{ ...rule, recipient }] })).checks.filter(
        ({ id }) => id === 'recipientAllowed' || id === 'ruleCovers',
      );
    expect(found('addressBook')).toEqual([{ id: 'ruleCovers', ok: true, observed: 'rule s' }]);
    expect(found('own')).toEqual([
      {
        id: 'recipientAllowed',
        ok: false,
        code: 'RECIPIENT_NOT_ALLOWED',
        params: { role: 'recipient', only: 'own' },
        observed: friend?.address,
        allowed: 'own',
      },
    ]);
  });

  it('after the wallet is checked against the policy', () => {
    const stranger = policyWith(() => ({ wallets: [{ label: 'x', address: keyNamed('x').address }] }));
    const decision = evaluate(inputs, stranger, NOTHING_USED);
    expect(decision.checks).toContainEqual({
      id: 'walletListed',
      ok: false,
      code: 'NO_RULE',
      observed: inputs.plan.wallet,
    });
    expect(decision.checks.map(({ id }) => id)).not.toContain('ruleCovers');
  });

  it('for any wallet of the policy', () => {
    const two = policyWith((file) => ({
      wallets: [...file.wallets, { label: 'x', address: keyNamed('x').address }],
    }));
    expect(evaluate(inputs, two, NOTHING_USED).effect).toBe('allow');
  });

  it('and an inactive denial does not cover the operation', () => {
    const hours = { from: '03:00', to: '04:00', timeZone: 'UTC' };
    const noon = { ...inputs, time: Date.parse('2026-11-21T12:00:00Z') };
    expect(explanation(noon, { id: 'no', operation: 'config', effect: 'deny', hours, why })).toEqual([
      ['NO_RULE', 'ruleCovers', 'config', undefined],
    ]);
  });

  it('with the operation and what to add, if no rule names it', () => {
    const decision = under((file) => ({
      ...file,
      rules: file.rules.filter(({ operation }) => operation !== 'config'),
    }));
    expect(decision.checks).toContainEqual({
      id: 'ruleCovers',
      ok: false,
      code: 'NO_RULE',
      observed: 'config',
    });
    expect(remedyOf(decision)).toBe('A person can add a rule for "config" to the policy file.');
    expect(decision).not.toHaveProperty('ruleId');
  });

  it('and a denial is named with its rule and applies within its hours only', () => {
    const denyRule = { id: 'no', operation: 'config', effect: 'deny', why } as const;
    const allowRule = {
      id: 'yes',
      operation: 'config',
      effect: 'allow',
      claimers: 'any',
      admin: 'any',
      why,
    } as const;
    const never = { ...denyRule, operation: 'swap' } as const;
    const hours = { from: '03:00', to: '04:00', timeZone: 'UTC' };
    const at = (time: string) => ({ ...inputs, time: Date.parse(`2026-11-21T${time}:00Z`) });
    expect(explanation(inputs, allowRule, denyRule)).toEqual([
      ['NO_RULE', 'noRuleDenies', 'rule no', undefined],
    ]);
    expect(explanation(inputs, allowRule, never)[0]?.[2]).toBe('rule yes');
    expect(explanation(at('03:30'), allowRule, { ...denyRule, hours })[0]?.[1]).toBe('noRuleDenies');
    expect(explanation(at('04:00'), allowRule, { ...denyRule, hours })[0]?.[2]).toBe('rule yes');
    const refused = decideUnder(inputs, () => ({ rules: [denyRule] }));
    expect(refused).toMatchObject({ effect: 'deny', ruleId: 'no' });
    expect(remedyOf(refused)).toBe('A person can change the rule "no" in the policy file.');
  });

  it('with its hours if it is outside them', () => {
    const rule = {
      id: 'r',
      operation: 'config',
      effect: 'allow',
      claimers: 'any',
      admin: 'any',
      why,
    } as const;
    const hours = { from: '03:00', to: '04:00', timeZone: 'Asia/Tokyo' };
    const noon = { ...inputs, time: Date.parse('2026-11-21T12:00:00Z') };
    expect(explanation(noon, { ...rule, hours })).toEqual([
      ['NO_RULE', 'withinHours', undefined, '03:00 to 04:00 Asia/Tokyo'],
    ]);
  });
});
