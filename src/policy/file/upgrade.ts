/**
 * From a policy file of version 1 to one of version 2. Version 1 allowed every instruction of a program that is not read,
 * in every operation and any number of times; version 2 names them. Nothing in the old file says which were meant, so
 * its programs come out without instructions, and nothing new is allowed.
 */

import { isRecord } from '../../base/record.ts';

/** Why a file of version 1 is refused, and what to do about it. */
export const VERSION_1_REFUSED =
  'This is a policy of version 1, which let a program that is not read do everything, in every operation. Version 2 ' +
  'names operations, instructions and atMost for each such program, and on public networks deployedSlot; what it does ' +
  'not name is refused, and on public networks whatever is not read asks a person. Write the new file with ' +
  '`countersign policy upgrade FILE`.';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a file says that it is of version 1. */
export const isVersion1 = (file: unknown): file is Fields => isRecord(file) && file.version === 1;

/**
 * The file of version 2 that allows what was allowed, save for what is not read: of that nothing, until a person names
 * the instructions. `file` must be of version 1; other errors in it are not corrected.
 */
export function upgradePolicy(file: Fields): Record<string, unknown> {
  const programs = Array.isArray(file.programs) ? file.programs.map(upgradeProgram) : file.programs;
  return { ...file, version: 2, ...(programs === undefined ? {} : { programs }) };
}

function upgradeProgram(entry: unknown): unknown {
  if (!isRecord(entry) || entry.binding !== 'effects') return entry;
  const { deployedSlot, ...rest } = entry;
  return {
    ...rest,
    operations: [],
    instructions: [],
    atMost: 1,
    ...(deployedSlot === undefined ? {} : { deployedSlot }),
  };
}
