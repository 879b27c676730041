/**
 * The rules of the file. A rule that denies always wins; of the others the first whose conditions hold decides.
 * Without such a rule the stage is denied.
 */

import { percent } from '../../base/format.ts';
import type { RecipientClass, Rule } from '../file/schema.ts';
import type { Checklist, Seen } from './checklist.ts';
import { assetOf, type DecisionContext, saidAmount } from './decisionContext.ts';
import type { FirstBuy, Matched, RecipientRole, Trade } from './operations/operation.ts';
import { askedClaimers } from './operations/request.ts';
import { isOfClass } from './recipients.ts';
import type { Asset, ReasonCode } from './types.ts';
import type { CheckId } from './words/names.ts';

/** A condition of a rule that did not hold. */
interface Unmet extends Seen {
  readonly code: ReasonCode;
  readonly id: CheckId;
}

/** The rule that decides, or nothing: then the list says why none did. */
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
    // Money that changes hands inside the operation itself is bound by the file of its operation.
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

/** A bound of a rule that is not kept. */
const beyond = (id: CheckId, observed: string, allowed: string): Unmet => {
  return { code: 'LIMIT_EXCEEDED', id, observed, allowed };
};

/** The share of claimers whom neither wallets nor address book name, where a rule bounds it (T64). */
function unmetShares(
  c: DecisionContext,
  { maxOthersBps: most }: Extract<Rule, { operation: 'config' | 'manager_update' }>,
): Unmet[] {
  if (most === undefined) return [];
  const others = askedClaimers(c.inputs.plan.request).filter(
    ({ wallet }) => !isOfClass(c.index, wallet, 'addressBook'),
  );
  const share = others.reduce((sum, { bps }) => sum + bps, 0);
  if (share <= most) return [];
  const named = others.map(({ wallet, bps }) => `${wallet}: ${percent(bps)}`).join(', ');
  return [{ code: 'RECIPIENT_NOT_ALLOWED', id: 'othersShare', observed: named, allowed: percent(most) }];
}

type LaunchRule = Extract<Rule, { operation: 'launch' }>;

/**
 * The service sets the price of a launch, and no quote names it: only a rule can bound it (T26, T64). Where the bytes
 * cannot all be read, the simulation is asked instead.
 */
function unmetFirstBuy(c: DecisionContext, rule: LaunchRule, buy: FirstBuy): Unmet[] {
  if (buy.read === undefined) return [];
  const least = leastOfFirstBuy(rule, buy, buy.read.supply);
  if (buy.read.bought >= least) return [];
  return [beyond('firstBuyShare', saidAmount(c, buy.read.bought, buy.mint), saidAmount(c, least, buy.mint))];
}

/**
 * Least tokens, base units, that a first buy must bring by the rule: its share of the supply when the whole supply
 * costs the most the rule lets it cost, rounded up. 0 where the rule names no value in that quote.
 */
export function leastOfFirstBuy(rule: LaunchRule, { quoteMint, paid }: FirstBuy, supply: bigint): bigint {
  const quote = assetOf(quoteMint);
  const most = (rule.maxFirstBuyValue ?? []).filter((value) => value.quote === quote);
  const least = most.map(({ max }) => ceilingOf(supply * paid, BigInt(max)));
  return least.reduce((a, b) => (a > b ? a : b), 0n);
}

const ceilingOf = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** What a rule says about recipients, by role; operations without recipients say nothing. */
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
  // A fee that comes off what arrives is a fixed amount: the price may slip for all that is sold, the fee does not.
  const { feeOut = 0n } = trade;
  const least = ((trade.quotedOut + feeOut) * BigInt(rule.minOutOfQuoteBps ?? 0)) / 10_000n - feeOut;
  const [input, output] = [assetOf(trade.inputMint), assetOf(trade.outputMint)];
  const said = (units: bigint, asset: Asset) => saidAmount(c, units, asset);
  if (trade.amountOut < least)
    unmet.push(beyond('quoteShare', said(trade.amountOut, output), said(least, output)));
  const mostFee = (trade.serviceFeeBase * BigInt(rule.maxServiceFeeBps ?? 100)) / 10_000n;
  const feeAsset = feeOut > 0n ? output : input;
  if (trade.serviceFee > mostFee)
    unmet.push(beyond('ruleServiceFee', said(trade.serviceFee, feeAsset), said(mostFee, feeAsset)));
  const rate = (out: bigint, of: bigint) => `${said(out, output)} for ${said(of, input)}`;
  for (const asked of rule.minRates ?? []) {
    const [out, of] = [BigInt(asked.minOutput), BigInt(asked.perInput)];
    if (asked.input !== input || asked.output !== output || trade.amountOut * of >= trade.amountIn * out)
      continue;
    unmet.push(beyond('lowestRate', rate(trade.amountOut, trade.amountIn), rate(out, of)));
  }
  return unmet;
}

/** Whether a time is within the hours of a rule; hours may run over midnight. */
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
