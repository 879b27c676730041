/**
 * A question as a list of facts, in the order a person reads them: what it is, who gains control, what leaves and
 * arrives, who earns, what cannot be undone, who could change it later, what stands if it stops halfway, what is
 * exposed. Made from the stored expectation and from what the bytes of the shown build fix; what the agent asked for
 * stands in where neither says it, and is marked. Pure.
 */
import { shortAddress } from '../../base/words.ts';
import { type Claim, claimsIn, operationOfClaim } from '../../plan/claimAll.ts';
import type { Plan } from '../../plan/types.ts';
import { operationWords } from '../../plan/words.ts';
import type { Decision } from '../../policy/decide/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { ApprovalEnvelope } from '../types.ts';
import { roleWords, UNVERIFIED } from '../words.ts';
import { earnersFact, foldEarners } from './earners.ts';
import { type Evidence, namedToken, type TokenKnown } from './evidence.ts';
import {
  type Line,
  type Marked,
  plain,
  type QuestionFact,
  type ShownEarner,
  type ShownToken,
  warn,
} from './facts.ts';
import { moneyFacts, paymentLines } from './money.ts';
import { openedFacts } from './opened.ts';
import type { People } from './people.ts';
import {
  controlFact,
  exposedFact,
  finalFact,
  halfwayFact,
  laterFact,
  openFact,
  type Standing,
} from './standing.ts';

export interface QuestionInput {
  readonly plan: Plan;
  readonly envelope: ApprovalEnvelope;
  /** The decisions the question was made from. */
  readonly decided: readonly Decision[];
  readonly evidence: Evidence;
  readonly people: People;
}

/** Whether every instruction of a stage was read. */
export const wasRead = ({ binding }: Decision): boolean => binding === 'exact';

/** The facts. */
export function questionFacts({ plan, envelope, decided, evidence, people }: QuestionInput): QuestionFact[] {
  const { expectation } = envelope;
  const isRead = decided.length > 0 && decided.every(wasRead);
  const mark: Marked = isRead ? {} : { mark: UNVERIFIED };
  const opened = openedFacts(envelope.opened ?? []);
  const recipients = decided.flatMap((decision) => decision.recipients);
  const token = tokenOf(plan, envelope);
  // What the transactions write is what the token will be called.
  if (token !== undefined && opened.name !== undefined) {
    const { name, symbol } = opened.name;
    const known = evidence.tokens.get(token);
    evidence.tokens.set(token, { ...known, ...namedToken(name, symbol, 'bytes') });
  }
  const { tokens } = evidence;
  const about: Standing = { plan, envelope, opened, evidence, people, recipients, isRead };
  const before = token === undefined ? undefined : evidence.configs.get(token)?.earners;
  const shared = expectation?.earners === undefined ? [] : [earnersFact(expectation, before, people)];
  const earners = expectation === undefined ? namedEarners(plan, decided, people) : shared;
  return [
    {
      kind: 'what',
      tokens: shownTokens(plan, envelope, token, tokens, expectation === undefined ? mark : {}),
      lines: [
        ...(isRead ? [] : [warn(unreadWords(decided))]),
        ...paymentLines(expectation, tokens, people),
        ...claimLines(envelope, plan, tokens),
      ],
    },
    controlFact(about),
    ...moneyFacts({
      assets: envelope.assets,
      expectation,
      opened,
      fee: decided.reduce((sum, decision) => sum + BigInt(decision.feeLamports), 0n),
      quote: evidence.quote,
      tokens,
      people,
      mark,
    }),
    ...earners,
    finalFact(about),
    laterFact(about),
    halfwayFact(about),
    ...[openFact(about), exposedFact(about)].filter((fact) => fact !== undefined),
  ];
}

/** That values are marked, and where the amounts come from. */
function unreadWords(decided: readonly Decision[]): string {
  const unread = decided.filter((decision) => !wasRead(decision));
  const simulated = unread.filter(({ staticOnly }) => !staticOnly).length;
  const from =
    simulated === 0
      ? ''
      : ` Amounts come from a simulation${simulated < unread.length ? ' where there was one' : ''}.`;
  return `Not all of it can be read: see what is marked.${from}`;
}

/** The token it is about: by the expectation, else as it was asked for. */
function tokenOf({ request, operation }: Plan, { expectation }: ApprovalEnvelope): Address | undefined {
  if (operation === 'swap') return undefined;
  const { tokenMint, baseMint } = request.fields;
  const asked = [tokenMint, baseMint].find((each) => typeof each === 'string' && isAddress(each));
  const known = expectation?.token?.mint ?? expectation?.baseMint;
  return known ?? (typeof asked === 'string' ? asked : undefined);
}

/** The token it is about, and tokens that leave or arrive. */
function shownTokens(
  { operation }: Plan,
  { expectation, assets }: ApprovalEnvelope,
  token: Address | undefined,
  tokens: ReadonlyMap<Address, TokenKnown>,
  mark: Marked,
): ShownToken[] {
  const quote = expectation?.quoteMint;
  const mints = [
    ...(token === undefined ? [] : [token]),
    ...(operation === 'swap' ? assets.map(({ asset }) => asset) : [quote ?? 'SOL']),
    ...(expectation?.claims ?? []).flatMap(({ baseMint = 'SOL', quoteMint = 'SOL' }) => [
      baseMint,
      quoteMint,
    ]),
  ].filter((mint) => mint !== 'SOL' && mint !== WSOL_MINT);
  return [...new Set(mints)].map((mint) => {
    const { name, symbol, by } = tokens.get(mint) ?? {};
    return {
      mint,
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(by === undefined ? {} : { by }),
      ...mark,
    };
  });
}

/** What is claimed, a line each, where it is several claims together. */
function claimLines(
  { expectation }: ApprovalEnvelope,
  { request, operation }: Plan,
  tokens: ReadonlyMap<Address, TokenKnown>,
): Line[] {
  if (operation !== 'claim_all') return [];
  const claims = expectation?.claims ?? claimsIn(request.fields).map(asExpected);
  const named = (mint: Address): string => tokenWords(tokens.get(mint) ?? {}) ?? shortAddress(mint);
  return claims.map(({ operation: of, baseMint, quoteMint }) => {
    const about = baseMint === undefined ? '' : ` of ${named(baseMint)}`;
    const paidIn = quoteMint === undefined || quoteMint === WSOL_MINT ? '' : `, paid in ${named(quoteMint)}`;
    return plain(`${operationWords(of)}${about}${paidIn}.`);
  });
}

const asExpected = (claim: Claim) => {
  const [baseMint, quoteMint] = [claim.fields.tokenMint, claim.fields.quoteMint];
  return {
    operation: operationOfClaim(claim),
    ...(typeof baseMint === 'string' ? { baseMint } : {}),
    ...(typeof quoteMint === 'string' ? { quoteMint } : {}),
  };
};

/** Who is named where no expectation says who earns: by the decisions, marked where they were not read. */
function namedEarners(plan: Plan, decided: readonly Decision[], people: People): QuestionFact[] {
  const found = new Map<Address, { roles: Set<string>; read: boolean }>();
  for (const decision of decided) {
    for (const { address, role } of decision.recipients) {
      const known = found.get(address) ?? { roles: new Set<string>(), read: true };
      known.roles.add(role);
      found.set(address, { ...known, read: known.read && wasRead(decision) });
    }
  }
  const markOf = (read: boolean): Marked => (read ? {} : { mark: UNVERIFIED });
  const earners = [...found].filter(([, { roles }]) => roles.has('claimer'));
  const rows = earners.map(([address, { read }]): ShownEarner => {
    const [label, bps] = [people.label(address), shareAsked(plan, address)];
    return {
      address,
      ...(label === undefined ? {} : { label }),
      ...(bps === undefined ? {} : { bps }),
      ...markOf(read),
    };
  });
  const others = [...found].flatMap(([address, { roles, read }]) =>
    [...roles]
      .filter((role) => role !== 'claimer' && role !== 'admin')
      .map((role) => ({
        ...(people.isKnown(address) ? plain : warn)(`${people.words(address)} ${roleWords(role)}.`),
        ...markOf(read),
      })),
  );
  return rows.length + others.length === 0 ? [] : [foldEarners(rows, people, others)];
}

/** A claimer's share as it was asked for, in basis points. */
function shareAsked({ request }: Plan, address: Address): number | undefined {
  const { claimersArray, basisPointsArray } = request.fields;
  if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
  const points: unknown = basisPointsArray[claimersArray.indexOf(address)];
  return typeof points === 'number' && Number.isSafeInteger(points) ? points : undefined;
}

/** Whose words a token's name is, as a person reads it. */
export const NAMED_BY: Readonly<Record<NonNullable<ShownToken['by']>, string>> = {
  bytes: 'name chosen by the agent',
  chain: 'name chosen by its maker',
  agent: "name by the agent's word",
};

/** A token's name and symbol: `“Once” (ONCE)`. Absent where it has neither. */
export function tokenWords({ name, symbol }: Pick<ShownToken, 'name' | 'symbol'>): string | undefined {
  if (name === undefined || symbol === undefined || name === symbol) {
    const one = name ?? symbol;
    return one === undefined ? undefined : `“${one}”`;
  }
  return `“${name}” (${symbol})`;
}
