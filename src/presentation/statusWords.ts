/** What each status of a plan and of a stage means, in words: the tables that results, the page and the command line say it from. */
import type { PlanStatus, StageStatus } from '../plan/types.ts';
import { REASONS } from './decisions/reasons.ts';

/** A plan's status as people and agents are shown it: how it ended is a word of its own. */
export type ShownStatus = PlanStatus | 'cancelled' | 'denied_by_owner' | 'expired';

/** A short word and how it is meant. */
export interface Chip {
  readonly words: string;
  readonly look: '' | 'good' | 'bad' | 'warn' | 'warn busy';
}

interface StatusWords {
  readonly chip: Chip;
  /** What the agent does next, where nothing more is known. */
  readonly agent: string;
  /** Default next step for the user. */
  readonly person: string;
}

export const STATUS_WORDS: Readonly<Record<ShownStatus, StatusWords>> = {
  ready: {
    chip: { words: 'Ready to sign', look: '' },
    agent: 'Call submit_plan to sign and land it.',
    person: 'Nothing is signed. It begins when the agent submits it.',
  },
  waiting_setup: {
    chip: { words: 'Waiting for the service', look: '' },
    agent: 'Call submit_plan: it asks the service for the next stages until they are ready.',
    person:
      'The service has not built the next steps yet. What landed stays; ask the agent to submit the plan again later.',
  },
  approval_required: {
    chip: { words: 'Waits for your approval', look: 'warn' },
    agent: REASONS.APPROVAL_REQUIRED.next,
    person: 'When the agent submits it, you are asked.',
  },
  denied: {
    chip: { words: 'Denied', look: 'bad' },
    agent: 'Tell the person.',
    person: 'Nothing: it is refused, whatever the policy says.',
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
      'Everything landed, but an account it makes could not be read back, or less arrived than was claimable. Compare in a block explorer.',
  },
  cancelled: {
    chip: { words: 'Cancelled', look: '' },
    agent: 'Nothing more of it is signed. To do it after all, build it with again: true.',
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
    agent: 'Call submit_plan again to look at the chain again. Nothing is signed twice.',
    person:
      'Whether a step landed is not known yet. Have the plan submitted again: the chain is looked at, and nothing is signed twice.',
  },
};

/** Statuses of plans that need nothing more, of the agent or of a person. */
export const OVER: readonly ShownStatus[] = ['complete', 'failed', 'cancelled', 'expired'];

interface StageStatusWords {
  readonly chip: Chip;
  /** What is known, where nothing was noted. */
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
