/**
 * Fee sharing in quotes other than wrapped SOL, by an unpublished program that the policy names. Accounts of that program
 * may receive fees; their claimers are unknown, so the owner is asked (T94).
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

/** The open question if another program shares the fees, as a clause for the approval request. */
export const CLAIMERS_UNSUPPORTED = 'the claimers are unknown: an unsupported program writes them';

/** Returns the programs that may share fees in this quote: those that the policy names for configs; none for wrapped SOL. */
function shareProgramsOf(policy: Policy, quoteMint: unknown): readonly Address[] {
  if (quoteMint === undefined || quoteMint === WSOL_MINT) return [];
  return policy.programs.flatMap(({ address }) => {
    const named = unsupportedEntries(policy, address).some(({ operations }) => operations.includes('config'));
    return named && !VENUES.has(address) ? [address] : [];
  });
}

/** Whether another program may share the fees of the request's token. */
export const canBeSharedElsewhere = ({ plan }: Pick<DecisionInputs, 'plan'>, policy: Policy): boolean =>
  shareProgramsOf(policy, plan.request.quoteMint).length > 0;

/** Returns the acts of such programs in all stages of the run. */
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
 * Whether an account may be a fee share of another program: that program owns it now or after the simulation or, without a
 * simulation, one of the program's instructions names it.
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
