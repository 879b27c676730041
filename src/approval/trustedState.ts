/**
 * State a running server keeps in memory, so that other code of the same user that writes the ledger or the policy
 * file cannot lift a freeze or replace the policy (T57).
 */

import { isRecord } from '../base/record.ts';
import { unfrozenNote } from '../ledger/frozen.ts';
import { noteOf } from '../ledger/notes.ts';
import type { Freeze, Ledger } from '../ledger/types.ts';
import type { Mode } from '../plan/types.ts';
import {
  issuedAt,
  type JsonValue,
  type OwnerStatementKind,
  verifyOwnerStatement,
} from '../secrets/keys/ownerStatement.ts';
import {
  ACCEPTED_POLICY,
  ACCEPTED_PRINCIPALS,
  policyPayload,
  principalsPayload,
  readStatement,
  unfreezePayload,
} from './answers.ts';

export interface TrustedStateParts {
  readonly mode: Mode;
  readonly ledger: Ledger;
  /** Base58, from the wallet's secret store. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
}

/**
 * Returns the policy hash the owner accepted since this process began. In live mode this requires a statement of the
 * owner key. Earlier and repeated statements are ignored, so an old acceptance cannot restore an old policy.
 */
export function acceptedPolicy(parts: TrustedStateParts): () => Promise<string | undefined> {
  const accepted = acceptedByOwner(parts, { note: ACCEPTED_POLICY, kind: 'policy', payload: policyPayload });
  return async () => {
    const hash = await accepted();
    return parts.mode === 'sandbox' ? undefined : hash;
  };
}

/**
 * Returns the digest of the principals file the owner accepted since this process began, by the same rules. The
 * sandbox requires no owner key.
 */
export function acceptedPrincipals(parts: TrustedStateParts): () => Promise<string | undefined> {
  const accepted = acceptedByOwner(parts, {
    note: ACCEPTED_PRINCIPALS,
    kind: 'principals',
    payload: principalsPayload,
  });
  let began: number | undefined;
  return async () => {
    const signed = await accepted();
    if (parts.mode !== 'sandbox') return signed;
    began ??= await parts.ledger.time();
    const note = readNote(await noteOf(parts.ledger, ACCEPTED_PRINCIPALS));
    return note !== undefined && note.at >= began ? note.hash : undefined;
  };
}

/** Returns the owner's acceptances since the first call, newest first and each once. */
function acceptedByOwner(
  { ledger, ownerPublicKey }: TrustedStateParts,
  {
    note: key,
    kind,
    payload,
  }: {
    readonly note: string;
    readonly kind: OwnerStatementKind;
    readonly payload: (hash: string) => JsonValue;
  },
): () => Promise<string | undefined> {
  let began: number | undefined;
  let newest: { readonly nonce: string; readonly hash: string } | undefined;
  const spent = new Set<string>();
  return async () => {
    const now = await ledger.time();
    began ??= now;
    const note = readNote(await noteOf(ledger, key));
    if (note === undefined) return undefined;
    const { hash, statement } = note;
    const checked = verifyOwnerStatement({
      publicKey: await ownerPublicKey(),
      statement: readStatement(statement),
      kind,
      payload: payload(hash),
      now,
    });
    if (!checked.ok) return undefined;
    const { nonce, issuedAt } = checked.statement;
    if (newest?.nonce === nonce) return newest.hash;
    if (issuedAt < began || spent.has(nonce)) return undefined;
    spent.add(nonce);
    newest = { nonce, hash };
    return hash;
  };
}

/** Parses the note of an acceptance; `at` is 0 if absent. */
function readNote(text: string | undefined): { hash: string; at: number; statement: unknown } | undefined {
  const note = readStatement(text);
  if (!isRecord(note) || typeof note.hash !== 'string') return undefined;
  const { hash, at, statement } = note;
  return {
    hash,
    at: typeof at === 'number' ? at : 0,
    statement,
  };
}

/**
 * Returns the ledger's global freeze, or a principal's own. Once seen in live mode, a freeze ends only by the owner
 * key's statement about that freeze, not by a missing row.
 */
export function watchedFreeze(
  parts: TrustedStateParts,
  principal?: string,
): () => Promise<Freeze | undefined> {
  const { ledger, mode } = parts;
  let seen: Freeze | undefined;
  return async () => {
    const now = (await ledger.rows('freezes', {})).find((each) => each.principal === principal);
    if (now !== undefined || mode === 'sandbox' || seen === undefined) {
      seen = now;
      return now;
    }
    if (!(await liftedByOwner(parts, seen))) return seen;
    seen = undefined;
    return undefined;
  };
}

async function liftedByOwner(
  { ledger, ownerPublicKey }: TrustedStateParts,
  { since, principal }: Freeze,
): Promise<boolean> {
  const publicKey = await ownerPublicKey();
  const note = readStatement(await noteOf(ledger, unfrozenNote(principal)));
  const statement = readStatement(isRecord(note) ? note.statement : undefined);
  const payload = unfreezePayload(since, principal);
  // A lifted freeze stays lifted whenever the statement is read, so its expiry is ignored.
  const now = issuedAt(statement);
  return verifyOwnerStatement({ publicKey, statement, kind: 'unfreeze', payload, now }).ok;
}
