/**
 * `countersign export decisions`: exports the decisions of a period, of one principal or all, as a file whose head
 * the owner key signs; `countersign audit verify FILE [KEY]` verifies such a file without a home.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownerStatement } from '../../../answering/answering.ts';
import { canonicalJson } from '../../../base/canonicalJson.ts';
import { several } from '../../../base/format.ts';
import { systemClock } from '../../../clock.ts';
import { chainOf, chainWords, link, rowWords } from '../../../ledger/chains/chains.ts';
import type { HomeLedger } from '../../../ledger/sqlite/sqlite.ts';
import type { ChainRow } from '../../../ledger/types.ts';
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
import { checkExport, type ExportHead, type ExportSegment, exportText } from './decisionExport.ts';

export const exportDecisions: Command = (input) => {
  const period = periodOption(input, systemClock.now());
  const [, principal] = input.words;
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
        canonicalJson(head),
        { now: await ledger.time(), ttlMs: LONGEST_STATEMENT_MS },
      );
      write(input, exportText(head, rows, statement), chosen);
    } finally {
      passphrase.wipe();
    }
    return 0;
  });
};

function write({ options, terminal }: CommandInput, text: string, { head, rows }: Chosen): void {
  const out = textOption(options, 'out');
  if (out === undefined) terminal.print(text.trimEnd());
  else {
    writePrivateFile(resolve(out), Buffer.from(text));
    terminal.print(resolve(out));
  }
  const chains = several(head.segments.length, 'chain');
  terminal.tell(`${several(rows.length, 'row')} of ${chains}, signed by the owner key.`);
}

interface Between {
  readonly from: number;
  readonly until: number;
}

interface Chosen {
  readonly head: ExportHead;
  readonly rows: readonly string[];
}

/** Returns the rows of the period, oldest first per chain, or `undefined` for an empty period. */
async function chosenOf(
  ledger: HomeLedger,
  period: Between,
  principal: string | null,
): Promise<Chosen | undefined> {
  const segments: ExportSegment[] = [];
  const rows: string[] = [];
  const chains = await ledger.chains();
  for (const chain of principal === null ? chains : chains.filter((name) => name === chainOf(principal))) {
    const found = await rowsOf(ledger, chain, period);
    const segment = segmentOf(chain, found);
    if (segment === undefined) continue;
    segments.push(segment);
    rows.push(...found.map(({ body }) => body));
  }
  if (segments.length === 0) return undefined;
  const head: ExportHead = {
    countersign: 'decisions',
    version: 1,
    from: period.from === 0 ? null : period.from,
    until: period.until === Number.MAX_SAFE_INTEGER ? null : period.until,
    principal,
    segments,
  };
  return { head, rows };
}

/** The rows of one chain that fall in the period, oldest first. Times in a chain never fall. */
async function rowsOf(ledger: HomeLedger, chain: string, { from, until }: Between): Promise<ChainRow[]> {
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

function segmentOf(chain: string, rows: readonly ChainRow[]): ExportSegment | undefined {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const broken = rows.find(
    ({ previous, body, hash }, index) =>
      link(previous, body) !== hash || (index > 0 && rows[index - 1]?.hash !== previous),
  );
  if (broken !== undefined) {
    const where = rowWords({ chain, place: broken.place });
    throw new SetupError(`The record breaks at ${where}.`, 'See `countersign audit verify`.');
  }
  return { chain, first: first.place, previous: first.previous, rows: rows.length, head: last.hash };
}

/** Verifies a file written by `countersign export decisions`. Returns the exit code. */
export async function verifyExport(input: CommandInput, path: string): Promise<number> {
  const { terminal } = input;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new SetupError(
      `The file ${path} cannot be read.`,
      'Name a file that `countersign export decisions` wrote.',
    );
  }
  const checked = checkExport(text);
  if (!checked.ok) {
    terminal.print(`${checked.problem} Nothing in this file is proven.`);
    return 1;
  }
  const { head, payload, decisions, statement } = checked;
  const publicKey = input.words[2] ?? (await knownOwnerPublicKey(input)());
  if (publicKey === undefined)
    throw new SetupError(
      'The expected signer is not known here.',
      'Give the public key that `countersign owner show` prints: countersign audit verify FILE KEY',
    );
  const signed = verifyOwnerStatement({
    publicKey,
    statement,
    kind: 'export',
    payload,
    // Exports do not expire: a signature of any time is valid.
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
  const from = head.segments.map(({ chain, first }) => `row ${first} of ${chainWords(chain)}`).join(', ');
  terminal.print(
    `Whole: ${several(decisions, 'decision')} of ${whose}, from ${from} on, signed by the owner key ${publicKey} at ${timeWords(signed.statement.issuedAt)}.`,
  );
  return 0;
}
