/** The chain's error as a person reads it: which instruction failed, and with what. Pure. */
import { isRecord } from '../base/record.ts';

/** `AccountNotFound` as `account not found`. */
const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** Words for an error as an RPC gives it, in JSON; what is of another form stays as it is. */
export function chainErrorWords(detail: string): string {
  let error: unknown;
  try {
    error = JSON.parse(detail);
  } catch {
    return detail;
  }
  if (typeof error === 'string') return spaced(error);
  const failed = isRecord(error) ? error.InstructionError : undefined;
  if (!Array.isArray(failed) || typeof failed[0] !== 'number') return detail;
  const why: unknown = failed[1];
  const where = `instruction ${failed[0] + 1} of it`;
  if (typeof why === 'string') return `${where}: ${spaced(why)}`;
  return isRecord(why) && typeof why.Custom === 'number'
    ? `${where}: error ${why.Custom} of its program`
    : detail;
}
