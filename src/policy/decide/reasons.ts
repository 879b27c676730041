/**
 * What each reason code weighs: which one decides when several apply, and what class it has.
 * Codes and their order are contracts; the explanation of each is in `explain.ts`.
 */
import { DENIED_PROGRAMS } from './checks/deniedPrograms.ts';
import { ASK_CODES, type Check, type Decision, type ReasonCode } from './types.ts';

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
  ['availability', ['SIGNER_UNAVAILABLE', 'SIMULATION_FAILED', 'SIMULATION_UNAVAILABLE']],
  ['policy', ['PERSON_DENIED', 'APPROVAL_EXPIRED', 'APPROVAL_REQUIRED', ...ASK_CODES]],
];

const CLASS = new Map<ReasonCode, DecisionClass>(
  ORDER.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)),
);

/** The usual class of a code. A check may give another class (an expired blockhash is no attack). */
export function classOf(code: ReasonCode): DecisionClass {
  return CLASS.get(code) ?? 'security';
}

/** The checks of a rule's price conditions; waiting does not help when one fails. */
export const TERMS = {
  share: 'enough of the quote arrives',
  fee: 'service fee is within the rule',
  rate: 'rate is above the lowest allowed',
  firstBuy: 'the first buy brings its share of the supply',
} as const;

/** The check that claimers outside wallets and address book earn no more than a rule lets them. */
export const OTHERS_SHARE = 'share of other claimers';

/** Those checks by name. */
export const PRICE_CHECKS: ReadonlySet<string> = new Set(Object.values(TERMS));

/** The check that a limit speaks about each asset that leaves; waiting does not help when it fails. */
export const EVERY_ASSET = 'a limit names every asset that leaves';

/** How names of checks begin that look at a simulation; by itself, the check that there was one. */
export const SIMULATED = 'simulated';

/** The name of a check that looks at a simulation. */
export const simulatedCheck = (what: string): string => `${SIMULATED}: ${what}`;

/** How names of checks begin that compare an instruction with the request; what follows is what differs. */
export const MATCHES_REQUEST = 'bytes match the request: ';
/** How names of checks end that a rule allows a recipient; what stands before is the role. */
export const RECIPIENT_ALLOWED = ' is allowed';
/** The check that no rule of the policy denies the operation. */
export const NO_DENYING_RULE = 'no rule denies this';

/** The place of a code, and of the same code found in a simulation: `CODE` and `CODE simulated`. */
const RANK = new Map(
  ORDER.flatMap(([kind, codes]) => [
    ...codes,
    ...(kind === 'security' ? codes.map((code) => `${code} ${SIMULATED}`) : []),
  ]).map((place, rank) => [place, rank]),
);

/**
 * Failed checks, the one that decides first: what the bytes say about security stands before what a simulation shows
 * of it, and that before every later kind. Checks of one code keep the order they were made in.
 */
export function byPrecedence(failed: readonly Check[]): Check[] {
  const rank = ({ code, check }: Check): number =>
    (check.startsWith(SIMULATED) ? RANK.get(`${code} ${SIMULATED}`) : undefined) ?? RANK.get(`${code}`) ?? -1;
  return [...failed].sort((a, b) => rank(a) - rank(b));
}

const kindOf = (check: Check): DecisionClass =>
  check.class ?? (check.code ? classOf(check.code) : 'security');

/** The check that the policy names an instruction that is not read. */
export const NAMEABLE = 'unread instruction is one the policy names';
/** The check that what is not read is handed nothing of ours but what the operation is about. */
export const REACH = 'unread instructions reach only what the operation is about';
/** The check that no account handed to them names us in a program the policy does not list: seen last is the program. */
export const STANDING = 'no account handed to unread instructions names the wallet in an unlisted program';
/** The check that unread instructions are not more than an entry of the policy lets. */
export const TOO_MANY = 'no more unread instructions than the policy lets';
/** The check that an instruction the policy names is not called in an operation it is not named for. */
export const OTHER_OPERATION = 'unread instruction belongs to the operation';
/** The check that the policy lists a program. */
export const PROGRAM_ALLOWED = 'program is allowed';
/** What may be missing or left over only because a program was not listed, and so was not looked at any further. */
const MAY_FOLLOW: readonly (ReasonCode | undefined)[] = [
  'PROGRAM_NOT_ALLOWED',
  'INSTRUCTION_UNKNOWN',
  'UNEXPECTED_INSTRUCTION',
  'REQUEST_MISMATCH',
  'UNDECLARED_LOSS',
];

/**
 * Whether a check may have failed only because programs are not listed. Never one that found a grant or a loss in an
 * instruction that was read, or an instruction of another program that nothing asked for.
 */
const followsFrom = ({ check, code, observed }: Check, unlisted: readonly string[]): boolean =>
  check !== HARD_DENIAL &&
  MAY_FOLLOW.includes(code) &&
  // Of an instruction that was read only that it is missing.
  (!check.startsWith(MATCHES_REQUEST) || observed?.endsWith(' times') === true) &&
  (code !== 'UNEXPECTED_INSTRUCTION' || unlisted.some((program) => observed?.split(' ')[1] === program));

/** The unlisted program that owns an account which names us, where that is what a check found. */
export const ownerOf = ({ check, ok, observed }: Check): string | undefined =>
  check === STANDING && !ok ? observed?.split(' ').at(-1) : undefined;

/**
 * What a denial counts as toward a freeze: its message, or the programs that no entry lists. A service that begins to use
 * another program is refused for each of its messages, but counts once.
 */
export function freezeKey({ checks, messageSha256 }: Pick<Decision, 'checks' | 'messageSha256'>): string {
  const failed = checks.filter(({ ok }) => !ok);
  const unlisted = failed.flatMap(({ check, observed }) =>
    check === PROGRAM_ALLOWED && observed !== undefined && !DENIED_PROGRAMS.has(observed) ? [observed] : [],
  );
  const attacks = failed.some(
    (check) =>
      kindOf(check) === 'security' &&
      check.check !== STANDING &&
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

/** The check that finds grants and losses in instructions by themselves, whatever the accounts hold. */
export const HARD_DENIAL = 'nothing is granted to others';
/** The check that a program allowed unread is still the one a person accepted. */
export const ACCEPTED_CODE = 'program is the code that was accepted';

/** The transaction or its quote can never be used again: what it stands on may be gone from the chain by now. */
const isExpired = ({ ok, code, class: kind }: Check): boolean =>
  !ok && code === 'LIFETIME_MISMATCH' && kind === 'availability';

const isInTheBytes = ({ code, check }: Check): boolean =>
  check === HARD_DENIAL ||
  (code !== undefined &&
    classOf(code) === 'security' &&
    !ABOUT_ACCOUNTS.includes(code) &&
    check !== ACCEPTED_CODE &&
    !check.startsWith(SIMULATED));

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
