/** What the short part says of who controls and who earns: by which step, by what was worked out, and by claims. Pure. */
import { listWords, several } from '../../../base/words.ts';
import type { Act } from '../../../programs/acts.ts';
import { feeShareConfigAddress } from '../../../programs/feeShare/addresses.ts';
import { actWords, mainPayouts } from '../../../programs/words/acts.ts';
import { notAmong, PLATFORM_PART, sharesWords } from '../../../programs/words/earners.ts';
import type { Naming } from '../../../programs/words/naming.ts';
import type { Totals } from '../amounts/totals.ts';
import type { Summary } from '../facts.ts';
import type { SettledAct } from '../settled.ts';

/** Base units: less than a thousandth of a token of three decimals, and of most tokens far less. */
const NEXT_TO_NOTHING = 1_000n;

/** Which steps decide who controls or earns, in sentences. */
export function rightsSentences({ rights, unread, wallet, totals }: Summary, n: Naming): string[] {
  const deciding = rights.steps.filter(({ act }) => act.act !== 'tableExtend');
  const count = new Set(deciding.flatMap(({ step, also }) => [step, ...also])).size;
  const lines = [
    ...(deciding.length === 0
      ? []
      : [
          `${several(count, 'step decides', 'steps decide')} who controls or earns, or cannot be undone:`,
          ...stepSentences(deciding, n).map((sentence) => `  ${sentence}`),
        ]),
    // An address in a table gives no right, and is not hidden either.
    ...stepSentences(
      rights.steps.filter((each) => !deciding.includes(each)),
      n,
    ),
  ];
  if (unread.length > 0) {
    const which = unread.length === 1 ? 'the step that is not read' : 'the steps that are not read';
    return [...lines, `Who gains control or a share of fees by ${which} is not known.`];
  }
  if (rights.others.length > 0 || rights.unknown || paysStrangers(totals)) return lines;
  return [...lines, `No one but ${n.address(wallet)} gains control of anything, or a new share of fees.`];
}

/** Tokens go to an account that is another's, or whose owner is not known. */
const paysStrangers = ({ leaves, elsewhere }: Totals): boolean =>
  elsewhere.length > 0 ||
  leaves.some(({ goes, asset }) => goes.way === 'to' && asset !== 'SOL' && goes.to.owner === undefined);

/** Claims for others than the wallet alone: where the fees go first. */
export const collectedWords = ({ steps }: Summary, n: Naming): string[] =>
  steps.flatMap(({ act, step }) => {
    if (act.act !== 'claim' || act.beneficiary !== undefined) return [];
    const main = mainPayouts(act);
    const names = (payouts: typeof act.payouts) =>
      listWords([...new Set(payouts.map(({ to }) => n.address(to.owner ?? to.account)))]);
    const parts = act.payouts.filter((payout) => !main.includes(payout));
    const less =
      parts.length === 0 ? '' : `; a part may go to ${names(parts)}, how much the bytes do not say`;
    return [`Step ${step} moves ${act.what} to ${names(main)}${less}.`];
  });

/** Who earns by the positions that a launch hands to the fee share of its token. */
export const sharedWords = ({ steps, online }: Summary, n: Naming): string[] =>
  steps.flatMap(({ act }) => {
    if (act.act !== 'createPool') return [];
    const controllers = steps.flatMap(({ act: other }) =>
      other.act === 'openPosition' ? [n.known?.controllerOf(other.position) ?? ''] : [],
    );
    const share = controllers.find((each) => n.known?.feeShareOf(each) === act.base);
    if (share === undefined) return [];
    const earners = n.known?.earnersOf(feeShareConfigAddress(act.base, act.quote));
    const who =
      earners === undefined
        ? `who that is, ${online ? 'could not be read on the chain' : 'is not known here: pass --rpc-url'}`
        : `${sharesWords(earners, n)}${notAmong(earners, n)}; ${PLATFORM_PART}`;
    return [`The trading fees go to the earners of ${n.address(share)}: ${who}.`];
  });

/** Trades whose least is next to nothing, whatever leaves. */
export const smallestWords = ({ totals }: Summary): string[] =>
  [...totals.arrives, ...totals.elsewhere].flatMap(({ how, amount, step }) =>
    how === 'trade' && amount !== undefined && amount < NEXT_TO_NOTHING
      ? [
          `The least that must arrive in step ${step} is next to nothing (${several(Number(amount), 'base unit')}), so the trade may bring far less than a quote says: compare it with the quote.`,
        ]
      : [],
  );

/** What the reading concludes where the program's authors publish nothing. */
export function inferredWords({ inferred }: Summary): string[] {
  if (inferred.length === 0) return [];
  const subject = (what: string): string => what.replace(/: .*/, '');
  const each = [...new Set(inferred.map(({ what }) => subject(what)))].map((what) => {
    const steps = inferred.filter((other) => subject(other.what) === what).map(({ step }) => `${step}`);
    return `${what} (${steps.length === 1 ? 'step' : 'steps'} ${listWords(steps)})`;
  });
  return [
    `Countersign concluded ${listWords(each)} from the order of the accounts and numbers in these bytes: the program's authors do not publish what that order means. You need not do anything about it now: on a public network your policy asks you before it is signed, unless a trial run of this transaction writes exactly what was concluded.`,
  ];
}

/** A sentence for each step; metadata that is written field by field is one. */
function stepSentences(steps: readonly SettledAct[], n: Naming): string[] {
  const groups: SettledAct[][] = [];
  for (const each of steps) {
    const open = groups.at(-1);
    if (
      open?.[0] !== undefined &&
      isField(open[0].act) &&
      isField(each.act) &&
      sameMint(open[0].act, each.act)
    ) {
      open.push(each);
    } else groups.push([each]);
  }
  return groups.map((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return '';
    if (first === last || first.act.act !== 'mintRule') {
      if (first.also.length === 0) return `Step ${first.step}: ${actWords(first.act, n)}.`;
      const all = listWords([first.step, ...first.also].map(String));
      return `Steps ${all} together: ${actWords(first.act, n)}.`;
    }
    const values = Object.assign({}, ...group.map(({ act }) => (act.act === 'mintRule' ? act.values : {})));
    return `Steps ${first.step} to ${last.step}: ${actWords({ ...first.act, values }, n)}.`;
  });
}

const isField = (act: Act): boolean => act.act === 'mintRule' && act.rule === 'metadata';
const sameMint = (one: Act, other: Act): boolean =>
  one.act === 'mintRule' && other.act === 'mintRule' && one.mint === other.mint;
