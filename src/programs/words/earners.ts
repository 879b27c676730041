/** Who earns of a launch's fees, as sentences: lists of shares, a partner, and what a change takes from whom. */
import { listWords, percent, several } from '../../base/words.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActOf, Earner } from '../acts.ts';
import { type Naming, withWarning } from './naming.ts';

/** Longest list that is written without its sum. */
const SHORT_LIST = 6;

const sum = (earners: readonly Earner[]): number => earners.reduce((total, { bps }) => total + bps, 0);

export function createdWords(act: ActOf<'createConfig' | 'extendConfig'>, n: Naming): string {
  const did =
    act.act === 'createConfig'
      ? `a fee share is set up for the token ${n.address(act.base)}`
      : `earners are added to the fee share of ${n.address(act.base)}`;
  return `${did}: ${sharesWords(act.earners, n)}${notAmong(act.earners, n)}${partnerWords(act.partner, n)}${finalWords(act, n)}`;
}

export function changedWords(act: ActOf<'changeShares'>, n: Naming): string {
  const { earners, fromIndex, toIndex } = act;
  const replaced = toIndex - fromIndex;
  const places =
    replaced <= 0
      ? `from place ${fromIndex + 1} on these are added`
      : `${several(replaced, 'earner')} from place ${fromIndex + 1} on ${replaced === 1 ? 'gives' : 'give'} way to these`;
  const last = act.final
    ? `; the list is complete; only ${withWarning(act.manager, n)} can change it again`
    : '; the change is not complete: more steps follow';
  return `the fee share of ${n.address(act.base)} is changed, ${places}: ${sharesWords(earners, n)}${effectWords(act, n)}${last}`;
}

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
  const same = wallet !== undefined && !changed.includes(wallet) && everyone.includes(wallet);
  return (
    `; by this the shares become: ${steps.length === 0 ? 'the same as before' : listWords([...steps, ...rest])}` +
    partnerWords(n.known?.partnerOf(act.config), n) +
    (same ? `; ${n.address(wallet)} keeps ${percent(share(after, wallet))}` : '')
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
  const part = bps === undefined ? 'its part' : percent(bps);
  return `; the partner ${n.address(partner)} takes ${part} first, and of the rest the earners take their shares`;
}

function finalWords({ config, final }: ActOf<'createConfig' | 'extendConfig'>, n: Naming): string {
  if (!final) return '; more earners may follow';
  const manager = n.known?.managerOf(config);
  return manager === undefined
    ? '; the list is complete'
    : `; the list is complete; only ${withWarning(manager, n)} can change it later`;
}
