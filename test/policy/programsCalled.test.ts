/** Questions about a called program: its name, the reason, and the policy's entry (T6, T19, T34, T75). */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain, remedyOf } from '../../src/presentation/decisions/explain.ts';
import { keyNamed, unsupportedProgram } from './people.ts';
import { plus, withAccounts } from './recorded/edits.ts';
import { decide, policyWith, stage, VENUE, withVenue } from './recorded/stages.ts';

const swap = stage('swap with an unsupported program');
const unsupported = policyWith(withVenue);
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const failed = ({ checks }: Decision) => checks.filter(({ ok }) => !ok);

describe('a program missing from the policy', () => {
  it('is refused as that by its address, not as one to be listed', () => {
    const other = keyNamed('another program').address;
    const decision = decide(plus(swap, { ...call, programAddress: other }), unsupported);
    expect(failed(decision).map(({ code }) => code)).toEqual([
      'PROGRAM_NOT_ALLOWED',
      'UNEXPECTED_INSTRUCTION',
    ]);
    expect(explain(decision)).toBe(`The transaction calls a program the policy does not allow (${other}).`);
  });

  it('is refused if a supported instruction would call it instead of the named one', () => {
    const other = keyNamed('another program').address;
    const token = withAccounts(stage('payment of USDC, new account'), 'associatedToken.createIdempotent', {
      tokenProgram: other,
    });
    const found = failed(decide(token)).filter(({ code }) => code === 'PROGRAM_NOT_ALLOWED');
    expect(found.map(({ observed }) => observed?.replace(/^#\d+ /, ''))).toEqual([other]);
    expect(found[0]?.observed).toMatch(/^#\d+ /);
  });
});

describe('a listed program without a reader', () => {
  it('is refused once it is called more often than its entry allows, with both numbers', () => {
    const twice = policyWith((file) => ({
      programs: [...file.programs, unsupportedProgram(VENUE, { atMost: 2 })],
    }));
    expect(decide(plus(swap, call), twice).effect).toBe('allow');
    expect(explain(decide(plus(swap, call, call), twice))).toBe(
      `The transaction contains more unsupported instructions of a program than the policy allows (3 of ${VENUE}; allowed: 2).`,
    );
  });

  it('is refused with an instruction its entry does not name, and the message explains how to add it', () => {
    const decision = decide(plus(swap, { ...call, data: Uint8Array.of(7, 8) }), unsupported);
    expect(decision.reasonCodes[0]).toBe('INSTRUCTION_UNKNOWN');
    expect(explain(decision)).toMatch(
      new RegExp(
        `^The transaction contains an unsupported instruction that the policy does not list \\(#\\d+ ${VENUE} 0708\\)\\.$`,
      ),
    );
    expect(remedyOf(decision)).toContain('can name it in "instructions" of the program');
  });

  it('must be pinned to its code in live mode, although its code is not visible either', () => {
    const { programs: _, ...unseen } = swap;
    const live: DecisionInputs = { ...unseen, mode: 'live', plan: { ...swap.plan, mode: 'live' } };
    const decision = decide(live, unsupported);
    expect(decision.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    expect(explain(decision)).toBe(
      `The code of an unsupported program is not the accepted code (${VENUE}: unknown slot; allowed: a deployedSlot in the policy).`,
    );
    // Control case: the same on a local chain.
    expect(decide(unseen, unsupported).effect).toBe('allow');
  });
});
