/**
 * Every program must be allowed by the policy, and every instruction supported or named by a policy entry for the
 * operation (T6–T11, T19, T34, T49, T75).
 */
import { type DecodedInstruction, isUnsupported, misfitOf, type Reading } from '../../../programs/read.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../../transaction/programs.ts';
import type { AccountUse, Address } from '../../../transaction/types.ts';
import type { UnsupportedProgram } from '../../file/schema.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import { VENUES } from '../operations/venues.ts';
import {
  admitting,
  isLocalChain,
  isNamed,
  unsupportedEntries,
  unsupportedWords,
} from '../unsupported/entries.ts';
import { DENIED_PROGRAMS } from './deniedPrograms.ts';

/** Account roles that name a program to call, with the allowed programs (T19). */
const CALLED: Readonly<Record<string, readonly Address[]>> = {
  systemProgram: [SYSTEM_PROGRAM],
  tokenProgram: TOKEN_PROGRAMS,
};

/**
 * Refuses instructions with a supported discriminator that differ from the layout, such as by trailing bytes or accounts,
 * which programs ignore. No policy entry can allow them (T150).
 */
export function checkFit(readings: readonly Reading[], list: Checklist): void {
  for (const reading of readings) {
    const misfit = misfitOf(reading);
    if (misfit === undefined) continue;
    const observed = `#${reading.index} ${reading.program} ${misfit}`;
    list.fail('INSTRUCTION_MISFIT', 'instructionFits', { observed });
  }
}

export function checkPrograms(c: DecisionContext, list: Checklist): void {
  const allowed = new Set(c.policy.programs.map((entry) => entry.address));
  for (const program of new Set(c.readings.map(({ reading }) => reading.program))) {
    const ok = (allowed.has(program) || VENUES.has(program)) && !DENIED_PROGRAMS.has(program);
    list.expect(ok, 'PROGRAM_NOT_ALLOWED', 'programAllowed', { params: { program }, observed: program });
  }
  const used = new Map<UnsupportedProgram, number>();
  for (const { reading } of c.readings) {
    if (reading.instruction !== undefined) checkCalled(reading.instruction, list);
    else if (isUnsupported(reading) && (allowed.has(reading.program) || VENUES.has(reading.program))) {
      const entry = checkUnsupported(c, reading, list);
      if (entry !== undefined) used.set(entry, (used.get(entry) ?? 0) + 1);
    }
  }
  for (const [{ address, atMost }, times] of used) {
    list.expect(times <= atMost, 'UNEXPECTED_INSTRUCTION', 'unsupportedCount', {
      observed: `${times} of ${address}`,
      allowed: `${atMost}`,
    });
  }
  for (const program of new Set([...used.keys()].map(({ address }) => address)))
    checkDeployment(c, program, list);
}

/** Returns the policy entry that allows an unsupported instruction; records a failure and returns `undefined` if there is none. */
function checkUnsupported(
  { inputs, policy }: DecisionContext,
  reading: Reading,
  list: Checklist,
): UnsupportedProgram | undefined {
  const entry = admitting(reading, policy, inputs);
  const observed = unsupportedWords(reading);
  if (entry !== undefined) {
    list.pass('allowedByEffects', { observed });
    return entry;
  }
  const listed = unsupportedEntries(policy, reading.program).length > 0;
  if (isNamed(reading, policy)) list.fail('UNEXPECTED_INSTRUCTION', 'unsupportedBelongs', { observed });
  else list.fail('INSTRUCTION_UNKNOWN', listed ? 'unsupportedNamed' : 'instructionReadable', { observed });
  return undefined;
}

/**
 * Checks that an unsupported program was deployed in the slot that the policy accepts (T34). Public networks require a
 * `deployedSlot`; on a local chain an upgradable program is only recorded.
 */
function checkDeployment({ inputs, policy }: DecisionContext, program: Address, list: Checklist): void {
  const accepted = unsupportedEntries(policy, program)[0]?.deployedSlot;
  const { deployedSlot, upgradeAuthority } =
    inputs.programs?.find(({ address }) => address === program) ?? {};
  const observed =
    deployedSlot === undefined ? `${program}: unknown slot` : `${program}: slot ${deployedSlot}`;
  if (accepted !== undefined || !isLocalChain(inputs)) {
    list.expect(accepted !== undefined && deployedSlot === accepted, 'PROGRAM_NOT_ALLOWED', 'acceptedCode', {
      observed,
      allowed: accepted === undefined ? 'a deployedSlot in the policy' : `slot ${accepted}`,
    });
  } else if (upgradeAuthority !== undefined) {
    list.pass('replaceable', { observed });
  }
}

function checkCalled({ index, accounts }: DecodedInstruction, list: Checklist): void {
  const named: Readonly<Record<string, AccountUse | undefined>> = accounts;
  for (const role in CALLED) {
    const account = named[role];
    if (account === undefined || CALLED[role]?.includes(account.address)) continue;
    list.fail('PROGRAM_NOT_ALLOWED', 'programAllowed', {
      params: { program: account.address },
      observed: `#${index} ${account.address}`,
    });
  }
}
