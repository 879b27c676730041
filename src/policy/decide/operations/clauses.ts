/**
 * The small language operations are written in. An operation lists the clauses it expects: which act, how often in the
 * whole run, and what must hold for it. Every act must have its clause: whatever is left over is refused (T12, T13,
 * T48), and so is a plan that lacks one. In which order acts come, and in how many stages, does not matter.
 */
import { amountOfAsset } from '../../../base/format.ts';
import type { Act, ActOf } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Checklist, shown } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { ReasonCode } from '../types.ts';
import { unsupportedWords } from '../unsupported/entries.ts';
import { mostRefund, refundIn } from './payment/refund.ts';
import type { Run } from './run.ts';

type ActKind = Act['act'];

/** Whether an act is what a clause asks for: `true`, `false`, or the one thing about it that is not what was asked for. */
export type Verdict = boolean | Wrong;

/** The act, with one thing wrong about it: the part of the request that differs. Texts must be fit to show. */
interface Wrong {
  readonly wrong: string;
  readonly observed?: string;
  readonly allowed?: string;
  /** `REQUEST_MISMATCH` unless said otherwise. */
  readonly code?: ReasonCode;
}

/** How often an act may be there: at least and at most. */
type Times = readonly [min: number, max: number];

/** Something that must hold for an act; what is wrong is only put into words when it does not. */
export type Condition = readonly [holds: boolean, wrong: () => Wrong];

/** Lamports are not above others. */
export const atMost = (wrong: string, observed: bigint, most: bigint): Condition =>
  amountIs(wrong, observed <= most, observed, most, (units) => amountOfAsset(units, 'SOL'));

/** An amount, in base units, is as it must be; `says` puts it into the words of its asset. `undefined`: the bytes bound none. */
export const amountIs = (
  wrong: string,
  held: boolean,
  observed: bigint | undefined,
  allowed: bigint,
  says: (units: bigint) => string,
): Condition => [
  held,
  () => ({
    wrong,
    observed: observed === undefined ? 'without a bound' : says(observed),
    allowed: says(allowed),
  }),
];

/** Something is what was asked for. What was seen is shown as far as it is fit to be. */
export const exactly = (wrong: string, observed: unknown, held: boolean, allowed?: unknown): Condition => [
  held,
  () => ({ wrong, observed: shown(observed), ...(allowed === undefined ? {} : { allowed: shown(allowed) }) }),
];

/** Something is the very value that was asked for. */
export const same = (wrong: string, observed: unknown, asked: unknown): Condition =>
  exactly(wrong, observed, observed === asked, asked);

/** As `exactly`, where what is allowed is said in words of this program's own, which are always fit to show. */
export const inWords = (wrong: string, observed: unknown, held: boolean, allowed: string): Condition => [
  held,
  () => ({ wrong, observed: shown(observed), allowed }),
];

/** `true`, or the one thing that is wrong: the first that does not hold. */
export function all(...conditions: readonly Condition[]): Verdict {
  for (const [holds, wrong] of conditions) if (!holds) return wrong();
  return true;
}

export interface Clause {
  readonly name: string;
  readonly act: ActKind;
  /** Least and most in the whole run, from the first build until it is complete. */
  readonly times: Times;
  readonly fits: (act: Act) => Verdict;
}

/** A clause that takes acts of one kind. */
export const clause = <K extends ActKind>(
  name: string,
  act: K,
  times: Times,
  fits: (act: ActOf<K>) => Verdict,
): Clause => ({
  name,
  act,
  times,
  // An act of this kind has the shape the kind names.
  fits: (given) => given.act === act && fits(given as ActOf<K>),
});

/** Which acts of this stage were taken by which clause. */
export class Taken {
  private readonly byClause = new Map<string, Act[]>();

  add(name: string, act: Act): void {
    const acts = this.byClause.get(name);
    if (acts === undefined) this.byClause.set(name, [act]);
    else acts.push(act);
  }

  /** The acts of one clause. */
  of<K extends ActKind>(name: string, kind: K): readonly ActOf<K>[] {
    return (this.byClause.get(name) ?? []).filter((act): act is ActOf<K> => act.act === kind);
  }
}

/**
 * Gives every act of the stage to its clause and records what does not fit. Stages that landed or may still land have
 * used up their part of `times`; stages that are only promised count toward what the plan must hold, and toward
 * nothing else.
 */
export function take(c: DecisionContext, run: Run, clauses: readonly Clause[], list: Checklist): Taken {
  const used = new Map<Clause, number>();
  const use = (found: Clause) => used.set(found, (used.get(found) ?? 0) + 1);
  const left = (each: Clause) => (used.get(each) ?? 0) < each.times[1];
  for (const act of run.before) {
    const found = clauses.find((each) => each.act === act.act && each.fits(act) === true);
    if (found !== undefined) use(found);
  }
  const taken = new Taken();
  const refund = refundIn(c);
  for (const { reading, acts } of c.readings) {
    const { index } = reading;
    for (const act of acts) {
      if (act.act === 'unsupported' || act.act === 'named') {
        const opaque = c.opaque.some((each) => each.index === index);
        if (!opaque) unexpected(list, unsupportedWords(reading), { program: reading.program });
        continue;
      }
      if (act === refund && refund.amount <= mostRefund(c)) continue;
      const found = findClause(act, clauses, left);
      if (found === undefined && act === refund) tooLarge(c, refund.amount, list);
      else if (found === undefined) unexpected(list, `#${index} ${act.act}`);
      else if ('wrong' in found) {
        const { wrong: part, code = 'REQUEST_MISMATCH', ...seen } = found;
        list.fail(code, 'matchesRequest', { params: { part }, ...seen });
      } else {
        use(found);
        taken.add(found.name, act);
      }
    }
  }
  if (c.opaque.length === 0) checkAllThere(run, clauses, list);
  return taken;
}

/** The plan holds everything the operation needs, in stages that landed, this one, and those to come. */
function checkAllThere(run: Run, clauses: readonly Clause[], list: Checklist): void {
  if (run.unreadable > 0) {
    list.fail('LOOKUP_TABLE_UNRESOLVED', 'stagesReadable', {
      observed: `${run.unreadable} cannot`,
      class: 'availability',
    });
    return;
  }
  for (const { name, act, times, fits } of clauses) {
    const [least] = times;
    if (least === 0) continue;
    const count = run.all.filter((each) => each.act === act && fits(each) === true).length;
    if (count >= least) continue;
    list.fail('REQUEST_MISMATCH', 'partThere', {
      params: { part: name },
      observed: `${count} times`,
      allowed: `${least} times`,
    });
  }
}

function tooLarge(c: DecisionContext, refund: bigint, list: Checklist): void {
  const said = (units: bigint) => amountOfAsset(units, 'SOL');
  list.fail('FEE_OVER', 'refundWithinPolicy', { observed: said(refund), allowed: said(mostRefund(c)) });
}

function unexpected(list: Checklist, observed: string, params?: { readonly program: Address }): void {
  list.fail('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { params, observed });
}

function findClause(
  act: Act,
  clauses: readonly Clause[],
  isLeft: (clause: Clause) => boolean,
): Clause | Wrong | undefined {
  let nearly: Wrong | undefined;
  for (const each of clauses) {
    if (each.act !== act.act || !isLeft(each)) continue;
    const verdict = each.fits(act);
    if (verdict === true) return each;
    if (verdict !== false) nearly ??= verdict;
  }
  return nearly;
}
