/** Cached results give the same decision, and never that of another policy, wallet or plan. */

import { describe, expect, it } from 'vitest';
import { inputsDigest, sealInputs } from '../../src/policy/decide/decisionInputs.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { mintOf, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { mint, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { copyOf, decide, policyWith, stage } from './recorded/stages.ts';

const plain = stage('plain config');
const sealed = sealInputs(copyOf(plain));
const [, friend = ''] = plain.plan.request.claimersArray as readonly string[];

describe('sealed inputs', () => {
  it('are decided the same repeatedly', () => {
    const first = JSON.stringify(decide(plain));
    for (let i = 0; i < 3; i++) expect(JSON.stringify(decide(sealed))).toBe(first);
  });

  it("name people by the current policy's labels", () => {
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

  it('find a look-alike under a policy that knows a similar address, before and after one that does not', () => {
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

  it("are compared with their own wallet's request", () => {
    const other: DecisionInputs = {
      ...sealed,
      plan: Object.freeze({ ...sealed.plan, wallet: keyNamed('another').address }),
    };
    expect(decide(sealed).effect).toBe('allow');
    expect(decide(other).reasonCodes).toContain('REQUEST_MISMATCH');
    expect(decide(sealed).effect).toBe('allow');
  });
});

describe('decoded account data', () => {
  const address = keyNamed('an account').address;
  const holding = tokenAccount(address, { mint: keyNamed('a token').address, owner: address, amount: 5n });
  const token = mint(address, { mintAuthority: address });

  it('is the same wherever the account is listed', () => {
    const elsewhere = { ...holding, address: keyNamed('another').address, lamports: '1' };
    expect(tokenAccountOf(holding)).toMatchObject({ owner: address, amount: 5n });
    expect(tokenAccountOf(elsewhere)).toEqual(tokenAccountOf(holding));
    expect(mintOf(token)).toMatchObject({ mintAuthority: address, decimals: 6 });
    expect(mintOf({ ...token })).toEqual(mintOf(token));
  });

  it('is decoded for long data too', () => {
    const [base, head] = [Buffer.from(token.data, 'base64'), Buffer.alloc(4)];
    // An unknown Token-2022 extension of forty thousand bytes.
    head.writeUInt16LE(999, 0);
    head.writeUInt16LE(40_000, 2);
    const data = Buffer.concat([
      base,
      Buffer.alloc(165 - base.length),
      Buffer.of(1),
      head,
      Buffer.alloc(40_000),
    ]);
    const long = { ...token, data: data.toString('base64') };
    expect(mintOf(long)).toMatchObject({ decimals: 6, extensions: ['unknown999'] });
    expect(mintOf(long)).not.toBe(mintOf(long));
  });

  it('is undefined for other data, repeatedly, and for another owner of the same data', () => {
    for (let i = 0; i < 2; i++) {
      expect(mintOf(holding)).toBeUndefined();
      expect(tokenAccountOf(token)).toBeUndefined();
      expect(tokenAccountOf({ ...holding, owner: address })).toBeUndefined();
      expect(tokenAccountOf({ ...holding, exists: false })).toBeUndefined();
    }
    expect(tokenAccountOf(undefined)).toBeUndefined();
  });
});

describe('the digest of sealed inputs', () => {
  /** Inputs that count their property reads. */
  function counting() {
    let looked = 0;
    const { time, ...rest } = copyOf(plain);
    const inputs: DecisionInputs = {
      ...rest,
      get time() {
        looked += 1;
        return time;
      },
    };
    return { inputs, looked: () => looked };
  }

  it('equals that of the same unsealed inputs and is computed once', () => {
    const { inputs, looked } = counting();
    const first = inputsDigest(sealInputs(inputs));
    const before = looked();
    expect([inputsDigest(inputs), inputsDigest(inputs)]).toEqual([first, first]);
    expect(looked()).toBe(before);
    expect(inputsDigest(plain)).toBe(first);
  });

  it('is computed again for unsealed inputs, since they may have changed', () => {
    const open = { ...copyOf(plain) };
    const first = inputsDigest(open);
    expect(inputsDigest(Object.assign(open, { slot: open.slot + 1 }))).not.toBe(first);
  });

  it('covers all of them, down to the last member of the last list', () => {
    const whole = sealInputs(copyOf(plain));
    const [sibling] = whole.siblings;
    const [seen] = whole.accounts;
    for (const part of [
      whole,
      whole.plan,
      whole.siblings,
      sibling,
      sibling?.stage,
      sibling?.stage.declared,
      seen,
    ])
      expect(() => Object.assign(part ?? {}, { changed: true })).toThrow(TypeError);
  });
});
