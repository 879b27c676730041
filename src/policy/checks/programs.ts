/** Every program is one the policy allows, every instruction one that can be read or is allowed unread (T6–T11, T19, T49). */
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import type { Case } from '../case.ts';
import { isOpaque } from '../case.ts';
import type { Checklist } from '../checklist.ts';
import { FLOOR_PROGRAMS } from '../floorPrograms.ts';

export function checkPrograms(c: Case, list: Checklist): void {
  const allowed = new Set(c.policy.programs.map((entry) => entry.address));
  for (const program of new Set(c.instructions.map((instruction) => instruction.program))) {
    const ok = program === COMPUTE_BUDGET_PROGRAM || (allowed.has(program) && !FLOOR_PROGRAMS.has(program));
    list.expect(ok, 'PROGRAM_NOT_ALLOWED', 'program is allowed', { observed: program });
  }
  for (const instruction of c.instructions) {
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
