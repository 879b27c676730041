/** Outcomes of stages and end notes of runs: messages for a person, without untrusted text. */
import type { PlanNote } from '../../ledger/types.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { Address } from '../../transaction/types.ts';
import type { Effect } from '../readback/findings.ts';
import type { TrackOutcome } from '../sending/track.ts';

export type StageOutcome =
  | TrackOutcome
  /** Its blockhash is too old to sign: the service has to be asked again. */
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'denied'; readonly decision: Decision }
  | { readonly outcome: 'approval'; readonly approvalId: string; readonly decision: Decision }
  /** A signature considered expired took effect on chain: nothing is signed in its place. */
  | { readonly outcome: 'effect' }
  /** The plan was rebuilt during the decision: its new bytes have to be decided. */
  | { readonly outcome: 'rebuilt' }
  /** It needs a signature this home cannot make; not an error of the plan. */
  | { readonly outcome: 'signer'; readonly missing: readonly Address[] };

/** The note on a plan at the end of a run. */
export type Note = Omit<PlanNote, 'at' | 'stageId'>;

export const WAITING: Note = {
  status: 'waiting_setup',
  code: 'WAITING_SETUP',
  note: 'The service is not ready to build the next stages. Submit the plan again later; landed stages are kept.',
};
const NOT_SEEN: Note = {
  status: 'unknown',
  code: 'EFFECT_NOT_SEEN',
  note: 'Every stage landed, but the effect is not visible on chain yet. Submit the plan again to check again.',
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
  note: 'A newer plan of the same intent replaced this one: no further stage is signed.',
};
const RPC_DISAGREE: Note = {
  status: 'unknown',
  code: 'RPC_DISAGREE',
  note: 'One RPC shows that a stage landed, the other does not know it. Dependent stages are not signed: find out which RPC is wrong, then submit the plan again.',
};
export const IN_DOUBT: Note = {
  status: 'unknown',
  code: 'IN_DOUBT',
  note: 'The signature expired but its effect is on chain, so nothing new is signed. Submit the plan again: it continues once our RPC shows the transaction with that effect. Otherwise the owner has to find that transaction of the wallet in a block explorer, and run `countersign freeze` if they did not make it.',
};

export const PERSON_DENIED: Note = {
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

/** Returns the note with which a stage's outcome ends the run; `undefined` if the run continues. */
export function noteOf(outcome: StageOutcome): Note | undefined {
  switch (outcome.outcome) {
    case 'failed':
      return FAILED;
    case 'unknown':
      if (outcome.disagree === true) return RPC_DISAGREE;
      return {
        status: 'unknown',
        code: 'IN_DOUBT',
        note: 'It is not known yet whether a stage landed. Submit the plan again to check again.',
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
