/**
 * Describes a question's state for the person who was asked: what happened after their answer, why, and what they can
 * do now. Pure; uses our own and the policy's words, and the person's own reason.
 */
import { answeredWords, CLOSED_WORDS, type Closed, expiredWords } from '../answering/closedQuestion.ts';
import { capital } from '../base/format.ts';
import { isLanded } from '../execution/status.ts';
import type { ApprovalRow, PlanNote } from '../ledger/types.ts';
import type { PlanView } from './planPort.ts';
import { type Chip, OVER, STATUS_WORDS } from './statusWords.ts';

/** Input of an ending. */
export interface QuestionState {
  readonly row: ApprovalRow;
  /** Why no answer is awaited any more, if so. */
  readonly closed: Closed | undefined;
  readonly frozen: boolean;
  readonly plan: Pick<PlanView, 'status' | 'decision' | 'stages' | 'expiresAt'>;
  /** The latest note on the plan. */
  readonly planNote: PlanNote | undefined;
}

export interface Ending {
  readonly chips: readonly Chip[];
  /** Whole sentences. */
  readonly lines: readonly string[];
  /** Whether the question can still be answered. */
  readonly open: boolean;
}

const over = (chip: Chip, ...lines: readonly string[]): Ending => ({ chips: [chip], lines, open: false });

/** Returns the state of a question. */
export function endingOf(question: QuestionState): Ending {
  const { row, closed, frozen } = question;
  switch (row.state) {
    case 'pending': {
      if (closed !== undefined) return over({ words: 'Over', look: 'bad' }, CLOSED_WORDS[closed]);
      const chips = [{ words: 'Waiting for you', look: 'warn' }] as const;
      return { chips, lines: frozen ? [FROZEN_BEFORE] : [], open: true };
    }
    case 'expired': {
      const again = 'When the agent submits the plan again, you are asked again.';
      const why = row.answeredAt === undefined ? [] : reasonsNotCompleted(question);
      return over({ words: 'Expired', look: 'bad' }, expiredWords(row), ...why, again);
    }
    case 'denied':
      return over(
        { words: 'You denied', look: 'bad' },
        `${capital(answeredWords(row))}. Nothing is signed for it; the agent sees the denial${row.reason === undefined ? '' : `, with your reason: “${row.reason}”`}.`,
      );
    case 'approved':
      return afterApproval(question);
  }
}

const FROZEN_BEFORE =
  'Signing is frozen. You can answer, but nothing is signed until you lift the freeze and the agent submits the plan again.';
const FROZEN_AFTER =
  'Signing is frozen, so nothing is signed. Lift the freeze, then ask the agent to submit the plan again.';
const GOES_ON =
  'Countersign continues by itself. If nothing changes, the server that asked has stopped: ask the agent to submit the plan again.';

function afterApproval(question: QuestionState): Ending {
  const { row, plan, planNote, frozen } = question;
  const isGranted = row.channel === 'grant';
  const approved: Chip = { words: isGranted ? 'Approved in advance' : 'You approved', look: 'good' };
  const ended = (chip: Chip, ...lines: readonly string[]): Ending => ({
    chips: [approved, chip],
    lines,
    open: false,
  });
  const noted = planNote?.status === plan.status ? planNote.note : undefined;
  switch (plan.status) {
    case 'complete':
      return ended(
        STATUS_WORDS.complete.chip,
        isGranted
          ? 'Everything landed within what you approved in advance.'
          : 'Everything landed as you approved it.',
      );
    case 'running':
      return ended(STATUS_WORDS.running.chip, 'Landed steps are listed below.');
    case 'approval_required':
      if (planNote?.ref !== undefined && planNote.ref !== row.id)
        return ended(
          { words: 'Asks again', look: 'warn' },
          'It needs one more approval: see the open questions.',
        );
      return frozen ? ended(NOT_SIGNED, FROZEN_AFTER) : ended({ words: 'Goes on', look: '' }, GOES_ON);
    case 'ready':
      if (frozen) return ended(NOT_SIGNED, FROZEN_AFTER);
      return ended(STATUS_WORDS.ready.chip, noted ?? GOES_ON);
    case 'waiting_setup':
      return ended(STATUS_WORDS.waiting_setup.chip, STATUS_WORDS.waiting_setup.person);
    case 'unknown':
    case 'landed_unverified':
      return ended(STATUS_WORDS[plan.status].chip, noted ?? STATUS_WORDS[plan.status].person);
    case 'denied':
    case 'denied_by_owner':
      return ended(NOT_SIGNED, ...reasonsNotCompleted(question));
    case 'failed':
    case 'cancelled':
    case 'expired':
      return ended(STATUS_WORDS[plan.status].chip, ...reasonsNotCompleted(question));
  }
}

const NOT_SIGNED: Chip = { words: 'Not signed', look: 'bad' };

/** Returns why an approved plan was not completed. */
function reasonsNotCompleted({ row, plan, planNote }: QuestionState): string[] {
  const { status, decision, stages, expiresAt } = plan;
  const isDenied = status === 'denied' || status === 'denied_by_owner';
  if (!isDenied && (status === 'complete' || !OVER.includes(status))) return [];
  const landed = stages.some((stage) => isLanded(stage.status))
    ? ['Steps that landed before stay: see the steps.']
    : [];
  const code = isDenied ? (decision.reasonCodes[0] ?? planNote?.code) : planNote?.code;
  switch (code) {
    case 'QUOTE_EXPIRED': {
      const late =
        expiresAt !== undefined && row.answeredAt !== undefined && row.answeredAt >= Date.parse(expiresAt);
      const why = late
        ? 'Your approval came after the quote of this swap had run out'
        : 'The quote of this swap ran out before it landed';
      return [`${why}, so nothing was traded. If you still want it, ask the agent for a new quote.`];
    }
    case 'FAILED_ON_CHAIN':
      return [
        'A step landed and failed on the chain: its fee is spent, and it is not tried again.',
        ...landed,
      ];
    case 'CANCELLED':
      return ['The agent cancelled the plan after your approval: nothing more of it is signed.', ...landed];
    case 'FROZEN':
      return [FROZEN_AFTER, ...landed];
    case 'PERSON_DENIED':
      return ['Another question about this plan was denied, so nothing more of it is signed.', ...landed];
    default: {
      const why = isDenied ? decision.explain : (planNote?.note ?? 'A step failed.');
      const remedy = isDenied && decision.remedy !== undefined ? [decision.remedy] : [];
      return [why, ...remedy, ...landed];
    }
  }
}
