/**
 * Readers describe replaceable code: a policy may pin a supported program to the code its reader was written for, or
 * switch the reader off, so that the program counts as unsupported.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile, UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { comparePrograms } from '../../src/review/diffPrograms.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import { serviceProgram } from '../../src/review/templates/servicePrograms.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { approvalOfStage, approvedView, coverage } from './approving.ts';
import { load, NOTHING_USED } from './people.ts';
import { RealWorld, short } from './realOperations.ts';

let real: RealWorld;
let inputs: DecisionInputs;
let slot: number;
beforeAll(async () => {
  real = await RealWorld.start('readers');
  const { mint } = await real.world.token();
  const plan = await real.plan({
    endpoint: 'feeShareConfig',
    fields: real.world.configRequest(mint, [10_000]),
  });
  real.world.sandbox.advanceSlots(2);
  inputs = await real.world.inputs(plan, plan.stages[0]?.id ?? '');
  slot = inputs.programs?.find(({ address }) => address === FEE_SHARE_PROGRAM)?.deployedSlot ?? -1;
});
afterAll(() => real.close());

type Programs = PolicyFile['programs'];
const withPrograms = (programs: (file: PolicyFile) => Programs) =>
  real.world.policyWith((file) => ({ ...file, programs: programs(file) }));
const decided = (programs: Programs, view = NOTHING_USED): Decision =>
  evaluate(
    inputs,
    withPrograms((file) => [...file.programs, ...programs]),
    view,
  );
const exact = (deployedSlot: number) => ({
  address: FEE_SHARE_PROGRAM,
  binding: 'exact' as const,
  deployedSlot,
});
const off = (more: Partial<UnsupportedProgram> = {}): Programs =>
  serviceProgram('fee share', FEE_SHARE_PROGRAM, slot).map((entry) => ({
    ...entry,
    binding: 'effects',
    reader: 'off',
    ...more,
  }));

describe('the code of a supported program', () => {
  it('may be pinned by its deployment slot, and is used without a question while unchanged', () => {
    expect(slot).toBeGreaterThan(0);
    expect(short(decided([exact(slot)]))).toBe('allow; exact');
  });

  it('asks once replaced, and the approval covers the new code only', () => {
    const replaced = decided([exact(slot - 1)]);
    expect(replaced).toMatchObject({ effect: 'require_approval', binding: 'exact' });
    expect(replaced.checks.find(({ code }) => code === 'CODE_REPLACED')).toMatchObject({
      observed: `${slot}`,
      allowed: `${slot - 1}`,
    });
    expect(decided([exact(slot - 1)], approvedView(replaced, inputs))).toMatchObject({ effect: 'allow' });
    const again: DecisionInputs = {
      ...inputs,
      programs: (inputs.programs ?? []).map((each) => ({ ...each, deployedSlot: slot + 9 })),
    };
    const policy = withPrograms((file) => [...file.programs, exact(slot - 1)]);
    const approval = approvalOfStage(inputs, policy);
    expect(coverage(approval, inputs, policy)).toEqual({ covered: true });
    expect(coverage(approval, again, policy)).toMatchObject({ covered: false, line: 'code' });
  });

  it("is known by the entries that `policy init` writes for the service's programs", () => {
    const [first, ...rest] = serviceProgram('fee share', FEE_SHARE_PROGRAM, slot - 1);
    const entries = [first, ...rest].flatMap(
      (entry): Programs => (entry === undefined ? [] : [{ ...entry, binding: 'effects' }]),
    );
    expect(decided(entries)).toMatchObject({ effect: 'require_approval', binding: 'exact' });
  });
});

describe('a disabled reader', () => {
  it('makes the instructions of its program unsupported: the owner is asked, under any rule', () => {
    const askDecision = decided(off());
    expect(askDecision).toMatchObject({ binding: 'effects', effect: 'require_approval' });
    expect(askDecision.checks.find(({ code }) => code === 'UNSUPPORTED_INSTRUCTION')?.observed).toContain(
      'the claimers are unknown',
    );
    const allowing = real.world.policyWith((file) => ({
      ...file,
      programs: [...file.programs, ...off()],
      rules: file.rules.map((rule) =>
        rule.operation === 'config' ? { ...rule, unsupported: 'allow' } : rule,
      ),
    }));
    expect(evaluate(inputs, allowing, NOTHING_USED)).toMatchObject({
      binding: 'effects',
      effect: 'require_approval',
    });
  });

  it('refuses unlisted instructions', () => {
    const refused = decided(off({ operations: ['swap'] }));
    expect(refused).toMatchObject({ effect: 'deny' });
    expect(refused.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('is disabled for the whole program, and explain and diff say so', () => {
    const base = policyTemplate('sandbox', { wallet: real.wallet, network: inputs.network });
    const [first, second] = off();
    if (first === undefined || second === undefined) throw new Error('one entry for several operations');
    const { reader: _, ...on } = first as UnsupportedProgram;
    const mixed = parsePolicy(JSON.stringify({ ...base, programs: [...base.programs, on, second] }));
    expect(JSON.stringify(mixed)).toContain('This program has another');

    const file = (entry: Programs[number]) => load({ ...base, programs: [...base.programs, entry] }).policy;
    const changes = comparePrograms(file(on), file(first)).map(({ way, text }) => `${way}: ${text}`);
    expect(changes).toEqual([
      `wider: fee share (${FEE_SHARE_PROGRAM}): its reader is switched off, and its instructions count as unsupported.`,
    ]);
    expect(comparePrograms(file(first), file(on)).map(({ way }) => way)).toEqual(['narrower']);
    expect(JSON.stringify(explainPolicy(file(first)))).toContain('its reader is disabled');
    expect(JSON.stringify(explainPolicy(file(exact(7))))).toContain(
      'if its code is not that of slot 7, you are asked',
    );
  });
});
