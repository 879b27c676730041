/** The sentence and the remedy of every reason, as they were read and approved: explained/reasons.txt. And who owns what. */
import { describe, expect, it } from 'vitest';
import {
  type DecisionContext,
  isOpaque,
  isOwnTokenAccount,
  mintOf,
  tokenAccountOf,
} from '../../src/policy/decide/decisionContext.ts';
import { explain, explainAllow, remedy } from '../../src/policy/decide/explain.ts';
import { ACCEPTED_CODE } from '../../src/policy/decide/reasons.ts';
import { isOfClass, labelOf } from '../../src/policy/decide/recipients.ts';
import { type Check, REASON_CODES } from '../../src/policy/decide/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { account, mint as mintAccount, missing, tokenAccount } from './accountFacts.ts';
import { somebody } from './people.ts';
import { instructionsOf, policyWith, stage, VENUE, WALLET } from './recorded/stages.ts';

const told = (check: Partial<Check>, ruleId?: string) => ({
  operation: 'holding_claim',
  check: { check: 'bytes match the request: a thing', ok: false, ...check },
  ruleId,
});
const VARIANTS: Readonly<Record<string, Parameters<typeof told>>> = {
  bare: [{}],
  observed: [{ observed: 'this' }],
  allowed: [{ allowed: 'that' }],
  both: [{ observed: 'this', allowed: 'that' }, 'r'],
  late: [{ class: 'availability', observed: 'this' }],
  forbidden: [{ check: 'no rule forbids this', observed: 'rule r' }, 'r'],
  code: [{ check: ACCEPTED_CODE, observed: 'slot 8', allowed: 'slot 7' }],
};

it('every reason is said in one sentence, and what could be changed in another', async () => {
  const lines = REASON_CODES.flatMap((code) => {
    const seen = new Map<string, string[]>();
    for (const [name, args] of Object.entries(VARIANTS)) {
      const said = [explain(code, told(...args)), remedy(code, told(...args))].filter(Boolean).join('\n    ');
      seen.set(said, [...(seen.get(said) ?? []), name]);
    }
    return [code, ...[...seen].map(([said, names]) => `  ${names.join(', ')}:\n    ${said}`), ''];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('explained/reasons.txt');
});

it('an allow names what allowed it', () => {
  expect(explainAllow({ operation: 'holding_claim', ruleId: 'r' }, false, false)).toBe(
    'Rule r allows this holding claim and every check held.',
  );
  expect(explainAllow({ operation: 'swap', ruleId: 'r' }, true, true)).toBe(
    'A person approved this swap and every check held; its effects are simulated once the stages before it have landed.',
  );
});

describe('an account', () => {
  const [place, token, other] = ['place', 'token', 'other'].map((name) => somebody(name).address) as [
    string,
    string,
    string,
  ];
  const held = tokenAccount(place, { mint: token, owner: WALLET });

  it('is a token account or a mint by its program and its data', () => {
    expect(tokenAccountOf(held)?.owner).toBe(WALLET);
    expect(tokenAccountOf({ ...held, owner: TOKEN_2022_PROGRAM })?.owner).toBe(WALLET);
    expect(tokenAccountOf({ ...held, owner: SYSTEM_PROGRAM })).toBeUndefined();
    expect(tokenAccountOf({ ...held, exists: false })).toBeUndefined();
    expect(tokenAccountOf({ ...held, data: 'AAAA' })).toBeUndefined();
    expect(tokenAccountOf(undefined)).toBeUndefined();
    expect(mintOf(held)).toBeUndefined();
    expect(mintOf(mintAccount(token, { mintAuthority: other }))?.mintAuthority).toBe(other);
    expect(tokenAccountOf(mintAccount(token, {}))).toBeUndefined();
  });

  it('is ours by what the chain shows, else by its address', () => {
    const c = (...accounts: readonly (typeof held)[]) =>
      ({
        wallet: WALLET,
        own: new Set([WALLET]),
        accounts: new Map(accounts.map((each) => [each.address, each])),
      }) as unknown as DecisionContext;
    const associated = associatedTokenAddress(WALLET, token, TOKEN_PROGRAM);
    const own = (of: DecisionContext, address: string, mint = token) =>
      isOwnTokenAccount(of, address, mint, TOKEN_PROGRAM);
    expect(own(c(held), place)).toBe(true);
    expect(own(c(held), place, other)).toBe(false);
    expect(own(c(tokenAccount(associated, { mint: token, owner: other })), associated)).toBe(false);
    expect(own(c(), associated)).toBe(true);
    expect(own(c(missing(associated)), associated)).toBe(true);
    expect(own(c(account(associated)), associated)).toBe(false);
    expect(own(c(), place)).toBe(false);
  });
});

it('an instruction is opaque when it cannot be read and its own program is judged by its effects', () => {
  const [unread] = instructionsOf(stage('swap with a program nobody can read')).filter(
    ({ kind }) => kind === 'unknown',
  );
  const [known] = instructionsOf(stage('plain config'));
  if (unread === undefined || known === undefined) throw new Error('nothing unread');
  const other = somebody('another program').address;
  const policy = (binding: 'exact' | 'effects', others: 'exact' | 'effects') =>
    policyWith((file) => ({
      programs: [...file.programs, { address: VENUE, binding }, { address: other, binding: others }],
    })).policy;
  expect(isOpaque(unread, policy('effects', 'exact'))).toBe(true);
  expect(isOpaque(unread, policy('exact', 'effects'))).toBe(false);
  expect(isOpaque(unread, policyWith().policy)).toBe(false);
  expect(isOpaque({ ...unread, program: TOKEN_PROGRAM }, policy('effects', 'effects'))).toBe(false);
  expect(isOpaque(known, policy('effects', 'effects'))).toBe(false);
});

it('a class of recipients takes in wallets, those and the address book, or anybody', () => {
  const [friend, stranger] = [somebody('friend').address, somebody('stranger').address];
  const { policy } = policyWith(() => ({ addressBook: [{ label: 'friend', address: friend }] }));
  const classes = ['own', 'addressBook', 'any'] as const;
  expect(classes.map((each) => isOfClass(policy, WALLET, each))).toEqual([true, true, true]);
  expect(classes.map((each) => isOfClass(policy, friend, each))).toEqual([false, true, true]);
  expect(classes.map((each) => isOfClass(policy, stranger, each))).toEqual([false, false, true]);
  expect([WALLET, friend, stranger].map((each) => labelOf(policy, each))).toEqual([
    'agent',
    'friend',
    undefined,
  ]);
});
