/**
 * When a stored approval counts. In live mode a row that says "approved" proves nothing by itself, since code of the
 * same user can write the ledger: the approval must be signed by the owner key over exactly this question, or be
 * one this very process received through elicitation (T40, T57, T60, B71).
 */
import { approvalOfRow, grantAllows } from '../ledger/sqlite/approvals.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Mode } from '../plan/types.ts';
import { issuedAt, type JsonValue, verifyOwnerStatement } from '../secrets/keys/ownerStatement.ts';

/** The payload that the owner key signs to approve: the question, with a domain prefix. */
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

/** What the owner key signs to lift a freeze: this freeze, so that the statement says nothing about a later one. */
export const unfreezePayload = (since: number, principal?: string): JsonValue => ({
  frozenSince: since,
  ...(principal === undefined ? {} : { principal }),
});

/** What the owner key signs to accept a policy file. */
export const policyPayload = (policyHash: string): JsonValue => ({ policyHash });

/** What the owner key signs to accept a principals file with the policies that it names. */
export const principalsPayload = (principalsSha256: string): JsonValue => ({ principalsSha256 });

/** What the owner key signs to accept another ledger in the place of a lost one; `instead`: the lost one's identity. */
export const ledgerPayload = (ledger: string, network: string, instead: string | null): JsonValue => ({
  ledger,
  network,
  instead,
});

/** The key under which the ledger keeps the newest accepted policy: `{ hash, statement }`. */
export const ACCEPTED_POLICY = 'accepted-policy';

/** The key under which the ledger keeps the newest accepted principals file: `{ hash, at, statement? }`. */
export const ACCEPTED_PRINCIPALS = 'accepted-principals';

/** Whether a recorded approval is valid. */
export type AnswerCheck = (row: ApprovalRow) => Promise<boolean>;

/** What an answer is checked with. */
export interface AnswerCheckParts {
  readonly mode: Mode;
  /** Base58, from the wallet's secret store. Absent: no owner channel exists, and nothing it signed counts. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** Whether this process itself took the answer through elicitation. */
  readonly elicited?: (row: ApprovalRow) => boolean;
  /** Approvals of the ledger. Absent: none by a grant counts. */
  readonly approvals?: Ledger['approvals'];
  /** When a run began under its approval, as this home sealed it. Absent: no run goes on in live mode. */
  readonly began?: (row: ApprovalRow) => Promise<number | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The check for one process. In the sandbox no real money is at stake, so no owner key is needed. */
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

/** Whether the owner key signed a row. Without `now` for good: what it grants says itself until when. */
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

/** A stored statement; `undefined` for anything but text of JSON. */
export function readStatement(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
