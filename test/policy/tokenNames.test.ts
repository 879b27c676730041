/** A launched token is called what it was registered as here; where money is real, another one asks a person (T137). */
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { policyTemplate } from '../../src/policy/file/templates.ts';
import { load } from './people.ts';
import { decide, policyWith, stage, WALLET } from './recorded/stages.ts';

const REGISTERED = { name: 'Token', symbol: 'TKN' };
const NAMES_IT = ['custody token', 'direct launch, token', 'bare curve launch'];
const allowsAll = policyWith((file) => file);
const registeredAs = (facts: Facts, named: Facts['named']): Facts => ({
  ...facts,
  ...(named === undefined ? {} : { named }),
});

describe.each(NAMES_IT)('a launch that names the token: %s', (name) => {
  const launch = stage(name);

  it('is allowed under the names it was registered by', () => {
    const decision = decide(registeredAs(launch, REGISTERED), allowsAll);
    expect(decision.effect).toBe('allow');
  });

  it.each([
    ['name of the token', { ...REGISTERED, name: 'Tokem' }],
    ['symbol of the token', { ...REGISTERED, symbol: 'TKM' }],
  ])('is refused with another %s', (wrong, named) => {
    const decision = decide(registeredAs(launch, named), allowsAll);
    expect(decision.effect).toBe('deny');
    expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(decision.explain).toContain(wrong);
    expect(decision.explain).toContain('what it was registered as');
  });
});

describe('where money is real', () => {
  const mainnet = GENESIS['mainnet-beta'] ?? '';
  const policy = load(policyTemplate('sandbox', { wallet: WALLET, network: mainnet }));
  const launch = stage('direct launch, token');
  const live = (named: Facts['named']): Facts => ({
    ...registeredAs(launch, named),
    mode: 'live',
    network: mainnet,
    plan: { ...launch.plan, mode: 'live', network: mainnet },
  });

  it('a token that was registered elsewhere asks a person, whatever the rule allows', () => {
    const decision = decide(live(undefined), policy);
    expect(decision).toMatchObject({ effect: 'require_approval', reasonCodes: ['APPROVAL_REQUIRED'] });
    expect(decision.explain).toContain('the token was not registered here');
  });

  it('one that was registered here does not', () => {
    expect(decide(live(REGISTERED), policy).effect).toBe('allow');
  });

  it('a stage that names no token does not ask about its name', () => {
    const later = stage('direct launch');
    const decision = decide(
      { ...later, mode: 'live', network: mainnet, plan: { ...later.plan, mode: 'live', network: mainnet } },
      policy,
    );
    expect(decision.explain).not.toContain('was not registered here');
  });
});
