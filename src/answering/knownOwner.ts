/**
 * The owner key that each server verifies answers with, noted in the ledger, so that a command does not report an answer
 * that no server accepts. Nothing is decided by these notes: a server verifies statements against its own secret store.
 */

import { readStatement } from '../approval/answers.ts';
import { isRecord } from '../base/record.ts';
import { noteOf } from '../ledger/notes.ts';
import type { Ledger } from '../ledger/types.ts';

type Notes = Pick<Ledger, 'rows' | 'setNote'>;
type OwnerPublicKey = () => Promise<string | undefined>;

/** Where the key of the server that asked is noted. */
const askerNote = (approvalId: string): string => `owner-key-of:${approvalId}`;
/** `{ [server]: key }`; a server without a key has ''. */
const SERVERS_NOTE = 'owner-keys';

/** Stores a note unless the ledger has it already. A ledger that cannot be written reports that elsewhere. */
async function keep(ledger: Notes, key: string, value: string): Promise<void> {
  try {
    if ((await noteOf(ledger, key)) !== value) await ledger.setNote(key, value);
  } catch {}
}

/** Notes which owner key the asking server verifies the answer with; nothing if its secret store is locked. */
export async function noteAsker(ledger: Notes, approvalId: string, owner: OwnerPublicKey): Promise<void> {
  const key = await owner().catch(() => null);
  if (key !== null) await keep(ledger, askerNote(approvalId), key ?? '');
}

/** The key of the server that asked; '' if it has none, undefined if that is not known. */
export const askerOwner = (ledger: Notes, approvalId: string): Promise<string | undefined> =>
  noteOf(ledger, askerNote(approvalId));

async function servers(ledger: Notes): Promise<Record<string, unknown>> {
  const noted = readStatement(await noteOf(ledger, SERVERS_NOTE));
  return isRecord(noted) ? noted : {};
}

/** Notes the key of a running server, or with `undefined` that the server has ended. */
export async function noteServer(ledger: Notes, server: string, key: string | undefined): Promise<void> {
  try {
    const { [server]: _, ...others } = await servers(ledger);
    await keep(
      ledger,
      SERVERS_NOTE,
      JSON.stringify({ ...others, ...(key === undefined ? {} : { [server]: key }) }),
    );
  } catch {}
}

/** Whether servers are running but no server verifies with `key`. */
export async function isForeignOwner(ledger: Notes, key: string): Promise<boolean> {
  const known = Object.values(await servers(ledger));
  return known.length > 0 && !known.includes(key);
}
