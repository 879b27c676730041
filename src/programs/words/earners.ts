/** Who earns of a launch's fees, as sentences: lists of shares, a partner, and what a change takes from whom. */
import { listWords, percent, several } from '../../base/words.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActOf, Earner } from '../acts.ts';
import { type Naming, withWarning } from './naming.ts';

/** Longest list that is written without its sum. */
export const SHORT_LIST = 6;
/** What every share of fees may be less by: a claim names the platform's vault, and no transaction says how much it takes. */
export const PLATFORM_PART =
  'the platform may take a part before these shares: how much is not in this transaction, and shows when fees are claimed';
/** All of the fees, in basis points. */
const EVERYTHING = 10_000;

const sum = (earners: readonly Earner[]): number => earners.reduce((total, { bps }) => total + bps, 0);

export function createdWords(act: ActOf<'createConfig' | 'extendConfig'>, n: Naming): string {
  const did =
    act.act === 'createConfig'
      ? `a fee share is set up for the token ${n.address(act.base)}, and of its trading fees`
      : `the fee share of the token ${n.address(act.base)} gets more earners, and of its trading fees`;
  return `${did} ${sharesWords(act.earners, n)}${notAmong(act.earners, n)}${partnerWords(act.partner, n)}; ${PLATFORM_PART}${finalWords(act, n)}`;
}

export function changedWords(act: ActOf<'changeShares'>, n: Naming): string {
  const { earners, fromIndex, toIndex } = act;
  const last = act.final
    ? `; only ${withWarning(act.manager, n)} can change it again`
    : '; the change is not complete: more steps follow';
  const all = act.final ? allWords(fromIndex, earners) : '';
  return `in the fee share of the token ${n.address(act.base)} ${replacedWords(fromIndex, toIndex)}: ${sharesWords(earners, n)}${all}${effectWords(act, n)}; ${PLATFORM_PART}${last}`;
}

/** Which earners of the list before make room for the new ones. */
function replacedWords(from: number, to: number): string {
  const count = to - from;
  if (count <= 0)
    return from === 0 ? 'these earn now' : `these are added after the first ${several(from, 'earner')}`;
  if (from === 0)
    return `the first ${several(count, 'earner')} ${count === 1 ? 'is' : 'are'} replaced by these`;
  return count === 1
    ? `earner number ${to} is replaced by these`
    : `earners number ${from + 1} to ${to} are replaced by these`;
}

/** That no one else earns, where the shares that were written add up to everything. */
const allWords = (from: number, earners: readonly Earner[]): string =>
  from === 0 && sum(earners) === EVERYTHING
    ? '; together that is 100%: no other earner is left after it'
    : '; the list is complete';

/** What a change means for the reader's wallet and for every earner, where the earners before it are known. */
function effectWords(act: ActOf<'changeShares'>, n: Naming): string {
  const before = n.known?.earnersOf(act.config);
  if (before === undefined) {
    const unknown = n.known?.online === false ? '; who earned before is not known here: pass --rpc-url' : '';
    return `${notAmong(act.earners, n)}${unknown}`;
  }
  // The places are replaced by the new earners, however many.
  const after = before.toSpliced(act.fromIndex, act.toIndex - act.fromIndex, ...act.earners);
  const share = (of: readonly Earner[], wallet: Address) =>
    sum(of.filter((earner) => earner.wallet === wallet));
  const { wallet } = n.known ?? {};
  const everyone = [...new Set([...before, ...after].map((earner) => earner.wallet))];
  const changed = everyone.filter((earner) => share(before, earner) !== share(after, earner));
  const steps = changed
    .toSorted((one, other) => Number(other === wallet) - Number(one === wallet))
    .slice(0, SHORT_LIST)
    .map(
      (earner) => `${n.address(earner)} ${percent(share(before, earner))} → ${percent(share(after, earner))}`,
    );
  const rest = changed.length > SHORT_LIST ? [`${several(changed.length - SHORT_LIST, 'more wallet')}`] : [];
  const kept = everyone.filter((earner) => !changed.includes(earner) && share(after, earner) > 0);
  const same = kept.length > SHORT_LIST ? kept.filter((earner) => earner === wallet) : kept;
  return (
    `; by this the shares become: ${steps.length === 0 ? 'the same as before' : listWords([...steps, ...rest])}` +
    partnerWords(n.known?.partnerOf(act.config), n) +
    same.map((earner) => `; ${n.address(earner)} keeps ${percent(share(after, earner))}`).join('')
  );
}

/** `[2] earns 10% and [3] earns 20%`; a long list with its sum, equal shares together. */
export function sharesWords(earners: readonly Earner[], n: Naming): string {
  if (earners.length === 0) return 'no wallet earns';
  if (earners.length <= SHORT_LIST) {
    return listWords(earners.map(({ wallet, bps }) => `${n.address(wallet)} earns ${percent(bps)}`));
  }
  const groups: { readonly bps: number; readonly wallets: Address[] }[] = [];
  for (const { wallet, bps } of earners) {
    const last = groups.at(-1);
    if (last?.bps === bps) last.wallets.push(wallet);
    else groups.push({ bps, wallets: [wallet] });
  }
  const parts = groups.map(({ bps, wallets }) =>
    wallets.length === 1
      ? `${addressList(wallets, n)} earns ${percent(bps)}`
      : `${addressList(wallets, n)} earn ${percent(bps)} each`,
  );
  return `${several(earners.length, 'wallet')} earn ${percent(sum(earners))} together: ${listWords(parts)}`;
}

/** Addresses in the order given; numbers that follow each other are written `[2] to [9]`. */
export function addressList(addresses: readonly Address[], n: Naming): string {
  const parts: { first: string; last: string; number: number }[] = [];
  for (const address of addresses) {
    const name = n.address(address);
    const number = Number(/^\[(\d+)\]$/.exec(name)?.[1] ?? Number.NaN);
    const open = parts.at(-1);
    if (open !== undefined && open.number + 1 === number) Object.assign(open, { last: name, number });
    else parts.push({ first: name, last: name, number });
  }
  return listWords(
    parts.flatMap(({ first, last, number }) => {
      if (first === last) return [first];
      return `[${number - 1}]` === first ? [first, last] : [`${first} to ${last}`];
    }),
  );
}

/** What an unfinished list leaves open: the shares that follow, and who adds them. */
function restWords({ earners, admin }: ActOf<'createConfig' | 'extendConfig'>, n: Naming): string {
  const open = EVERYTHING - sum(earners);
  const rest = open > 0 ? `the ${percent(open)} that is left` : 'more';
  return `a later transaction that ${n.address(admin)} (the admin of the fee share program) signs gives ${rest} to more earners, and says who may change the list`;
}

/** That the reader's wallet is not in a list. */
export function notAmong(earners: readonly Earner[], n: Naming): string {
  const wallet = n.known?.wallet;
  if (wallet === undefined || earners.some((earner) => earner.wallet === wallet)) return '';
  return `; ${n.address(wallet)} earns nothing of this`;
}

/** What a partner takes before the earners. */
export function partnerWords(partner: Address | undefined, n: Naming): string {
  if (partner === undefined) return '';
  const bps = n.known?.partnerBps(partner);
  const rest = 'and of the rest the earners take their shares';
  if (bps !== undefined) return `; the partner ${n.address(partner)} takes ${percent(bps)} first, ${rest}`;
  const how =
    n.known?.online === false
      ? `--rpc-url shows it where ${n.address(partner)} has told the chain its part before`
      : `the chain does not have it yet: ask ${n.address(partner)} before you sign, or read it in the partner's config once that is made`;
  return `; the partner ${n.address(partner)} takes its part first, ${rest}; its part is not in this transaction (${how})`;
}

function finalWords(act: ActOf<'createConfig' | 'extendConfig'>, n: Naming): string {
  const { config, final } = act;
  const manager = n.known?.managerOf(config);
  if (!final) return `; the list is not complete: ${restWords(act, n)}`;
  return manager === undefined
    ? '; the list of earners is complete'
    : `; the list of earners is complete; only ${withWarning(manager, n)} can change it later`;
}
