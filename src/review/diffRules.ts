/** Compares limits and rules of two policy files by id. */
import { canonicalJson } from '../base/canonicalJson.ts';
import { operationWords } from '../plan/operationNames.ts';
import { MAX_PRICE_DEVIATION_BPS } from '../policy/decide/asks/trades.ts';
import type { Limit, Policy, Rule } from '../policy/file/schema.ts';
import { changesOf, more, type PolicyChange, type Way } from './policyChange.ts';
import { limitWords } from './policyFormat.ts';
import { rulesWords } from './ruleWords.ts';

export function compareLimits(old: Policy, next: Policy): PolicyChange[] {
  // The last limit that names an asset is also what permits spending it.
  const alone = (limit: Limit, policy: Policy) => 'asset' in limit && !names(policy, limit.asset);
  const change = (way: Way, text: string): PolicyChange => ({ part: 'limits', way, text });
  return changesOf(
    [old.limits, next.limits],
    'id',
    (limit) =>
      change(alone(limit, next) ? 'narrower' : 'wider', `Limit ${limit.id} is gone: ${limitWords(limit)}`),
    (limit) =>
      change(alone(limit, old) ? 'wider' : 'narrower', `New limit ${limit.id}: ${limitWords(limit)}`),
    changedLimit,
  );
}

const names = (policy: Policy, asset: string): boolean =>
  policy.limits.some((limit) => 'asset' in limit && (limit.asset === asset || limit.asset === 'any'));

function changedLimit(was: Limit, is: Limit): PolicyChange[] {
  const part = 'limits';
  const { why: _, ...before } = was;
  const { why: __, ...after } = is;
  if (canonicalJson(before) === canonicalJson(after)) {
    if (was.why === is.why) return [];
    return [{ part, way: 'other', text: `Limit ${is.id} has a new reason.` }];
  }
  const same = canonicalJson({ ...before, max: 0 }) === canonicalJson({ ...after, max: 0 });
  const way = same ? more(BigInt(was.max), BigInt(is.max)) : 'other';
  return [{ part, way, text: `Limit ${is.id}: ${limitWords(was)} → ${limitWords(is)}` }];
}

const ANSWERS: Readonly<Record<Rule['effect'], string>> = {
  deny: 'never signed',
  require_approval: 'signed only with your approval',
  allow: 'signed without asking',
};
const RANK: Readonly<Record<Rule['effect'], number>> = { deny: 0, require_approval: 1, allow: 2 };
const CLASSES: readonly string[] = ['own', 'addressBook', 'any'];
const ROLES: readonly string[] = ['claimers', 'admin', 'partner', 'tip', 'feeClaimer', 'recipient'];

export function compareRules(old: Policy, next: Policy): PolicyChange[] {
  const change = (way: Way, text: string): PolicyChange => ({ part: 'rules', way, text });
  const changes = changesOf(
    [old.rules, next.rules],
    'id',
    ({ id, operation, effect }) =>
      change(
        effect === 'deny' ? 'wider' : 'narrower',
        `Rule ${id} is gone: ${operationWords(operation)}, ${ANSWERS[effect]}.`,
      ),
    (rule) =>
      change(rule.effect === 'deny' ? 'narrower' : 'wider', `New rule ${rule.id}: ${oneRule(next, rule)}`),
    changedRule,
  );
  return reordered(old, next) ? [...changes, REORDERED] : changes;
}

const REORDERED: PolicyChange = {
  part: 'rules',
  way: 'other',
  text: 'The order of rules about the same job changed, and the first whose conditions hold decides.',
};

/** Formats a rule in one line with its conditions. */
function oneRule(policy: Policy, rule: Rule): string {
  const [described] = rulesWords(policy, [rule]);
  const conditions = described?.conditions.join(' ') ?? '';
  return `${operationWords(rule.operation)}, ${ANSWERS[rule.effect]}.${conditions === '' ? '' : ` ${conditions}`}`;
}

function changedRule(was: Rule, is: Rule): PolicyChange[] {
  const part = 'rules';
  if (was.operation !== is.operation) {
    const text = `Rule ${is.id} applies to another job: ${operationWords(was.operation)} → ${operationWords(is.operation)}.`;
    return [{ part, way: 'other', text }];
  }
  const changes: PolicyChange[] = [];
  if (was.effect !== is.effect) {
    changes.push({
      part,
      way: more(RANK[was.effect], RANK[is.effect]),
      text: `Rule ${is.id} (${operationWords(is.operation)}): ${ANSWERS[was.effect]} → ${ANSWERS[is.effect]}.`,
    });
  }
  const [before, after] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
  for (const field of new Set([...before.keys(), ...after.keys()])) {
    if (field === 'id' || field === 'effect') continue;
    const [old, now] = [before.get(field), after.get(field)];
    if (canonicalJson(old ?? null) === canonicalJson(now ?? null)) continue;
    changes.push({
      part,
      way: fieldWay(field, old, now, is.effect === 'deny'),
      text: `Rule ${is.id}, ${field}: ${show(old)} → ${show(now)}.`,
    });
  }
  return changes;
}

const show = (value: unknown): string => {
  if (value === undefined) return 'not said';
  return typeof value === 'string' ? `"${value}"` : canonicalJson(value);
};

/**
 * Returns the direction of a change: more is wider, less is narrower, and only making a default explicit is neither.
 */
const wayOf = (more: number): Way => (more > 0 ? 'wider' : more < 0 ? 'narrower' : 'other');

/**
 * Returns the direction of a rule field's change; the defaults are address book recipients and a fee of 100 basis
 * points.
 */
function fieldWay(field: string, old: unknown, now: unknown, denies: boolean): Way {
  if (ROLES.includes(field)) {
    const rank = (value: unknown) => CLASSES.indexOf(typeof value === 'string' ? value : 'addressBook');
    return wayOf(rank(now) - rank(old));
  }
  const grown = (absent: number) => Number(now ?? absent) - Number(old ?? absent);
  if (field === 'minOutOfQuoteBps') return wayOf(-grown(0));
  if (field === 'maxServiceFeeBps') return wayOf(grown(100));
  if (field === 'maxPriceDeviationBps') return wayOf(grown(MAX_PRICE_DEVIATION_BPS));
  if (field === 'firstPurchase') return wayOf(Number(now === 'allow') - Number(old === 'allow'));
  if (field === 'maxOthersBps') return wayOf(grown(10_000));
  if (field === 'unsupported') return now === undefined ? 'narrower' : 'wider';
  if (field === 'hours' && (old === undefined || now === undefined)) {
    return (old === undefined) === denies ? 'wider' : 'narrower';
  }
  return 'other';
}

/** Returns whether rules about one operation, present in both files, changed order. Denials win in any order. */
function reordered(old: Policy, next: Policy): boolean {
  const permitting = ({ rules }: Policy) => rules.filter(({ effect }) => effect !== 'deny');
  const order = (policy: Policy, other: Policy, job: string) =>
    permitting(policy)
      .filter(({ operation }) => operation === job)
      .filter(({ id }) => permitting(other).some((rule) => rule.id === id && rule.operation === job))
      .map(({ id }) => id)
      .join(' ');
  return next.rules.some(({ operation }) => order(old, next, operation) !== order(next, old, operation));
}
