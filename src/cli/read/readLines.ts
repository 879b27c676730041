/** What `countersign read` prints: the statement in the sentences a question has, then each transaction by itself. */

import { fitted } from '../../base/fitted.ts';
import { capital, listWords, several, shortAddress, solWords } from '../../base/format.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { Policy } from '../../policy/file/schema.ts';
import { chainErrorWords } from '../../presentation/chainError.ts';
import { explain } from '../../presentation/decisions/explain.ts';
import type { QuestionFact } from '../../presentation/question/questionFacts.ts';
import { approvalLines, factsLines } from '../../presentation/question/textLines.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { programName } from '../../programs/index.ts';
import { misfitOf, type Reading } from '../../programs/read.ts';
import { cleanText } from '../../service/untrusted.ts';
import type { Statement } from '../../statement/types.ts';
import { withoutBigints } from '../../statement/view.ts';
import { verifyCosignatures } from '../../transaction/signatures.ts';
import type { Address } from '../../transaction/types.ts';
import { underline } from '../layout.ts';
import { checkLines } from '../records/audit/decisionLines.ts';
import { shownId } from '../records/history.ts';
import type { ReadStage } from './stages.ts';

/** Everything that is printed. */
export interface ReadPage {
  /** What the plan is; absent where no request asked for the transactions. */
  readonly title?: string;
  readonly wallet: Address;
  readonly stages: readonly ReadStage[];
  readonly statement: Statement;
  readonly facts: readonly QuestionFact[];
  /** The question of a plan, shown whole. */
  readonly question?: ApprovalView;
  /** What is missing or wrong, a sentence each. */
  readonly notes: readonly string[];
  /** Where a request was made: what the policy decided about its stages. */
  readonly decided: readonly { readonly stageId: string; readonly decision: Decision }[];
  /** Names an address of the reader. */
  readonly label: (address: Address) => string | undefined;
  readonly policy?: Policy;
}

/** Lines for a terminal. `now` in milliseconds since the epoch. */
export function readLines(page: ReadPage, columns: number, now: number): string[] {
  const { title, wallet, stages, facts, question, notes, decided } = page;
  const lay: Lay = (text, first) => fitted(placed(text, stages), columns, first);
  const shown: QuestionFact[] = JSON.parse(placed(JSON.stringify(facts), stages));
  return [
    ...lay(`${title === undefined ? 'For' : `${title}, for`} the wallet ${wallet}`),
    ...notes.flatMap((note) => lay(note, '! ')),
    ...(question === undefined ? factsLines(shown, columns) : approvalLines(question, now, columns)),
    ...decided.flatMap(({ stageId, decision }) => [
      '',
      ...lay(`Decision on ${shownId(stageId)}: ${decision.effect}. ${explain(decision)}`),
      ...decision.checks.filter(({ ok }) => !ok).flatMap((check) => checkLines(check, columns)),
    ]),
    ...stages.flatMap((stage) => ['', ...stageLines(stage, page, lay)]),
  ];
}

/** One JSON value: addresses in full, amounts as decimal texts. */
export function readJson({ wallet, notes, stages, statement, facts, decided }: ReadPage): string {
  const json = {
    ...{ wallet, notes, statement: withoutBigints(statement), facts },
    sentences: factsLines(facts, Number.POSITIVE_INFINITY).flatMap((text) => text.trim() || []),
    decisions: decided,
    transactions: stages.map(({ stage, transaction, feeLamports, readings, stated, places }) => ({
      ...{ title: stage.id, format: transaction.format, feePayer: transaction.staticAccounts[0] },
      ...{ feeLamports: feeLamports?.toString() ?? null, blockhash: transaction.blockhash },
      messageSha256: transaction.messageSha256,
      signers: verifyCosignatures(transaction),
      made: stated.made,
      instructions: readings.map(({ reading }) => ({
        ...{
          index: reading.index,
          program: reading.program,
          status: reading.status,
          name: nameOf(reading, places),
        },
        ...(reading.status === 'read' ? { inferred: reading.inferred } : {}),
      })),
    })),
  };
  return placed(JSON.stringify(json), stages);
}

/** A text with each entry of an unknown lookup table written as its place. */
const placed = (text: string, stages: readonly ReadStage[]): string =>
  stages
    .flatMap(({ places }) => [...places])
    .reduce(
      (shown, [address, place]) => shown.replaceAll(address, place).replaceAll(shortAddress(address), place),
      text,
    );

type Lay = (text: string, first?: string) => string[];

function stageLines(read: ReadStage, page: ReadPage, lay: Lay): string[] {
  const { transaction, feeLamports, readings, stated, places } = read;
  const fee = feeLamports === undefined ? 'cannot be read' : `at most ${solWords(feeLamports)}`;
  const made = Object.entries(stated.made).filter(([address, { of }]) => address === of);
  return [
    ...lay(nameOfStage(read)),
    underline(nameOfStage(read).slice(0, 60)),
    ...lay(`Network fee ${fee}, paid by ${called(transaction.staticAccounts[0] ?? '', page)}.`),
    ...lay(signatureWords(read, page)),
    ...readings.flatMap(({ reading }) => [
      ...lay(
        `${programName(reading.program) ?? `program ${reading.program}`}: ${nameOf(reading, places)}`,
        `  ${reading.index + 1}. `,
      ),
      ...(reading.status === 'read' ? reading.inferred : []).flatMap((what) =>
        lay(`Inferred, not published by its authors: ${what}.`, '     '),
      ),
      ...(page.policy === undefined ? [] : lay(`Policy: ${verdictOf(reading, page.policy)}`, '     ')),
    ]),
    ...made.flatMap(([address, { kind }]) => lay(`new ${kind === 'mint' ? 'token' : kind} ${address}`, '  ')),
    ...lay(`message ${transaction.messageSha256}`, '  '),
  ];
}

/** Ids are text of the service. */
const nameOfStage = ({ stage: { id } }: Pick<ReadStage, 'stage'>): string => cleanText(id, 160).text;

const called = (address: Address, { label }: ReadPage): string => label(address) ?? address;

function signatureWords({ transaction }: ReadStage, page: ReadPage): string {
  const slots = verifyCosignatures(transaction);
  const names = (wanted: string) =>
    slots.filter(({ status }) => status === wanted).map(({ address }) => called(address, page));
  const [valid, open, wrong] = [names('valid'), names('missing'), names('invalid')];
  const rest = open.length === 0 ? '' : ` ${capital(listWords(open))} must sign.`;
  const bad = wrong.length === 0 ? '' : ` The signature of ${listWords(wrong)} is invalid.`;
  return `${valid.length === 0 ? 'Not signed yet.' : `Signed by ${listWords(valid)}.`}${bad}${rest}`;
}

function nameOf(reading: Reading, places: ReadStage['places']): string {
  if (reading.status === 'read')
    return reading.instruction.kind.slice(reading.instruction.kind.indexOf('.') + 1);
  if (reading.status === 'named') return `${reading.name} (known by name only)`;
  // A wrong account cannot be told from one that is not known.
  const isBlind = reading.kind !== undefined && reading.accounts.some(({ address }) => places.has(address));
  return `NOT READ: ${isBlind ? 'it needs an entry of a lookup table that is not known' : reading.reason}`;
}

/** What a policy says of an instruction by itself; whether it matches a request is decided when a plan is built. */
function verdictOf(reading: Reading, { programs }: Policy): string {
  if (reading.status === 'named') return 'refused: not part of any operation.';
  if (reading.status === 'read') return 'allowed if it matches the request exactly.';
  if (misfitOf(reading) !== undefined) return 'refused: differs from its layout.';
  return programs.some(({ address }) => address === reading.program)
    ? 'allowed only by an entry that names this instruction, with your approval.'
    : 'refused: the program has no entry.';
}

/** What is missing, wrong or only concluded. */
export function notesOf(stages: readonly ReadStage[], isOnline: boolean): string[] {
  const tables = new Set(
    stages.flatMap(({ transaction, places }) =>
      places.size === 0 ? [] : transaction.lookups.map(({ table }) => table),
    ),
  );
  return [
    ...(tables.size === 0
      ? []
      : [
          `${capital(several(tables.size, 'lookup table is', 'lookup tables are'))} not known here, and instructions that need an entry cannot be read.${isOnline ? '' : ' Pass --rpc-url to look it up.'}`,
        ]),
    ...(isOnline
      ? []
      : ['No chain was asked: accounts that may exist count as new. Pass --rpc-url to look them up.']),
    ...stages.flatMap(({ stage, inputs: { simulation } }) =>
      simulation.status === 'done' && simulation.error !== null
        ? [`${nameOfStage({ stage })} would fail now: ${chainErrorWords(simulation.error)}.`]
        : [],
    ),
    ...stages.flatMap(({ stage, transaction }) =>
      verifyCosignatures(transaction).some(({ status }) => status === 'invalid')
        ? [`${nameOfStage({ stage })} has an invalid signature: it was changed after it was signed.`]
        : [],
    ),
  ];
}
