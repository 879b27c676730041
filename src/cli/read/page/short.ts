/** The short part of a page: what leaves and arrives and where, deposits, who gains rights, what is not read. Pure. */
import { capital, decimal, listWords, percent, several } from '../../../base/words.ts';
import type { Asset } from '../../../programs/acts.ts';
import { actAmount, assetName, holderName, type Naming, sol } from '../../../programs/words/naming.ts';
import { positionOf } from '../../../programs/words/pools.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Deposit } from '../amounts/deposits.ts';
import type { Arriving, Leaving, Totals } from '../amounts/totals.ts';
import type { Summary } from '../facts.ts';
import { collectedWords, inferredWords, rightsSentences, sharedWords, smallestWords } from './gains.ts';
import { programWords, unreadSentences } from './unread.ts';

/** All of the fees, in basis points. */
const ALL_BPS = 10_000n;

/** Sentences of the short part. A sentence that begins with two spaces belongs to the one before it. */
export function shortSentences(summary: Summary, n: Naming): string[] {
  const { totals, unread } = summary;
  return [
    ...unreadSentences(summary, n),
    leavesWords(totals, unread.length > 0, n),
    ...(totals.wrapped.length === 0 ? [] : [wrappedWords(totals, n)]),
    ...reachedWords(summary, n),
    ...depositWords(summary),
    arrivesWords(totals, unread.length > 0, n),
    ...claimSentences(totals, n),
    ...totals.arrives.filter(isBack).map((item) => backWords(item, n)),
    ...togetherWords(totals, unread.length > 0),
    ...totals.elsewhere.map((each) => elsewhereWords(each, summary, n)),
    ...smallestWords(summary),
    ...collectedWords(summary, n),
    ...sharedWords(summary, n),
    ...rightsSentences(summary, n),
    unread.length === 0
      ? 'Every instruction is read.'
      : `${capital(several(unread.length, 'instruction is', 'instructions are'))} not read (${unread.map(({ step }) => step).join(', ')}), so the amounts and rights above may not be all.`,
    ...inferredWords(summary),
  ];
}

interface Amount {
  readonly asset?: Asset;
  readonly amount?: bigint;
}

/** Amounts as a list: one sum for each asset, then those that are not bounded. */
function amountsWords(items: readonly Amount[], n: Naming): string {
  const sums = new Map<Asset, bigint>();
  const others: string[] = [];
  for (const { asset, amount } of items) {
    if (amount === undefined) others.push(`an amount of ${assetName(asset, n)} the bytes do not bound`);
    else if (asset === undefined) others.push(`${decimal(amount)} base units of a token not known here`);
    else sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  }
  return listWords([...[...sums].map(([asset, amount]) => actAmount(amount, asset, n)), ...new Set(others)]);
}

/** Items by where they go, the ways in order of appearance. */
function byWay<T extends Amount>(items: readonly T[], way: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(way(item), [...(groups.get(way(item)) ?? []), item]);
  return [...groups];
}

/** Amounts with where they go; what goes several ways has its sum first. */
function sumWords<T extends Amount>(items: readonly T[], way: (item: T) => string, n: Naming): string {
  // Amounts are written first, so that what they count has the lower number on the page.
  const sum = amountsWords(items, n);
  const groups = byWay(items, way);
  const parts = groups.map(([where, group]) => `${amountsWords(group, n)} ${where}`);
  const assets = groups.flatMap(([, group]) => [...new Set(group.map(({ asset }) => asset))]);
  const list = parts.some((part) => part.includes(', ')) ? parts.join('; and ') : listWords(parts);
  return new Set(assets).size === assets.length ? list : `${sum}: ${list}`;
}

function leavesWords({ leaves }: Totals, isUnread: boolean, n: Naming): string {
  const begin = 'Leaves, besides the network fee and deposits:';
  const closed = leaves.filter(({ goes }) => goes.way === 'closed');
  const amounts = leaves.filter(({ goes }) => goes.way !== 'closed');
  const parts = [
    ...(amounts.length === 0 ? [] : [sumWords(amounts, (item) => wayWords(item, n), n)]),
    ...closed.map(
      ({ from, goes }) =>
        `everything in ${holderName(from, n)}, which is closed${goes.way === 'closed' ? ` in favour of ${n.address(goes.to)}` : ''}`,
    ),
  ];
  if (parts.length === 0) return `${begin} ${isUnread ? 'unknown' : 'nothing'}.`;
  return isUnread
    ? `${begin} ${listWords(parts)} by the steps that are read; the others may take more.`
    : `${begin} at most ${listWords(parts)}.`;
}

function wayWords({ goes, step, from, asset }: Leaving, n: Naming): string {
  const source = asset === undefined ? ` (account ${n.address(from.account)})` : '';
  switch (goes.way) {
    case 'to':
      return `to ${holderName(goes.to, n)}${source}`;
    case 'trade':
      return `into the trade on ${goes.venue} in step ${step}${source}`;
    case 'position':
      return `into ${positionOf(goes.position, n)}`;
    case 'deposit':
      return (
        `into the new account ${n.address(goes.account)}` +
        (goes.program === undefined ? '' : `, which ${programWords(goes.program, n)} controls`) +
        (goes.returnedIn === undefined ? '' : `, of which what is left comes back in step ${goes.returnedIn}`)
      );
    case 'metadata':
      return 'to the metadata program';
    default:
      return 'destroyed';
  }
}

const wrappedWords = ({ wrapped }: Totals, n: Naming): string =>
  `Stays: ${listWords(wrapped.map(({ account, amount }) => `${sol(amount)} becomes wrapped SOL in ${n.address(account)}, an account of the wallet`))}.`;

/** SOL that is put where a step that is not read can take it. */
const reachedWords = ({ totals, unread }: Summary, n: Naming): string[] =>
  totals.filled.flatMap(({ account, amount }) => {
    const steps = unread.filter(({ writes }) => writes.includes(account)).map(({ step }) => `${step}`);
    if (steps.length === 0 || totals.wrapped.some((each) => each.account === account)) return [];
    const who =
      steps.length === 1 ? `step ${steps.join()}, which is` : `steps ${listWords(steps)}, which are`;
    return [
      `${sol(amount)} goes into ${n.address(account)}, an account of ${n.address(n.known?.wallet ?? '')}, where ${who} not read, may take it.`,
    ];
  });

function depositWords({ deposits, online, unread }: Summary): string[] {
  const isUnread = unread.length > 0;
  const made = online ? 'made here' : 'made here, unless there already';
  const [priced, open] = [deposits.filter(isPriced), deposits.filter((each) => !isPriced(each))];
  const total = priced.reduce((sum, { lamports = 0n }) => sum + lamports, 0n);
  const parts = [
    ...(priced.length === 0
      ? []
      : [`${isUnread ? '' : 'at most '}${sol(total)} for ${accountsWords(priced, made)}`]),
    ...(open.length === 0
      ? []
      : [`what the size costs, which the bytes do not fix, for ${accountsWords(open, made)}`]),
  ];
  const back = new Map<number, bigint>();
  for (const { returnedIn, lamports = 0n } of deposits) {
    if (returnedIn !== undefined) back.set(returnedIn, (back.get(returnedIn) ?? 0n) + lamports);
  }
  const returns = [...back].map(([step, lamports]) =>
    lamports === 0n
      ? `; one of them comes back in step ${step}`
      : `; ${lamports === total && open.length === 0 ? 'all' : `${isUnread ? 'up to ' : ''}${sol(lamports)}`} of it comes back in step ${step}`,
  );
  if (parts.length === 0) return isUnread ? ['Deposits: unknown.'] : [];
  const more = isUnread ? '; the steps that are not read may ask for more' : '';
  return [`Deposits: ${listWords(parts)}${returns.join('')}${more}.`];
}

const isPriced = ({ lamports }: Deposit): boolean => lamports !== undefined;

/** `2 accounts made here (the pool and the token)`; an account that is made and then grows is one. */
function accountsWords(deposits: readonly Deposit[], madeHere: string): string {
  const made = new Set(deposits.flatMap(({ account, grows }) => (grows ? [] : [account])));
  const grown = new Set(
    deposits.flatMap(({ account, grows }) => (grows && !made.has(account) ? [account] : [])),
  );
  const counts = [
    ...(made.size === 0 ? [] : [`${several(made.size, 'account')} ${madeHere}`]),
    ...(grown.size === 0
      ? []
      : [`${several(grown.size, 'account')} that ${grown.size === 1 ? 'grows' : 'grow'}`]),
  ];
  return `${listWords(counts)} (${listWords([...new Set(deposits.map(({ what }) => what))])})`;
}

function arrivesWords({ arrives, positions }: Totals, isUnread: boolean, n: Naming): string {
  const gained = arrives.filter((item) => !isBack(item));
  const sure = gained.filter(({ amount }) => amount !== undefined);
  const owed = gained.filter(({ amount }) => amount === undefined);
  const parts = [
    ...(sure.length === 0
      ? []
      : [`${isUnread ? '' : 'at least '}${sumWords(sure, (item) => whereWords(item, n), n)}`]),
    ...owed.map((item) => owedWords(item, n)),
    ...positions.map((position) => `control of the position ${n.address(position)}, which is made here`),
  ];
  if (parts.length === 0) return `Arrives: ${isUnread ? 'unknown' : 'nothing'}.`;
  return `Arrives: ${listWords(parts)}${isUnread ? ' by the steps that are read; the others may take it away' : ''}.`;
}

/** SOL that arrives is in the wallet itself, also where a wrapped account is closed in between. */
function whereWords({ to, asset, how }: Arriving, n: Naming): string {
  if (how === 'closed')
    return `in ${n.address(to.account)}, out of ${n.address(to.owner ?? '')}, which is closed`;
  if (asset === 'SOL') return `in ${n.address(to.owner ?? to.account)}`;
  return `in ${holderName(to, n)}${how === 'made' ? ', made new' : ''}`;
}

function owedWords(item: Arriving, n: Naming): string {
  const { asset, how, owed, addedBy } = item;
  if (how === 'closed') {
    return `the SOL in ${n.address(item.to.owner ?? '')}, which is closed, an amount only the chain knows`;
  }
  const claimed = claimedSum(item);
  if (claimed === undefined) {
    const known =
      owed === undefined || asset === undefined
        ? 'an amount only the chain knows'
        : `${actAmount(owed, asset, n)} is set aside before this transaction`;
    const more = addedBy === undefined ? '' : `, and step ${addedBy.step} adds to it`;
    return `what is owed in ${assetName(asset, n)} (${known}${more}) ${whereWords(item, n)}`;
  }
  return `as the chain stands now at most ${actAmount(claimed, asset, n)} ${whereWords(item, n)}, and perhaps less`;
}

/** The most a claim pays as the chain stands: what is set aside, and the claimant's share of what is added. */
function claimedSum({ owed, addedBy }: Arriving): bigint | undefined {
  if (owed === undefined || addedBy?.amount === undefined || addedBy.bps === undefined) return undefined;
  return owed + (addedBy.amount * BigInt(addedBy.bps)) / ALL_BPS;
}

/** How the amount of a claim comes about, and whether it becomes SOL. */
function claimSentences({ arrives }: Totals, n: Naming): string[] {
  return arrives.flatMap((item) => {
    const { asset, how, owed, addedBy, to } = item;
    if (how !== 'claim') return [];
    const wallet = n.address(to.owner ?? to.account);
    const stays = asset === WSOL_MINT ? ['It stays wrapped SOL: no step turns it into SOL.'] : [];
    if (addedBy?.amount === undefined || addedBy.bps === undefined || owed === undefined) return stays;
    const { step, amount, bps, partner } = addedBy;
    const takers =
      partner === undefined
        ? 'the platform, and a partner where there is one,'
        : `the platform${partner === null ? '' : ` and the partner ${n.address(partner)}`}`;
    const before =
      owed === 0n
        ? `Nothing is set aside for ${wallet} before this transaction`
        : `${actAmount(owed, asset, n)} is set aside for ${wallet} before this transaction`;
    return [
      `${before}; step ${step} brings in ${actAmount(amount, asset, n)}. Of that ${takers} may take a part first, which shows only once it has landed; of the rest ${wallet} earns ${percent(bps)}.`,
      ...stays,
    ];
  });
}

/** What was the wallet's own before and comes back out of an account of it. */
const isBack = ({ how, own }: Arriving): boolean => how === 'closed' && own === true;

function backWords({ amount, to }: Arriving, n: Naming): string {
  const [wallet, account] = [n.address(to.account), n.address(to.owner ?? '')];
  const what = amount === undefined ? 'SOL, an amount only the chain knows,' : sol(amount);
  return `Comes back: ${what} that lay in ${account}, an account of ${wallet}, before this transaction; it is closed. That is no gain: it was its own.`;
}

/** SOL in and out together, where both are known. */
function togetherWords({ leaves, arrives }: Totals, isUnread: boolean): string[] {
  const sum = (items: readonly Amount[]) =>
    items.reduce((total, { asset, amount = 0n }) => (asset === 'SOL' ? total + amount : total), 0n);
  const [out, back] = [sum(leaves), sum(arrives.filter((item) => !isBack(item)))];
  if (isUnread || out === 0n || back === 0n) return [];
  const net = back - out;
  return [
    net >= 0n
      ? `Together: at least ${sol(net)} more in SOL, before deposits and the network fee.`
      : `Together: at most ${sol(-net)} less in SOL, before deposits and the network fee.`,
  ];
}

function elsewhereWords(item: Arriving, { wallet, online }: Summary, n: Naming): string {
  const { asset, amount, to, how, step } = item;
  const what =
    amount === undefined
      ? `What step ${step} claims in ${assetName(asset, n)} goes`
      : `At least ${actAmount(amount, asset, n)} ${how === 'made' ? 'is made new and goes' : 'goes'}`;
  if (to.owner !== undefined) {
    return `NOT to ${n.address(wallet)}: ${what.charAt(0).toLowerCase()}${what.slice(1)} to ${holderName(to, n)}.`;
  }
  const own = asset === undefined ? '' : `, which is not the account ${n.address(wallet)} has for it`;
  const who = online ? 'the chain shows no owner of it' : 'whose it is, is not known here: pass --rpc-url';
  return `${what} to ${n.address(to.account)}${own}; ${who}.`;
}
