/**
 * `countersign export decisions`: the decisions of a period, of one principal or of all, as a file whose head the owner
 * key signs; and `countersign audit verify FILE` for such a file, which needs no home.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownerStatement } from '../../../approval/answering.ts';
import { canonicalJson } from '../../../base/canonicalJson.ts';
import { several } from '../../../base/words.ts';
import { systemClock } from '../../../clock.ts';
import {
  checkExport,
  type ExportHead,
  type ExportRow,
  exportPayload,
  exportText,
} from '../../../ledger/decisionExport.ts';
import { evidence, GENESIS, link } from '../../../ledger/sqlite/decisions.ts';
import type { DecisionRecord } from '../../../ledger/types.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import {
  issuedAt,
  LONGEST_STATEMENT_MS,
  verifyOwnerStatement,
} from '../../../secrets/keys/ownerStatement.ts';
import { writePrivateFile } from '../../../secrets/privateFile.ts';
import { type Command, type CommandInput, textOption } from '../../command.ts';
import { askOwnerPassphrase, knownOwnerPublicKey } from '../../keys/owner.ts';
import { periodOption } from '../../money/period.ts';
import { type History, timeWords, withHistory } from '../history.ts';

export const exportDecisions: Command = (input) => {
  const period = periodOption(input, systemClock.now());
  const principal = textOption(input.options, 'principal');
  return withHistory(input, async (history) => {
    const chosen = await rowsOf(history, period, principal);
    if (chosen === undefined) {
      input.terminal.tell('Nothing was decided in this period.');
      return 0;
    }
    const { head, rows } = chosen;
    const passphrase = await askOwnerPassphrase(input);
    try {
      const statement = await ownerStatement(
        { home: input.home, ownerPublicKey: knownOwnerPublicKey(input), passphrase },
        'export',
        exportPayload(head, rows),
        { now: await history.ledger.time(), ttlMs: LONGEST_STATEMENT_MS },
      );
      write(input, exportText(head, rows, statement), head);
    } finally {
      passphrase.wipe();
    }
    return 0;
  });
};

function write({ options, terminal }: CommandInput, text: string, { rows, shown }: ExportHead): void {
  const out = textOption(options, 'out');
  if (out === undefined) terminal.print(text.trimEnd());
  else {
    writePrivateFile(resolve(out), Buffer.from(text));
    terminal.print(resolve(out));
  }
  terminal.tell(`${several(shown, 'decision')} of ${rows} in the period, signed by the owner key.`);
}

/** The rows of the period, oldest first; those of others by their hash alone. `undefined` where there are none. */
async function rowsOf(
  history: History,
  { from, until }: { readonly from: number; readonly until: number },
  principal: string | undefined,
): Promise<{ readonly head: ExportHead; readonly rows: readonly ExportRow[] } | undefined> {
  const records: DecisionRecord[] = [];
  let previous = GENESIS;
  for await (const record of history.decisions()) {
    if (record.time < from) {
      previous = record.hash;
      break;
    }
    if (record.time < until) records.unshift(record);
  }
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const rows: ExportRow[] = [];
  let before = previous;
  for (const { hash, ...record } of records) {
    const { sequence, id } = record;
    const isShown = principal === undefined || record.principal === principal;
    rows.push(isShown ? { sequence, hash, body: await bodyOf(history, id, record) } : { sequence, hash });
    const { body } = rows.at(-1) ?? {};
    if (body !== undefined && link(before, body) !== hash)
      throw new SetupError(`The record breaks at ${id}.`, 'See `countersign audit verify`.');
    before = hash;
  }
  const head: ExportHead = {
    countersign: 'decisions',
    version: 1,
    from: from === 0 ? null : from,
    until: until === Number.MAX_SAFE_INTEGER ? null : until,
    principal: principal ?? null,
    first: first.sequence,
    previous,
    rows: rows.length,
    shown: rows.filter(({ body }) => body !== undefined).length,
    head: last.hash,
  };
  return { head, rows };
}

/** The body of a decision's row, as its hash is over it. */
async function bodyOf(history: History, id: string, record: Omit<DecisionRecord, 'hash'>): Promise<string> {
  const made = await history.facts(id);
  if (made === undefined)
    throw new SetupError(
      `What ${id} was decided on is in an archive that is not here.`,
      'Put the archive back, then export again.',
    );
  return canonicalJson({ ...record, evidence: evidence(made.facts, made.view) });
}

/** Checks a file that `countersign export decisions` wrote. Returns the exit code. */
export async function verifyExport(input: CommandInput, path: string): Promise<number> {
  const { terminal } = input;
  const checked = checkExport(readFileSync(path, 'utf8'));
  if (!checked.ok) {
    terminal.print(`${checked.problem} Nothing in this file is proven.`);
    return 1;
  }
  const { head, rows, statement } = checked;
  const publicKey = textOption(input.options, 'owner') ?? (await knownOwnerPublicKey(input)());
  if (publicKey === undefined)
    throw new SetupError(
      'Whose signature it should have is not known here.',
      'Give the public key that `countersign owner show` prints, with --owner KEY.',
    );
  const signed = verifyOwnerStatement({
    publicKey,
    statement,
    kind: 'export',
    payload: exportPayload(head, rows),
    // What was exported stays exported: a signature of any day counts.
    now: issuedAt(statement),
  });
  if (!signed.ok) {
    terminal.print(
      signed.reason === 'other key'
        ? `It is not signed by ${publicKey}. Nothing in this file is proven.`
        : `It was changed after it was signed (${signed.reason}). Nothing in this file is proven.`,
    );
    return 1;
  }
  const whose = head.principal === null ? 'all principals' : `the principal ${head.principal}`;
  terminal.print(
    `Whole: ${several(head.shown, 'decision')} of ${whose}, in a chain of ${head.rows} from decision-${head.first} on, signed by the owner key ${publicKey} at ${timeWords(signed.statement.issuedAt)}.`,
  );
  return 0;
}
