/** Every program is one the policy allows, every instruction one that can be read or is allowed unread (T6–T11, T19, T34, T49). */
import type { KnownInstruction } from '../../../programs/instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../../transaction/programs.ts';
import type { AccountUse, Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import { isOpaque } from '../decisionContext.ts';
import { ACCEPTED_CODE } from '../reasons.ts';
import { DENIED_PROGRAMS } from './deniedPrograms.ts';

/** Roles in which an instruction names a program it will call, and who may stand there (T19). */
const CALLED: Readonly<Record<string, readonly Address[]>> = {
  systemProgram: [SYSTEM_PROGRAM],
  tokenProgram: TOKEN_PROGRAMS,
};

export function checkPrograms(c: DecisionContext, list: Checklist): void {
  const allowed = new Set(c.policy.programs.map((entry) => entry.address));
  for (const program of new Set(c.instructions.map((instruction) => instruction.program))) {
    const ok = allowed.has(program) && !DENIED_PROGRAMS.has(program);
    list.expect(ok, 'PROGRAM_NOT_ALLOWED', 'program is allowed', { observed: program });
  }
  const opaque = new Set<Address>();
  for (const instruction of c.instructions) {
    if (instruction.kind !== 'unknown') checkCalled(instruction, list);
    if (instruction.kind !== 'unknown' || !allowed.has(instruction.program)) continue;
    if (isOpaque(instruction, c.policy)) {
      opaque.add(instruction.program);
      list.pass('instruction is allowed by its effects', {
        observed: `#${instruction.index} ${instruction.program}`,
      });
    } else {
      list.fail('INSTRUCTION_UNKNOWN', 'instruction can be read', {
        observed: `#${instruction.index} ${instruction.program}`,
      });
    }
  }
  for (const program of opaque) checkDeployment(c, program, list);
}

/**
 * What cannot be read is at least what was accepted: the code of the slot the policy names (T34). Without one the
 * record says that somebody may replace it.
 */
function checkDeployment({ facts, policy }: DecisionContext, program: Address, list: Checklist): void {
  const accepted = policy.programs.find(({ address }) => address === program)?.deployedSlot;
  const { deployedSlot, upgradeAuthority } = facts.programs?.find(({ address }) => address === program) ?? {};
  const observed =
    deployedSlot === undefined ? `${program}: no slot to be seen` : `${program}: slot ${deployedSlot}`;
  if (accepted !== undefined) {
    list.expect(deployedSlot === accepted, 'PROGRAM_NOT_ALLOWED', ACCEPTED_CODE, {
      observed,
      allowed: `slot ${accepted}`,
    });
  } else if (upgradeAuthority !== undefined) {
    list.pass('program may be replaced by its authority', { observed });
  }
}

function checkCalled({ index, accounts }: KnownInstruction, list: Checklist): void {
  const named: Readonly<Record<string, AccountUse | undefined>> = accounts;
  for (const role in CALLED) {
    const account = named[role];
    if (account === undefined || CALLED[role]?.includes(account.address)) continue;
    list.fail('PROGRAM_NOT_ALLOWED', 'program is allowed', { observed: `#${index} ${account.address}` });
  }
}
