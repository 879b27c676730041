/**
 * Who shares the fees of a token. In wrapped SOL that is the program that is read, and its accounts are derived from the
 * two mints. In another quote it is a program that is not published: an entry of the policy names it, an account of that
 * program may earn, and who is paid from there stays open, so that a person is asked (T94).
 */

import type { ActOf } from '../../../../programs/acts.ts';
import type { AccountFact } from '../../../../rpc/types.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Policy } from '../../../file/schema.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import type { DecisionInputs } from '../../types.ts';
import { unsupportedEntries } from '../../unsupported/entries.ts';
import type { Run } from '../run.ts';
import { VENUES } from '../venues.ts';

/** What stays open where another program shares the fees, as a sentence part for a person. */
export const CLAIMERS_UNSUPPORTED = 'who earns: an unsupported program writes it down';

/** Programs that may share fees in another quote than SOL: those an entry of the policy names for configs. */
function shareProgramsOf(policy: Policy, quoteMint: unknown): readonly Address[] {
  if (quoteMint === undefined || quoteMint === WSOL_MINT) return [];
  return policy.programs.flatMap(({ address }) => {
    const named = unsupportedEntries(policy, address).some(({ operations }) => operations.includes('config'));
    return named && !VENUES.has(address) ? [address] : [];
  });
}

/** Whether the fees of the token a request is about may be shared by such a program. */
export const mayBeSharedElsewhere = ({ plan }: Pick<DecisionInputs, 'plan'>, policy: Policy): boolean =>
  shareProgramsOf(policy, plan.request.quoteMint).length > 0;

/** Instructions of such a program, in all stages of the run. */
export const sharingActs = (
  { policy }: Pick<DecisionContext, 'policy'>,
  run: Run,
  quoteMint: Address,
): readonly ActOf<'unsupported' | 'named'>[] => {
  const programs = shareProgramsOf(policy, quoteMint);
  return run.all.flatMap((act) =>
    (act.act === 'unsupported' || act.act === 'named') && programs.includes(act.program) ? [act] : [],
  );
};

/**
 * Whether an account may be a fee share that is not read: one of such a program, now or as the simulation leaves it. Where
 * nothing can be simulated yet, one that an instruction of the program is handed.
 */
export function isSharedElsewhere(
  c: DecisionContext,
  run: Run,
  quoteMint: Address,
  account: Address,
): boolean {
  const programs = shareProgramsOf(c.policy, quoteMint);
  const owns = (fact: AccountFact | undefined) => fact?.exists === true && programs.includes(fact.owner);
  if (owns(c.accounts.get(account))) return true;
  const { simulation } = c.inputs;
  if (simulation.status === 'done') return owns(simulation.after.find(({ address }) => address === account));
  return sharingActs(c, run, quoteMint).some(({ accounts }) => accounts.includes(account));
}
