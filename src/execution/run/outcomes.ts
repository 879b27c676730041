/** How the work on a stage ends, and why a run ends: sentences for a person, without untrusted text. */
import type { PlanNote } from '../../ledger/types.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { Address } from '../../transaction/types.ts';
import type { Effect } from '../readback/findings.ts';
import type { TrackOutcome } from '../sending/track.ts';

export type StageOutcome =
  | TrackOutcome
  /** Its blockhash is too old to be signed: the service has to be asked again. */
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'denied'; readonly decision: Decision }
  | { readonly outcome: 'approval'; readonly approvalId: string; readonly decision: Decision }
  /** A signature that was called dead took effect, by what the chain shows: nothing is signed in its place. */
  | { readonly outcome: 'effect' }
  /** The plan was built again while this was decided: its bytes of now are to be looked at. */
  | { readonly outcome: 'rebuilt' }
  /** It needs a signature this home cannot make: never an error of the plan. */
  | { readonly outcome: 'signer'; readonly missing: readonly Address[] };

/** What is noted of a plan at the end of a run. */
export type Note = Omit<PlanNote, 'at' | 'stageId'>;

export const WAITING: Note = {
  status: 'waiting_setup',
  code: 'WAITING_SETUP',
  note: 'The service is not ready to build the next stages. Submit the plan again later; what landed stays.',
};
const NOT_SEEN: Note = {
  status: 'unknown',
  code: 'EFFECT_NOT_SEEN',
  note: 'Every stage landed, but the effect could not be read back yet. Submit the plan again to look again.',
};
export const notSeen = ({ problem, doubt, lasting }: Exclude<Effect, { seen: true }>): Note => ({
  ...NOT_SEEN,
  ...(lasting === true ? { status: 'landed_unverified' } : {}),
  note: problem ?? doubt ?? NOT_SEEN.note,
});
export const NEEDS_QUOTE: Note = {
  status: 'failed',
  code: 'QUOTE_EXPIRED',
  note: 'The swap was not signed or never landed, and its quote is too old. Get a new quote and build a new swap.',
};
export const FAILED: Note = {
  status: 'failed',
  code: 'FAILED_ON_CHAIN',
  note: 'A stage failed on chain: its fee is spent and it is not retried.',
};
export const SUPERSEDED: Note = {
  status: 'denied',
  code: 'REPLAY',
  note: 'A newer plan of the same intent took the place of this one: nothing more of it is signed.',
};
const RPC_DISAGREE: Note = {
  status: 'unknown',
  code: 'RPC_DISAGREE',
  note: 'One RPC shows that a stage landed, the other knows nothing of it. Nothing that depends on it is signed: find out which is wrong, then submit the plan again.',
};
export const IN_DOUBT: Note = {
  status: 'unknown',
  code: 'IN_DOUBT',
  note: 'The signature is dead but its effect is on chain, so nothing new is signed. Submit the plan again: it goes on once our RPC shows the transaction that did it. If it stays so, a person looks for that transaction of the wallet in a block explorer, and runs `countersign freeze` if it is none of theirs.',
};

export const SAID_NO: Note = {
  status: 'denied',
  code: 'PERSON_DENIED',
};

export const denial = ({ reasonCodes }: Pick<Decision, 'reasonCodes'>): Note => ({
  status: 'denied',
  code: reasonCodes[0] ?? 'NO_RULE',
});

export const needsApproval = (ref: string): Note => ({
  status: 'approval_required',
  code: 'APPROVAL_REQUIRED',
  ref,
});

/** Why a stage's outcome ends the run; `undefined` when it does not. */
export function noteOf(outcome: StageOutcome): Note | undefined {
  switch (outcome.outcome) {
    case 'failed':
      return FAILED;
    case 'unknown':
      if (outcome.disagree === true) return RPC_DISAGREE;
      return {
        status: 'unknown',
        code: 'IN_DOUBT',
        note: 'Whether a stage landed is not known yet. Submit the plan again to look again.',
      };
    case 'effect':
      return IN_DOUBT;
    case 'denied':
      return denial(outcome.decision);
    case 'approval':
      return needsApproval(outcome.approvalId);
    case 'signer':
      return {
        status: 'ready',
        code: 'SIGNER_UNAVAILABLE',
        note: 'A stage needs a signature that this home cannot make.',
      };
    default:
      return undefined;
  }
}
