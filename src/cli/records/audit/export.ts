/**
 * `countersign export decisions`: the decisions of a period, of one principal or of all, as a file whose head the owner
 * key signs; and `countersign audit verify FILE` for such a file, which needs no home.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownerStatement } from '../../../approval/answering.ts';
import { isRecord } from '../../../base/record.ts';
import { several } from '../../../base/words.ts';
import { systemClock } from '../../../clock.ts';
import { link, rowWords } from '../../../ledger/chains/chains.ts';
import {
  checkExport,
  coveredBy,
  type ExportHead,
  type ExportRow,
  type ExportSegment,
  exportPayload,
  exportText,
} from '../../../ledger/decisionExport.ts';
import type { ChainRow, Ledger } from '../../../ledger/types.ts';
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
import { timeWords, withHistory } from '../history.ts';

export const exportDecisions: Command = (input) => {
  const period = periodOption(input, systemClock.now());
  const principal = textOption(input.options, 'principal');
  return withHistory(input, async ({ ledger }) => {
    const chosen = await chosenOf(ledger, period, principal ?? null);
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
        { now: await ledger.time(), ttlMs: LONGEST_STATEMENT_MS },
      );
      write(input, exportText(head, rows, statement), head);
    } finally {
      passphrase.wipe();
    }
    return 0;
  });
};

function write({ options, terminal }: CommandInput, text: string, { segments }: ExportHead): void {
  const out = textOption(options, 'out');
  if (out === undefined) terminal.print(text.trimEnd());
  else {
    writePrivateFile(resolve(out), Buffer.from(text));
    terminal.print(resolve(out));
  }
  const [shown, rows] = [sumOf(segments, 'shown'), sumOf(segments, 'rows')];
  terminal.tell(
    `${several(shown, 'decision')}, in ${several(rows, 'row')} of ${several(segments.length, 'chain')}, signed by the owner key.`,
  );
}

const sumOf = (segments: readonly ExportSegment[], what: 'shown' | 'rows'): number =>
  segments.reduce((sum, segment) => sum + segment[what], 0);

interface Between {
  readonly from: number;
  readonly until: number;
}

/** The rows of the period, of each chain oldest first; those of others by their hash alone. `undefined` where there are none. */
async function chosenOf(
  ledger: Ledger,
  period: Between,
  principal: string | null,
): Promise<{ readonly head: ExportHead; readonly rows: readonly ExportRow[] } | undefined> {
  const segments: ExportSegment[] = [];
  const rows: ExportRow[] = [];
  for (const chain of coveredBy(principal, await ledger.chains())) {
    const found = await rowsOf(ledger, chain, period);
    const part = segmentOf(chain, found, principal);
    if (part === undefined) continue;
    segments.push(part.segment);
    rows.push(...part.rows);
  }
  if (segments.length === 0) return undefined;
  const head: ExportHead = {
    countersign: 'decisions',
    version: 2,
    from: period.from === 0 ? null : period.from,
    until: period.until === Number.MAX_SAFE_INTEGER ? null : period.until,
    principal,
    segments,
  };
  return { head, rows };
}

/** The rows of one chain that fall in the period, oldest first. Times in a chain never fall. */
async function rowsOf(ledger: Ledger, chain: string | null, { from, until }: Between): Promise<ChainRow[]> {
  const found: ChainRow[] = [];
  for (let before: number | undefined; ; ) {
    const page = await ledger.chainRows(chain, before);
    for (const row of page) {
      if (row.time < from) return found.reverse();
      if (row.time < until) found.push(row);
    }
    before = page.at(-1)?.place;
    if (before === undefined) return found.reverse();
  }
}

function segmentOf(
  chain: string | null,
  found: readonly ChainRow[],
  principal: string | null,
): { readonly segment: ExportSegment; readonly rows: readonly ExportRow[] } | undefined {
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let { previous } = first;
  let shown = 0;
  const rows: ExportRow[] = [];
  for (const { place, hash, body, sequence } of found) {
    if (link(previous, body) !== hash) {
      const where = rowWords({ brokenAt: sequence ?? 0, ...(chain === null ? {} : { chain, place }) });
      throw new SetupError(`The record breaks at ${where}.`, 'See `countersign audit verify`.');
    }
    previous = hash;
    const isShown = principal === null || principalIn(body) === principal;
    rows.push({ chain, place, hash, ...(isShown ? { body } : {}) });
    if (isShown && sequence !== undefined) shown += 1;
  }
  const segment = {
    chain,
    first: first.place,
    previous: first.previous,
    rows: rows.length,
    shown,
    head: last.hash,
  };
  return { segment, rows };
}

/** Who asked for the decision that a row is. */
function principalIn(body: string): unknown {
  const said: unknown = JSON.parse(body);
  return isRecord(said) ? said.principal : undefined;
}

/** Checks a file that `countersign export decisions` wrote. Returns the exit code. */
export async function verifyExport(input: CommandInput, path: string): Promise<number> {
  const { terminal } = input;
  const checked = checkExport(readFileSync(path, 'utf8'));
  if (!checked.ok) {
    terminal.print(`${checked.problem} Nothing in this file is proven.`);
    return 1;
  }
  const { principal, shown, words, payload, statement } = checked;
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
    payload,
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
  const whose = principal === null ? 'all principals' : `the principal ${principal}`;
  terminal.print(
    `Whole: ${several(shown, 'decision')} of ${whose}, ${words}, signed by the owner key ${publicKey} at ${timeWords(signed.statement.issuedAt)}.`,
  );
  return 0;
}
