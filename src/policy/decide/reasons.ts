/**
 * What each reason code weighs: which one decides when several apply, and what class it has.
 * Codes and their order are contracts; the sentences are in `src/presentation/decisions/`.
 */
import { DENIED_PROGRAMS } from './checks/deniedPrograms.ts';
import { ASK_CODES, type Check, type Decision, type ReasonCode } from './types.ts';
import type { CheckId } from './words/names.ts';

export type DecisionClass = Decision['class'];

/**
 * The order in which codes decide, from "this is not what it claims to be" to "a person has to approve". A more
 * telling code stands before a more general one: an appended approval is DELEGATE_GRANTED before it is
 * UNEXPECTED_INSTRUCTION.
 */
const ORDER: readonly (readonly [DecisionClass, readonly ReasonCode[]])[] = [
  // While signing is frozen, that is what a person has to know first.
  ['policy', ['FROZEN']],
  ['policy', ['POLICY_MISSING', 'POLICY_INVALID', 'POLICY_CHANGED']],
  [
    'security',
    [
      'NONCANONICAL_BYTES',
      'FORMAT_MISMATCH',
      'COSIGNATURE_INVALID',
      'HASH_MISMATCH',
      'DURABLE_NONCE',
      'FEE_PAYER_MISMATCH',
      'SIGNERS_MISMATCH',
      'LIFETIME_MISMATCH',
      'FEE_OVER',
      'LOOKUP_TABLE_UNRESOLVED',
      'AUTHORITY_CHANGE',
      'DELEGATE_GRANTED',
      'PROGRAM_NOT_ALLOWED',
      'INSTRUCTION_MISFIT',
      'INSTRUCTION_UNKNOWN',
      'RECIPIENT_LOOKALIKE',
      'UNDECLARED_LOSS',
      'UNEXPECTED_INSTRUCTION',
      'REQUEST_MISMATCH',
    ],
  ],
  ['policy', ['TOKEN_EXTENSION_DENIED', 'NO_RULE', 'RECIPIENT_NOT_ALLOWED']],
  ['input', ['REPLAY', 'IN_DOUBT', 'STAGE_ORDER']],
  ['policy', ['LIMIT_EXCEEDED', 'RATE_LIMITED']],
  [
    'availability',
    ['SIGNER_UNAVAILABLE', 'REHEARSAL_FAILED', 'RPC_DISAGREE', 'SIMULATION_FAILED', 'SIMULATION_UNAVAILABLE'],
  ],
  ['policy', ['PERSON_DENIED', 'APPROVAL_EXPIRED', 'APPROVAL_REQUIRED', ...ASK_CODES]],
];

const CLASS = new Map<ReasonCode, DecisionClass>(
  ORDER.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)),
);

/** The usual class of a code. A check may give another class (an expired blockhash is no attack). */
export function classOf(code: ReasonCode): DecisionClass {
  return CLASS.get(code) ?? 'security';
}

const placeOf = (code: ReasonCode, simulated?: boolean) => `${code}${simulated ? ' simulated' : ''}`;
/** The place of a code, and of a code of security found in a simulation. */
const RANK = new Map(
  ORDER.flatMap(([kind, codes]) => [
    ...codes.map((code) => placeOf(code)),
    ...(kind === 'security' ? codes.map((code) => placeOf(code, true)) : []),
  ]).map((place, rank) => [place, rank]),
);

/**
 * Failed checks, the one that decides first: what the bytes say about security stands before what a simulation shows
 * of it, and that before every later kind. Checks of one code keep the order they were made in.
 */
export function byPrecedence(failed: readonly Check[]): Check[] {
  const rank = ({ code, simulated }: Check): number =>
    code === undefined ? -1 : (RANK.get(placeOf(code, simulated)) ?? RANK.get(code) ?? -1);
  return [...failed].sort((a, b) => rank(a) - rank(b));
}

const kindOf = (check: Check): DecisionClass =>
  check.class ?? (check.code ? classOf(check.code) : 'security');

/** The checks of a rule's price conditions; waiting does not help when one fails. */
export const PRICE_CHECKS: readonly CheckId[] = [
  'quoteShare',
  'ruleServiceFee',
  'lowestRate',
  'firstBuyShare',
];

/** What may be missing or left over only because a program was not listed, and so was not looked at any further. */
const MAY_FOLLOW: readonly (ReasonCode | undefined)[] = [
  'PROGRAM_NOT_ALLOWED',
  'INSTRUCTION_UNKNOWN',
  'UNEXPECTED_INSTRUCTION',
  'REQUEST_MISMATCH',
  'UNDECLARED_LOSS',
];

/** The program a check is about, where it is about one. */
const programOf = ({ params }: Check): string | undefined =>
  typeof params?.program === 'string' ? params.program : undefined;

/**
 * Whether a check may have failed only because programs are not listed. Never one that found a grant or a loss in an
 * instruction that was read, or an instruction of another program that nothing asked for.
 */
const followsFrom = (check: Check, unlisted: readonly (string | undefined)[]): boolean =>
  (check.id !== 'nothingGranted' || check.simulated === true) &&
  MAY_FOLLOW.includes(check.code) &&
  // Of an instruction that was read only that it is missing (`partThere`).
  check.id !== 'matchesRequest' &&
  (check.code !== 'UNEXPECTED_INSTRUCTION' || unlisted.includes(programOf(check)));

/** The unlisted program that owns an account which names us, where that is what a check found. */
export const ownerOf = (check: Check): string | undefined =>
  check.id === 'unlistedOwner' && !check.ok ? programOf(check) : undefined;

/**
 * What a denial counts as toward a freeze: its message, or the programs that no entry lists. A service that begins to use
 * another program is refused for each of its messages, but counts once.
 */
export function freezeKey({ checks, messageSha256 }: Pick<Decision, 'checks' | 'messageSha256'>): string {
  const failed = checks.filter(({ ok }) => !ok);
  const unlisted = failed.flatMap((check) => {
    const program = check.id === 'programAllowed' ? programOf(check) : undefined;
    return program === undefined || DENIED_PROGRAMS.has(program) ? [] : [program];
  });
  const attacks = failed.some(
    (check) =>
      kindOf(check) === 'security' &&
      check.id !== 'unlistedOwner' &&
      (unlisted.length === 0 || !followsFrom(check, unlisted)),
  );
  const programs = [...new Set([...unlisted, ...failed.flatMap((check) => ownerOf(check) ?? [])])];
  return programs.length === 0 || attacks ? messageSha256 : `program ${programs.toSorted().join(' ')}`;
}

/** The class of a decision: `security` when anything about it is, else what its first reason says. */
export function decisionClass(failed: readonly Check[]): DecisionClass {
  const classes = failed.map(kindOf);
  return classes.includes('security') ? 'security' : (classes[0] ?? 'allowed');
}

/**
 * Codes of security whose checks look at accounts too. Those of the others look at the bytes, the request and the policy
 * alone, and mean the same whether or not the transaction can still land.
 */
const ABOUT_ACCOUNTS: readonly ReasonCode[] = [
  'LOOKUP_TABLE_UNRESOLVED',
  'UNDECLARED_LOSS',
  'UNEXPECTED_INSTRUCTION',
  'REQUEST_MISMATCH',
];

/** The transaction or its quote can never be used again: what it stands on may be gone from the chain by now. */
const isExpired = ({ ok, code, class: kind }: Check): boolean =>
  !ok && code === 'LIFETIME_MISMATCH' && kind === 'availability';

const isInTheBytes = ({ id, code, simulated }: Check): boolean =>
  !simulated &&
  (id === 'nothingGranted' ||
    (code !== undefined &&
      classOf(code) === 'security' &&
      !ABOUT_ACCOUNTS.includes(code) &&
      id !== 'acceptedCode'));

/**
 * The checks of a decision as they are judged. Once a transaction or its quote has expired, accounts that it stands on
 * may be closed, so a check that compares them lacks a fresh fact: it reports availability, never an attack (F29). What
 * is wrong in the bytes alone stays what it is.
 */
export function judged(checks: readonly Check[]): readonly Check[] {
  if (!checks.some(isExpired)) return checks;
  return checks.map((check) =>
    check.ok || isInTheBytes(check) || kindOf(check) !== 'security'
      ? check
      : { ...check, class: 'availability' },
  );
}

/** Reasons that do not depend on time; they are named beside the expiry. */
const STANDS: readonly (ReasonCode | undefined)[] = ['FROZEN', 'SIGNER_UNAVAILABLE'];

/** The failed checks that decide: of an expired transaction only that it expired, unless its bytes alone are wrong. */
export function decisive(checks: readonly Check[]): Check[] {
  const failed = checks.filter(({ ok }) => !ok);
  if (!failed.some(isExpired) || decisionClass(failed) === 'security') return byPrecedence(failed);
  return byPrecedence(failed.filter((check) => isExpired(check) || STANDS.includes(check.code)));
}
