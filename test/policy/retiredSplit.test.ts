/** The retired split of two wallets as it is recorded (T94): what a person is told where the bytes do not say how it is split. */
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/policy/decide/types.ts';
import { FEE_SHARE_V1_PROGRAM } from '../../src/programs/feeShareV1/addresses.ts';
import { asked } from './recorded/edits.ts';
import { ATTACKER, decide, embeddedWith, policyFor, rewritten, stage, WALLET } from './recorded/stages.ts';
import { told } from './recorded/sweep.ts';

const NAME = 'retired config of two';
const two = stage(NAME);
const one = stage('retired config');
const HOW_MUCH = 'how much of it each of the two wallets gets: a program that is not read writes it down';
/** The policy without the sentence that play money may be risked on what is not read. */
const careful = embeddedWith(({ rules }) => ({
  rules: rules.map((rule) => ('unread' in rule ? { ...rule, unread: undefined } : rule)),
}));
/** The stage without the call that writes the split down: what is left is read whole. */
const alone = rewritten(two, (list) =>
  list.filter(({ programAddress }) => programAddress !== FEE_SHARE_V1_PROGRAM),
);

describe('a retired config of two wallets', () => {
  it('is asked about although every instruction of the stage is read: they do not say who gets how much', () => {
    const decision = decide(alone, careful);
    expect(told(decision)).toContain(`APPROVAL_REQUIRED: a person approved this (${HOW_MUCH})`);
    expect(decision.expectation).toMatchObject({
      baseMint: two.plan.request.baseMint,
      quoteMint: two.plan.request.quoteMint,
      earners: [
        { wallet: WALLET, bps: 4000 },
        { wallet: two.plan.request.walletB, bps: 6000 },
      ],
      open: [HOW_MUCH],
    });
  });

  it('of one wallet leaves nothing open', () => {
    expect(told(decide(one, careful))).toMatch(/^allow/);
    const asking = embeddedWith(({ rules }) => ({
      rules: rules.map((rule) => ({ ...rule, effect: 'require_approval', why: 'a test' })),
    }));
    const { expectation } = decide(one, asking);
    expect(expectation?.open).toEqual([]);
    expect(expectation).not.toHaveProperty('baseMint');
  });

  it('comes in either of the formats that are older than v1, and in no other', () => {
    const inFormat = (facts: Facts, format: 'legacy' | 'v0' | 'v1'): string =>
      told(
        decide(
          rewritten({ ...facts, stage: { ...facts.stage, format } }, (list) => list, {
            format,
            ...(format === 'v1' ? { budget: [], config: { computeUnitLimit: 200_000 } } : {}),
          }),
          policyFor(NAME),
        ),
      );
    for (const facts of [one, two]) {
      expect(inFormat(facts, 'legacy')).toMatch(/^allow/);
      expect(inFormat(facts, 'v0')).not.toContain('FORMAT_MISMATCH');
      expect(inFormat(facts, 'v1')).toContain('FORMAT_MISMATCH');
    }
  });

  it.each(['walletA', 'walletB', 'baseMint'])('is refused where the request names no %s', (name) => {
    const without = asked(two, { [name]: undefined });
    expect(told(decide(without, policyFor(NAME)))).toMatch(/^deny/);
    const text = told(decide(asked(two, { [name]: ATTACKER }), policyFor(NAME)));
    expect(text).toContain('REQUEST_MISMATCH: bytes match the request: who earns from the curve');
  });
});
