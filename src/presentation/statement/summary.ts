/**
 * Summarizes a plan's statement: bounds of the whole run, beneficiaries, finality, and every sentence. Used for
 * questions and agent results. Pure.
 */
import { listWords, shortAddress } from '../../base/format.ts';
import type { PlanOperation } from '../../plan/types.ts';
import type { Check } from '../../policy/decide/types.ts';
import type { Line, Statement } from '../../statement/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import type { Address } from '../../transaction/types.ts';
import type { Names } from './names.ts';
import type { Sentence } from './sentence.ts';
import { codeSentences, sentencesOf } from './sentences.ts';
import { shownLines } from './shownLines.ts';
import { issuerTokens, unusual } from './unusual.ts';

/** `gains`: a key other than the wallet's benefits. */
export type SummarySentence = Sentence & { readonly gains: boolean };

export interface Summary {
  /** Maximum outgoing base units of the whole run by asset, including fees and deposits. */
  readonly leaves: ReadonlyMap<string, bigint>;
  /** Minimum incoming base units by asset. */
  readonly arrives: ReadonlyMap<string, bigint>;
  /** Maximum lamports of the outgoing amount that are refunded when the wallet closes its accounts. */
  readonly returns: bigint;
  /** Distinct sentences. */
  readonly sentences: readonly SummarySentence[];
}

export interface Summarised {
  readonly statement: Statement;
  /** Absent if no request is known. */
  readonly operation: PlanOperation | undefined;
  readonly wallet: Address;
  readonly names: Names;
  /** Whether every instruction was decoded. */
  readonly isRead: boolean;
  /** Checks of the decisions. */
  readonly checks: readonly Check[];
}

/** Shown instead of "no stranger gains control" if instructions are unsupported. */
const CONTROL_UNSUPPORTED = 'Unknown: an unsupported program may give control to another address.';

/** Returns the summary of a statement. */
export function summaryOf(of: Summarised): Summary {
  const { statement, names, wallet, isRead, checks } = of;
  const issuers = issuerTokens(checks);
  const lines = shownLines(statement, wallet).filter(
    (line) => line.id !== 'issuer' || !issuers.includes(line.mint),
  );
  const plain = (sentence: Sentence): SummarySentence => ({ ...sentence, gains: false });
  const sentences = [
    ...unusual(checks, names).map(plain),
    ...(isRead ? [] : [plain({ part: 'control', tone: 'bad', text: CONTROL_UNSUPPORTED })]),
    ...lines.flatMap((line) => sentencesOf(line, names).map((each) => ({ ...each, gains: gains(line, of) }))),
    ...codeSentences(lines, names).map(plain),
  ];
  return {
    ...boundsOf(statement.lines),
    sentences: [...sentences.filter(({ part }) => part !== 'final'), plain(finalSentence(of))].filter(
      ({ part, text }, i, all) => all.findIndex((each) => each.part === part && each.text === text) === i,
    ),
  };
}

/** Returns the sentences for an agent: beneficiaries, finality, and warnings. */
export const forAgent = ({ sentences }: Summary): readonly SummarySentence[] =>
  sentences.filter(({ part, tone, gains }) => tone !== 'plain' || gains || part === 'final');

const ADDRESS = /\b[1-9A-HJ-NP-Za-km-z]{32,44}\b( \(not in your address book\))?/g;

/** Returns a function that shortens addresses after their first appearance. */
export function shortener(): (text: string) => string {
  const seen = new Set<string>();
  return (text) =>
    text.replaceAll(ADDRESS, (whole) => {
      const [address = whole] = whole.split(' ');
      if (seen.has(address)) return shortAddress(address);
      seen.add(address);
      return whole;
    });
}

/** Sums outgoing and incoming amounts of lines, without tokens the run itself creates. */
export function boundsOf(lines: readonly Line[]): Omit<Summary, 'sentences'> {
  const made = lines.flatMap((line) => (line.id === 'makes' ? [line.mint] : []));
  const [leaves, arrives] = [new Map<string, bigint>(), new Map<string, bigint>()];
  let returns = 0n;
  const add = (to: Map<string, bigint>, asset: unknown, units: bigint) => {
    if (typeof asset === 'string' && units > 0n) to.set(asset, (to.get(asset) ?? 0n) + units);
  };
  for (const line of lines) {
    if (line.id === 'receives') add(arrives, line.asset, line.atLeast);
    if (line.id !== 'pays' || made.includes(line.asset)) continue;
    add(leaves, line.asset, line.atMost);
    if (line.returns === 'onClose') returns += line.atMost;
  }
  return { leaves, arrives, returns };
}

/** Returns whether a key other than the wallet's benefits from a line. */
function gains(line: Line, { wallet, names }: Summarised): boolean {
  const isOther = (who: unknown): boolean =>
    typeof who === 'string' && who !== wallet && isAddress(who) && !names.party(who).isProgram;
  switch (line.id) {
    case 'pays':
    case 'opens':
      return isOther(line.owner);
    case 'earns':
    case 'controls':
      return isOther(line.party);
    case 'moves':
      return isOther(line.to);
    case 'claims':
      return line.payouts.some(({ owner }) => isOther(owner));
    default:
      return false;
  }
}

const FINAL: Readonly<Record<string, string>> = {
  launch: 'A launch cannot be undone. The token and its pool stay for good.',
  swap: 'A swap cannot be undone.',
  send: 'A payment cannot be undone.',
  unwrap: 'Wrapped SOL and SOL are worth the same.',
  config: 'The list of claimers stays until the shares are changed.',
  manager_update: 'The old shares are replaced.',
};

/** Returns the sentence on finality. */
function finalSentence({ statement, operation: asked, isRead, names }: Summarised): Sentence {
  const operation: string = asked ?? '';
  const keepers = statement.lines.flatMap((line) =>
    line.id === 'controls' && line.right === 'fee shares' ? [line.party] : [],
  );
  const named = new Set(keepers.flatMap((each) => (each === null ? [] : [names.party(each).text])));
  const isClaim = operation.endsWith('_claim') || operation === 'claim_all';
  const text =
    keepers.length > 0 && named.size === 0
      ? 'The shares are permanent: no key can change them.'
      : named.size > 0 && operation !== 'launch'
        ? `Deposits and fees. The shares can be changed later by ${listWords([...named])}.`
        : (FINAL[operation] ??
          (isClaim ? 'Claimed fees cannot be claimed again.' : 'Landed transactions cannot be undone.'));
  const warns = ['launch', 'swap', 'send'].includes(operation) || !isRead;
  return { part: 'final', tone: warns ? 'warn' : 'plain', text };
}
