/** Formats errors of the chain for people: the failed instruction and its error. Pure. */
import { isRecord } from '../base/record.ts';

/** Splits camel case: `AccountNotFound` becomes `account not found`. */
const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** Formats an RPC error given as JSON; returns other text unchanged. */
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
