/** Which rule decides. */
import { describe, expect, it } from 'vitest';
import type { PolicyFile } from '../../src/policy/schema.ts';
import { expectDenied, under } from './deciding.ts';
import { NOTHING_USED, somebody } from './people.ts';

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

  it('none for the operation: denied', () => {
    const other = { id: 'x', operation: 'swap', effect: 'allow', why: 'test' } as const;
    expectDenied(under(rules(other)), 'NO_RULE', 'policy');
  });

  it('a denial wins wherever it stands', () => {
    const deny = { id: 'no', operation: 'config', effect: 'deny', why: 'not today' } as const;
    for (const list of [
      [deny, rule({})],
      [rule({}), deny],
    ]) {
      const decision = under(rules(...list));
      expectDenied(decision, 'NO_RULE');
      expect(decision.explain).toContain('rule no');
    }
  });

  it('the first whose conditions hold decides', () => {
    const own = rule({ id: 'own', claimers: 'own' });
    const asks = rule({ id: 'asks', effect: 'require_approval' });
    expect(under(rules(own, asks))).toMatchObject({ effect: 'require_approval', ruleId: 'asks' });
    expect(under(rules(rule({ id: 'first' }), asks))).toMatchObject({ effect: 'allow', ruleId: 'first' });
  });

  it('recipients are of the class the rule says (T64)', () => {
    const stranger = somebody('claimer 1').address;
    const decision = under(rules(rule({ claimers: 'own' })));
    expectDenied(decision, 'RECIPIENT_NOT_ALLOWED', 'policy');
    expect(decision.explain).toContain(stranger);
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

  it('hold within their hours, also over midnight', () => {
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

  it('a wallet of this home that the policy does not name has none', () => {
    const elsewhere = (file: PolicyFile) => ({
      ...file,
      wallets: [{ label: 'x', address: somebody('x').address }],
    });
    expectDenied(under(elsewhere), 'NO_RULE');
  });
});
