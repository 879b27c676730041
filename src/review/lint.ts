/**
 * Lint for policy files: not errors, but properties that are easily overlooked. Each sentence is a fact about the
 * file from a rule below.
 */

import { listWords } from '../base/format.ts';
import { operationWords } from '../plan/operationNames.ts';
import type { Policy, Rule } from '../policy/file/schema.ts';

/** Returns sentences for the owner; empty for a file without surprises. */
export function lint(policy: Policy): string[] {
  return [
    ...anyRecipient(policy),
    ...irreversible(policy),
    ...priceless(policy),
    ...pricelessFirstBuys(policy),
    ...unlimited(policy),
    ...unreachable(policy),
    ...unseen(policy),
    ...replaceable(policy),
    ...uncallable(policy),
    ...unapprovedPrograms(policy),
  ];
}

const allowing = (policy: Policy): Rule[] => policy.rules.filter((rule) => rule.effect === 'allow');

const CHOICES: Readonly<Record<string, string>> = {
  feeClaimer: 'who receives the trading fees',
  claimers: 'who earns a share',
  admin: 'who may change the split later',
  partner: 'a partner',
  tip: 'who gets a tip',
};

/** Finds rules that let the agent choose recipients without approval. */
function anyRecipient(policy: Policy): string[] {
  return allowing(policy).flatMap((rule) => {
    const roles = new Map(Object.entries(rule));
    const free = Object.keys(CHOICES).filter((role) => roles.get(role) === 'any');
    if (free.length === 0) return [];
    const choices = free.flatMap((role) => CHOICES[role] ?? []);
    return [
      `Rule ${rule.id} lets the agent choose ${listWords(choices)} without asking you: any address is accepted.`,
    ];
  });
}

function irreversible(policy: Policy): string[] {
  return allowing(policy)
    .filter((rule) => rule.operation === 'launch')
    .map(
      (rule) => `Rule ${rule.id} lets the agent launch tokens without asking you. A launch cannot be undone.`,
    );
}

/**
 * Finds first purchases without a price bound: no quote names a price, so any amount of tokens would be accepted
 * (T26).
 */
function pricelessFirstBuys(policy: Policy): string[] {
  return allowing(policy).flatMap((rule) => {
    if (rule.operation !== 'launch' || (rule.maxFirstBuyValue ?? []).length > 0) return [];
    return [
      `Rule ${rule.id} lets a first purchase bring any number of tokens: the service sets the price of a new token. ` +
        'A highest value (maxFirstBuyValue) would bound it; the limits bound what a bad price can cost.',
    ];
  });
}

/**
 * Finds swaps without a minimum rate: quotes come from the service itself, so no rule checks that the price is fair
 * (T64).
 */
function priceless(policy: Policy): string[] {
  return allowing(policy).flatMap((rule) => {
    if (rule.operation !== 'swap' || (rule.minRates ?? []).length > 0) return [];
    return [
      `Rule ${rule.id} compares a trade with the service's own quote only. The file does not check that the quote ` +
        'is a fair price; a lowest rate (minRates) would. The limits bound what a bad price can cost.',
    ];
  });
}

/** Finds unlimited spending by an agent in a loop, and operations whose fee no limit permits. */
function unlimited(policy: Policy): string[] {
  const signing = policy.rules.some((rule) => rule.effect !== 'deny');
  const assets = policy.limits.flatMap((limit) => ('asset' in limit ? [limit] : []));
  if (!signing || assets.length === 0) return [];
  const once = [...new Set(assets.map((limit) => limit.asset))].filter((asset) =>
    assets.every((limit) => limit.asset !== asset || limit.window === 'transaction'),
  );
  const warnings = once.map(
    (asset) =>
      `${asset === 'any' ? 'Tokens' : asset === 'SOL' ? 'SOL' : `Token ${asset}`} ${asset === 'any' ? 'have' : 'has'} ` +
      'a limit per transaction but none over time: many small ones may add up to everything.',
  );
  if (assets.every((limit) => limit.asset !== 'SOL')) {
    warnings.push('No limit names SOL, so nothing that costs this wallet a network fee can be signed.');
  }
  return warnings;
}

/** Finds rules that never decide, because an earlier one always does. */
function unreachable(policy: Policy): string[] {
  return policy.rules.flatMap((rule, index) => {
    if (rule.effect === 'deny') return [];
    const denied = policy.rules.find(
      (other) => other.operation === rule.operation && other.effect === 'deny' && other.hours === undefined,
    );
    if (denied !== undefined) return [`Rule ${rule.id} never applies: rule ${denied.id} denies the same.`];
    const before = policy.rules
      .slice(0, index)
      .find((other) => other.effect !== 'deny' && other.operation === rule.operation && covers(other, rule));
    if (before === undefined) return [];
    return [`Rule ${rule.id} never decides: rule ${before.id} comes first and covers everything it covers.`];
  });
}

/** Returns whether everything that matches `rule` also matches `before`, if that is certain. */
function covers(before: Rule, rule: Rule): boolean {
  const ignored = ['id', 'why', 'effect', 'operation'];
  const conditions = (of: Rule) =>
    Object.entries(of).filter(([key, value]) => !ignored.includes(key) && value !== undefined);
  const [theirs, ours] = [conditions(before), new Map(conditions(rule))];
  // A role defaults to the address book, so only a rule with "any" for all roles has no conditions.
  const roles: readonly string[] =
    before.operation === 'config'
      ? ['claimers', 'admin', 'partner', 'tip']
      : before.operation === 'launch'
        ? ['claimers', 'admin', 'partner', 'tip', 'feeClaimer']
        : before.operation === 'manager_update'
          ? ['claimers']
          : before.operation === 'send'
            ? ['recipient']
            : [];
  const wide = roles.every((role) => {
    const choice = theirs.find(([key]) => key === role)?.[1] ?? 'addressBook';
    return choice === 'any' || choice === (ours.get(role) ?? 'addressBook');
  });
  if (before.operation === 'swap') return JSON.stringify(theirs) === JSON.stringify([...ours]);
  return wide && JSON.stringify(before.hours ?? rule.hours) === JSON.stringify(rule.hours);
}

/** Finds settings that trust something unchecked. */
function unseen(policy: Policy): string[] {
  const warnings: string[] = [];
  if (!policy.simulation.required && policy.rules.some((rule) => rule.effect !== 'deny')) {
    warnings.push(
      'Simulating transactions first is not required. Set "required": true unless you have a reason not to.',
    );
  }
  if (policy.approval.channels.includes('elicitation')) {
    const approvalRules = policy.rules.filter((rule) => rule.effect === 'require_approval');
    if (approvalRules.length > 0) {
      warnings.push(
        `You may approve in the AI client itself: ${listWords(
          [...new Set(approvalRules.map((rule) => operationWords(rule.operation)))].map((text, i) =>
            i === 0 ? text : `${text.charAt(0).toLowerCase()}${text.slice(1)}`,
          ),
          'or',
        )}. Some clients answer by themselves.`,
      );
    }
  }
  return warnings;
}

/** Finds unsupported programs whose code could be replaced by unreviewed code (T34). */
function replaceable({ programs }: Policy): string[] {
  return programs.flatMap((entry) => {
    if (entry.binding === 'exact' || entry.deployedSlot !== undefined) return [];
    const { address, label, operations, instructions } = entry;
    if (operations.length === 0 || instructions.length === 0) return [];
    return [
      `The program ${label ?? address} may be replaced by its upgrade authority, and the new code would be used. ` +
        'Adding its deployedSlot allows only the code that is deployed now.',
    ];
  });
}

/** Finds entries that permit nothing. */
function uncallable({ programs }: Policy): string[] {
  return programs.flatMap((entry) => {
    if (entry.binding === 'exact') return [];
    const { address, label, operations, instructions } = entry;
    const missing = [
      ...(operations.length === 0 ? ['operations'] : []),
      ...(instructions.length === 0 ? ['instructions'] : []),
    ];
    if (missing.length === 0) return [];
    return [
      `No instruction of the program ${label ?? address} may be called: its entry names no ${listWords(missing)}.`,
    ];
  });
}

/** Finds rules under which unsupported instructions need no approval. */
function unapprovedPrograms(policy: Policy): string[] {
  const callable = policy.programs.some(
    (entry) => entry.binding === 'effects' && entry.instructions.length > 0,
  );
  return allowing(policy).flatMap((rule) => {
    if (!callable || !('unsupported' in rule) || rule.unsupported !== 'allow') return [];
    return [
      `Rule ${rule.id} lets unsupported programs act without asking you. That holds on a local chain only.`,
    ];
  });
}
