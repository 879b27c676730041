/** A transaction as `countersign read` shows it: lines for a person, or one JSON value. Pure. */
import { capital, decimal, listWords, SOL_DECIMALS, several } from '../../base/words.ts';
import type { Policy } from '../../policy/file/schema.ts';
import { programName } from '../../programs/index.ts';
import type { Reading, ReadingWithActs } from '../../programs/read.ts';
import { actAmount, actWords, assetName, holderName, type Naming } from '../../programs/words/acts.ts';
import { cleanText } from '../../service/untrusted.ts';
import type { Address } from '../../transaction/types.ts';
import { underline, wrap } from '../layout.ts';
import type { Explained } from './explain.ts';
import { changesControl, type Totals, totalsOf } from './summary.ts';

export interface PageOptions {
  readonly title: string;
  /** Wallets of the reader, called by these names. */
  readonly names: ReadonlyMap<Address, string>;
  readonly decimals: (mint: Address) => number | undefined;
  /** The policy that is asked what it would say. */
  readonly policy?: Policy;
  readonly columns: number;
}

/** Longest piece of text from outside that is shown. */
const MOST_TEXT = 80;

/**
 * How addresses, amounts and texts of this transaction are written: wallets by name, every other address as a number in
 * the order of appearance. The page ends with the list of numbers and full addresses.
 */
class Numbered implements Naming {
  readonly seen: Address[] = [];
  readonly decimals: (mint: Address) => number | undefined;
  private readonly names: ReadonlyMap<Address, string>;

  constructor({ names, decimals }: Pick<PageOptions, 'names' | 'decimals'>) {
    this.names = names;
    this.decimals = decimals;
  }

  readonly address = (address: Address): string => {
    const named = this.names.get(address) ?? programName(address);
    if (named !== undefined) return named;
    if (!this.seen.includes(address)) this.seen.push(address);
    return `[${this.seen.indexOf(address) + 1}]`;
  };

  readonly quoted = quoted;
}

const quoted = (text: string): string => `"${cleanText(text, MOST_TEXT).text}"`;

/** The page of one transaction. */
export function readLines(found: Explained, options: PageOptions): string[] {
  const { columns, title } = options;
  const unsigned = found.signers.filter(({ signed }) => !signed).map(({ address }) => address);
  const known = unsigned.find((address) => options.names.has(address));
  const wallet =
    known ?? (unsigned.includes(found.feePayer) || unsigned.length !== 1 ? found.feePayer : unsigned[0]);
  const names = new Map(options.names);
  if (wallet !== undefined && !names.has(wallet) && unsigned.includes(wallet))
    names.set(wallet, 'the signing wallet');
  const naming = new Numbered({ ...options, names });
  const body = [
    'In short',
    ...shortLines(found, wallet, naming, columns),
    '',
    'What each instruction does',
    ...found.instructions.flatMap((each) => instructionLines(each, naming, columns)),
    ...(options.policy === undefined ? [] : ['', ...policyLines(found, options.policy, naming, columns)]),
  ];
  const fee =
    found.feeLamports === undefined ? 'cannot be read' : `at most ${sol(BigInt(found.feeLamports))}`;
  const tables = new Set(
    [...found.unknownPlaces.values()].map((place) => place.replace(/^entry \d+ of the /, '')),
  );
  return [
    title,
    underline(title),
    ...wrap(
      `Network fee ${fee}, paid by ${naming.address(found.feePayer)}. Format ${found.format}.`,
      columns,
    ),
    ...wrap(signatureWords(found, naming), columns),
    ...(tables.size === 0
      ? []
      : wrap(
          `${several(tables.size, 'address table is', 'address tables are')} not known here, so some accounts are shown by their place. Pass --rpc-url to look them up.`,
          columns,
        )),
    '',
    ...body,
    '',
    'Addresses',
    ...(wallet === undefined ? [] : wrap(`${naming.address(wallet)} is ${wallet}`, columns, '  ')),
    ...naming.seen.flatMap((address, i) =>
      wrap(found.unknownPlaces.get(address) ?? address, columns, `  [${i + 1}] `),
    ),
    ...wrap(`message ${found.messageSha256}`, columns, '  '),
  ];
}

function signatureWords({ signers }: Explained, naming: Naming): string {
  const names = (signed: boolean) =>
    signers.filter((each) => each.signed === signed).map(({ address }) => naming.address(address));
  const [there, missing] = [names(true), names(false)];
  const signed = there.length === 0 ? 'No one has signed yet' : `Signed by ${listWords(there)}`;
  return missing.length === 0
    ? `${signed}: it can be sent as it is.`
    : `${signed}; ${listWords(missing)} must sign.`;
}

/** What leaves and arrives for the wallet that must sign, who gains rights, what is not read. */
function shortLines(
  found: Explained,
  wallet: Address | undefined,
  naming: Naming,
  columns: number,
): string[] {
  const acts = found.instructions.flatMap((each) => each.acts);
  const rights = acts.filter(changesControl);
  const unread = found.instructions.filter(({ reading }) => reading.status !== 'read');
  return [
    ...(wallet === undefined ? [] : moneyLines(totalsOf(acts, wallet), naming, columns)),
    ...(rights.length === 0
      ? ['  No right changes hands, by what could be read.']
      : [
          `  ${several(rights.length, 'step changes', 'steps change')} who is in control, or cannot be undone:`,
          ...rights.flatMap((act) => wrap(`${capital(actWords(act, naming))}.`, columns, '    ')),
        ]),
    ...(unread.length === 0
      ? ['  Every instruction is read.']
      : wrap(
          `${several(unread.length, 'instruction is', 'instructions are')} not read (${unread.map(({ reading }) => reading.index + 1).join(', ')}): what ${unread.length === 1 ? 'it does shows only when it runs' : 'they do shows only when they run'}, so the amounts above may not be all.`,
          columns,
          '  ',
        )),
  ];
}

function moneyLines(totals: Totals, naming: Naming, columns: number): string[] {
  const amounts = (of: ReadonlyMap<string, bigint>) =>
    [...of].filter(([, amount]) => amount > 0n).map(([asset, amount]) => actAmount(amount, asset, naming));
  const leaves = [
    ...amounts(totals.leaves),
    ...[...totals.unbounded].map(
      (asset) => `an amount of ${assetName(asset, naming)} the bytes do not bound`,
    ),
    ...totals.unnamed.map(
      ({ amount, account }) =>
        `${decimal(amount)} base units of a token not known here (account ${naming.address(account)})`,
    ),
    ...totals.emptied.map((holder) => `everything in ${holderName(holder, naming)}, which is closed`),
    ...(totals.deposits === 0
      ? []
      : [`deposits for ${several(totals.deposits, 'account')} that may be made`]),
  ];
  const arrives = [
    ...amounts(totals.arrives),
    ...[...totals.claimed].map((asset) => `what is owed in ${assetName(asset, naming)}`),
  ];
  return [
    ...wrap(
      `Leaves, besides the network fee: ${leaves.length === 0 ? 'nothing' : `at most ${listWords(leaves)}`}.`,
      columns,
      '  ',
    ),
    ...wrap(
      `Arrives: ${arrives.length === 0 ? 'nothing' : `at least ${listWords(arrives)}`}.`,
      columns,
      '  ',
    ),
  ];
}

function instructionLines({ reading, acts }: ReadingWithActs, naming: Naming, columns: number): string[] {
  const program = programName(reading.program) ?? `program ${naming.address(reading.program)}`;
  const first = `  ${reading.index + 1}. `;
  const rest = ' '.repeat(first.length);
  return [
    ...wrap(`${program}: ${nameOf(reading)}`, columns, first),
    ...acts.flatMap((act) => wrap(`${capital(actWords(act, naming))}.`, columns, rest)),
    ...(reading.status === 'read' ? reading.inferred : []).flatMap((what) =>
      wrap(`Inferred, not published: ${what}.`, columns, rest),
    ),
  ];
}

const sol = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;

function nameOf(reading: Reading): string {
  if (reading.status === 'read')
    return reading.instruction.kind.slice(reading.instruction.kind.indexOf('.') + 1);
  if (reading.status === 'named') return `${reading.name} (known by name only)`;
  return 'NOT READ';
}

/** What a policy would say of the instructions themselves; whether they match a request is not checked here. */
function policyLines(found: Explained, policy: Policy, naming: Naming, columns: number): string[] {
  const said = found.instructions.map(({ reading }) => ({ reading, verdict: verdictOf(reading, policy) }));
  return [
    `What the policy "${policy.id}" would say`,
    ...said.flatMap(({ reading, verdict }) => wrap(verdict, columns, `  ${reading.index + 1}. `)),
    ...wrap(
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

/** The same as JSON: addresses in full, amounts as decimal texts. */
export function readJson(
  found: Explained,
  title: string,
  options: Pick<PageOptions, 'names' | 'decimals'>,
): unknown {
  const naming: Naming = {
    address: (address) => found.unknownPlaces.get(address) ?? address,
    decimals: options.decimals,
    quoted,
  };
  return {
    title,
    format: found.format,
    feePayer: found.feePayer,
    feeLamports: found.feeLamports ?? null,
    blockhash: found.blockhash,
    messageSha256: found.messageSha256,
    signers: found.signers,
    unknownTableEntries: [...found.unknownPlaces.keys()].length > 0,
    instructions: found.instructions.map(({ reading, acts }) => ({
      index: reading.index,
      program: reading.program,
      programName: programName(reading.program) ?? null,
      status: reading.status,
      name: reading.status === 'unread' ? null : nameOf(reading),
      ...(reading.status === 'unread' ? { reason: reading.reason } : {}),
      inferred: reading.status === 'read' ? reading.inferred : [],
      acts: acts.map((act) =>
        JSON.parse(JSON.stringify(act, (_, value) => (typeof value === 'bigint' ? `${value}` : value))),
      ),
      words: acts.map((act) => `${capital(actWords(act, naming))}.`),
    })),
  };
}
