/**
 * Decides recorded inputs again under other policies. Limit use and approvals are carried over, so that only the
 * effect of the files shows.
 */
import { canonicalJson } from '../base/canonicalJson.ts';
import { windowLimits } from '../policy/decide/checks/limits.ts';
import { evaluate } from '../policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { Policy } from '../policy/file/schema.ts';

/** A recorded decision with its inputs and ledger view. */
export interface Recorded {
  readonly decision: Decision;
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
}

/** The decisions of two policies on one set of inputs. */
export interface Redecided {
  readonly before: Decision;
  readonly after: Decision;
  readonly changed: boolean;
}

/** Decides recorded inputs under an old and a new policy. */
export function redecide(recorded: Recorded, old: LoadedPolicy, next: LoadedPolicy): Redecided {
  const before = decideAgain(recorded, old, old.policy);
  const after = decideAgain(recorded, next, old.policy);
  const changed =
    canonicalJson([before.effect, before.reasonCodes]) !== canonicalJson([after.effect, after.reasonCodes]);
  return { before, after, changed };
}

/** Returns limits of a policy whose use is unknown, because no limit of the same kind was recorded. */
export function unknownLimits(old: Policy, next: Policy): string[] {
  const known = windowLimits(old);
  return windowLimits(next)
    .filter((limit) => known.every((other) => other.id !== limit.id && !isSameWindow(other, limit)))
    .map((limit) => limit.id);
}

type Kept = ReturnType<typeof windowLimits>[number];

const isSameWindow = (a: Kept, b: Kept): boolean =>
  a.kind === b.kind && a.of === b.of && canonicalJson(a.window) === canonicalJson(b.window);

function decideAgain({ inputs, view }: Recorded, loaded: LoadedPolicy, known: Policy): Decision {
  const carried = { ...view, used: usedUnder(loaded.policy, known, view.used) };
  // A recorded approval counts under the other policy too.
  return evaluate(inputs, loaded, carried);
}

/** Returns the use of each limit, including limits over the same scope under another id. */
function usedUnder(policy: Policy, known: Policy, used: LedgerView['used']): Record<string, string> {
  const named = windowLimits(known);
  return Object.fromEntries(
    windowLimits(policy).map((limit) => {
      const alias = named.find((other) => isSameWindow(other, limit) && used[other.id] !== undefined);
      return [limit.id, used[limit.id] ?? used[alias?.id ?? ''] ?? '0'];
    }),
  );
}
