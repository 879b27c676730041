/**
 * The rules of the file. A denying rule overrides all others; of the others the first whose conditions hold decides.
 * Without such a rule the stage is denied.
 */

import { percent } from '../../base/format.ts';
import type { RecipientClass, Rule } from '../file/schema.ts';
import type { Checklist, Seen } from './checklist.ts';
import { assetOf, type DecisionContext, formatAmount } from './decisionContext.ts';
import type { FirstBuy, Matched, RecipientRole, Trade } from './operations/operation.ts';
import { requestedClaimers } from './operations/request.ts';
import { isOfClass } from './recipients.ts';
import type { Asset, ReasonCode } from './types.ts';
import type { CheckId } from './words/names.ts';

/** An unmet condition of a rule. */
interface Unmet extends Seen {
  readonly code: ReasonCode;
  readonly id: CheckId;
}

/** Returns the rule that decides. Otherwise records the unmet conditions of the closest rule and returns `undefined`. */
export function findRule(c: DecisionContext, matched: Matched, list: Checklist): Rule | undefined {
  const { operation, wallet } = c.inputs.plan;
  if (c.inputs.ourWallets.includes(wallet) && !c.policy.wallets.some((entry) => entry.address === wallet)) {
    list.fail('NO_RULE', 'walletListed', { observed: wallet });
    return undefined;
  }
  const rules = c.policy.rules.filter((rule) => rule.operation === operation);
  const denies = rules.find((rule) => rule.effect === 'deny' && withinHours(rule, c.inputs.time));
  if (denies !== undefined) {
    list.fail('NO_RULE', 'noRuleDenies', { observed: `rule ${denies.id}` });
    return denies;
  }
  const candidates = rules.filter((rule) => rule.effect !== 'deny');
  let closest: readonly Unmet[] | undefined;
  for (const rule of candidates) {
    const unmet = unmetBy(rule, c, matched);
    if (unmet.length === 0) {
      list.pass('ruleCovers', { observed: `rule ${rule.id}` });
      return rule;
    }
    if (closest === undefined || unmet.length < closest.length) closest = unmet;
  }
  if (closest === undefined) list.fail('NO_RULE', 'ruleCovers', { observed: operation });
  for (const { code, id, ...seen } of closest ?? []) list.fail(code, id, seen);
  return undefined;
}

function unmetBy(rule: Rule, c: DecisionContext, matched: Matched): Unmet[] {
  const unmet: Unmet[] = [];
  if (!withinHours(rule, c.inputs.time)) {
    const { from, to, timeZone } = rule.hours ?? { from: '', to: '', timeZone: '' };
    unmet.push({ code: 'NO_RULE', id: 'withinHours', allowed: `${from} to ${to} ${timeZone}` });
  }
  const classes = recipientClasses(rule);
  for (const { address, role } of matched.recipients) {
    // The rules of the operation bound its internal transfers.
    if (role === 'payment' || role === 'refund') continue;
    const allowed = classes[role] ?? 'addressBook';
    if (isOfClass(c.index, address, allowed)) continue;
    unmet.push({
      code: 'RECIPIENT_NOT_ALLOWED',
      id: 'recipientAllowed',
      params: { role, only: allowed },
      observed: address,
      allowed,
    });
  }
  if (rule.operation === 'config' || rule.operation === 'manager_update') unmet.push(...unmetShares(c, rule));
  if (rule.operation === 'swap' && matched.trade !== undefined)
    unmet.push(...unmetTrade(c, rule, matched.trade));
  if (rule.operation === 'launch' && matched.firstBuy !== undefined)
    unmet.push(...unmetFirstBuy(c, rule, matched.firstBuy));
  return unmet;
}

/** Builds an unmet condition for an exceeded bound. */
const beyond = (id: CheckId, observed: string, allowed: string): Unmet => {
  return { code: 'LIMIT_EXCEEDED', id, observed, allowed };
};

/** Returns the unmet condition if unnamed claimers hold more than the rule's `maxOthersBps` (T64). */
function unmetShares(
  c: DecisionContext,
  { maxOthersBps: most }: Extract<Rule, { operation: 'config' | 'manager_update' }>,
): Unmet[] {
  if (most === undefined) return [];
  const others = requestedClaimers(c.inputs.plan.request).filter(
    ({ wallet }) => !isOfClass(c.index, wallet, 'addressBook'),
  );
  const share = others.reduce((sum, { bps }) => sum + bps, 0);
  if (share <= most) return [];
  const named = others.map(({ wallet, bps }) => `${wallet}: ${percent(bps)}`).join(', ');
  return [{ code: 'RECIPIENT_NOT_ALLOWED', id: 'othersShare', observed: named, allowed: percent(most) }];
}

type LaunchRule = Extract<Rule, { operation: 'launch' }>;

/**
 * Returns the unmet condition if a first buy brings too little (T26, T64). No quote states the launch price, so only a rule
 * can bound it. With unsupported instructions, `checkSimulation` makes this check.
 */
function unmetFirstBuy(c: DecisionContext, rule: LaunchRule, buy: FirstBuy): Unmet[] {
  if (buy.read === undefined) return [];
  const least = leastOfFirstBuy(rule, buy, buy.read.supply);
  if (buy.read.bought >= least) return [];
  return [
    beyond('firstBuyShare', formatAmount(c, buy.read.bought, buy.mint), formatAmount(c, least, buy.mint)),
  ];
}

/**
 * Returns the minimum output of a first buy in base units: the paid share of the rule's maximum value of the whole supply,
 * rounded up. 0 if the rule sets no maximum in that quote.
 */
export function leastOfFirstBuy(rule: LaunchRule, { quoteMint, paid }: FirstBuy, supply: bigint): bigint {
  const quote = assetOf(quoteMint);
  const most = (rule.maxFirstBuyValue ?? []).filter((value) => value.quote === quote);
  const least = most.map(({ max }) => ceilingOf(supply * paid, BigInt(max)));
  return least.reduce((a, b) => (a > b ? a : b), 0n);
}

const ceilingOf = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** Returns the recipient classes of a rule by role; empty for operations without recipients. */
function recipientClasses(rule: Rule): Partial<Record<RecipientRole, RecipientClass | undefined>> {
  switch (rule.operation) {
    case 'config': {
      const { claimers: claimer, admin, partner, tip } = rule;
      return { claimer, admin, partner, tip };
    }
    case 'manager_update':
      return { claimer: rule.claimers };
    case 'launch': {
      const { claimers: claimer, admin, partner, tip, feeClaimer } = rule;
      return { claimer, admin, partner, tip, feeClaimer };
    }
    case 'send':
      return { recipient: rule.recipient };
    default:
      return {};
  }
}

function unmetTrade(c: DecisionContext, rule: Extract<Rule, { operation: 'swap' }>, trade: Trade): Unmet[] {
  const unmet: Unmet[] = [];
  // A fee deducted from the output is a fixed amount: slippage applies to the output before the fee.
  const { feeOut = 0n } = trade;
  const least = ((trade.quotedOut + feeOut) * BigInt(rule.minOutOfQuoteBps ?? 0)) / 10_000n - feeOut;
  const [input, output] = [assetOf(trade.inputMint), assetOf(trade.outputMint)];
  const format = (units: bigint, asset: Asset) => formatAmount(c, units, asset);
  if (trade.amountOut < least)
    unmet.push(beyond('quoteShare', format(trade.amountOut, output), format(least, output)));
  const mostFee = (trade.serviceFeeBase * BigInt(rule.maxServiceFeeBps ?? 100)) / 10_000n;
  const feeAsset = feeOut > 0n ? output : input;
  if (trade.serviceFee > mostFee)
    unmet.push(beyond('ruleServiceFee', format(trade.serviceFee, feeAsset), format(mostFee, feeAsset)));
  const rate = (out: bigint, of: bigint) => `${format(out, output)} for ${format(of, input)}`;
  for (const minRate of rule.minRates ?? []) {
    const [out, of] = [BigInt(minRate.minOutput), BigInt(minRate.perInput)];
    if (minRate.input !== input || minRate.output !== output || trade.amountOut * of >= trade.amountIn * out)
      continue;
    unmet.push(beyond('lowestRate', rate(trade.amountOut, trade.amountIn), rate(out, of)));
  }
  return unmet;
}

/** Whether a time is within the hours of a rule, which may span midnight. */
export function withinHours(rule: Pick<Rule, 'hours'>, time: number): boolean {
  if (rule.hours === undefined) return true;
  const { from, to, timeZone } = rule.hours;
  const now = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(time);
  return from < to ? from <= now && now < to : now >= from || now < to;
}
