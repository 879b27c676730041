/** Compares the programs of two policies: allowed programs, supported instructions and allowed unsupported instructions. */

import { listWords } from '../base/format.ts';
import type { Policy, ProgramEntry, UnsupportedProgram } from '../policy/file/schema.ts';
import { instructionName } from '../programs/read.ts';
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { PolicyChange, Way } from './policyChange.ts';

const part = 'programs';

/** Returns every change of programs. Several entries of one program are compared as one. */
export function comparePrograms({ programs: was }: Policy, { programs: is }: Policy): PolicyChange[] {
  const addresses = [...new Set([...was, ...is].map(({ address }) => address))];
  return addresses.flatMap((address) => {
    const of = (entries: readonly ProgramEntry[]) => entries.filter((entry) => entry.address === address);
    return compareProgram(of(was), of(is));
  });
}

function compareProgram(was: readonly ProgramEntry[], is: readonly ProgramEntry[]): PolicyChange[] {
  const [old, now] = [was[0], is[0]];
  const [before, after] = [was.filter(isUnsupported), is.filter(isUnsupported)];
  if (now === undefined) {
    return old === undefined ? [] : [change('narrower', old, 'no longer allowed')];
  }
  if (old === undefined) return [change('wider', now, `now allowed, ${how(is)}`)];
  if (old.binding !== now.binding) {
    const way = now.binding === 'effects' ? 'wider' : 'narrower';
    return [change(way, now, `${how(was)} → ${how(is)}`)];
  }
  const found = [
    ...compareCalls(now, before, after),
    ...compareReader(now, before, after),
    ...compareCode(old, now),
  ];
  const renamed = was.map(({ label }) => label).join() !== is.map(({ label }) => label).join();
  return found.length > 0 || !renamed ? found : [change('other', now, 'renamed')];
}

const isUnsupported = (entry: ProgramEntry): entry is UnsupportedProgram => entry.binding === 'effects';

const change = (way: Way, { label, address }: ProgramEntry, what: string): PolicyChange => ({
  part,
  way,
  text: `${label ?? PROGRAM_NAMES[address] ?? 'Program'} (${address}): ${what}.`,
});

/** Describes how a program is judged. */
function how(entries: readonly ProgramEntry[]): string {
  const unsupported = entries.filter(isUnsupported);
  if (unsupported.length === 0) return 'each instruction read';
  const calls = [...callsOf(unsupported).keys()];
  return calls.length === 0
    ? 'unsupported, with no permitted instructions'
    : `unsupported: ${listWords(calls)}`;
}

/** Returns the allowed unsupported instructions and their maximum number as a phrase. */
function callsOf(entries: readonly UnsupportedProgram[]): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { address, operations, instructions, atMost } of entries) {
    for (const begin of instructions) {
      const name = instructionName(address, Buffer.from(begin, 'hex'));
      for (const operation of operations) {
        const words = `${name === undefined ? begin : `${name} (${begin})`} in ${operation}`;
        calls.set(words, Math.max(atMost, calls.get(words) ?? 0));
      }
    }
  }
  return calls;
}

function compareCalls(
  entry: ProgramEntry,
  before: readonly UnsupportedProgram[],
  after: readonly UnsupportedProgram[],
): PolicyChange[] {
  const [was, is] = [callsOf(before), callsOf(after)];
  const added = [...is.keys()].filter((call) => !was.has(call));
  const removed = [...was.keys()].filter((call) => !is.has(call));
  const changes: PolicyChange[] = [];
  if (removed.length > 0)
    changes.push(change('narrower', entry, `no longer called unsupported: ${listWords(removed)}`));
  if (added.length > 0) changes.push(change('wider', entry, `now called unsupported: ${listWords(added)}`));
  for (const [call, most] of is) {
    const old = was.get(call);
    if (old === undefined || old === most) continue;
    changes.push(change(most > old ? 'wider' : 'narrower', entry, `${call}, at most: ${old} → ${most}`));
  }
  return changes;
}

/** Compares readers: an unsupported program may do more than a supported one. */
function compareReader(
  entry: ProgramEntry,
  before: readonly UnsupportedProgram[],
  after: readonly UnsupportedProgram[],
): PolicyChange[] {
  const [was, is] = [before[0]?.reader, after[0]?.reader];
  if (was === is) return [];
  return is === 'off'
    ? [change('wider', entry, 'its reader is switched off, and its instructions count as unsupported')]
    : [change('narrower', entry, 'its reader is switched on')];
}

/**
 * Compares deployment slots: an entry with a slot permits only that code; for a supported program, other code
 * requires approval.
 */
function compareCode({ deployedSlot: was }: ProgramEntry, now: ProgramEntry): PolicyChange[] {
  const { deployedSlot: is, binding } = now;
  if (was === is) return [];
  const code = (slot: number | undefined) => {
    if (slot === undefined) return 'any deployed code';
    return binding === 'exact'
      ? `asks if the code is not that of slot ${slot}`
      : `only the code of slot ${slot}`;
  };
  const way = was === undefined ? 'narrower' : is === undefined ? 'wider' : 'other';
  return [change(way, now, `${code(was)} → ${code(is)}`)];
}
