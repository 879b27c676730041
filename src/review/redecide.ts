/**
 * Past decisions under other policies: the recorded inputs decided once more. Amounts used and a person's approval are
 * carried over, so that only what the files themselves change shows.
 */
import { canonicalJson } from '../base/canonicalJson.ts';
import { windowLimits } from '../policy/decide/checks/limits.ts';
import { evaluate } from '../policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { Policy } from '../policy/file/schema.ts';

/** A recorded decision with what it was made from. */
export interface Recorded {
  readonly decision: Decision;
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
}

/** What two policies say about one set of inputs. */
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

/** Limits of a policy for which nothing recorded tells what was used, since none of the same kind was kept. */
export function unknownLimits(old: Policy, next: Policy): string[] {
  const known = windowLimits(old);
  return windowLimits(next)
    .filter((limit) => known.every((other) => other.id !== limit.id && !sameThing(other, limit)))
    .map((limit) => limit.id);
}

type Kept = ReturnType<typeof windowLimits>[number];

const sameThing = (a: Kept, b: Kept): boolean =>
  a.kind === b.kind && a.of === b.of && canonicalJson(a.window) === canonicalJson(b.window);

function decideAgain({ inputs, view }: Recorded, loaded: LoadedPolicy, known: Policy): Decision {
  const carried = { ...view, used: usedUnder(loaded.policy, known, view.used) };
  // A recorded approval counts under the other policy too.
  return evaluate(inputs, loaded, carried);
}

/** What was used of each limit, also where a limit over the same thing goes by another id now. */
function usedUnder(policy: Policy, known: Policy, used: LedgerView['used']): Record<string, string> {
  const named = windowLimits(known);
  return Object.fromEntries(
    windowLimits(policy).map((limit) => {
      const alias = named.find((other) => sameThing(other, limit) && used[other.id] !== undefined);
      return [limit.id, used[limit.id] ?? used[alias?.id ?? ''] ?? '0'];
    }),
  );
}
