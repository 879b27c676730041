/**
 * The comparison of an approval with a run that includes the stage to be signed. The ledger calls it in the database
 * transaction that makes the reservation, with the draws read there.
 */
import { canonicalJson } from '../base/canonicalJson.ts';
import type { Asset } from '../programs/acts.ts';
import { addTo, factsOf, OPEN, only, payKey, receiveKey, sumOfPayments, withRoles } from './aggregate.ts';
import { lineText } from './rename.ts';
import type { Approval, Line, LineOf, Run, RunStage, Verdict } from './types.ts';

const no = (line: Exclude<Verdict, { covered: true }>['line'], key: string): Verdict => ({
  covered: false,
  line,
  key,
});

type Check = (approval: Approval, run: Run) => Verdict | undefined;

/** Checks whether an approval covers a run. Returns the first line that it does not cover. */
export function covers(approval: Approval, run: Run): Verdict {
  const named = withRoles(run);
  for (const check of [scope, payments, arrivals, receipts, tradeReceipts, facts, pins]) {
    const found = check(approval, named);
    if (found !== undefined) return found;
  }
  return { covered: true };
}

const scope: Check = ({ scope: approved, statement }, run) => {
  if (statement.version !== 1) return no('scope', 'version');
  const { expiresAt, ...rest } = approved;
  const fields = new Set([...Object.keys(rest), ...Object.keys(run.scope)]);
  const now = new Map(Object.entries(run.scope));
  const then = new Map(Object.entries(rest));
  for (const field of fields) if (now.get(field) !== then.get(field)) return no('scope', field);
  const hasBegun = run.stages.some(({ state }) => state === 'landed' || state === 'inFlight');
  return hasBegun || run.time < expiresAt ? undefined : no('scope', 'expiresAt');
};

const paid = ({ statement }: Approval): LineOf<'pays'>[] => only(statement.lines, 'pays');
const received = ({ statement }: Approval): LineOf<'receives'>[] => only(statement.lines, 'receives');

/** Compares draws and unsigned payments with the approved maxima; payments to others and into pools must be equal. */
const payments: Check = (approval, run) => {
  const { draws } = run;
  const approved = new Map(paid(approval).map((line) => [payKey(line), line]));
  const open = sumOfPayments(run, OPEN);
  for (const key of new Set([...approved.keys(), ...open.keys()])) {
    const now = (draws.get(key) ?? 0n) + (open.get(key) ?? 0n);
    const line = approved.get(key);
    const isExact = line?.why === 'payment' || line?.why === 'pool';
    if (now > (line?.atMost ?? 0n) || (isExact && now !== line.atMost)) return no('pays', key);
  }
  return undefined;
};

/** Compares payments net of token transfer fees. */
const arrivals: Check = (approval, run) => {
  const now = new Map<string, bigint>();
  for (const { lines } of run.stages)
    for (const line of only(lines, 'pays')) addTo(now, payKey(line), line.leastArrives ?? line.atMost);
  const less = paid(approval).find((line) => (now.get(payKey(line)) ?? 0n) < (line.leastArrives ?? 0n));
  return less && no('pays', payKey(less));
};

/** Returns a stage's receipts by key: the total, and the part that is realised or enforced by a program. */
function broughtBy({ state, lines, realised }: RunStage): readonly (readonly [string, bigint, bigint])[] {
  const left = new Map<Asset, bigint>(realised);
  return only(lines, 'receives').map((line) => {
    if (line.enforcedBy !== 'simulation') return [receiveKey(line), line.atLeast, line.atLeast];
    // The receipts of a landed stage are known once it is settled.
    if (state !== 'landed' || realised === undefined) return [receiveKey(line), line.atLeast, 0n];
    const amount = left.get(line.asset) ?? 0n;
    left.set(line.asset, 0n);
    return [receiveKey(line), amount, amount];
  });
}

/** Compares receipts by key: totals, and the part that is realised or enforced by a program. */
const receipts: Check = (approval, run) => {
  const [all, strong] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const [key, amount, enforced] of run.stages.flatMap(broughtBy)) {
    addTo(all, key, amount);
    addTo(strong, key, enforced);
  }
  const [least, leastStrong] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const line of received(approval)) {
    addTo(least, receiveKey(line), line.atLeast);
    if (line.enforcedBy !== 'simulation') addTo(leastStrong, receiveKey(line), line.atLeast);
  }
  for (const [key, amount] of least) {
    if (!all.has(key) || (all.get(key) ?? 0n) < amount) return no('receives', key);
    if ((strong.get(key) ?? 0n) < (leastStrong.get(key) ?? 0n)) return no('receives', key);
  }
  return undefined;
};

/** Requires receipts in proportion to trade payments, over signed stages and the stage being signed. */
const tradeReceipts: Check = (approval, run) => {
  const brought = new Map<string, bigint>();
  for (const stage of run.stages)
    if (stage.state !== 'announced')
      for (const [key, amount] of broughtBy(stage)) addTo(brought, key, amount);
  const traded = sumOfPayments(run, ['landed', 'inFlight', 'this']);
  for (const trade of paid(approval)) {
    for (const receipt of received(approval)) {
      if (trade.why !== 'trade' || receipt.from !== 'market') continue;
      const due = (brought.get(receiveKey(receipt)) ?? 0n) * trade.atMost;
      if (due < receipt.atLeast * (traded.get(payKey(trade)) ?? 0n))
        return no('receives', receiveKey(receipt));
    }
  }
  return undefined;
};

const MAY_VANISH: readonly Line['id'][] = ['later', 'issuer', 'code', 'asks'];

/** Compares the other lines as multisets. Assurances may start to hold, guards may be added, issuer powers may shrink, and some lines may vanish. */
const facts: Check = ({ statement }, run) => {
  // Lines of a rehearsal are informational.
  const isCompared = ({ source }: Line) => source !== 'rehearsal';
  const approved = statement.lines.filter(
    (line) => isCompared(line) && line.id !== 'pays' && line.id !== 'receives',
  );
  const gone = new Map<string, Line[]>();
  for (const line of approved) gone.set(lineText(line), [...(gone.get(lineText(line)) ?? []), line]);
  const take = (line: Line) => gone.get(lineText(line))?.pop() !== undefined;
  const worse = factsOf(run)
    .filter((line) => isCompared(line) && !take(line))
    .find((line) => {
      if (line.id === 'code') return only(approved, 'code').some(({ program }) => program === line.program);
      if (line.id === 'enforced')
        return line.views > 0 && (take({ ...line, views: 1 }) || take({ ...line, views: 0 })) && false;
      if (line.id === 'assures') return !line.held || !take({ ...line, held: false });
      return line.id !== 'issuer' || !only(approved, 'issuer').some((each) => isWeaker(line, each));
    });
  if (worse !== undefined) return no(worse.id, lineText(worse));
  const lost = [...gone.values()].flat().find(({ id }) => !MAY_VANISH.includes(id));
  return lost && no(lost.id, lineText(lost));
};

/** Whether an issuer's power is at most the approved one; without a bound it is unlimited. */
function isWeaker(now: LineOf<'issuer'>, { maxBps, maxFee, ...approved }: LineOf<'issuer'>): boolean {
  const { maxBps: bps, maxFee: fee, ...rest } = now;
  if (lineText(rest) !== lineText(approved)) return false;
  return (bps ?? Infinity) <= (maxBps ?? Infinity) && (fee ?? Infinity) <= (maxFee ?? Infinity);
}

/** Requires an unspent pin for a stage with an unsupported instruction. Each pin counts once. */
const pins: Check = ({ pins: approved }, { stages, spentPins }) => {
  const stage = stages.find(({ state }) => state === 'this');
  if (stage === undefined || !stage.lines.some(({ id }) => id === 'unsupported')) return undefined;
  const { pin } = stage;
  if (pin === undefined) return no('pin', '');
  const same = approved.filter((each) => canonicalJson(each) === canonicalJson(pin));
  const spent = spentPins.filter((digest) => digest === pin.digest);
  return same.length > spent.length ? undefined : no('pin', pin.digest);
};
