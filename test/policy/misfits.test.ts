/** An instruction that has a reader but does not fit its layout is refused, whatever the policy lists (T150). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { serviceProgram } from '../../src/review/templates/servicePrograms.ts';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { plus, withRaw } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const config = stage('plain config');
/** The fee share entries written by `policy init`, and a rule that allows unsupported instructions without asking. */
const listed = (more: Partial<UnsupportedProgram> = {}) =>
  policyWith((file) => ({
    programs: [
      ...file.programs,
      ...serviceProgram('fee share', FEE_SHARE_PROGRAM, undefined).map((entry) => ({
        ...entry,
        binding: 'effects' as const,
        ...more,
      })),
    ],
    rules: file.rules.map((rule) => (rule.operation === 'config' ? { ...rule, unsupported: 'allow' } : rule)),
  }));

const changed = (change: (one: EncodedInstruction) => EncodedInstruction): DecisionInputs =>
  withRaw(config, FEE_SHARE_PROGRAM, 0, change);
const MISFITS: readonly (readonly [string, DecisionInputs])[] = [
  ['a byte after its arguments', changed((one) => ({ ...one, data: Uint8Array.from([...one.data, 0]) }))],
  [
    'its arguments a second time',
    changed((one) => ({ ...one, data: Uint8Array.from([...one.data, ...one.data.subarray(8)]) })),
  ],
  [
    'a writable account more',
    changed((one) => ({
      ...one,
      accounts: [...one.accounts, { address: ATTACKER, signer: false, writable: true }],
    })),
  ],
  [
    'a signer more',
    changed((one) => ({
      ...one,
      accounts: [...one.accounts, { address: ATTACKER, signer: true, writable: false }],
    })),
  ],
];

describe('an instruction with', () => {
  it.each(MISFITS)('%s is refused, although an entry of the policy names it', (_what, inputs) => {
    const decision = decide(inputs, listed());
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes[0]).toBe('INSTRUCTION_MISFIT');
    expect(explain(decision)).toContain(`${FEE_SHARE_PROGRAM} feeShare.createFeeConfig: `);
  });

  it.each(MISFITS.slice(0, 2))('%s asks if the reader is disabled, under any rule', (_what, inputs) => {
    expect(decide(inputs, listed({ reader: 'off' }))).toMatchObject({
      effect: 'require_approval',
      binding: 'effects',
    });
  });

  it('no deviation is allowed as before, and asks every time if the reader is disabled', () => {
    expect(decide(config, listed())).toMatchObject({ effect: 'allow', binding: 'exact' });
    expect(decide(config, listed({ reader: 'off' })).effect).toBe('require_approval');
  });
});

describe('accounts that System and Compute Budget instructions ignore', () => {
  const reference = { address: ATTACKER, signer: false, writable: false };
  const payment = stage('payment of SOL');
  const referring = (inputs: DecisionInputs, account = reference): DecisionInputs =>
    withRaw(inputs, SYSTEM_PROGRAM, 0, (one) => ({ ...one, accounts: [...one.accounts, account] }));
  const limit = encodeInstruction('computeBudget.setComputeUnitLimit', {
    accounts: {},
    args: { units: 200_000 },
  });
  const limited = (account: typeof reference): DecisionInputs =>
    rewritten(payment, (list) => list, { budget: [{ ...limit, accounts: [account] }] });

  it('are accepted if read-only', () => {
    for (const inputs of [payment, referring(payment)])
      expect(decide(inputs, policyFor('payment of SOL')).effect).toBe('require_approval');
    expect(decide(limited(reference), policyFor('payment of SOL')).reasonCodes).not.toContain(
      'INSTRUCTION_MISFIT',
    );
  });

  it('are refused if they sign or are writable', () => {
    const others = [
      { ...reference, writable: true },
      { ...reference, signer: true },
      { ...reference, address: WALLET },
    ];
    for (const account of others)
      for (const inputs of [referring(payment, account), limited(account)])
        expect(decide(inputs, policyFor('payment of SOL')).reasonCodes).toContain('INSTRUCTION_MISFIT');
  });

  it('hide no second transfer', () => {
    const { programAddress } = limit;
    expect(programAddress).toBe(COMPUTE_BUDGET_PROGRAM);
    const away = encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: ATTACKER },
      args: { lamports: 1n },
      rest: [ATTACKER],
    });
    expect(decide(plus(payment, away), policyFor('payment of SOL')).effect).toBe('deny');
  });
});
