/**
 * F29: an expired transaction is not hostile. Checks that compare chain accounts lack fresh facts once a transaction or
 * its quote has expired; faults in the bytes alone are still found and counted.
 */

import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { NOTHING_USED } from './people.ts';
import { plus, quoted } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, policyWith, stage, WALLET } from './recorded/stages.ts';

const sale = stage('swap for SOL');

/** The config of the changed split existed on the chain, but is missing now. */
const update = stage('manager update to fewer');
const withoutConfig = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  accounts: inputs.accounts.map((account) =>
    account.owner === FEE_SHARE_PROGRAM ? { ...account, exists: false, lamports: '0', data: '' } : account,
  ),
  simulation: { status: 'unavailable', reason: 'gone' },
});
const lapsed = (inputs: DecisionInputs): DecisionInputs =>
  inputs.quote === undefined ? inputs : { ...inputs, quote: { ...inputs.quote, expiresAt: inputs.time } };
const dead = (inputs: DecisionInputs): DecisionInputs => ({ ...inputs, blockhashValid: false });
const approval = encodeInstruction('token.approve', {
  accounts: {
    source: associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM),
    delegate: ATTACKER,
    owner: WALLET,
  },
  args: { amount: 1n },
});

describe('a stage whose accounts no longer exist on chain', () => {
  it('F29 is a security denial while it could still land', () => {
    expect(decide(withoutConfig(update))).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decide(withoutConfig(update)).reasonCodes).toContain('REQUEST_MISMATCH');
  });

  it('F29 is only expired if its blockhash is dead', () => {
    const decision = decide(dead(withoutConfig(update)));
    expect(decision).toMatchObject({
      effect: 'deny',
      reasonCodes: ['LIFETIME_MISMATCH'],
      class: 'availability',
    });
    expect(explain(decision)).toBe('The transaction or its quote has expired and must be built again.');
    const stale = decision.checks.filter(({ code }) => code === 'REQUEST_MISMATCH');
    expect(stale.length).toBeGreaterThan(0);
    expect(stale.every((check) => check.class === 'availability')).toBe(true);
  });

  it.each([
    ['its quote has lapsed', lapsed],
    ['its quote has lapsed and its blockhash is dead', (inputs: DecisionInputs) => dead(lapsed(inputs))],
  ])('F29 is only expired if %s, although it no longer pays the quoted amount', (_, late) => {
    const decision = decide(late(quoted(sale, { minOutAmount: '99999999999' })));
    expect(decision).toMatchObject({ reasonCodes: ['LIFETIME_MISMATCH'], class: 'availability' });
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ code: 'REQUEST_MISMATCH', class: 'availability' }),
    );
  });

  it('F29 still counts as an attack if its transaction alone transfers a right', () => {
    const decision = decide(dead(withoutConfig(plus(update, approval))));
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes).toContain('DELEGATE_GRANTED');
  });

  it('F29 does not ask for approval if it can no longer land', () => {
    const asking = policyWith((file) => ({
      rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
    }));
    expect(evaluate(sale, asking, NOTHING_USED).effect).toBe('require_approval');
    expect(evaluate(dead(sale), asking, NOTHING_USED).reasonCodes).toEqual(['LIFETIME_MISMATCH']);
  });
});

describe('a freeze', () => {
  it('is the first reason of every decision while active', () => {
    const frozen = { ...NOTHING_USED, frozen: { since: 1, reason: 'x' } };
    const policy = policyFor('swap for SOL');
    for (const inputs of [sale, dead(sale), plus(sale, approval), withoutConfig(update)]) {
      const decision = evaluate(inputs, policy, frozen);
      expect(decision.reasonCodes[0]).toBe('FROZEN');
      expect(explain(decision)).toBe('Signing is frozen.');
    }
    expect(evaluate(sale, undefined, frozen).reasonCodes).toEqual(['FROZEN', 'POLICY_MISSING']);
    expect(evaluate(plus(sale, approval), policy, frozen).class).toBe('security');
  });
});
