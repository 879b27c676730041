/** Texts for each status of plans and stages, used by results, page and command line. */
import type { PlanStatus, StageStatus } from '../plan/types.ts';
import { REASONS } from './decisions/reasons.ts';

/** A plan's status as shown, with separate values for how it ended. */
export type ShownStatus = PlanStatus | 'cancelled' | 'denied_by_owner' | 'expired';

/** A short label and its style. */
export interface Chip {
  readonly words: string;
  readonly look: '' | 'good' | 'bad' | 'warn' | 'warn busy';
}

interface StatusWords {
  readonly chip: Chip;
  /** The agent's default next step. */
  readonly agent: string;
  /** Default next step for the user. */
  readonly person: string;
}

export const STATUS_WORDS: Readonly<Record<ShownStatus, StatusWords>> = {
  ready: {
    chip: { words: 'Ready to sign', look: '' },
    agent: 'Call submit_plan to sign and execute it.',
    person: 'Nothing is signed. It begins when the agent submits it.',
  },
  waiting_setup: {
    chip: { words: 'Waiting for the service', look: '' },
    agent: 'Call submit_plan: it asks the service for the next stages until they are ready.',
    person:
      'The service has not built the next steps yet. Landed steps stay; ask the agent to submit the plan again later.',
  },
  approval_required: {
    chip: { words: 'Waits for your approval', look: 'warn' },
    agent: REASONS.APPROVAL_REQUIRED.next,
    person: 'When the agent submits it, you are asked.',
  },
  denied: {
    chip: { words: 'Denied', look: 'bad' },
    agent: 'Tell the person.',
    person: 'None: it is refused, whatever the policy says.',
  },
  running: {
    chip: { words: 'Landing now', look: 'warn busy' },
    agent: 'Call get_plan, or submit_plan again, to follow it.',
    person: 'A stage has landed and is not final yet; the next start of a server follows it.',
  },
  complete: { chip: { words: 'Done', look: 'good' }, agent: 'Done.', person: 'Nothing.' },
  landed_unverified: {
    chip: { words: 'Landed, not verified', look: 'warn' },
    agent: 'Everything landed; a person compares the accounts or amounts before anything is built on them.',
    person:
      'Everything landed, but an account it creates could not be read back, or less arrived than was claimable. Compare in a block explorer.',
  },
  cancelled: {
    chip: { words: 'Cancelled', look: '' },
    agent: 'No further stage is signed. To run it anyway, build it with again: true.',
    person: 'Nothing more of it is signed.',
  },
  denied_by_owner: {
    chip: { words: 'You denied it', look: 'bad' },
    agent: REASONS.PERSON_DENIED.next,
    person: 'Nothing of it is signed.',
  },
  expired: {
    chip: { words: 'Expired', look: '' },
    agent: 'Get a new quote and build the swap again.',
    person: 'Nothing: its quote is too old. The agent needs a new quote if it is still wanted.',
  },
  failed: {
    chip: { words: 'Failed', look: 'bad' },
    agent: 'Look at the stages; to try once more, build it with again: true.',
    person: 'Nothing more happens; a new plan is needed if it is still wanted.',
  },
  unknown: {
    chip: { words: 'Not clear yet', look: 'warn' },
    agent: 'Call submit_plan to check the chain again. Nothing is signed twice.',
    person:
      'Whether a step landed is not known yet. Have the plan submitted again: it checks the chain, and nothing is signed twice.',
  },
};

/** Statuses of plans that need no further action. */
export const OVER: readonly ShownStatus[] = ['complete', 'failed', 'cancelled', 'expired'];

interface StageStatusWords {
  readonly chip: Chip;
  /** Default note of a stage status. */
  readonly known?: string;
}

export const STAGE_STATUS_WORDS: Readonly<Record<StageStatus, StageStatusWords>> = {
  waiting: { chip: { words: 'waiting', look: '' } },
  ready: { chip: { words: 'next', look: '' } },
  signed: { chip: { words: 'signed', look: 'warn busy' } },
  sent: { chip: { words: 'sent', look: 'warn busy' } },
  confirmed: { chip: { words: 'landed', look: 'good' } },
  finalized: { chip: { words: 'final', look: 'good' } },
  failed: { chip: { words: 'failed', look: 'bad' }, known: 'Landed and failed: its fee is spent.' },
  expired: { chip: { words: 'never landed', look: '' }, known: 'Proven never to have landed.' },
  unknown: {
    chip: { words: 'not clear', look: 'warn' },
    known:
      'Signed and perhaps sent; whether it landed is not known yet. Nothing else is signed in its place.',
  },
  skipped: { chip: { words: 'skipped', look: '' } },
};
