/** Asks: findings that the owner decides whatever the rule allows, and the part of each that an approval pins. */
import type { Address } from '../../../transaction/types.ts';
import { ASK_CODES, type AskCode, type Check, type ReasonCode } from '../types.ts';

const CODES: ReadonlySet<string> = new Set(ASK_CODES);

/** Whether a reason code is that of an ask. */
export const isAskCode = (code: ReasonCode): code is AskCode => CODES.has(code);

/** Whether a check is an ask. */
export const isAsk = ({ code }: Pick<Check, 'code'>): boolean => code !== undefined && isAskCode(code);

/** Asks about amounts, or about facts of one build or moment: the amounts of the approval bound them, so they may come and go. */
const UNPINNED: readonly (Check['code'] | undefined)[] = [
  'UNSUPPORTED_INSTRUCTION',
  'NETWORK_FEE_HIGH',
  'LIMIT_MISSING',
  'REHEARSAL_MISSING',
] satisfies AskCode[];

/** What an approval pins of an ask. `program`: whose code was replaced, since programs may come after the approval. */
interface PinnedAsk {
  readonly code: AskCode;
  readonly program?: Address;
}

/** The asks that an approval pins: one that is found after the approval is a new question. */
export function pinnedAsks(checks: readonly Check[]): readonly PinnedAsk[] {
  const pinned = new Map<string, PinnedAsk>();
  for (const { code, params } of checks) {
    if (code === undefined || !isAskCode(code) || UNPINNED.includes(code)) continue;
    const program = code === 'CODE_REPLACED' && params !== undefined ? `${params.program}` : undefined;
    pinned.set(`${code} ${program ?? ''}`, { code, ...(program === undefined ? {} : { program }) });
  }
  return [...pinned.values()];
}
