/**
 * Seals the start time of a run under its approval with a key of the secret store. A started run continues for one day
 * after its approval expires. Ledger rows alone do not prove the start, because other code of the same user can write
 * them (T57).
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../base/canonicalJson.ts';
import { isRecord } from '../base/record.ts';
import { noteOf } from '../ledger/notes.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import { readStatement } from './answers.ts';

type Run = Pick<ApprovalRow, 'id' | 'approvalDigest' | 'expiresAt'>;

export interface RunSeal {
  /** Seals the current time as the start of a run; keeps an existing seal. */
  begin(row: Run): Promise<void>;
  /** Returns the start time, milliseconds since the epoch; `undefined` without a valid seal of this home. */
  began(row: Run): Promise<number | undefined>;
}

export interface RunSealParts {
  readonly ledger: Pick<Ledger, 'rows' | 'setNote' | 'time'>;
  /** The key that seals this home's ledger; without one a start is known only to this process. */
  readonly key: () => Promise<Uint8Array | undefined>;
}

/** Creates seals over one ledger. */
export function createRunSeal({ ledger, key }: RunSealParts): RunSeal {
  const own = randomBytes(32);
  const sealOf = async ({ id, approvalDigest, expiresAt }: Run, at: number): Promise<Buffer> =>
    createHmac('sha256', (await key()) ?? own)
      .update(canonicalJson(['countersign run under an approval v1', id, approvalDigest, expiresAt, at]))
      .digest();
  const began: RunSeal['began'] = async (row) => {
    const note = readStatement(await noteOf(ledger, nameOf(row)));
    if (!isRecord(note) || typeof note.at !== 'number' || typeof note.seal !== 'string') return undefined;
    const [wanted, found] = [await sealOf(row, note.at), Buffer.from(note.seal, 'hex')];
    const fits = wanted.length === found.length && timingSafeEqual(wanted, found);
    return fits && note.at < row.expiresAt ? note.at : undefined;
  };
  return {
    began,
    begin: async (row) => {
      if ((await began(row)) !== undefined) return;
      const at = await ledger.time();
      const seal = (await sealOf(row, at)).toString('hex');
      await ledger.setNote(nameOf(row), JSON.stringify({ at, seal }));
    },
  };
}

const nameOf = ({ id }: Run): string => `run under ${id}`;
