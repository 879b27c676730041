/** A transaction as `countersign read` shows it: lines for a person. Pure. */

import { fitted } from '../../../base/fitted.ts';
import { capital, listWords, several } from '../../../base/words.ts';
import type { Policy } from '../../../policy/file/schema.ts';
import { programName } from '../../../programs/index.ts';
import type { Reading, ReadingWithActs } from '../../../programs/read.ts';
import { actWords } from '../../../programs/words/acts.ts';
import { type Naming, sol } from '../../../programs/words/naming.ts';
import type { Address } from '../../../transaction/types.ts';
import { underline } from '../../layout.ts';
import { type Explained, MISSING_TABLE } from '../explain.ts';
import type { Summary } from '../facts.ts';
import { Numbered } from '../naming.ts';
import { type Shown, sceneOf } from '../scene.ts';
import { type Compared, crowdOf, toCompare } from './compare.ts';
import { explained } from './glossary.ts';
import { shortSentences } from './short.ts';

export interface PageOptions extends Shown {
  readonly title: string;
  /** The policy that is asked what it would say. */
  readonly policy?: Policy;
  readonly columns: number;
}

/** The page of one transaction. */
export function readLines(found: Explained, options: PageOptions): string[] {
  const { columns, title } = options;
  const { wallet, doubt, names, decimals, known, summary } = sceneOf(found, options);
  const naming = new Numbered(names, decimals, known);
  const body = [
    ...fitted(`In short, for ${naming.address(wallet)}`, columns),
    ...fitted(wallet, columns, '  '),
    ...(doubt === undefined ? [] : fitted(doubt, columns, '  ')),
    ...shortSentences(summary, naming).flatMap((sentence) =>
      fitted(sentence.trimStart(), columns, sentence.startsWith('  ') ? '    ' : '  '),
    ),
    ...compareLines(found, summary, naming, columns),
    '',
    'What each instruction does',
    ...found.instructions.flatMap((each) => instructionLines(each, naming, columns)),
    ...(options.policy === undefined ? [] : ['', ...policyLines(found, options.policy, naming, columns)]),
  ];
  const fee =
    found.feeLamports === undefined ? 'cannot be read' : `at most ${sol(BigInt(found.feeLamports))}`;
  return [
    ...fitted(title, columns),
    underline(title.slice(0, columns)),
    ...fitted(`Network fee ${fee}, paid by ${naming.address(found.feePayer)}.`, columns),
    ...fitted(signatureWords(found, summary, naming), columns),
    ...notLookedUp(found, options).flatMap((line) => fitted(line, columns)),
    '',
    ...body,
    ...glossaryLines(body, columns),
    '',
    'Addresses',
    ...naming.called.flatMap(([address, name]) => fitted(`${name} is ${address}`, columns, '  ')),
    ...naming.seen.flatMap((address, i) =>
      fitted(found.unknownPlaces.get(address) ?? address, columns, `  [${i + 1}] `),
    ),
    ...[...naming.described].flatMap(([address, words]) => fitted(`${words} is ${address}`, columns, '  ')),
    ...fitted(`message ${found.messageSha256}`, columns, '  '),
  ];
}

/** Addresses to compare, each in full with what it is. */
function compareLines(found: Explained, summary: Summary, naming: Numbered, columns: number): string[] {
  const compared = toCompare(summary, naming);
  for (const { address } of compared) naming.address(address);
  const place = ({ address }: Compared) => naming.seen.indexOf(address);
  if (compared.length === 0) return [];
  const crowd = crowdOf(summary.steps).length;
  return [
    ...fitted('Compare these with what you asked for, in full:', columns, '  '),
    ...compared
      .toSorted((one, other) => place(one) - place(other))
      .flatMap(({ address, words }) => {
        const first = `    ${naming.address(address)} `;
        const full = found.unknownPlaces.get(address) ?? address;
        return [...fitted(full, columns, first), ...fitted(`${words}.`, columns, ' '.repeat(8))];
      }),
    ...(crowd === 0
      ? []
      : fitted(`and the ${crowd} wallets that earn: all addresses stand at the end.`, columns, '    ')),
  ];
}

/** The words on the page that a reader new to Solana may not know. */
function glossaryLines(body: readonly string[], columns: number): string[] {
  const words = explained(body.join(' '));
  return words.length === 0
    ? []
    : ['', 'Words', ...words.flatMap((each) => fitted(each, columns, '  ', '    '))];
}

/** What a key that signs beside the wallet belongs to: accounts sign for themselves when they are made. */
function roleOf(address: Address, { steps }: Summary): string {
  for (const { act } of steps) {
    if (
      (act.act === 'createPool' && act.base === address) ||
      (act.act === 'createMint' && act.mint === address)
    )
      return 'the new token';
    if (act.act === 'openPosition' && act.nftMint === address) return 'the NFT of the new position';
    if (act.act === 'createPoolConfig' && act.config === address) return 'the new settings';
    if ('admin' in act && act.admin === address) return 'the admin of the fee share program';
  }
  return '';
}

function signatureWords({ signers }: Explained, summary: Summary, naming: Naming): string {
  const names = (signed: boolean) =>
    signers
      .filter((each) => each.signed === signed)
      .map(({ address }) => {
        const role = roleOf(address, summary);
        return role === '' ? naming.address(address) : `${naming.address(address)} (${role})`;
      });
  const [there, missing] = [names(true), names(false)];
  const signed = there.length === 0 ? 'No one has signed yet' : `Signed by ${listWords(there)}`;
  return missing.length === 0
    ? `${signed}: it can be sent as it is.`
    : `${signed}; ${listWords(missing)} must sign.`;
}

/** What is missing for lack of an RPC. */
function notLookedUp(found: Explained, { around }: Shown): string[] {
  const tables = new Set(
    [...found.unknownPlaces.values()].map((place) => place.replace(/^entry \d+ of the /, '')),
  );
  if (tables.size > 0) {
    return [
      `${several(tables.size, 'address table is', 'address tables are')} not known here, so some accounts are shown by their place. Pass --rpc-url to look them up.`,
    ];
  }
  return around === undefined
    ? [
        "No chain was asked: an account is called a wallet's where its address is derived from the wallet. Pass --rpc-url to look accounts up.",
      ]
    : [];
}

function instructionLines({ reading, acts }: ReadingWithActs, naming: Naming, columns: number): string[] {
  const program = programName(reading.program) ?? `program ${naming.address(reading.program)}`;
  const first = `  ${reading.index + 1}. `;
  const rest = ' '.repeat(first.length);
  return [
    ...fitted(`${program}: ${nameOf(reading)}`, columns, first),
    ...acts.flatMap((act) => fitted(`${capital(actWords(act, naming))}.`, columns, rest)),
    ...(reading.status === 'read' ? reading.inferred : []).flatMap((what) =>
      fitted(`Countersign concluded this, its authors do not publish it: ${what}.`, columns, rest),
    ),
  ];
}

export function nameOf(reading: Reading): string {
  if (reading.status === 'read')
    return reading.instruction.kind.slice(reading.instruction.kind.indexOf('.') + 1);
  if (reading.status === 'named') return `${reading.name} (known by name only)`;
  return reading.reason === MISSING_TABLE ? 'cannot be read without the address table' : 'NOT READ';
}

/** What a policy would say of the instructions themselves; whether they match a request is not checked here. */
function policyLines(found: Explained, policy: Policy, naming: Naming, columns: number): string[] {
  const said = found.instructions.map(({ reading }) => ({ reading, verdict: verdictOf(reading, policy) }));
  return [
    `What the policy "${policy.id}" would say`,
    ...said.flatMap(({ reading, verdict }) => fitted(verdict, columns, `  ${reading.index + 1}. `)),
    ...fitted(
      'Whether what is read fits a request, its rules and its limits is decided when a plan is built: this looked at the instructions alone.',
      columns,
      '  ',
    ),
  ];

  function verdictOf(reading: Reading, { programs }: Policy): string {
    const { program } = reading;
    if (reading.status === 'named') return 'refused: it is never part of an operation.';
    if (reading.status === 'read') return 'read: allowed where it is exactly what was asked for.';
    return programs.some(({ address }) => address === program)
      ? 'not read: only by an entry of the policy that names this very instruction, and then a person is asked.'
      : `refused: ${programName(program) ?? naming.address(program)} has no entry in the policy.`;
  }
}
