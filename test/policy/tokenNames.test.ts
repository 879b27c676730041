/** A launched token must have the name that this home registered; on public networks an unregistered one asks (T137). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { load } from './people.ts';
import { decide, policyWith, stage, WALLET } from './recorded/stages.ts';

const REGISTERED = { name: 'Token', symbol: 'TKN' };
const NAMES_IT = ['custody token', 'direct launch, token', 'bare curve launch'];
const allowsAll = policyWith((file) => file);
const registeredAs = (
  { named: _recorded, ...inputs }: DecisionInputs,
  named: DecisionInputs['named'],
): DecisionInputs => ({
  ...inputs,
  ...(named === undefined ? {} : { named }),
});

describe.each(NAMES_IT)('a launch that names its token: %s', (name) => {
  const launch = stage(name);

  it('is allowed under the registered names', () => {
    const decision = decide(registeredAs(launch, REGISTERED), allowsAll);
    expect(decision.effect).toBe('allow');
  });

  it.each([
    ['token name', { ...REGISTERED, name: 'Tokem' }],
    ['token symbol', { ...REGISTERED, symbol: 'TKM' }],
  ])('is refused with another %s', (wrong, named) => {
    const decision = decide(registeredAs(launch, named), allowsAll);
    expect(decision.effect).toBe('deny');
    expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(explain(decision)).toContain(wrong);
    expect(explain(decision)).toContain('the registered text');
  });
});

describe('in live mode', () => {
  const mainnet = GENESIS['mainnet-beta'] ?? '';
  const policy = load(policyTemplate('sandbox', { wallet: WALLET, network: mainnet }));
  const curve = stage('bare curve launch').accounts.find(
    ({ address }) => address === stage('bare curve launch').plan.request.configKey,
  );
  const terms = curve && readAs(poolConfig, { owner: curve.owner, data: Buffer.from(curve.data, 'base64') });
  if (terms === undefined || typeof terms === 'string') throw new Error('no terms of a curve');
  /** Returns the inputs in live mode. The receiver of leftover supply is a known address, so that it does not ask. */
  const live = (launch: DecisionInputs, named?: DecisionInputs['named']): DecisionInputs => ({
    ...registeredAs(launch, named),
    serviceAddresses: [{ label: 'treasury', address: terms.leftoverReceiver }],
    mode: 'live',
    network: mainnet,
    plan: { ...launch.plan, mode: 'live', network: mainnet },
  });
  /** Returns the reasons of the question and the codes of a refusal, if any. */
  const askReasons = (inputs: DecisionInputs) => {
    const { checks, reasonCodes } = decide(inputs, policy);
    return [reasonCodes, checks.find(({ code, ok }) => code === 'NAME_UNREGISTERED' && !ok)?.id ?? ''];
  };

  it.each(NAMES_IT)('a token registered elsewhere asks the owner, whatever the rule allows: %s', (name) => {
    const [codes, why] = askReasons(live(stage(name)));
    expect(codes).toContain('NAME_UNREGISTERED');
    expect(why).not.toBe('');
    // A name registered by this home does not ask.
    const [others, none] = askReasons(live(stage(name), REGISTERED));
    expect([others?.includes('NAME_UNREGISTERED'), none]).toEqual([false, '']);
  });

  it.each(['direct launch', 'direct launch, end', 'plain config'])(
    'a stage that names no token does not ask about its name: %s',
    (name) => {
      expect(askReasons(live(stage(name)))[1]).toBe('');
    },
  );
});
