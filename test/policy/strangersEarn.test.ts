/** On public networks every template asks about claimers outside of wallets and address book (T64). */
import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { load } from './people.ts';
import { decide, stage, WALLET } from './recorded/stages.ts';

const network = GENESIS['mainnet-beta'] ?? '';
/** The same stage on a public network. */
const live = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  network,
  plan: { ...inputs.plan, mode: 'live', network },
});

const claimersOf = ({ plan: { request } }: DecisionInputs): readonly string[] =>
  (Array.isArray(request.claimersArray) ? request.claimersArray : []).map(String);

type Template = Parameters<typeof policyTemplate>[0];
const by = (template: Template, inputs: DecisionInputs, known: readonly string[] = []) => {
  const addressBook = known.map((address, i) => ({ label: `claimer ${i}`, address }));
  return decide(
    live(inputs),
    load({ ...policyTemplate(template, { wallet: WALLET, network }), addressBook }),
  );
};

const CONFIGS = ['plain config', 'config of many, first'].map((name) => [name, stage(name)] as const);
const SPLITS = ['manager update to fewer', 'manager update to more'].map(
  (name) => [name, stage(name)] as const,
);

describe('a config', () => {
  it.each(CONFIGS)('with claimers of unknown addresses asks and names them: %s', (_name, inputs) => {
    const strangers = claimersOf(inputs).filter((each) => each !== WALLET);
    const decision = by('creator', inputs);
    expect(strangers).not.toEqual([]);
    expect(decision).toMatchObject({ effect: 'require_approval', ruleId: 'fee-plans-for-others' });
    const named = decision.expectedOutcome?.claimers?.map(({ wallet }) => wallet);
    expect(named).toEqual(expect.arrayContaining(strangers));
  });

  it.each(CONFIGS)(
    'asks while one of many claimers is missing from the address book: %s',
    (_name, inputs) => {
      const others = claimersOf(inputs).filter((each) => each !== WALLET);
      expect(by('creator', inputs, others.slice(1)).effect).toBe('require_approval');
      expect(by('creator', inputs, others)).toMatchObject({ effect: 'allow', ruleId: 'fee-plans' });
    },
  );
});

describe('a changed split and a launch', () => {
  const launches = ['bare curve launch', 'direct launch'];

  it.each([...SPLITS, ...launches.map((name) => [name, stage(name)] as const)])(
    'ask for any claimer: %s',
    (_name, inputs) => {
      const { tipWallet } = inputs.plan.request;
      const tipped = typeof tipWallet === 'string' ? [tipWallet] : [];
      for (const book of [tipped, [...tipped, ...claimersOf(inputs)]]) {
        const { effect, binding } = by('creator', inputs, book);
        expect([effect, binding]).toEqual(['require_approval', 'exact']);
      }
    },
  );
});

it('the template for trading signs no config, no split and no launch', () => {
  for (const [, inputs] of [...CONFIGS, ...SPLITS]) {
    expect(by('trader', inputs, claimersOf(inputs))).toMatchObject({
      effect: 'deny',
      reasonCodes: expect.arrayContaining(['NO_RULE']),
    });
  }
});
