/**
 * What a running server remembers by itself, so that code of the same user that only writes the ledger or the
 * policy file does not lift a freeze or put another policy in force (T57).
 */
import { isRecord } from '../base/record.ts';
import { unfrozenNote } from '../ledger/frozen.ts';
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
 * The policy hash a person accepted since this process began. In live mode it takes the owner key's statement;
 * one from before is not taken up, nor is one a second time, so an old acceptance never brings an old policy back.
 */
export function acceptedPolicy(parts: TrustedStateParts): () => Promise<string | undefined> {
  const accepted = acceptedByOwner(parts, { note: ACCEPTED_POLICY, kind: 'policy', payload: policyPayload });
  return async () => {
    const hash = await accepted();
    return parts.mode === 'sandbox' ? undefined : hash;
  };
}

/**
 * The digest of the principals file that a person accepted since this process began, by the same rules. In the sandbox,
 * where nothing is at stake, no owner key is asked for.
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
    const note = readNote(await parts.ledger.note(ACCEPTED_PRINCIPALS));
    return note !== undefined && note.at >= began ? note.hash : undefined;
  };
}

/** What the owner key accepted since the first question, newest first and each acceptance once. */
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
    const note = readNote(await ledger.note(key));
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

/** What is noted of an acceptance; `at` is 0 where it does not say. */
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
 * The ledger's freeze of all, or a principal's own, as this process believes it: once it has seen one, in live mode, only the owner key's
 * statement about that very freeze ends it. A row that just vanished does not.
 */
export function watchedFreeze(
  parts: TrustedStateParts,
  principal?: string,
): () => Promise<Freeze | undefined> {
  const { ledger, mode } = parts;
  let seen: Freeze | undefined;
  return async () => {
    const now = (await ledger.freezes()).find((each) => each.principal === principal);
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
  const note = readStatement(await ledger.note(unfrozenNote(principal)));
  const statement = readStatement(isRecord(note) ? note.statement : undefined);
  const payload = unfreezePayload(since, principal);
  // The freeze it names is over for good, whenever that is read: only its time of issue is not asked about.
  const now = issuedAt(statement);
  return verifyOwnerStatement({ publicKey, statement, kind: 'unfreeze', payload, now }).ok;
}
