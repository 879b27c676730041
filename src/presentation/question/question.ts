/**
 * A question as a list of facts, in the order an owner reads them: what it is, who gains control and who earns, what is
 * final, what leaves and arrives, the terms, and the rest. Every sentence about the plan comes from its statement. Pure.
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
import { askedOf } from '../requestSummary.ts';
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

/** What is described: a plan, or transactions of no known request, whose `operation` may be unknown. */
export type Described = Pick<Plan, 'request' | 'stages'> & {
  readonly operation: Plan['operation'] | undefined;
};
/** How far the bytes of a stage were understood. */
type Understood = Pick<Decision, 'binding' | 'staticOnly' | 'checks'>;

export interface QuestionInput {
  readonly plan: Described;
  /** What the owner is asked to approve. */
  readonly statement: Statement;
  /** The decisions the question was made from. */
  readonly decided: readonly Understood[];
  readonly evidence: Evidence;
  readonly people: People;
  /** Stands beside values that are not all read; as a request's unless given. */
  readonly mark?: Mark;
}

/** Whether every instruction of a stage was read. */
export const wasRead = ({ binding }: Pick<Decision, 'binding'>): boolean => binding === 'exact';

/** What the facts are made from. */
interface About extends QuestionInput {
  readonly names: Names;
  readonly summary: Summary;
  readonly isRead: boolean;
}

/** The facts. */
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

/** An address is written whole where it stands first, and short after that. */
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
const partOf = ({ summary: { said } }: About, part: Part): Line[] =>
  said.filter((each) => each.part === part).map(lineOf);

/** A fact that is left out where it has nothing to say. */
function someLines(about: About, kind: 'unusual' | 'open'): QuestionFact[] {
  const lines = partOf(about, kind);
  return lines.length === 0 ? [] : [{ kind, lines }];
}

/** The transactions write what the token will be called. */
function addName({ mint, name, symbol }: LineOf<'names'>, { tokens }: Evidence): void {
  if (typeof mint === 'string')
    tokens.set(mint, { ...tokens.get(mint), ...namedToken(name, symbol, 'bytes') });
}

/** What is claimed, a line each, where it is several claims together. */
function claimLines({ plan: { operation, request }, evidence: { tokens } }: About): Line[] {
  if (operation !== 'claim_all') return [];
  const named = (mint: string): string => tokenWords(tokens.get(mint) ?? {}) ?? shortAddress(mint);
  return claimsIn(request.fields).map((claim) => {
    const of = { operation: operationOfClaim(claim), request: { ...request, fields: claim.fields } };
    return plain(`${capital(askedOf(of, undefined).words(new Map(), named))}.`);
  });
}

/** That values are marked, and where the amounts come from. */
function unsupportedWords(decided: readonly Understood[]): string {
  const unsupported = decided.filter((decision) => !wasRead(decision));
  const simulated = unsupported.filter(({ staticOnly }) => !staticOnly).length;
  if (simulated === 0) return 'Not all of it can be read: see what is marked.';
  return `Not all of it can be read: see what is marked. Amounts come from a simulation${simulated < unsupported.length ? ' where there was one' : ''}.`;
}

/** The token it is about, and tokens that leave or arrive. */
function shownTokens({
  plan,
  statement,
  evidence: { tokens },
  isRead,
  mark = UNVERIFIED,
}: About): ShownToken[] {
  const { tokenMint, baseMint } = plan.request.fields;
  const asked = plan.operation === 'swap' ? [] : [tokenMint, baseMint];
  const assets = statement.lines.flatMap((line) =>
    line.id === 'pays' || line.id === 'receives' ? [line.asset] : line.id === 'names' ? [line.mint] : [],
  );
  const mints = [...asked, ...assets].filter(
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

/** Bounds of the whole run by asset, the price they amount to, and each payment by itself. */
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

/** The price of the trade at its bounds, as people say it: how much one unit of what is paid buys. */
function priceLines({ statement, evidence, names }: About): Line[] {
  const paid = statement.lines.find((line) => line.id === 'pays' && line.why === 'trade');
  const got = statement.lines.find((line) => line.id === 'receives' && line.from === 'market');
  if (paid?.id !== 'pays' || got?.id !== 'receives') return [];
  if (got.atLeast === 0n) return [warn('The trade has no least amount: it may bring almost nothing.')];
  const decimals = (asset: string) => (asset === 'SOL' ? SOL_DECIMALS : evidence.tokens.get(asset)?.decimals);
  const side = (units: bigint, asset: string) => ({
    ...{ units, decimals: decimals(asset), token: names.token(asset) },
  });
  const words = price(side(paid.atMost, paid.asset), side(got.atLeast, got.asset));
  return words === undefined ? [] : [plain(words)];
}

const CLAIMED = 'what was claimed is in your wallet, the rest can be claimed later';
const HALFWAY: Readonly<Record<string, string>> = {
  config: 'the list is not complete, and nothing can be launched with it yet',
  manager_update: 'a part of the new shares stands beside the old ones',
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
    return { kind: 'halfway', lines: [plain('It cannot. One transaction lands whole or not at all.')] };
  const left = HALFWAY[plan.operation ?? ''] ?? 'what landed stays';
  const steps = isLater ? 'several transactions' : several(stages, 'transaction');
  const text = `It is ${steps}. What landed stays: ${left}. The agent has 24 hours for the rest.`;
  return { kind: 'halfway', lines: [plain(text)] };
}

/** What an unsupported program could take, and what it took when it was rehearsed. */
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
  const said = [...programs].map((address) => programName(address) ?? shortAddress(address));
  return {
    kind: 'exposed',
    lines: [
      bad(
        `${said.length === 0 ? 'A program in this' : listWords(said)} ${said.length > 1 ? 'are' : 'is'} unsupported: ${reach}.`,
      ),
      ...partOf(about, 'rehearsed'),
    ],
  };
}
