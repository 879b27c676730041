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
  'READING_INFERRED',
  'PAYEE_UNKNOWN',
  'NETWORK_FEE_HIGH',
  'LIMIT_MISSING',
] satisfies AskCode[];
const BY_KIND: readonly (Check['code'] | undefined)[] = [
  'FIRST_PURCHASE',
  'PRICE_DEVIATES',
  'CLAIM_COSTS_MORE',
] satisfies AskCode[];

/** The part of an ask that an approval pins: code, subject and, unless the ask is about an amount, both values. */
export function pinOf({ code, id, params, observed, allowed }: Check): Partial<Check> | undefined {
  if (UNPINNED.includes(code)) return undefined;
  const subject = { code, id, ...(params && { params }) };
  return BY_KIND.includes(code)
    ? subject
    : { ...subject, ...(observed && { observed }), ...(allowed && { allowed }) };
}
