/**
 * Builds the facts of a question in reading order: subject, control and claimers, finality, amounts, terms, and the
 * rest. Every sentence about the plan comes from its statement. Pure.
 */
import { capital, decimal, listWords, SOL_DECIMALS, several, shortAddress } from '../../base/format.ts';
import { claimsIn, operationOfClaim } from '../../plan/claimAll.ts';
import type { Plan } from '../../plan/types.ts';
import type { Decision } from '../../policy/decide/types.ts';
import { programName } from '../../programs/index.ts';
import { rehearsedLines } from '../../statement/rehearsed.ts';
import type { LineOf, Statement } from '../../statement/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { summarizeRequest } from '../requestSummary.ts';
import type { Names } from '../statement/names.ts';
import type { Part, Sentence } from '../statement/sentence.ts';
import { type Summary, shortener, summaryOf } from '../statement/summary.ts';
import { claimersFact } from './claimers.ts';
import { type Evidence, namedToken, type TokenKnown } from './evidence.ts';
import { type Mark, UNVERIFIED } from './marks.ts';
import { impactLine, price, shownAmount } from './money.ts';
import { namesIn, type People } from './people.ts';
import {
  bad,
  type Line,
  type Marked,
  plain,
  type QuestionFact,
  type ShownToken,
  tokenWords,
  warn,
} from './questionFacts.ts';

/** A plan, or transactions without a known request, whose `operation` may be unknown. */
export type Described = Pick<Plan, 'request' | 'stages'> & {
  readonly operation: Plan['operation'] | undefined;
};
/** The parts of a decision that show how far a stage's transaction was decoded. */
type Understood = Pick<Decision, 'binding' | 'staticOnly' | 'checks'>;

export interface QuestionInput {
  readonly plan: Described;
  /** The statement to approve. */
  readonly statement: Statement;
  /** The decisions of the question. */
  readonly decided: readonly Understood[];
  readonly evidence: Evidence;
  readonly people: People;
  /** Label of values that were not fully decoded; the label of a request by default. */
  readonly mark?: Mark;
}

/** Returns whether every instruction of a stage was decoded. */
export const wasRead = ({ binding }: Pick<Decision, 'binding'>): boolean => binding === 'exact';

/** Input of the facts. */
interface About extends QuestionInput {
  readonly names: Names;
  readonly summary: Summary;
  readonly isRead: boolean;
}

/** Returns the facts of a question. */
export function questionFacts(input: QuestionInput): QuestionFact[] {
  const { plan, statement, decided, evidence } = input;
  const isUnsupported = statement.lines.some(({ id }) => id === 'unsupported');
  const isRead = decided.length > 0 && decided.every(wasRead) && !isUnsupported;
  for (const line of statement.lines) if (line.id === 'names') addName(line, evidence);
  const names = namesIn(plan, evidence.tokens, input.people);
  const shown = {
    ...statement,
    lines: [...statement.lines, ...rehearsedLines(evidence.rehearsal, !isRead, statement.lines)],
  };
  const summary = summaryOf({
    ...{ statement: shown, operation: plan.operation, wallet: input.people.wallet, names, isRead },
    checks: decided.flatMap(({ checks }) => checks),
  });
  const about: About = { ...input, names, summary, isRead };
  const exposed = exposedFact(about);
  const claimers = claimersFact(statement, evidence.configs, plan, input.people);
  return shortened([
    {
      kind: 'what',
      tokens: shownTokens(about),
      lines: [
        ...(isRead ? [] : [warn(unsupportedWords(decided))]),
        ...partOf(about, 'what'),
        ...claimLines(about),
      ],
    },
    ...someLines(about, 'unusual'),
    ...(exposed === undefined ? [] : [exposed]),
    controlFact(about),
    { kind: 'final', lines: partOf(about, 'final') },
    ...moneyFacts(about),
    ...(claimers === undefined ? [] : [claimers]),
    { kind: 'terms', lines: partOf(about, 'terms') },
    { kind: 'later', lines: partOf(about, 'later') },
    halfwayFact(about),
    ...someLines(about, 'open'),
  ]);
}

/** Shortens addresses after their first appearance. */
function shortened(facts: readonly QuestionFact[]): QuestionFact[] {
  const short = shortener();
  return facts.map((fact) =>
    'lines' in fact
      ? { ...fact, lines: fact.lines.map((line) => ({ ...line, text: short(line.text) })) }
      : fact,
  );
}

const lineOf = ({ text, tone }: Sentence): Line =>
  (tone === 'bad' ? bad : tone === 'warn' ? warn : plain)(text);
const partOf = ({ summary: { sentences: names } }: About, part: Part): Line[] =>
  names.filter((each) => each.part === part).map(lineOf);

/** Returns a fact, or nothing if it has no lines. */
function someLines(about: About, kind: 'unusual' | 'open'): QuestionFact[] {
  const lines = partOf(about, kind);
  return lines.length === 0 ? [] : [{ kind, lines }];
}

/** Adds the name that the transactions write for a token. */
function addName({ mint, name, symbol }: LineOf<'names'>, { tokens }: Evidence): void {
  if (typeof mint === 'string')
    tokens.set(mint, { ...tokens.get(mint), ...namedToken(name, symbol, 'bytes') });
}

/** Returns one line for each claim of a batch. */
function claimLines({ plan: { operation, request }, evidence: { tokens } }: About): Line[] {
  if (operation !== 'claim_all') return [];
  const named = (mint: string): string => tokenWords(tokens.get(mint) ?? {}) ?? shortAddress(mint);
  return claimsIn(request.fields).map((claim) => {
    const of = { operation: operationOfClaim(claim), request: { ...request, fields: claim.fields } };
    return plain(`${capital(summarizeRequest(of, undefined).words(new Map(), named))}.`);
  });
}

/** Returns the notice that unverified values are marked, and the source of the amounts. */
function unsupportedWords(decided: readonly Understood[]): string {
  const unsupported = decided.filter((decision) => !wasRead(decision));
  const simulated = unsupported.filter(({ staticOnly }) => !staticOnly).length;
  if (simulated === 0) return 'Not all of it can be decoded: see the marked values.';
  return `Not all of it can be decoded: see the marked values. Amounts come from a simulation${simulated < unsupported.length ? ' if there was one' : ''}.`;
}

/** Returns the subject token and the tokens that leave or arrive. */
function shownTokens({
  plan,
  statement,
  evidence: { tokens },
  isRead,
  mark = UNVERIFIED,
}: About): ShownToken[] {
  const { tokenMint, baseMint } = plan.request.fields;
  const requested = plan.operation === 'swap' ? [] : [tokenMint, baseMint];
  const assets = statement.lines.flatMap((line) =>
    line.id === 'pays' || line.id === 'receives' ? [line.asset] : line.id === 'names' ? [line.mint] : [],
  );
  const mints = [...requested, ...assets].filter(
    (mint): mint is Address => typeof mint === 'string' && mint !== 'SOL' && mint !== WSOL_MINT,
  );
  return [...new Set(mints)].map((mint) => {
    const { name, symbol, by }: TokenKnown = tokens.get(mint) ?? {};
    return {
      mint,
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(by === undefined ? {} : { by }),
      ...(isRead ? {} : { mark }),
    };
  });
}

function controlFact(about: About): QuestionFact {
  const lines = partOf(about, 'control');
  const isUsual = partOf(about, 'unusual').length === 0;
  const isKnown = about.statement.lines.every((line) => line.id !== 'terms' || line.terms !== null);
  const isCalm = about.isRead && isUsual && isKnown && lines.every(({ tone }) => tone === 'plain');
  return {
    kind: 'control',
    lines: [...lines, ...(isCalm ? [plain('No stranger gains control.')] : [])],
  };
}

/** Returns the bounds of the whole run by asset, the resulting price, and each payment. */
function moneyFacts(about: About): QuestionFact[] {
  const { summary, evidence, isRead } = about;
  const mark: Marked = isRead ? {} : { mark: about.mark ?? UNVERIFIED };
  const amounts = (of: ReadonlyMap<string, bigint>) =>
    [...of].map(([asset, units]) => shownAmount(units, asset, evidence.tokens, mark));
  return [
    { kind: 'leaves', amounts: amounts(summary.leaves), ...mark },
    { kind: 'arrives', amounts: amounts(summary.arrives), ...mark },
    {
      kind: 'price',
      lines: [...priceLines(about), ...impactLine(evidence.quote), ...partOf(about, 'arrives')],
    },
    { kind: 'costs', lines: [...(isRead ? partOf(about, 'rehearsed') : []), ...partOf(about, 'costs')] },
  ];
}

/** Returns the trade's price at its bounds: the amount bought for one unit paid. */
function priceLines({ statement, evidence, names }: About): Line[] {
  const paid = statement.lines.find((line) => line.id === 'pays' && line.why === 'trade');
  const got = statement.lines.find((line) => line.id === 'receives' && line.from === 'market');
  if (paid?.id !== 'pays' || got?.id !== 'receives') return [];
  if (got.atLeast === 0n) return [warn('The trade has no minimum output: you may receive almost nothing.')];
  const decimals = (asset: string) => (asset === 'SOL' ? SOL_DECIMALS : evidence.tokens.get(asset)?.decimals);
  const side = (units: bigint, asset: string) => ({
    ...{ units, decimals: decimals(asset), token: names.token(asset) },
  });
  const words = price(side(paid.atMost, paid.asset), side(got.atLeast, got.asset));
  return words === undefined ? [] : [plain(words)];
}

const CLAIMED = 'claimed amounts are in your wallet, the rest can be claimed later';
const HALFWAY: Readonly<Record<string, string>> = {
  config: 'the list is not complete, and nothing can be launched with it yet',
  manager_update: 'some new shares are added to the old ones',
  launch: 'the token may lack pool or claimers',
  claim_all: CLAIMED,
  holding_claim: CLAIMED,
  position_claim: CLAIMED,
  vault_claim: CLAIMED,
  deployer_claim: CLAIMED,
};

function halfwayFact({ plan, statement }: About): QuestionFact {
  const stages = plan.stages.filter(({ optional }) => !optional).length;
  const isLater = statement.lines.some(({ id }) => id === 'later');
  if (stages <= 1 && !isLater)
    return { kind: 'halfway', lines: [plain('It cannot. A transaction lands completely or not at all.')] };
  const left = HALFWAY[plan.operation ?? ''] ?? 'what landed stays';
  const steps = isLater ? 'several transactions' : several(stages, 'transaction');
  const text = `It is ${steps}. Landed steps stay: ${left}. The agent has 24 hours for the rest.`;
  return { kind: 'halfway', lines: [plain(text)] };
}

/** Returns what an unsupported program could take, and what it took in the rehearsal. */
function exposedFact(about: About): QuestionFact | undefined {
  const { evidence, isRead, names, statement } = about;
  if (isRead) return undefined;
  const programs = new Set([
    ...evidence.exposed.map(({ program }) => program),
    ...statement.lines.flatMap((line) => (line.id === 'unsupported' ? [line.program] : [])),
  ]);
  const lamports = evidence.exposed.reduce<bigint | undefined>(
    (most, each) => (each.lamports !== undefined && each.lamports > (most ?? -1n) ? each.lamports : most),
    undefined,
  );
  const tokens = new Map(
    evidence.exposed.flatMap((each) => each.tokens.map(({ mint, amount }) => [mint, amount])),
  );
  const handed = [
    ...(lamports === undefined ? [] : [`all SOL of your wallet (${decimal(lamports, SOL_DECIMALS)} SOL)`]),
    ...[...tokens].map(([mint, amount]) => names.amount(amount, mint)),
  ];
  const reach =
    evidence.exposed.length === 0
      ? 'all SOL in the wallet and the tokens it is handed could leave'
      : handed.length === 0
        ? 'it is handed neither the SOL of your wallet nor its tokens'
        : `it could take ${listWords(handed)}`;
  const labels = [...programs].map((address) => programName(address) ?? shortAddress(address));
  return {
    kind: 'exposed',
    lines: [
      bad(
        `${labels.length === 0 ? 'A program in this' : listWords(labels)} ${labels.length > 1 ? 'are' : 'is'} unsupported: ${reach}.`,
      ),
      ...partOf(about, 'rehearsed'),
    ],
  };
}
