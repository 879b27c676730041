/**
 * Takes a person's answer, for the page and the commands alike: who may approve, what the owner key signs for it,
 * and what is recorded. Denying and freezing need no key; with real money at stake, an approval, lifting a freeze
 * and accepting a policy need the owner key.
 */
import { existsSync } from 'node:fs';
import {
  ACCEPTED_POLICY,
  ACCEPTED_PRINCIPALS,
  approvalPayload,
  policyPayload,
  principalsPayload,
  unfreezePayload,
} from '../approval/answers.ts';
import { approvalOfRow } from '../ledger/sqlite/approvals.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import { openOwnerKey, ownerKeyPath } from '../secrets/keys/ownerKey.ts';
import {
  type JsonValue,
  LONGEST_STATEMENT_MS,
  type OwnerKey,
  type OwnerStatementKind,
  signOwnerStatement,
} from '../secrets/keys/ownerStatement.ts';
import type { Secret } from '../secrets/secret.ts';
import { readStoreRecord } from '../secrets/stores/chooseStore.ts';
import { type Grant, grantedAsset } from '../statement/grant.ts';
import { answeredWords, CLOSED_WORDS, cleanReason, closedBy, expiredWords } from './closedQuestion.ts';
import { askerOwner, isForeignOwner } from './knownOwner.ts';

/**
 * `NOT_FOUND`: no such question · `APPROVAL_CONSUMED`: it was answered before · `APPROVAL_EXPIRED`: it was
 * not answered in time · `NOT_GRANTABLE`: the like of it cannot be approved beforehand · `PLAN_ENDED`: nothing waits for the answer any more · `APPROVAL_MISMATCH`: the answer is about something else than the question says now ·
 * `OWNER_KEY_NEEDED`: only the owner key may do this, and none was given · `OWNER_KEY_MISMATCH`: it is not the
 * owner key this home's wallet knows (B71).
 */
export type AnswerErrorCode =
  | 'NOT_FOUND'
  | 'APPROVAL_CONSUMED'
  | 'APPROVAL_EXPIRED'
  | 'PLAN_ENDED'
  | 'NOT_GRANTABLE'
  | 'APPROVAL_MISMATCH'
  | 'OWNER_KEY_NEEDED'
  | 'OWNER_KEY_MISMATCH';

/** An answer that was not taken. Nothing changed. */
export class AnswerError extends Error {
  readonly code: AnswerErrorCode;
  readonly hint: string;
  readonly class = 'input';
  readonly retryable = false;

  constructor(code: AnswerErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'AnswerError';
    this.code = code;
    this.hint = hint;
  }
}

/** Where an answer is given. */
export interface AnsweringParts {
  readonly home: string;
  readonly ledger: Ledger;
  /** Base58, from the wallet's secret store; `undefined` when the store names none or is locked here. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
}

/** An approval or a denial of one question. */
export interface Answer {
  readonly id: string;
  /** What the person was shown. A question that is about something else by now is not answered. */
  readonly approvalDigest: string;
  readonly channel: 'page' | 'command';
  /** The owner passphrase; the caller wipes it. */
  readonly passphrase?: Secret | undefined;
  /** Why it is denied, for the agent. */
  readonly reason?: string | undefined;
  /** The like that is approved with it. */
  readonly grant?: Grant | undefined;
}

export interface Answering {
  /** Throws `OWNER_KEY_NEEDED` if the server that asked has no owner key to verify an approval with. */
  checkAsker(approvalId: string): Promise<void>;
  approve(answer: Omit<Answer, 'reason'>): Promise<ApprovalRow>;
  /** Denies a question, or ends what was granted with an earlier yes. */
  deny(answer: Omit<Answer, 'passphrase' | 'grant'>): Promise<ApprovalRow>;
  freeze(reason: string): Promise<void>;
  /** Whether lifting a freeze needs the owner key: wherever this home was ever set up for real money. */
  unfreezeNeedsOwner(): Promise<boolean>;
  /**
   * Lifts every freeze, or the one of a principal alone. `newest` is when the newest freeze began that the person was
   * shown, in milliseconds since the epoch: one that began later stays.
   */
  unfreeze(passphrase: Secret | undefined, newest: number, principal?: string): Promise<void>;
  /** Accepts a policy hash for servers that are running. Returns the statement as the ledger keeps it. */
  acceptPolicy(policyHash: string, passphrase: Secret): Promise<void>;
  /** Accepts a principals file, by its digest, for servers that are running: with the owner key, except in a home that never had real money. */
  acceptPrincipals(digest: string, passphrase?: Secret): Promise<void>;
}

const NO_OWNER_KEY = 'A person makes one with `countersign owner create`.';

/** Opens the owner key, signs one statement, and locks it again. Throws `AnswerError` where that key is not here. */
export async function ownerStatement(
  {
    home,
    ownerPublicKey,
    passphrase,
    isForeign,
  }: Pick<AnsweringParts, 'home' | 'ownerPublicKey'> & {
    readonly passphrase: Secret | undefined;
    /** Whether no server would accept a statement by this key. */
    readonly isForeign?: (publicKey: string) => Promise<boolean>;
  },
  kind: OwnerStatementKind,
  payload: JsonValue,
  { now, ttlMs }: { readonly now: number; readonly ttlMs: number },
): Promise<string> {
  if (!existsSync(ownerKeyPath(home))) {
    throw new AnswerError('OWNER_KEY_NEEDED', 'This home has no owner key.', NO_OWNER_KEY);
  }
  if (passphrase === undefined) {
    throw new AnswerError(
      'OWNER_KEY_NEEDED',
      'Only the owner key may do this.',
      'Give the owner passphrase.',
    );
  }
  const known = await ownerPublicKey();
  let ownerKey: OwnerKey | undefined;
  try {
    ownerKey = await openOwnerKey({ home, passphrase });
    if (known !== undefined && known !== ownerKey.publicKey) {
      throw new AnswerError(
        'OWNER_KEY_MISMATCH',
        "The owner key in this home is not the one the wallet's store vouches for.",
        'It may have been replaced. Run `countersign freeze`, then `countersign doctor`.',
      );
    }
    if ((await isForeign?.(ownerKey.publicKey)) === true) {
      throw new AnswerError(
        'OWNER_KEY_MISMATCH',
        'The server verifies answers with another owner key than the one in this home, so nothing was changed.',
        `Answer from the home with that owner key. If this one is right (${ownerKey.publicKey}), give it to the server: docs/fleet.md says how; then restart it.`,
      );
    }
    return JSON.stringify(signOwnerStatement({ ownerKey, kind, payload, now, ttlMs }));
  } finally {
    ownerKey?.lock();
  }
}

export function createAnswering({ home, ledger, ownerPublicKey }: AnsweringParts): Answering {
  const sign = async (
    kind: OwnerStatementKind,
    payload: JsonValue,
    ttlMs: number,
    passphrase: Secret | undefined,
    isForeign = (key: string) => isForeignOwner(ledger, key),
  ): Promise<string> =>
    ownerStatement({ home, ownerPublicKey, passphrase, isForeign }, kind, payload, {
      now: await ledger.time(),
      ttlMs,
    });

  const checkAsker = async (id: string): Promise<void> => {
    if ((await askerOwner(ledger, id)) !== '') return;
    throw new AnswerError(
      'OWNER_KEY_NEEDED',
      'The server that asked was started without the public key of the owner, so an approval would not count.',
      'Give it the key that `countersign owner show` prints (with the environment store: COUNTERSIGN_OWNER_PUBLIC_KEY; docs/fleet.md has the other stores), restart it, and ask the agent to submit the plan again.',
    );
  };

  /** The question as it is now, if it can still be answered and is the one that was shown. */
  async function open({ id, approvalDigest }: Pick<Answer, 'id' | 'approvalDigest'>): Promise<ApprovalRow> {
    const [row] = await ledger.rows('approvals', { id });
    if (row === undefined) {
      throw new AnswerError('NOT_FOUND', 'No question has this id.', 'See `countersign pending`.');
    }
    if (row.approvalDigest !== approvalDigest) {
      throw new AnswerError(
        'APPROVAL_MISMATCH',
        'The question is not the one that was shown.',
        'Look at it again before answering.',
      );
    }
    if (row.state === 'pending') {
      const closed = await closedBy(ledger, row);
      if (closed === undefined) return row;
      throw new AnswerError(
        'PLAN_ENDED',
        CLOSED_WORDS[closed],
        'What still waits for you is in `countersign pending`.',
      );
    }
    if (row.state === 'expired') {
      throw new AnswerError(
        'APPROVAL_EXPIRED',
        expiredWords(row),
        'If you still want it, ask the agent to submit the plan again; you are asked anew.',
      );
    }
    throw new AnswerError(
      'APPROVAL_CONSUMED',
      `This was already ${answeredWords(row)}.`,
      'An answer is given once. Ask the agent to submit the plan again if you changed your mind.',
    );
  }

  /** Stores an answer. Where it expired or was answered while the passphrase was checked, that is what is said. */
  async function store(
    row: ApprovalRow,
    answer: Parameters<Ledger['answerApproval']>[1],
  ): Promise<ApprovalRow> {
    try {
      return await ledger.answerApproval(row.id, answer);
    } catch (error) {
      await open(row);
      throw error;
    }
  }

  /** Whether approving a question needs the owner key: always, except in the sandbox. */
  const needsOwner = async (row: ApprovalRow): Promise<boolean> =>
    (await ledger.rows('plans', { planId: row.planId }))[0]?.mode !== 'sandbox';

  /** A home with a chosen secret store, an owner key or a live plan was set up for real money. */
  async function unfreezeNeedsOwner(): Promise<boolean> {
    if (existsSync(ownerKeyPath(home)) || readStoreRecord(home) !== undefined) return true;
    return (await ledger.rows('plans', { limit: 500 })).some((plan) => plan.mode === 'live');
  }

  return {
    checkAsker,
    unfreezeNeedsOwner,
    approve: async (answer) => {
      const { grant, channel } = answer;
      const granted = grant === undefined ? {} : { grant };
      const row: ApprovalRow = { ...(await open(answer)), ...granted };
      if (grant !== undefined && grantedAsset(approvalOfRow(row)) !== grant.asset) {
        throw new AnswerError(
          'NOT_GRANTABLE',
          'Plans similar to this one cannot be approved in advance: it launches a token, changes who earns, or contains something that needs your attention each time.',
          'Approve this one alone.',
        );
      }
      if (!(await needsOwner(row))) return store(row, { state: 'approved', channel, ...granted });
      await checkAsker(row.id);
      const asker = await askerOwner(ledger, row.id);
      const left = row.expiresAt - (await ledger.time());
      const ttlMs = Math.min(LONGEST_STATEMENT_MS, Math.max(1, left));
      const isForeign = async (key: string) => asker !== undefined && asker !== key;
      const statement = await sign('approval', approvalPayload(row), ttlMs, answer.passphrase, isForeign);
      return store(row, { state: 'approved', channel, statement, ...granted });
    },
    deny: async (answer) => {
      const [known] = await ledger.rows('approvals', { id: answer.id });
      const grants = known?.grant !== undefined && known.revokedAt === undefined;
      const row = grants ? known : await open(answer);
      const reason = cleanReason(answer.reason);
      return store(row, {
        state: 'denied',
        channel: answer.channel,
        ...(reason === undefined ? {} : { reason }),
      });
    },
    freeze: (reason) => ledger.freeze(reason),
    unfreeze: async (passphrase, newest, only) => {
      const needsOwner = await unfreezeNeedsOwner();
      for (const { since, principal } of await ledger.rows('freezes', {})) {
        if ((only !== undefined && principal !== only) || !(since <= newest)) continue;
        const payload = unfreezePayload(since, principal);
        const statement = needsOwner
          ? await sign('unfreeze', payload, LONGEST_STATEMENT_MS, passphrase)
          : undefined;
        await ledger.freeze({ lifted: statement }, principal);
      }
    },
    acceptPolicy: async (policyHash, passphrase) => {
      const payload = policyPayload(policyHash);
      const statement = await sign('policy', payload, LONGEST_STATEMENT_MS, passphrase);
      await ledger.setNote(ACCEPTED_POLICY, JSON.stringify({ hash: policyHash, statement }));
    },
    acceptPrincipals: async (hash, passphrase) => {
      const at = await ledger.time();
      const payload = principalsPayload(hash);
      const signed = (await unfreezeNeedsOwner())
        ? { statement: await sign('principals', payload, LONGEST_STATEMENT_MS, passphrase) }
        : {};
      await ledger.setNote(ACCEPTED_PRINCIPALS, JSON.stringify({ hash, at, ...signed }));
    },
  };
}
