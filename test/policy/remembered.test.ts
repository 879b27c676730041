/** What is worked out once and remembered gives the same decision, and never that of another policy, wallet or plan. */
import { describe, expect, it } from 'vitest';
import { sealFacts } from '../../src/policy/decide/factsDigest.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import { keyNamed } from './people.ts';
import { decide, policyWith, stage } from './recorded/stages.ts';

const plain = stage('plain config');
const sealed = sealFacts(structuredClone(plain));
const [, friend = ''] = plain.plan.request.claimersArray as readonly string[];

describe('sealed facts', () => {
  it('are decided the same, again and again', () => {
    const first = JSON.stringify(decide(plain));
    for (let i = 0; i < 3; i++) expect(JSON.stringify(decide(sealed))).toBe(first);
  });

  it('name people by the labels of the policy at hand', () => {
    const named = (label: string) => policyWith(() => ({ addressBook: [{ label, address: friend }] }));
    const [one, two] = [named('one'), named('two')];
    const label = (policy = one) =>
      decide(sealed, policy).recipients.find(({ address }) => address === friend)?.label;
    expect([label(one), label(two), label(one), label(one), label(policyWith())]).toEqual([
      'one',
      'two',
      'one',
      'one',
      undefined,
    ]);
  });

  it('find a lookalike under the policy that knows a similar address, before and after one that does not', () => {
    const alike = `${friend.slice(0, 4)}${[...friend.slice(4, -4)].map((c) => (c === 'A' ? 'B' : 'A')).join('')}${friend.slice(-4)}`;
    const knows = policyWith(() => ({ addressBook: [{ label: 'near', address: alike }] }));
    const codes = (policy = knows) => decide(sealed, policy).reasonCodes;
    const none = policyWith();
    expect([codes(none), codes(knows), codes(none), codes(knows)]).toEqual([
      [],
      ['RECIPIENT_LOOKALIKE'],
      [],
      ['RECIPIENT_LOOKALIKE'],
    ]);
  });

  it('are compared with what their own wallet would have asked for', () => {
    const other: Facts = {
      ...sealed,
      plan: Object.freeze({ ...sealed.plan, wallet: keyNamed('another').address }),
    };
    expect(decide(sealed).effect).toBe('allow');
    expect(decide(other).reasonCodes).toContain('REQUEST_MISMATCH');
    expect(decide(sealed).effect).toBe('allow');
  });
});
