/** Describes a rule: its operation, conditions and reason, including defaults that the file does not mention. */

import { capital, listWords, percent } from '../base/format.ts';
import { operationsWords, operationWords } from '../plan/operationNames.ts';
import { OPERATIONS, type Operation } from '../plan/types.ts';
import { MAX_PRICE_DEVIATION_BPS } from '../policy/decide/asks/trades.ts';
import type { Policy, RecipientClass, Rule } from '../policy/file/schema.ts';
import { classWords, limitAmountWords } from './policyFormat.ts';

/** A described rule, or several combined ones. */
export interface RuleWords {
  /** The permitted operation, without a full stop. */
  readonly what: string;
  /** Conditions; empty if there are none. */
  readonly conditions: readonly string[];
  /** The reason given in the file. */
  readonly why: string;
  readonly ids: readonly string[];
}

/** Default of `maxServiceFeeBps`. */
const DEFAULT_SERVICE_FEE_BPS = 100;

const FIRST_PURCHASE = {
  ask: 'The first purchase of a token that the policy does not list asks.',
  allow: 'The first purchase of a token does not ask.',
  absent: 'The first purchase of a token that the policy does not list asks, except on a local chain.',
} as const;

const CLAIMS: readonly Operation[] = ['holding_claim', 'position_claim', 'vault_claim', 'deployer_claim'];
const CLAIM_SOURCES: Partial<Record<Operation, string>> = {
  holding_claim: 'holdings',
  position_claim: 'positions',
  vault_claim: 'vaults',
  deployer_claim: 'tokens it deployed',
};

/** Describes rules of one effect, in the file's order; combines claims with the same reason and hours. */
export function rulesWords(policy: Policy, rules: readonly Rule[]): RuleWords[] {
  const described: RuleWords[] = [];
  const done = new Set<string>();
  for (const rule of rules) {
    if (done.has(rule.id)) continue;
    const alike = rules.filter((other) => sameSentence(rule, other));
    for (const other of alike) done.add(other.id);
    described.push({
      what: whatWords(alike),
      conditions: conditionsOf(policy, rule),
      why: rule.why,
      ids: alike.map((other) => other.id),
    });
  }
  return described;
}

/** Returns whether the rule permits unsupported instructions without a question. */
const permitsUnsupported = (rule: Rule): boolean =>
  rule.effect === 'allow' && 'unsupported' in rule && rule.unsupported === 'allow';

const hoursKey = (rule: Rule): string => JSON.stringify(rule.hours ?? null);

/**
 * Returns whether two rules are described together: denials with one reason, and claims that differ only in the
 * source of fees.
 */
function sameSentence(rule: Rule, other: Rule): boolean {
  if (rule.id === other.id) return true;
  const alike =
    rule.effect === 'deny' || (CLAIMS.includes(rule.operation) && CLAIMS.includes(other.operation));
  return (
    alike &&
    rule.effect === other.effect &&
    rule.why === other.why &&
    hoursKey(rule) === hoursKey(other) &&
    permitsUnsupported(rule) === permitsUnsupported(other)
  );
}

function whatWords(rules: readonly Rule[]): string {
  const [first] = rules;
  if (first === undefined) return '';
  if (rules.length === 1) return operationWords(first.operation);
  const claims = rules.flatMap(({ operation }) => CLAIM_SOURCES[operation] ?? []);
  if (claims.length === rules.length) return `Collect earned fees into the wallet: from ${listWords(claims)}`;
  const all = OPERATIONS.every((operation) => rules.some((rule) => rule.operation === operation));
  const jobs = listWords(rules.map(({ operation }) => operationsWords(operation)));
  return all ? `Everything the service has to offer: ${jobs}` : capital(jobs);
}

function conditionsOf(policy: Policy, rule: Rule): string[] {
  const hours = hoursWords(rule);
  if (rule.effect === 'deny') return hours === undefined ? [] : [hours];
  const conditions = [
    ...precedence(policy, rule),
    ...recipientConditions(policy, rule),
    ...jobConditions(rule),
    ...(permitsUnsupported(rule)
      ? ['Unsupported instructions need no approval, since this chain is local.']
      : []),
  ];
  return hours === undefined ? conditions : [...conditions, hours];
}

/** Of the rules that do not deny, the first whose conditions hold decides. */
function precedence(policy: Policy, rule: Rule): string[] {
  const before = policy.rules
    .slice(0, policy.rules.indexOf(rule))
    .filter((other) => other.operation === rule.operation && other.effect !== 'deny')
    .map((other) => other.id);
  if (before.length === 0) return [];
  return [`Decides only where rule ${listWords(before, 'or')} does not.`];
}

/** Formats hours, such as `Only from 07:00 to 22:00, Europe/Berlin.` */
function hoursWords({ hours }: Rule): string | undefined {
  if (hours === undefined) return undefined;
  const overnight = hours.from > hours.to ? ' the next day' : '';
  return `Only from ${hours.from} to ${hours.to}${overnight}, time of ${hours.timeZone}.`;
}

/** Describes the recipients of an operation: which must be known, and which may be any address. */
function recipientConditions(policy: Policy, rule: Rule): string[] {
  const roles = rolesOf(rule);
  // With an empty address book two of the classes are equal and are combined.
  const empty = policy.addressBook.length === 0;
  const named = (allowed: RecipientClass) => (empty && allowed === 'own' ? 'addressBook' : allowed);
  const of = (wanted: RecipientClass) =>
    roles.flatMap(([who, allowed]) => (named(allowed) === wanted ? [who] : []));
  const conditions: string[] = [];
  for (const allowed of ['own', 'addressBook'] as const) {
    const who = of(allowed);
    if (who.length > 0) conditions.push(`Must be ${classWords(allowed, policy)}: ${listWords(who)}.`);
  }
  const anyone = of('any');
  if (anyone.length > 0) conditions.push(`May be any address: ${listWords(anyone)}.`);
  if ('maxOthersBps' in rule && rule.maxOthersBps !== undefined)
    conditions.push(
      `Claimers who are not in the address book may earn ${percent(rule.maxOthersBps)} together at most.`,
    );
  return conditions;
}

/** Returns the roles a rule decides about, with the permitted recipients of each. */
function rolesOf(rule: Rule): readonly (readonly [string, RecipientClass])[] {
  switch (rule.operation) {
    case 'config':
      return [
        ['who earns a share', rule.claimers ?? 'addressBook'],
        ['who may change the split later', rule.admin ?? 'addressBook'],
        ['a partner who earns too', rule.partner ?? 'addressBook'],
        ['who gets a tip', rule.tip ?? 'addressBook'],
      ];
    case 'manager_update':
      return [['who earns a share from then on', rule.claimers ?? 'addressBook']];
    case 'launch':
      return [
        ['who receives the trading fees', rule.feeClaimer ?? 'addressBook'],
        ['who earns a share of them', rule.claimers ?? 'addressBook'],
        ['who may change the split later', rule.admin ?? 'addressBook'],
        ['a partner who earns too', rule.partner ?? 'addressBook'],
        ['who gets a tip', rule.tip ?? 'addressBook'],
      ];
    case 'send':
      return [['who is paid', rule.recipient ?? 'addressBook']];
    default:
      return [];
  }
}

function jobConditions(rule: Rule): string[] {
  if (rule.operation === 'launch') {
    return [
      'A first purchase of the token, if the agent asks for one, counts toward the limits.',
      ...(rule.maxFirstBuyValue ?? []).map(
        ({ quote, max }) =>
          `At the price it pays, all tokens together must cost at most ${limitAmountWords(BigInt(max), quote)}.`,
      ),
    ];
  }
  if (CLAIMS.includes(rule.operation)) {
    return ['Money comes in; only network fees and account deposits may go out.'];
  }
  if (rule.operation === 'send') {
    return [
      'Payments cannot be undone. It counts toward the limits, with the fee and the rent of a new account.',
    ];
  }
  if (rule.operation !== 'swap') return [];
  const least = rule.minOutOfQuoteBps ?? 0;
  return [
    least > 0
      ? `At least ${percent(least)} of the quoted amount must arrive.`
      : 'At least the minimum of the quote must arrive; no share of the quote is required.',
    `The service may keep at most ${percent(rule.maxServiceFeeBps ?? DEFAULT_SERVICE_FEE_BPS)} of the trade.`,
    `A trade that brings over ${percent(rule.maxPriceDeviationBps ?? MAX_PRICE_DEVIATION_BPS)} less than the token's own curve or pool would asks.`,
    FIRST_PURCHASE[rule.firstPurchase ?? 'absent'],
    ...(rule.minRates ?? []).map(
      ({ input, output, perInput, minOutput }) =>
        `For every ${limitAmountWords(BigInt(perInput), input)} at least ${limitAmountWords(BigInt(minOutput), output)}.`,
    ),
    'Everything paid in counts as spent, regardless of refunds.',
  ];
}
