/**
 * Explains a decision: its sentence, what a person can change, and the next step. Values in the templates were
 * sanitized when the check was recorded. Pure.
 */
import { isAsk } from '../../policy/decide/asks/asks.ts';
import { decisive, PRICE_CHECKS } from '../../policy/decide/reasons.ts';
import type { Check, Decision } from '../../policy/decide/types.ts';
import { REASONS } from './reasons.ts';
import { compared, type Fault, type ReasonFacts } from './requestMismatch.ts';

/** Input of an explanation. */
type Decided = Pick<Decision, 'operation' | 'reasonCodes' | 'checks' | 'ruleId' | 'staticOnly'>;

/** Returns the fault of a failed check; for a comparison with the request, of the part that differs. */
function faultOf({ id, code, params }: Partial<Check> = {}): Fault | undefined {
  const faults = code === undefined ? undefined : REASONS[code].checks;
  const name = id === 'matchesRequest' ? params?.part : id;
  const fault = Object.entries(faults ?? {}).find(([key]) => key === name)?.[1];
  return typeof fault === 'string' ? { sentence: fault } : fault;
}

function factsOf({ operation, reasonCodes: [code], checks, ruleId }: Decided): ReasonFacts {
  const check = decisive(checks).find((each) => each.code === code);
  return { operation, check, ruleId, asks: checks.filter((each) => !each.ok && isAsk(each)) };
}

/** Returns the sentence for the deciding reason, or for an allowed decision. */
export function explain(decision: Decided): string {
  const [code] = decision.reasonCodes;
  if (code === undefined) return explainAllow(decision);
  const facts = factsOf(decision);
  const fault = faultOf(facts.check);
  if (fault !== undefined) return `${fault.sentence}${compared(facts, fault.bound)}.`;
  const { cause, sentence } = REASONS[code];
  return sentence?.(facts) ?? `${cause.slice(0, -1)}${compared(facts)}.`;
}

function explainAllow({ operation, ruleId, checks, staticOnly }: Decided): string {
  const isApproved = checks.some(({ id, ok }) => id === 'approved' && ok);
  const why = isApproved ? 'The owner approved this' : `Rule ${ruleId ?? ''} allows this`;
  const note = staticOnly ? '; its effects are simulated once the stages before it have landed' : '';
  return `${why} ${operation.replaceAll('_', ' ')} and every check passed${note}.`;
}

/** Returns what a person can change; `undefined` for a hard denial. Does not suggest waiting where it cannot help. */
export function remedyOf(decision: Decision): string | undefined {
  const [code] = decision.reasonCodes;
  if (code === undefined) return undefined;
  if (isAboveLimit(decision)) return 'A person can raise the limit in the policy file.';
  const facts = factsOf(decision);
  const { remedy } = REASONS[code];
  const found = faultOf(facts.check)?.remedy ?? (typeof remedy === 'function' ? remedy(facts) : remedy);
  return found === '' ? undefined : found;
}

/** Returns explanation and remedy for results and records. */
export function explained(decision: Decision): { explain: string; remedy?: string } {
  const remedy = remedyOf(decision);
  return { explain: explain(decision), ...(remedy === undefined ? {} : { remedy }) };
}

/** Returns the next step after a refusal, by the deciding reason. */
export function nextOfRefusal(decision: Decision): string {
  const [code] = decision.reasonCodes;
  if (code === undefined) return REASONS.NO_RULE.next;
  if (code === 'LIMIT_EXCEEDED') {
    const failed = decision.checks.find((check) => !check.ok && check.code === code)?.id;
    if (PRICE_CHECKS.some((id) => id === failed))
      return 'Ask again for a better price, or tell the person: the rule bounds the price, so waiting for a window does not help. Do not split the amount.';
    if (failed === 'everyAssetLimited')
      return 'Tell the person: no limit of the policy names this asset, so waiting does not help.';
  }
  return isAboveLimit(decision)
    ? 'Ask for less only if the person agrees, or tell them: the amount is above the limit itself, so waiting does not help. Do not split the amount.'
    : REASONS[code].next;
}

/** Returns whether an amount exceeds a limit by itself, so that waiting for the window cannot help. */
function isAboveLimit({ reasonCodes, checks, limits }: Decision): boolean {
  if (reasonCodes[0] !== 'LIMIT_EXCEEDED') return false;
  const failed = checks.filter(({ ok, code, id }) => !ok && code === 'LIMIT_EXCEEDED' && id === 'limit');
  return failed.some(({ params }) => {
    const use = limits.find(({ limitId }) => limitId === params?.limitId);
    // A per-transaction limit has no window and is not in the counted limits.
    return use === undefined || BigInt(use.amount) > BigInt(use.max);
  });
}
