/**
 * Validates stored approvals. In live mode a row in state "approved" proves nothing, since other code of the same
 * user can write the ledger: the approval must be signed by the owner key over exactly this question, or be received
 * by this process through elicitation (T40, T57, T60, B71).
 */
import { approvalOfRow, grantAllows } from '../ledger/sqlite/approvals.ts';
import type { ApprovalFilter, ApprovalRow } from '../ledger/types.ts';
import type { Mode } from '../plan/types.ts';
import { issuedAt, type JsonValue, verifyOwnerStatement } from '../secrets/keys/ownerStatement.ts';

/** Returns the payload the owner key signs to approve: the question, with a domain prefix. */
export function approvalPayload(row: ApprovalRow): JsonValue {
  const { id, planId, intentKey, wallet, network, approvalDigest, policyHash, stages, expiresAt } = row;
  const about = {
    id,
    planId,
    intentKey,
    wallet,
    network,
    approvalDigest: approvalDigest,
    policyHash,
    stages,
    expiresAt,
  };
  return row.grant === undefined ? about : { ...about, grant: { ...row.grant } };
}

/** Returns the payload the owner key signs to lift a freeze. It names this freeze and is invalid for a later one. */
export const unfreezePayload = (since: number, principal?: string): JsonValue => ({
  frozenSince: since,
  ...(principal === undefined ? {} : { principal }),
});

/** Returns the payload the owner key signs to accept a policy file. */
export const policyPayload = (policyHash: string): JsonValue => ({ policyHash });

/** Returns the payload the owner key signs to accept a principals file and the policies it names. */
export const principalsPayload = (principalsSha256: string): JsonValue => ({ principalsSha256 });

/** Returns the payload the owner key signs to replace a lost ledger; `instead` is the identity of the lost one. */
export const ledgerPayload = (ledger: string, network: string, instead: string | null): JsonValue => ({
  ledger,
  network,
  instead,
});

/** The ledger note of the newest accepted policy: `{ hash, statement }`. */
export const ACCEPTED_POLICY = 'accepted-policy';

/** The ledger note of the newest accepted principals file: `{ hash, at, statement? }`. */
export const ACCEPTED_PRINCIPALS = 'accepted-principals';

/** Returns whether a recorded approval is valid. */
export type AnswerCheck = (row: ApprovalRow) => Promise<boolean>;

/** Dependencies of an answer check. */
export interface AnswerCheckParts {
  readonly mode: Mode;
  /** Base58, from the wallet's secret store. Absent: there is no owner key, so owner-signed approvals are invalid. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** Returns whether this process received the answer through elicitation. */
  readonly elicited?: (row: ApprovalRow) => boolean;
  /** Reads approvals of the ledger. Absent: approvals by grants are invalid. */
  readonly approvals?: (filter: ApprovalFilter) => Promise<ApprovalRow[]>;
  /**
   * Returns when a run began under its approval, as sealed by this home. Absent: no run continues past expiry in live
   * mode.
   */
  readonly began?: (row: ApprovalRow) => Promise<number | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the check of one process. In the sandbox no real money is at stake, so no owner key is needed. */
export function answerCheck(parts: AnswerCheckParts): AnswerCheck {
  return async (row) => {
    if (row.state !== 'approved') return false;
    let now = parts.now();
    if (row.run !== undefined) {
      const { firstSigned, until } = row.run;
      const began = parts.mode === 'sandbox' ? firstSigned : await parts.began?.(row);
      if (began === undefined || now >= began + until - firstSigned) return false;
      // A started run is checked at its start time.
      now = began;
    }
    if (row.channel === 'elicitation') return parts.elicited?.(row) ?? false;
    const signed = async (...about: [ApprovalRow, number?]) =>
      parts.mode === 'sandbox' || isSigned(parts, ...about);
    if (row.channel !== 'grant') return signed(row, now);
    const rows = (await parts.approvals?.({ grantId: row.grantId ?? '' })) ?? [];
    const granted = rows.find(({ id }) => id === row.grantId);
    if (granted === undefined || !(await signed(granted))) return false;
    return grantAllows(rows, granted.id, approvalOfRow(row), now, row.id);
  };
}

/** Returns whether the owner key signed a row. Without `now` its expiry is ignored: a grant has its own deadline. */
async function isSigned(
  { ownerPublicKey }: AnswerCheckParts,
  row: ApprovalRow,
  now?: number,
): Promise<boolean> {
  const publicKey = await ownerPublicKey();
  const statement = readStatement(row.statement);
  const about = { publicKey, statement, kind: 'approval', payload: approvalPayload(row) } as const;
  return verifyOwnerStatement({ ...about, now: now ?? issuedAt(statement) }).ok;
}

/** Parses a stored statement. Returns `undefined` for anything but JSON text. */
export function readStatement(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
