/** Every program is one the policy allows, every instruction one that can be read or is allowed unread (T6–T11, T19, T49). */
import type { KnownInstruction } from '../../transaction/instructions.ts';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { AccountUse, Address } from '../../transaction/types.ts';
import type { Case } from '../case.ts';
import { isOpaque } from '../case.ts';
import type { Checklist } from '../checklist.ts';
import { FLOOR_PROGRAMS } from '../floorPrograms.ts';

/** Roles in which an instruction names a program it will call, and who may stand there (T19). */
const CALLED: Readonly<Record<string, readonly Address[]>> = {
  systemProgram: [SYSTEM_PROGRAM],
  tokenProgram: TOKEN_PROGRAMS,
};

export function checkPrograms(c: Case, list: Checklist): void {
  const allowed = new Set(c.policy.programs.map((entry) => entry.address));
  for (const program of new Set(c.instructions.map((instruction) => instruction.program))) {
    const ok = program === COMPUTE_BUDGET_PROGRAM || (allowed.has(program) && !FLOOR_PROGRAMS.has(program));
    list.expect(ok, 'PROGRAM_NOT_ALLOWED', 'program is allowed', { observed: program });
  }
  for (const instruction of c.instructions) {
    if (instruction.kind !== 'unknown') checkCalled(instruction, list);
    if (instruction.kind !== 'unknown' || !allowed.has(instruction.program)) continue;
    if (isOpaque(instruction, c.policy)) {
      list.pass('instruction is allowed by its effects', {
        observed: `#${instruction.index} ${instruction.program}`,
      });
    } else {
      list.fail('INSTRUCTION_UNKNOWN', 'instruction can be read', {
        observed: `#${instruction.index} ${instruction.program}`,
      });
    }
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
