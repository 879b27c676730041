/** What is worked out once and remembered gives the same decision, and never that of another policy, wallet or plan. */
import { describe, expect, it } from 'vitest';
import { withheldFee } from '../../src/policy/decide/decisionContext.ts';
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

  it('say a plan that writes a field twice says it once', () => {
    const again = { stage: { ...sealed.stage, id: 'again' }, status: 'ready' as const };
    const twice = { ...sealed, siblings: [...sealed.siblings, again] };
    const whole = (facts: Facts) =>
      decide(facts).checks.find(({ check }) => check === 'the plan writes the whole config');
    expect([whole(twice), whole(twice)].map((each) => each?.ok)).toEqual([true, true]);
    expect(whole(sealed)?.ok).toBe(true);
  });
});

describe('what a mint may withhold of a transfer (T29)', () => {
  const swap = stage('swap for a taxed token');
  const mint = String(swap.quote?.quote.outputMint);
  /** The mint with other fees: basis points and most, of the schedule in force and of the next. */
  function fees(older: readonly [number, bigint], newer: readonly [number, bigint]) {
    const accounts = swap.accounts.map((each) => {
      if (each.address !== mint) return each;
      const data = Buffer.from(each.data, 'base64');
      const at = data.indexOf(Buffer.of(1, 0, 108, 0), 166) + 4 + 32 + 32 + 8;
      for (const [i, [points, most]] of [older, newer].entries()) {
        data.writeBigUInt64LE(most, at + 18 * i + 8);
        data.writeUInt16LE(points, at + 18 * i + 16);
      }
      return { ...each, data: data.toString('base64') };
    });
    return { accounts: new Map(accounts.map((each) => [each.address, each])) };
  }
  const high = 10n ** 12n;

  it('is the more of both schedules, rounded up, and at most the cap', () => {
    expect(withheldFee(fees([100, high], [100, high]), mint, 10_000n)).toBe(100n);
    expect(withheldFee(fees([100, high], [100, high]), mint, 10_001n)).toBe(101n);
    expect(withheldFee(fees([200, high], [100, high]), mint, 10_000n)).toBe(200n);
    expect(withheldFee(fees([100, high], [200, high]), mint, 10_000n)).toBe(200n);
    expect(withheldFee(fees([100, 50n], [100, 40n]), mint, 10_000n)).toBe(50n);
    expect(withheldFee(fees([100, 99n], [100, 100n]), mint, 10_000n)).toBe(100n);
    expect(withheldFee(fees([0, high], [0, high]), mint, 10_000n)).toBe(0n);
    expect(withheldFee(fees([100, high], [100, high]), keyNamed('another mint').address, 10_000n)).toBe(0n);
  });
});
