/**
 * The result of rehearsing the whole plan on a copy of the chain. A program may detect the copy and behave differently on
 * it, so a rehearsal can deny or ask but never allow (T190).
 */
import { listWords } from '../../../base/format.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';

/** Denies a plan whose rehearsal fails; asks about unsupported instructions if the required rehearsal was impossible. */
export function checkRehearsal({ inputs, policy, opaque }: DecisionContext, list: Checklist): void {
  const { rehearsal, programs = [] } = inputs;
  if (rehearsal === undefined) return;
  if (rehearsal.status === 'impossible') {
    if (policy.rehearsal === 'require' && opaque.length > 0)
      list.ask('REHEARSAL_MISSING', 'noRehearsal', { params: { reason: rehearsal.reason } });
    return;
  }
  if (rehearsal.status === 'failed') {
    const { place, program, error, slot } = rehearsal;
    const by = program === undefined ? '' : ` of program ${program}`;
    list.fail('REHEARSAL_FAILED', 'rehearsed', {
      params: { place, error, slot, ...(program === undefined ? {} : { program }) },
      observed: `transaction ${place}: ${error}${by}, on the state of slot ${slot}`,
    });
    return;
  }
  list.pass('rehearsed', { observed: `on the state of slot ${rehearsal.slot}` });
  const replaced = programs.filter(
    ({ address, deployedSlot }) =>
      rehearsal.programs[address] !== undefined && rehearsal.programs[address] !== deployedSlot,
  );
  list.expect(replaced.length === 0, 'REHEARSAL_FAILED', 'rehearsedCode', {
    observed:
      replaced.length === 0 ? undefined : `other code: ${listWords(replaced.map(({ address }) => address))}`,
  });
}
