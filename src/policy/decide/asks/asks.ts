/** Asks: findings that the owner decides whatever the rule allows, and the part of each that an approval pins. */
import { ASK_CODES, type AskCode, type Check, type ReasonCode } from '../types.ts';

const CODES: ReadonlySet<string> = new Set(ASK_CODES);

/** Whether a reason code is that of an ask. */
export const isAskCode = (code: ReasonCode): code is AskCode => CODES.has(code);

/** Whether a check is an ask. */
export const isAsk = ({ code }: Pick<Check, 'code'>): boolean => code !== undefined && isAskCode(code);

/** Asks about amounts, or about facts of one build: the amounts of the approval bound them, so a rebuild may differ. */
const UNPINNED: readonly (Check['code'] | undefined)[] = [
  'UNSUPPORTED_INSTRUCTION',
  'NETWORK_FEE_HIGH',
  'LIMIT_MISSING',
] satisfies AskCode[];
/** The codes of the asks that an approval pins: one that is found after the approval is a new question. */
export const pinnedCodes = (checks: readonly Check[]): readonly AskCode[] => [
  ...new Set(
    checks.flatMap(({ code }) =>
      code !== undefined && isAskCode(code) && !UNPINNED.includes(code) ? [code] : [],
    ),
  ),
];
