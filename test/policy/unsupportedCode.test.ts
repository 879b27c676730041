/** Unsupported programs: their code, readers disabled by the policy, and names of their instructions (T34). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain, remedyOf } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { serviceProgram } from '../../src/review/templates/servicePrograms.ts';
import { unsupportedProgram } from './people.ts';
import { plus } from './recorded/edits.ts';
import { decide, policyWith, rewritten, stage, VENUE, WALLET, withVenue } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const unsupported = policyWith(withVenue);
const decisionText = (inputs: DecisionInputs, policy = unsupported): string =>
  summaryOf(decide(inputs, policy));

describe('the code of an unsupported program', () => {
  const swap = stage('swap with an unsupported program');
  const held = policyWith((file) => ({
    programs: [...file.programs, unsupportedProgram(VENUE, { label: 'venue', deployedSlot: 7 })],
  }));
  const seen = (more: { deployedSlot?: number; upgradeAuthority?: string }): DecisionInputs => ({
    ...swap,
    programs: [{ address: VENUE, ...more }],
  });

  it('is the accepted one, or is not used', () => {
    expect(decisionText(seen({ deployedSlot: 7 }), held)).toMatch(/^allow/);
    const other = decide(seen({ deployedSlot: 8 }), held);
    expect(other.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    expect(explain(other)).toBe(
      `The code of an unsupported program is not the accepted code (${VENUE}: slot 8; allowed: slot 7).`,
    );
    expect(remedyOf(other)).toBe(
      'A person who has looked at the new code can change its deployedSlot in the policy file.',
    );
    expect(explain(decide(seen({}), held))).toContain('unknown slot');
    expect(explain(decide(swap, held))).toContain('unknown slot');
    const several = {
      ...swap,
      programs: [
        { address: WALLET, deployedSlot: 9 },
        { address: VENUE, deployedSlot: 7 },
      ],
    };
    expect(decisionText(several, held)).toMatch(/^allow/);
    const unlisted = decide(swap);
    expect(remedyOf(unlisted)).toBe(
      'A person who trusts the program can add it to "programs" in the policy file.',
    );
  });

  it('may be upgradeable if no slot pins it, and the record names the authority', () => {
    const name = 'replaceable';
    const noted = (inputs: DecisionInputs) =>
      decide(inputs, unsupported).checks.find((each) => each.id === name);
    expect(noted(seen({ deployedSlot: 9, upgradeAuthority: WALLET }))).toEqual({
      id: name,
      ok: true,
      observed: `${VENUE}: slot 9`,
    });
    expect(noted(seen({ deployedSlot: 9 }))).toBeUndefined();
    expect(noted(swap)).toBeUndefined();
  });
});

describe('a program with its reader disabled', () => {
  const config = stage('plain config');
  const listed = (more: { reader?: 'off' }) =>
    policyWith((file) => ({
      programs: [
        ...file.programs.filter(({ address }) => address !== FEE_SHARE_PROGRAM),
        ...serviceProgram('fee share', FEE_SHARE_PROGRAM, undefined).map((entry) => ({
          ...entry,
          binding: 'effects' as const,
          ...more,
        })),
      ],
    }));

  it('is unsupported: the owner is asked, and its effects are matched', () => {
    const off = decide(config, listed({ reader: 'off' }));
    expect(off).toMatchObject({ effect: 'require_approval', binding: 'effects' });
    expect(explain(off)).toContain('the claimers are unknown');
    // Control case: the same entries with supported instructions.
    expect(decide(config, listed({}))).toMatchObject({ effect: 'allow', binding: 'exact' });
    // The reader of another program is unaffected.
    const other = policyWith((file) => ({
      programs: [...file.programs, unsupportedProgram(VENUE, { reader: 'off' })],
    }));
    expect(decide(config, other)).toMatchObject({ effect: 'allow', binding: 'exact' });
  });
});

it('an instruction listed for another operation is reported as such, by any of its names', () => {
  const elsewhere = policyWith((file) => ({
    programs: [
      ...file.programs,
      unsupportedProgram(VENUE, { operations: ['launch'], instructions: ['02', '01'] }),
    ],
  }));
  expect(decide(stage('swap with an unsupported program'), elsewhere).checks).toContainEqual(
    expect.objectContaining({
      id: 'unsupportedBelongs',
      ok: false,
      code: 'UNEXPECTED_INSTRUCTION',
    }),
  );
});

it('an instruction without data is named by its position and program only', () => {
  const swap = stage('swap with an unsupported program');
  const bare = plus(swap, { ...call, data: new Uint8Array() });
  const found = decide(bare, unsupported).checks.find(({ code }) => code === 'INSTRUCTION_UNKNOWN');
  expect(found?.observed).toMatch(new RegExp(`^#\\d+ ${VENUE}$`));
});

it('an instruction that can neither be decoded nor judged is named by its position and program', () => {
  const known = policyWith((file) => ({
    programs: [...file.programs, { address: VENUE, binding: 'exact' }],
  }));
  // Only unsupported instructions remain, so that the transaction shows no payment.
  const swap = rewritten(stage('swap with an unsupported program'), (list) =>
    list.filter(({ programAddress }) => programAddress === VENUE),
  );
  const { checks } = decide(swap, known);
  const at = checks.find(({ id }) => id === 'instructionBelongs')?.observed;
  expect(at).toMatch(new RegExp(`^#\\d+ ${VENUE} 01$`));
  expect(checks).toContainEqual({
    id: 'instructionReadable',
    ok: false,
    code: 'INSTRUCTION_UNKNOWN',
    observed: at,
  });
});
