/** Asks: findings that need the owner's approval even when a rule allows the operation, and the part of each that an approval pins. */
import type { Address } from '../../../transaction/types.ts';
import { ASK_CODES, type AskCode, type Check, type ReasonCode } from '../types.ts';

const CODES: ReadonlySet<string> = new Set(ASK_CODES);

/** Whether a reason code belongs to an ask. */
export const isAskCode = (code: ReasonCode): code is AskCode => CODES.has(code);

/** Whether a check is an ask. */
export const isAsk = ({ code }: Pick<Check, 'code'>): boolean => code !== undefined && isAskCode(code);

/** Asks about amounts or about one build. The approved amounts already bound them, so a rebuild may add or drop them. */
const UNPINNED: readonly (Check['code'] | undefined)[] = [
  'UNSUPPORTED_INSTRUCTION',
  'NETWORK_FEE_HIGH',
  'LIMIT_MISSING',
  'REHEARSAL_MISSING',
] satisfies AskCode[];

/** The part of an ask that an approval pins. `program`: the program whose code was replaced, since a rebuild may add programs. */
interface PinnedAsk {
  readonly code: AskCode;
  readonly program?: Address;
}

/** Returns the asks that an approval pins, without duplicates. Any other pinned ask needs a new approval. */
export function pinnedAsks(checks: readonly Check[]): readonly PinnedAsk[] {
  const pinned = new Map<string, PinnedAsk>();
  for (const { code, params } of checks) {
    if (code === undefined || !isAskCode(code) || UNPINNED.includes(code)) continue;
    const program = code === 'CODE_REPLACED' && params !== undefined ? `${params.program}` : undefined;
    pinned.set(`${code} ${program ?? ''}`, { code, ...(program === undefined ? {} : { program }) });
  }
  return [...pinned.values()];
}
