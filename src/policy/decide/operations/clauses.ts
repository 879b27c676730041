/**
 * Clauses, in which operations are defined. A clause names an act, how often it occurs in the whole run, and its
 * conditions. Acts without a clause are refused (T12, T13, T48), and so are plans that lack a required act. The order of
 * acts and the number of stages do not matter.
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

/** Whether an act matches a clause: `true`, `false`, or the first part that differs from the request. */
export type Verdict = boolean | Wrong;

/** A mismatch: the part that differs from the request. Contains no untrusted text. */
interface Wrong {
  readonly wrong: string;
  readonly observed?: string;
  readonly allowed?: string;
  /** Defaults to `REQUEST_MISMATCH`. */
  readonly code?: ReasonCode;
}

/** Minimum and maximum number of occurrences. */
type Times = readonly [min: number, max: number];

/** A condition on an act, and the mismatch to report if it does not hold. */
export type Condition = readonly [holds: boolean, wrong: () => Wrong];

/** Requires that an amount of lamports does not exceed a maximum. */
export const atMost = (wrong: string, observed: bigint, most: bigint): Condition =>
  amountIs(wrong, observed <= most, observed, most, (units) => amountOfAsset(units, 'SOL'));

/** Requires a property of an amount in base units, formatted by `format`. `observed` is `undefined` if the instruction sets no bound. */
export const amountIs = (
  wrong: string,
  held: boolean,
  observed: bigint | undefined,
  allowed: bigint,
  format: (units: bigint) => string,
): Condition => [
  held,
  () => ({
    wrong,
    observed: observed === undefined ? 'without a bound' : format(observed),
    allowed: format(allowed),
  }),
];

/** Requires `held`, and reports the observed and allowed values by `shown`. */
export const exactly = (wrong: string, observed: unknown, held: boolean, allowed?: unknown): Condition => [
  held,
  () => ({ wrong, observed: shown(observed), ...(allowed === undefined ? {} : { allowed: shown(allowed) }) }),
];

/** Requires that a value equals the requested one. */
export const same = (wrong: string, observed: unknown, requested: unknown): Condition =>
  exactly(wrong, observed, observed === requested, requested);

/** Like `exactly`, with the allowed value given as trusted text. */
export const inWords = (wrong: string, observed: unknown, held: boolean, allowed: string): Condition => [
  held,
  () => ({ wrong, observed: shown(observed), allowed }),
];

/** Returns `true`, or the first condition that does not hold. */
export function all(...conditions: readonly Condition[]): Verdict {
  for (const [holds, wrong] of conditions) if (!holds) return wrong();
  return true;
}

export interface Clause {
  readonly name: string;
  readonly act: ActKind;
  /** Minimum and maximum number in the whole run, over all builds. */
  readonly times: Times;
  readonly fits: (act: Act) => Verdict;
}

/** Builds a clause for acts of one kind. */
export const clause = <K extends ActKind>(
  name: string,
  act: K,
  times: Times,
  fits: (act: ActOf<K>) => Verdict,
): Clause => ({
  name,
  act,
  times,
  // `act` discriminates the union.
  fits: (given) => given.act === act && fits(given as ActOf<K>),
});

/** The acts of a stage by the clause that they matched. */
export class Taken {
  private readonly byClause = new Map<string, Act[]>();

  add(name: string, act: Act): void {
    const acts = this.byClause.get(name);
    if (acts === undefined) this.byClause.set(name, [act]);
    else acts.push(act);
  }

  /** Returns the acts of one clause. */
  of<K extends ActKind>(name: string, kind: K): readonly ActOf<K>[] {
    return (this.byClause.get(name) ?? []).filter((act): act is ActOf<K> => act.act === kind);
  }
}

/**
 * Assigns every act of the stage to a clause and records mismatches. Stages that landed or may still land count toward
 * the maximum of `times`; planned stages count only toward the minimum.
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

/** Checks that landed, current and planned stages together contain the required acts. */
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
  const format = (units: bigint) => amountOfAsset(units, 'SOL');
  list.fail('FEE_OVER', 'refundWithinPolicy', { observed: format(refund), allowed: format(mostRefund(c)) });
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
